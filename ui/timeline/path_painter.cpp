// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/path_painter.h"

#include "ui/theme.h"
#include "ui/timeline/hatch.h"

#include <QPainter>

#include <algorithm>
#include <climits>

namespace longpole {

namespace {

constexpr int kHidden = INT_MIN;
constexpr int kLine = 3, kUnder = 5;      ///< its height, and how far it begins above the row's end
constexpr int kVertical = 2, kBeside = 3; ///< width, and from its left to the begin it causes
constexpr int kApart = 6;                 ///< pixels between verticals that are still told apart
constexpr int kSlackHeight = 7;
constexpr int kHeaderText = 8; ///< where the words of a header begin
constexpr uint32_t kSamples = 16;

} // namespace

int PathPainter::device(double logical) const {
    return int(std::lround(logical * m_frame->ratio));
}

int PathPainter::gutter(uint32_t track) const {
    return track < m_gutters.size() ? m_gutters[track] : kHidden;
}

void PathPainter::fill(int x0, int x1, int y0, int y1, QRgb colour) {
    x0 = std::max(x0, 0), x1 = std::min(x1, m_image->width());
    y0 = std::max(y0, 0), y1 = std::min(y1, m_image->height());
    for (int y = y0; y < y1; ++y) {
        QRgb *pixels = reinterpret_cast<QRgb *>(m_image->scanLine(y));
        std::fill(pixels + std::min(x0, x1), pixels + x1, colour);
    }
}

void PathPainter::fillBehindWords(int x0, int x1, int y0, int y1, QRgb colour) {
    for (const QRect &words : m_words) {
        if (x1 <= words.left() || x0 > words.right()) continue;
        if (words.bottom() < y0 || words.top() >= y1) continue;
        fill(x0, x1, y0, words.top(), colour);
        y0 = words.bottom() + 1;
    }
    fill(x0, x1, y0, y1, colour);
}

void PathPainter::paint(QImage &image, const LanesFrame &frame, const TimeScale &scale,
                        const std::vector<QRgb> &background) {
    m_image = &image;
    m_frame = &frame;
    m_scale = scale;
    m_reach = std::max(1, device(1));
    m_background = &background;
    m_taken.clear();
    m_labels.clear();
    placeGutters();
    for (uint32_t track = 0; track < m_gutters.size(); ++track) {
        const int y = m_gutters[track];
        if (y > -device(kUnder) && y < image.height()) paintLine(track);
    }
    QPainter painter(&image);
    m_clusters = clusters();
    for (Cluster &cluster : m_clusters) paintCluster(painter, cluster);
    if (frame.links && frame.links->slack > 0) paintSlack();
    for (const Label &label : m_labels) paintLabel(painter, label);
}

void PathPainter::placeGutters() {
    m_gutters.assign(m_frame->data.trace().tracks.size(), kHidden);
    m_words.clear();
    const QFontMetricsF metrics(uiFont(11));
    for (const Row &row : m_frame->rows) {
        if (row.type == Row::Type::Group && !row.detail.isEmpty()) {
            const int top = device(row.y - m_frame->scroll);
            m_words.emplace_back(0, top,
                                 device(kHeaderText + metrics.horizontalAdvance(row.detail) + 4),
                                 device(row.bar));
        }
        const int y = device(row.bottom() - row.ghost - m_frame->scroll - kUnder);
        if (row.type == Row::Type::Group && !row.open) {
            const TrackGroup &group = m_frame->data.groups()[row.group];
            for (const auto *tracks : {&group.tracks, &group.helpers})
                for (uint32_t track : *tracks) m_gutters[track] = y;
        } else if (row.type == Row::Type::MoreThreads && !row.open) {
            for (uint32_t track : row.tracks) m_gutters[track] = y;
        } else if (row.endsTrack && row.track != kNone && row.type != Row::Type::Annotation) {
            m_gutters[row.track] = y;
        }
    }
}

void PathPainter::paintLine(uint32_t track) {
    const PathIndex &path = *m_frame->path;
    if (!path.touches(track)) return;
    const int y = m_gutters[track], bottom = y + std::max(2, device(kLine));
    const QRgb colour = theme().path.rgb();
    // what is solid hides the dashes of the same pixel
    for (const bool dashed : {true, false}) {
        const TimelineData::Lane lane = dashed ? path.waits(track) : path.work(track);
        if (lane.source.count == 0) continue;
        m_columns.assign(size_t(m_image->width()), 0);
        markColumns(lane.source, m_scale, m_columns);
        const int dash = device(3), period = device(5);
        for (int x = 0, run = 0; x < m_image->width(); ++x) {
            run = m_columns[size_t(x)] ? run + 1 : 0;
            if (run == 0 || (dashed && (run - 1) % period >= dash)) continue;
            fill(x, x + 1, y, bottom, colour);
        }
    }
}

std::vector<PathPainter::Cluster> PathPainter::clusters() const {
    std::vector<Cluster> result;
    const auto &all = m_frame->path->handOvers();
    const auto after = [&](size_t from, TimeNs time) {
        return size_t(std::lower_bound(all.begin() + ptrdiff_t(from), all.end(), time,
                                       [](const HandOver &h, TimeNs t) { return h.time < t; }) -
                      all.begin());
    };
    const int apart = device(kApart), limit = m_image->width() + apart;
    const auto column = [&](TimeNs time) { // what lies far outside is just outside
        return int(std::lround(std::clamp(m_scale.x(time), -2.0 * apart, limit + 1.0)));
    };
    size_t i = after(0, m_scale.firstTimeOf(-apart));
    while (i < all.size()) {
        const int x = column(all[i].time);
        if (x > limit) break;
        Cluster cluster{uint32_t(i), uint32_t(i), x};
        int last = x;
        for (size_t next = i + 1; next < all.size();) { // a jump for each pixel, not each hand-over
            const int at = column(all[next].time);
            if (at - last >= apart || at > limit) break;
            last = at;
            next = std::max(next + 1, after(next, m_scale.firstTimeOf(at + 1)));
            cluster.last = uint32_t(next - 1);
        }
        result.push_back(cluster);
        i = size_t(cluster.last) + 1;
    }
    return result;
}

std::pair<uint32_t, uint32_t> PathPainter::handOversAt(QPoint pixel) const {
    const int reach = 3 * m_reach;
    for (const Cluster &cluster : m_clusters) {
        const int x = cluster.x - 2 * m_reach;
        if (std::abs(pixel.x() - x) <= reach && pixel.y() >= cluster.top &&
            pixel.y() <= cluster.bottom)
            return {cluster.first, cluster.last};
    }
    return {kNone, kNone};
}

void PathPainter::paintCluster(QPainter &painter, Cluster &cluster) {
    const auto &all = m_frame->path->handOvers();
    const uint32_t count = cluster.last - cluster.first + 1;
    int top = INT_MAX, bottom = INT_MIN;
    bool assumed = true;
    QStringList words;
    for (uint32_t i = 0; i < std::min(count, kSamples); ++i) {
        const HandOver &one = all[cluster.first + uint64_t(i) * count / std::min(count, kSamples)];
        const int from = gutter(one.from), to = gutter(one.to);
        if (from == kHidden || to == kHidden) continue;
        top = std::min({top, from, to});
        bottom = std::max({bottom, from, to});
        assumed &= one.evidence == Evidence::Assumed;
        const QString word = edgeLabel(one.type);
        if (!words.contains(word)) words << word;
    }
    if (top >= bottom) return;
    cluster.top = top;
    cluster.bottom = bottom;
    const QRgb colour = theme().path.rgb(), base = theme().base.rgb();
    const int line = std::max(2, device(kLine)), width = std::max(2, device(kVertical));
    const int x0 = cluster.x - device(kBeside), x1 = x0 + width;
    const int dash = assumed ? device(5) : INT_MAX / 4, period = assumed ? device(9) : 1;
    fillBehindWords(x0 - device(1), x0, top + line, bottom, base);
    fillBehindWords(x1, x1 + device(1), top + line, bottom, base);
    for (int y = top; y < bottom + line; y += assumed ? period : bottom + line - top)
        fillBehindWords(x0, x1, y, std::min(y + std::min(dash, bottom + line - y), bottom + line),
                        colour);
    const HandOver &last = all[cluster.last];
    const int to = gutter(last.to), from = gutter(last.from);
    fill(x0, cluster.x, to, to + line, colour); // a corner without a hole
    fill(x0, cluster.x, from, from + line, colour);
    const double ratio = m_frame->ratio;
    if (count <= kSamples && to != from) {
        const double middle = (x0 + x1) / 2.0 / ratio;
        const bool down = to > from;
        const double tip = (down ? to : to + line) / ratio, back = down ? tip - 8 : tip + 8;
        QPolygonF head;
        head << QPointF(middle, tip) << QPointF(middle - 5, back) << QPointF(middle + 5, back);
        painter.save();
        painter.scale(ratio, ratio);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme().path);
        painter.drawPolygon(head);
        painter.restore();
    }
    const QString text = count == 1 || (words.size() <= 2 && count <= 4)
                             ? words.join(QStringLiteral(" · "))
                             : QStringLiteral("%1 hand-overs")
                                   .arg(QString::fromStdString(formatCount(int64_t(count))));
    m_labels.push_back({text, (x0 + x1) / 2, top + line, bottom, theme().path});
}

