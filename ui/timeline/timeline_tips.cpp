// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/chrome_painter.h"
#include "ui/timeline/timeline_view.h"

#include <QToolTip>

#include <algorithm>

namespace longpole {

namespace {

constexpr int kLongestName = 160;
constexpr int kOneLine = 64; ///< letters that a tooltip does not break

QString text(std::string_view s) {
    return QString::fromUtf8(s.data(), qsizetype(s.size()));
}
QString duration(TimeNs length) {
    return QString::fromStdString(formatDuration(length));
}
QString percent(double share) {
    return QStringLiteral("%1\u00a0%").arg(100 * share, 0, 'f', 1);
}

} // namespace

void TimelineView::showTip() {
    const QPointF at = m_lastMouse;
    const int index = rowIndexAt(at);
    const uint32_t segment = segmentAt(at);
    if ((index < 0 && segment == kNone) || m_drag != Drag::None || !m_data) return;
    const IdleInterval *idle = segment == kNone ? idleAt(at) : nullptr;
    QString tip = segment != kNone ? segmentTip(segment) : handOverTip(at);
    if (tip.isEmpty())
        tip = idle ? idleTip(*idle) : tipText(hitAt(at, kReach), m_rows[size_t(index)]);
    if (!tip.isEmpty()) QToolTip::showText(mapToGlobal(at.toPoint()) + QPoint(8, 8), tip, this);
}

QString TimelineView::tipText(const Hit &hit, const Row &row) const {
    if (!hit.id.valid()) return {};
    const Trace &trace = m_data->trace();
    auto nameOf = [&](IntervalId id) {
        return text(trace.name(id)).left(kLongestName).toHtmlEscaped();
    };
    const RulerZero zero = rulerZero(m_data->loaded(), m_state.window());
    if (hit.merged <= 1) {
        QString tip = QStringLiteral("<b>%1</b><br>%2, from %3 in %4")
                          .arg(nameOf(hit.id), duration(trace.end(hit.id) - trace.begin(hit.id)),
                               duration(trace.begin(hit.id) - zero.zero), zero.title.mid(8));
        const QString group = m_data->slotName(m_data->slotOf(hit.id));
        tip += QStringLiteral("<br>%1").arg(group.toHtmlEscaped());
        const bool whole = trace.name(hit.id).size() <= kOneLine;
        return whole ? QStringLiteral("<p style='white-space:pre'>%1</p>").arg(tip) : tip;
    }
    const TimeNs pixel = std::max<TimeNs>(1, TimeNs(deviceScale().nsPerPixel()));
    QString tip = QStringLiteral("<b>%1, %2 in this pixel</b><br>%3 intervals, busy %4 of the time")
                      .arg(row.label.isEmpty() ? text(trace.track(hit.id).name) : row.label,
                           duration(pixel), QString::fromStdString(formatCount(hit.merged)),
                           percent(std::min(1.0, double(hit.busy) / double(pixel))));
    tip +=
        QStringLiteral("<br>longest: %1, %2")
            .arg(nameOf(hit.longest), duration(trace.end(hit.longest) - trace.begin(hit.longest)));
    std::vector<std::pair<TimeNs, uint8_t>> shares;
    for (size_t g = 0; g < hit.byGroup.size(); ++g)
        if (hit.byGroup[g] > 0) shares.emplace_back(hit.byGroup[g], uint8_t(g));
    std::sort(shares.rbegin(), shares.rend());
    QStringList most;
    for (size_t i = 0; i < std::min<size_t>(3, shares.size()); ++i)
        most << QStringLiteral("%1 %2").arg(m_data->groupName(shares[i].second),
                                            percent(double(shares[i].first) / double(hit.busy)));
    if (!most.isEmpty()) tip += QStringLiteral("<br>most time: ") + most.join(QStringLiteral(", "));
    return tip;
}

} // namespace longpole
