// SPDX-License-Identifier: GPL-3.0-or-later
// The part of LanesPainter that draws why a device had nothing to do.
#include "ui/timeline/lanes_painter.h"

#include "ui/theme.h"

#include <algorithm>

namespace longpole {

namespace {
constexpr double kItself = 4, kLetter = 12, kPadding = 4;
} // namespace

void LanesPainter::paintIdle(const Row &row, Span span) {
    const IdleIndex *idle = m_frame->idle;
    const TrackGroup &group = m_frame->data.groups()[row.group];
    const DeviceIdle *device = idle ? idle->device(m_frame->data.trace(), group) : nullptr;
    if (!device) return;
    const TimelineData::Lane lane = idle->lane(*device);
    m_columns.reset(m_image.width(), idle->groups().groups);
    m_columns.add(lane.source, *lane.summary, idle->groups(), m_scale, kItself * m_frame->ratio);
    for (int x = 0; x < m_image.width(); ++x)
        if (m_columns.merged(x)) stackShares(x, span);
    m_light.assign(size_t(m_image.width()), Plain);
    m_lightOf = kNone;
    const int gap = line();
    for (const LaneColumns::Wide &wide : m_columns.wide()) {
        const IdleInterval &interval = device->intervals[wide.row];
        const Surface surface = surfaceOf(interval.cause);
        const int x1 = wide.x1 - gap;
        fillSurface(m_image, {wide.x0, span.top, x1 - wide.x0, span.bottom - span.top}, surface,
                    m_frame->ratio);
        fill(x1, wide.x1, span.top, span.bottom, theme().base.rgb());
        addIdleText(row, wide, interval, surface);
    }
}

/// One column of several idle intervals: as high as the share of its time they fill, by cause.
void LanesPainter::stackShares(int x, Span span) {
    const int height = span.bottom - span.top;
    float sum = 0;
    const auto most = m_columns.column(x);
    int y = span.bottom;
    for (uint32_t cause = 0; cause < kIdleCauseCount; ++cause) {
        const float share = m_columns.share(x, cause);
        if (share <= 0) continue;
        sum += share;
        const int top = span.bottom - int(std::lround(std::min(1.0f, sum) * float(height)));
        fill(x, x + 1, top, y, columnColour(IdleCause(cause)));
        y = std::min(y, top);
    }
    if (y == span.bottom) // less than a pixel of time is still a mark
        fill(x, x + 1, span.bottom - line(), span.bottom, columnColour(IdleCause(most.group)));
}

QRgb LanesPainter::columnColour(IdleCause cause) const {
    const Surface surface = surfaceOf(cause);
    return (surface.framed ? surface.lines : surface.ground).rgb();
}

void LanesPainter::addIdleText(const Row &row, const LaneColumns::Wide &wide,
                               const IdleInterval &interval, const Surface &surface) {
    const double ratio = m_frame->ratio;
    const double left = std::max(0, wide.x0) / ratio;
    const double room = std::min(wide.x1, m_image.width()) / ratio - left;
    if (room < kLetter) return;
    const std::string_view label = idleCauseLabel(interval.cause);
    const QString word = QString::fromUtf8(label.data(), qsizetype(label.size()));
    const QString length = QString::fromStdString(formatDuration(interval.end - interval.begin));
    for (const QString &text :
         {word + QStringLiteral(" ") + length, word, letterOf(interval.cause)}) {
        const double width = m_labels.width(text);
        if (text.isEmpty() || width + (text.size() > 1 ? 2 * kPadding : 2) > room) continue;
        const double at = text.size() > 1 ? left + kPadding : left + (room - width) / 2;
        const double top = row.y - m_frame->scroll;
        if (surface.hatch.every > 0) // no lines behind letters
            fill(device(at - 2), device(at + width + 2), device(top + 2), device(top + row.bar - 2),
                 surface.ground.rgb());
        addText(text, at, top, row.bar, surface.ink, true);
        return;
    }
}

} // namespace longpole
