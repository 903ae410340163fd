// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/path_strip.h"

#include "ui/theme.h"
#include "ui/timeline/hatch.h"
#include "ui/timeline/lanes_frame.h"

#include <algorithm>
#include <array>

namespace longpole {

namespace {

constexpr int kBarTop = 1, kBar = 19, kLineTop = 21, kLine = 3;
constexpr int kGhostTop = 2, kGhostBar = 15;
constexpr double kItself = 3; ///< pixels from which a segment is drawn as itself
constexpr int kAlone = 24;    ///< pixels from which it is named when the view is close
constexpr int kPadding = 4;
constexpr uint8_t kLagGroup = 255;
constexpr uint32_t kFurthest = 4096; ///< segments beyond the view that a length still counts

QString duration(TimeNs length) {
    return QString::fromStdString(formatDuration(length));
}

} // namespace

QString phaseWord(const TimelineData &data, uint8_t group) {
    const QString name = data.groupName(group);
    const bool acronym = name.size() > 1 && name[1].isUpper();
    return acronym || name.isEmpty() ? name : name[0].toLower() + name.mid(1);
}

QString shortPhaseWord(const TimelineData &data, uint8_t group) {
    static const std::array<std::pair<const char *, const char *>, 9> words = {
        {{"data wait", "data"},
         {"transfer", "xfer"},
         {"forward", "fwd"},
         {"backward", "bwd"},
         {"communication", "comm"},
         {"synchronisation", "sync"},
         {"update", "update"},
         {"logging", "log"},
         {"other", "other"}}};
    const QString word = phaseWord(data, group);
    for (const auto &[full, brief] : words)
        if (word == QLatin1String(full)) return QLatin1String(brief);
    return word.section(QStringLiteral(", "), 0, 0);
}

PathStrip::PathStrip() : m_labels(uiFont(11, QFont::Medium)) {}

void PathStrip::fill(int x0, int x1, int y0, int y1, QRgb colour) {
    x0 = std::max(x0, 0), x1 = std::min(x1, m_image.width());
    for (int y = std::max(0, y0); y < std::min(y1, m_image.height()) && x0 < x1; ++y) {
        QRgb *pixels = reinterpret_cast<QRgb *>(m_image.scanLine(y));
        std::fill(pixels + x0, pixels + x1, colour);
    }
}

void PathStrip::gather(const PathIndex &path) {
    const TimelineData::Lane lane = path.strip();
    m_columns.reset(m_image.width(), path.groups().groups);
    m_columns.add(lane.source, *lane.summary, path.groups(), m_scale, kItself * m_ratio);
    // Far away a stretch is a phase; close up, wide segments are told apart.
    const bool close = m_scale.view.length() * 3 < path.window().length();
    const int alone = close ? device(kAlone) : INT32_MAX;
    m_stretches.clear();
    const auto add = [&](Stretch next) {
        next.x0 = std::max(next.x0, 0), next.x1 = std::min(next.x1, m_image.width());
        if (next.x0 >= next.x1) return;
        if (!m_stretches.empty()) {
            Stretch &last = m_stretches.back();
            // slivers without a phase do not cut a phase in two
            if (!close && m_stretches.size() > 1 && last.group >= path.untraced() &&
                last.x1 - last.x0 < device(kItself) + 1 && last.x1 >= next.x0 &&
                m_stretches.end()[-2].group == next.group && m_stretches.end()[-2].x1 >= last.x0) {
                m_stretches.pop_back();
                m_stretches.back().x1 = next.x1;
                m_stretches.back().segment = kNone;
                return;
            }
            const bool single = next.segment != kNone && next.x1 - next.x0 >= alone;
            const bool lastSingle = last.segment != kNone && last.x1 - last.x0 >= alone;
            if (last.x1 >= next.x0 && last.group == next.group && !single && !lastSingle) {
                last.x1 = next.x1;
                last.segment = kNone;
                return;
            }
        }
        m_stretches.push_back(next);
    };
    const auto &wide = m_columns.wide();
    size_t mark = 0;
    for (int x = 0; x < m_image.width();) {
        while (mark < wide.size() && wide[mark].x1 <= x) ++mark;
        if (mark < wide.size() && wide[mark].x0 <= x) {
            const uint32_t index = wide[mark].row;
            uint8_t group = wide[mark].group;
            if (path.segments()[index].type == PathSegment::Type::Lag) group = kLagGroup;
            add({wide[mark].x0, wide[mark].x1, group, index});
            x = std::max(x + 1, wide[mark].x1);
            continue;
        }
        if (m_columns.merged(x)) add({x, x + 1, m_columns.column(x).group, kNone});
        ++x;
    }
}

const QImage &PathStrip::paint(const TimelineData &data, const PathIndex &path, TimeRange view,
                               int width, double ratio) {
    m_ghost = false;
    draw(data, path, view, {width, kHeight}, ratio);
    const DeviceRange window = deviceRange(m_scale, path.window().begin, path.window().end);
    fill(window.x0, window.x1, device(kLineTop), device(kLineTop + kLine), theme().path.rgb());
    return m_image;
}

const QImage &PathStrip::paintGhost(const TimelineData &data, const PathIndex &path, TimeRange view,
                                    int width, double ratio) {
    m_ghost = true;
    draw(data, path, view, {width, kGhost}, ratio);
    return m_image;
}

void PathStrip::draw(const TimelineData &data, const PathIndex &path, TimeRange view, QSize room,
                     double ratio) {
    m_ratio = ratio;
    const QSize size(std::max(1, device(room.width())), device(room.height()));
    if (m_image.size() != size) m_image = QImage(size, QImage::Format_RGB32);
    m_scale = {view, double(size.width())};
    m_colours = data.groupColours();
    m_image.fill(theme().base);
    gather(path);
    for (const Stretch &stretch : m_stretches) paintStretch(data, path, stretch);
}

void PathStrip::paintStretch(const TimelineData &data, const PathIndex &path,
                             const Stretch &stretch) {
    const int one = std::max(1, device(1));
    const int x0 = stretch.x0, width = stretch.x1 - stretch.x0;
    const int x1 = width >= 4 * one && stretch.x1 < m_image.width() ? stretch.x1 - one : stretch.x1;
    const int barTop = m_ghost ? kGhostTop : kBarTop, bar = m_ghost ? kGhostBar : kBar;
    const int top = device(barTop), bottom = device(barTop + bar);
    const bool hatched = stretch.group >= path.untraced();
    const auto outlined = [](QColor colour) {
        return Surface{theme().base, colour, theme().text2, {}, true};
    };
    const Surface surface = stretch.group == path.untraced()      ? Surface::untraced()
                            : stretch.group == path.unexplained() ? Surface::unexplained()
                            : hatched                             ? Surface::lag()
                            : m_ghost ? outlined(m_colours[stretch.group])
                                      : Surface::plain(m_colours[stretch.group]);
    fillSurface(m_image, {x0, top, x1 - x0, bottom - top}, surface, m_ratio);
    const double left = x0 / m_ratio, room = (x1 - x0) / m_ratio - 2 * kPadding;
    const QString label = labelOf(data, path, stretch, room);
    if (label.isEmpty()) return;
    const double wide = m_labels.width(label);
    if (hatched) // no lines behind letters
        fill(device(left + kPadding - 2), device(left + kPadding + wide + 3), top + 2 * one,
             bottom - 2 * one, surface.ground.rgb());
    QPainter painter(&m_image);
    painter.scale(m_ratio, m_ratio);
    painter.setFont(m_labels.font());
    painter.setPen(surface.ink);
    painter.drawText(QRectF(left + kPadding, barTop, room + 2, bar),
                     Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, label);
}

QString PathStrip::labelOf(const TimelineData &data, const PathIndex &path, const Stretch &stretch,
                           double room) {
    if (room < 12) return {};
    const QString space = QStringLiteral(" ");
    QStringList candidates;
    if (stretch.group == kLagGroup || stretch.group >= path.untraced()) {
        const QString word = stretch.group == kLagGroup         ? QStringLiteral("lag")
                             : stretch.group == path.untraced() ? QStringLiteral("untraced")
                                                                : QStringLiteral("unexplained");
        candidates = {word + space + duration(lengthOf(path, stretch)), word};
    } else if (stretch.segment != kNone && m_scale.view.length() * 3 < path.window().length()) {
        const PathSegment &segment = path.segments()[stretch.segment];
        if (segment.interval.valid() && segment.interval.row != kNone) {
            const Trace &trace = data.trace();
            return m_labels.fit(trace.name(segment.interval), trace.kind(segment.interval),
                                segment.end - segment.begin, room, true);
        }
    }
    if (candidates.isEmpty()) {
        const QString length = duration(lengthOf(path, stretch));
        const QString word = phaseWord(data, stretch.group);
        const QString brief = shortPhaseWord(data, stretch.group);
        candidates = {word + space + length, brief + space + length, brief};
    }
    for (const QString &candidate : candidates)
        if (m_labels.width(candidate) <= room) return candidate;
    return {};
}

TimeNs PathStrip::lengthOf(const PathIndex &path, const Stretch &stretch) const {
    const auto &all = path.segments();
    if (stretch.segment != kNone) return all[stretch.segment].end - all[stretch.segment].begin;
    const LaneSource lane = path.strip().source;
    const auto belongs = [&](uint32_t i) {
        return lane.slot[i] == stretch.group || double(lane.duration[i]) < m_scale.nsPerPixel();
    };
    uint32_t first = path.segmentAt(m_scale.timeAt(stretch.x0));
    uint32_t last = path.segmentAt(m_scale.timeAt(stretch.x1) - 1);
    while (first < last && lane.slot[first] != stretch.group) ++first;
    while (last > first && lane.slot[last] != stretch.group) --last;
    // what the edges of the view cut off belongs to the length as well
    const uint32_t least = first - std::min(first, kFurthest);
    const uint32_t most = std::min(uint32_t(all.size()) - 1, last + kFurthest);
    uint32_t i = first;
    if (stretch.x0 <= 0)
        while (i > least && belongs(i - 1))
            if (lane.slot[--i] == stretch.group) first = i;
    i = last;
    if (stretch.x1 >= m_image.width())
        while (i < most && belongs(i + 1))
            if (lane.slot[++i] == stretch.group) last = i;
    return all[last].end - all[first].begin;
}

} // namespace longpole