bool PathPainter::isFree(const QRect &box) const {
    if (!m_image->rect().contains(box)) return false;
    for (const QRect &other : m_taken)
        if (other.intersects(box)) return false;
    const int step = std::max(1, device(1));
    for (int y = box.top(); y <= box.bottom(); y += step) {
        const QRgb *pixels = reinterpret_cast<const QRgb *>(m_image->constScanLine(y));
        for (int x = box.left(); x <= box.right(); x += step)
            if (pixels[x] != (*m_background)[size_t(x)]) return false;
    }
    return true;
}

QRect PathPainter::placeOf(const Label &label, QSize size) const {
    const int beside = device(7), edge = device(4);
    for (int y = label.top + edge; y + size.height() <= label.bottom - edge; y += device(6))
        for (const int left : {label.x + beside, label.x - beside - size.width()})
            if (const QRect box({left, y}, size); isFree(box)) return box;
    if (!label.needed) return {};
    const QRect above(QPoint(label.x - beside - size.width(), label.middle - size.height()), size);
    return above.translated(std::max(0, edge - above.left()), 0);
}

void PathPainter::paintLabel(QPainter &painter, const Label &label) {
    const double ratio = m_frame->ratio;
    const QFont font = uiFont(10, QFont::Medium);
    const double width = QFontMetricsF(font).horizontalAdvance(label.text);
    const QRect box = placeOf(label, {device(width + 8), device(15)});
    if (box.isNull()) return;
    const int one = std::max(1, device(1));
    m_taken.push_back(box.adjusted(-4 * one, -2 * one, 4 * one, 2 * one));
    painter.fillRect(box, mix(theme().base, label.colour, 0.55));
    painter.fillRect(box.adjusted(one, one, -one, -one), theme().base);
    painter.save();
    painter.scale(ratio, ratio);
    painter.setFont(font);
    painter.setPen(label.colour);
    painter.drawText(
        QRectF(box.x() / ratio, box.y() / ratio, box.width() / ratio, box.height() / ratio),
        Qt::AlignCenter, label.text);
    painter.restore();
}

void PathPainter::paintSlack() {
    const Trace &trace = m_frame->data.trace();
    const IntervalId id = m_frame->selected;
    const int line = gutter(id.track);
    if (line == kHidden) return;
    const DeviceRange x =
        deviceRange(m_scale, trace.end(id), trace.end(id) + m_frame->links->slack);
    const int bottom = line + device(kUnder) - device(1), top = bottom - device(kSlackHeight);
    const int one = std::max(1, device(1));
    fillSurface(*m_image, {x.x0, top, x.x1 - x.x0, bottom - top}, Surface::slack(), m_frame->ratio);
    const QRgb colour = theme().accent.rgb();
    fill(x.x1 - 2 * one, x.x1, top - device(3), bottom + device(3), colour);
    const QString text = QStringLiteral("slack %1")
                             .arg(QString::fromStdString(formatDuration(m_frame->links->slack)));
    const int at = std::clamp(x.x1, 0, m_image->width());
    m_labels.insert(m_labels.begin(), {text, at, top - device(40), bottom + device(44),
                                       theme().accent, top - device(2), true});
}

} // namespace longpole
