// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/time.h"
#include "core/model/kind.h"

#include <QFont>
#include <QFontMetricsF>
#include <QHash>
#include <QString>

#include <array>
#include <string_view>

namespace longpole {

/// "multi_tensor_apply_kernel<LpNorm>": last identifier of a device function and the first template
/// argument that tells it from its sisters. Other names come back as they are.
QString kernelShortName(std::string_view name);
/// A shorter form of any interval's name; the name itself where there is none.
QString shortName(std::string_view name, Kind kind);

/// Texts of marks, fitted to pixels. Remembers short names and widths by the address of the name,
/// which lives in the trace's string pool: clear it when another trace is opened. GUI thread.
class Labels {
public:
    explicit Labels(const QFont &font);

    /// Name and length, name, short name, or the short name elided in the middle (from 56 px);
    /// empty when nothing readable fits into `width` pixels.
    QString fit(std::string_view name, Kind kind, TimeNs length, double width, bool withLength);
    double width(const QString &text) const;
    const QFont &font() const { return m_font; }
    void clear() { m_names.clear(); }

private:
    struct Name {
        QString full, brief;
        double fullWidth = 0, briefWidth = 0;
    };
    const Name &nameOf(std::string_view name, Kind kind);
    QString elided(const Name &name, double width) const;

    QFont m_font;
    QFontMetricsF m_metrics;
    std::array<float, 128> m_advance; ///< of ASCII, kerning left out
    QHash<const void *, Name> m_names;
};

} // namespace longpole
