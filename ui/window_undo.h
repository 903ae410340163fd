// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/view_state.h"

#include <QElapsedTimer>
#include <QObject>

namespace longpole {

/// Puts each choice of a window (a step, a range) on the undo stack; the many ranges of one drag
/// are one step.
class WindowUndo : public QObject {
    Q_OBJECT
public:
    explicit WindowUndo(ViewState &state, QObject *parent = nullptr);

private:
    friend class WindowCommand;
    struct Choice {
        std::optional<uint32_t> step;
        std::optional<TimeRange> range;
        friend bool operator==(const Choice &, const Choice &) = default;
    };
    Choice now() const { return {m_state.step(), m_state.range()}; }
    void windowChanged();
    void apply(const Choice &choice);

    ViewState &m_state;
    Choice m_last;
    bool m_applying = false;
};

} // namespace longpole
