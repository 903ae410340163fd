// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lanes_painter.h"

#include "core/analysis/step_markers.h"
#include "ui/theme.h"
#include "ui/timeline/ruler.h"

#include <algorithm>

namespace longpole {

namespace {
constexpr double kItself = 4; ///< pixels from which a mark is drawn as itself
constexpr double kNeverItself = 1e18;
constexpr int kStepSpacing = 60; ///< pixels between step edges that are still worth a line
} // namespace

DeviceRange deviceRange(const TimeScale &deviceScale, TimeNs begin, TimeNs end) {
    const double limit = deviceScale.width + 8;
    const double low = std::clamp(deviceScale.x(begin), -8.0, limit);
    const double high = std::clamp(deviceScale.x(end), -8.0, limit);
    if (high - low < 1) return {int(std::floor(low)), int(std::floor(low)) + 1};
    return {int(std::lround(low)), int(std::lround(high))};
}

IntervalId intervalOf(const TimelineData &data, const Row &row, uint32_t index) {
    if (row.type == Row::Type::Transfer) {
        const TransferRow &transfers = data.transfers()[row.item];
        return transfers.ids[transfers.laneBegin[row.firstLane] + index];
    }
    return {row.track, data.trace().tracks[row.track].table->laneBegin[row.firstLane] + index};
}

LanesPainter::LanesPainter() : m_labels(uiFont(11, QFont::Medium)) {}

int LanesPainter::device(double logical) const {
    return int(std::lround(logical * m_frame->ratio));
}

int LanesPainter::line() const {
    return std::max(1, int(m_frame->ratio + 0.25));
}

LanesPainter::Span LanesPainter::spanOf(const Row &row) const {
    const int y = row.y - m_frame->scroll;
    return {device(y), device(y + row.bar)};
}

void LanesPainter::fill(int x0, int x1, int y0, int y1, QRgb colour) {
    x0 = std::max(x0, 0), x1 = std::min(x1, m_image.width());
    y0 = std::max(y0, 0), y1 = std::min(y1, m_image.height());
    if (x0 >= x1) return;
    for (int y = y0; y < y1; ++y) {
        QRgb *pixels = m_pixels + size_t(y) * size_t(m_stride);
        std::fill(pixels + x0, pixels + x1, colour);
    }
}

void LanesPainter::copyLine(Span span) {
    const int top = std::max(span.top, 0), bottom = std::min(span.bottom, m_image.height());
    for (int y = top; y < bottom; ++y)
        std::copy(m_line.begin(), m_line.end(), m_pixels + size_t(y) * size_t(m_stride));
}

QRgb LanesPainter::shade(uint8_t group, float covered, Light light) const {
    const auto step = size_t(covered * 64 + 0.5f);
    return light == Dimmed ? m_dimShades[group][step] : m_shades[group][step];
}

QRgb LanesPainter::dimmed(QRgb colour) const {
    return mix(theme().base, QColor(colour), theme().dimShare).rgb();
}

void LanesPainter::prepare() {
    const QSize size(std::max(1, device(m_frame->size.width())),
                     std::max(1, device(m_frame->size.height())));
    if (m_image.size() != size) m_image = QImage(size, QImage::Format_RGB32);
    m_pixels = reinterpret_cast<QRgb *>(m_image.bits());
    m_stride = int(m_image.bytesPerLine() / qsizetype(sizeof(QRgb)));
    m_scale = {m_frame->view, double(size.width())};
    m_texts.clear();
    m_lightOf = kNone;
    m_colours = m_frame->data.groupColours();
    m_shades.resize(m_colours.size());
    m_dimShades.resize(m_colours.size());
    for (size_t g = 0; g < m_colours.size(); ++g)
        for (size_t i = 0; i <= 64; ++i) {
            const QColor colour =
                mix(theme().base, m_colours[g], std::min(1.0, 0.35 + 0.65 * double(i) / 64));
            m_shades[g][i] = colour.rgb();
            m_dimShades[g][i] = dimmed(colour.rgb());
        }
    // A mark alone is pure, and so is a full pixel; 64 stands for both.
}

void LanesPainter::paintBackground() {
    const Theme &t = theme();
    m_back.assign(size_t(m_image.width()), t.base.rgb());
    if (m_frame->range) {
        const DeviceRange r = deviceRange(m_scale, m_frame->range->begin, m_frame->range->end);
        const QRgb tint = mix(t.base, t.selected, 0.6).rgb();
        for (int x = std::max(0, r.x0); x < std::min(r.x1, m_image.width()); ++x)
            m_back[size_t(x)] = tint;
    }
    const bool any = !m_frame->rows.empty(); // a grid measures nothing without marks
    for (const Tick &tick :
         any ? rulerTicks(m_scale, m_frame->zero, 90 * m_frame->ratio) : std::vector<Tick>())
        for (int x = int(tick.x), i = 0; i < line() && x + i < m_image.width(); ++i)
            if (x + i >= 0) m_back[size_t(x + i)] = t.grid.rgb();
}

/// The gutters and rows that nothing else fills.
void LanesPainter::copyBack(Span span) {
    m_line = m_back;
    copyLine(span);
}

const QImage &LanesPainter::paint(const LanesFrame &frame) {
    m_frame = &frame;
    prepare();
    paintBackground();
    const SlotGroups &groups = frame.data.slotGroups();
    m_lines.turnTo({frame.view,
                    m_scale.width,
                    frame.ratio,
                    m_back,
                    m_colours,
                    {std::begin(groups.groupOf), std::end(groups.groupOf)},
                    frame.data.shared(),
                    frame.path ? frame.path->shared() : nullptr});
    std::vector<const Row *> headers; // their words lie on the step edges
    int bottom = 0;
    for (const Row &row : frame.rows) {
        if (row.bottom() <= frame.scroll) continue;
        if (row.y - frame.scroll >= frame.size.height()) break;
        bottom = device(row.bottom() - frame.scroll);
        if (row.type == Row::Type::Group)
            headers.push_back(&row);
        else
            paintRow(row);
    }
    copyBack({bottom, m_image.height()});
    paintEdges();
    for (const Row *header : headers) paintHeader(*header);
    paintTexts();
    if (frame.path) m_pathPainter.paint(m_image, frame, m_scale, m_back);
    if (frame.prediction) paintEnds();
    m_frame = nullptr;
    return m_image;
}

void LanesPainter::paintHeader(const Row &row) {
    const Span span = spanOf(row);
    fill(0, m_image.width(), span.top, span.bottom, theme().head.rgb());
    addText(row.detail, 8, row.y - m_frame->scroll, row.bar, theme().text2);
}

void LanesPainter::paintRow(const Row &row) {
    const Span span = spanOf(row);
    const int bottom = device(row.bottom() - m_frame->scroll);
    const bool bars = row.type != Row::Type::Counter && row.type != Row::Type::Idle &&
                      !(row.type == Row::Type::MoreThreads && row.open);
    copyBack({bars ? span.bottom : span.top, bottom});
    if (row.endsTrack) fill(0, m_image.width(), bottom - line(), bottom, theme().grid.rgb());
    if (row.type == Row::Type::Counter) return paintCounter(row, span);
    if (row.type == Row::Type::Idle) {
        paintIdle(row, span);
        if (row.ghost > 0 && m_frame->measuredIdle) paintGhost(row);
        return;
    }
    if (!bars) return;
    if (const auto *known = m_lines.find(row)) {
        m_line = *known;
        copyLine(span);
    } else {
        gather(row);
        gatherPath(row);
        paintBars(row, span);
        if (isMerged()) m_lines.keep(row, m_line);
    }
    if (row.ghost > 0 && m_frame->measured) paintGhost(row);
    const Span gutter{span.bottom + line(), std::min(bottom, span.bottom + device(4))};
    if (row.endsTrack && row.track != kNone) {
        const bool bare = m_frame->data.trace().tracks[row.track].table->size() == 0;
        paintInstants(row.track, bare ? Span{span.top + device(4), gutter.bottom} : gutter);
    }
    if (row.endsTrack)
        for (uint32_t t : row.tracks) paintInstants(t, gutter);
}

void LanesPainter::gather(const Row &row) {
    TimelineData &data = m_frame->data;
    m_columns.reset(m_image.width(), data.slotGroups().groups);
    auto add = [&](const TimelineData::Lane &lane, double wide, bool covers = true) {
        m_columns.add(lane.source, *lane.summary, data.slotGroups(), m_scale, wide, covers);
    };
    auto lanesOf = [&](uint32_t track) { return data.trace().tracks[track].table->lanes(); };
    const double wide = kItself * m_frame->ratio;
    switch (row.type) {
    case Row::Type::Transfer:
        add(data.transferLane(row.item, row.firstLane), wide);
        break;
    case Row::Type::Lane:
    case Row::Type::Annotation:
        if (row.firstLane < lanesOf(row.track)) add(data.trackLane(row.track, row.firstLane), wide);
        break;
    case Row::Type::Density: // deeper lanes lie inside the first: it says how much is covered
        for (uint32_t l = row.firstLane;
             l < std::min(row.firstLane + row.lanes, lanesOf(row.track)); ++l)
            add(data.trackLane(row.track, l), kNeverItself, l == row.firstLane);
        break;
    case Row::Type::MoreThreads:
        for (uint32_t t : row.tracks)
            if (lanesOf(t) > 0) add(data.trackLane(t, 0), kNeverItself);
        break;
    default:
        break;
    }
}

void LanesPainter::gatherPath(const Row &row) {
    const TimelineData &data = m_frame->data;
    const PathIndex *path = m_frame->path;
    const bool thread = row.track != kNone && row.type != Row::Type::Annotation &&
                        data.trace().tracks[row.track].kind == TrackKind::Thread;
    if (path && thread && row.track == m_lightOf) return;
    m_lightOf = thread ? row.track : kNone;
    m_light.assign(size_t(m_image.width()), Plain);
    if (!path) return;
    const DeviceRange window = deviceRange(m_scale, path->window().begin, path->window().end);
    for (int x = std::max(0, window.x0); x < std::min(window.x1, m_image.width()); ++x)
        m_light[size_t(x)] = Dimmed;
    m_pathColumns.reset(m_image.width(), path->groups().groups);
    const auto add = [&](const TimelineData::Lane &lane) {
        m_pathColumns.add(lane.source, *lane.summary, path->groups(), m_scale, kNeverItself);
    };
    if (row.type == Row::Type::Transfer) {
        add(path->workOfTransfers(row.item, row.firstLane));
    } else if (row.type == Row::Type::MoreThreads) {
        for (uint32_t t : row.tracks) add(path->work(t));
    } else if (row.type == Row::Type::Annotation) {
        add(path->work(data.describedBy(row.track)));
    } else if (thread) {
        add(path->work(row.track));
    } else {
        for (uint32_t l = 0; l < row.lanes; ++l)
            add(path->workOfLane(row.track, row.firstLane + l));
    }
    for (size_t x = 0; x < m_light.size(); ++x)
        if (m_pathColumns.merged(int(x))) m_light[x] = OnPath;
}

bool LanesPainter::lit(const LaneColumns::Wide &wide) const {
    const int x0 = std::max(0, wide.x0), x1 = std::min(wide.x1, m_image.width());
    return x1 <= x0 || std::any_of(m_light.begin() + x0, m_light.begin() + x1,
                                   [](uint8_t light) { return light != Dimmed; });
}

LanesPainter::Style LanesPainter::styleOf(const Row &row, const LaneColumns::Wide &wide) const {
    if (row.type == Row::Type::Annotation) return Style::Hollow;
    const IntervalId id = intervalOf(m_frame->data, row, wide.row);
    const Track &track = m_frame->data.trace().track(id);
    if (track.kind != TrackKind::Thread) return Style::Filled;
    if (track.table->kind[id.row] == Kind::Sync) return Style::Hollow; // waiting is not work
    return marksStep(track.nameOf(id.row), m_frame->data.stepMarkers()) ? Style::Structural
                                                                        : Style::Filled;
}

void LanesPainter::paintBars(const Row &row, Span span) {
    const Theme &t = theme();
    m_line = m_back;
    const int gap = line();
    std::vector<std::pair<const LaneColumns::Wide *, Style>> marks;
    for (const LaneColumns::Wide &wide : m_columns.wide()) {
        const Style style = styleOf(row, wide);
        marks.emplace_back(&wide, style);
        if (style == Style::Hollow) continue;
        const QColor colour = m_colours[wide.group];
        const QRgb pixel = style == Style::Structural
                               ? mix(t.base, t.phase.back(), t.dimShare).rgb()
                               : colour.rgb();
        const QRgb dim = style == Style::Structural ? pixel : dimmed(pixel);
        for (int x = std::max(0, wide.x0); x < std::min(wide.x1 - gap, m_image.width()); ++x)
            m_line[size_t(x)] = m_light[size_t(x)] == Dimmed ? dim : pixel;
        for (int x = std::max(0, wide.x1 - gap); x < std::min(wide.x1, m_image.width()); ++x)
            m_line[size_t(x)] = t.base.rgb();
    }
    paintMerged(row);
    copyLine(span);
    for (const auto &[wide, style] : marks) {
        const QRgb colour = m_colours[wide->group].rgb();
        if (style == Style::Hollow) paintHollow(*wide, span, lit(*wide) ? colour : dimmed(colour));
        addTexts(row, *wide, span, style);
    }
    addGaps(row, span);
    addNeighbours(row, span);
}

bool LanesPainter::isMerged() const {
    if (!m_columns.wide().empty()) return false;
    for (int x = 0; x < m_image.width(); ++x)
        if (m_columns.merged(x)) return true;
    return false;
}

void LanesPainter::paintMerged(const Row &row) {
    const auto &tracks = m_frame->data.trace().tracks;
    const bool derived = row.track != kNone && tracks[row.track].kind == TrackKind::Annotation;
    const int width = m_image.width();
    for (int x = 0; x < width; ++x) {
        if (!m_columns.merged(x)) continue;
        LaneColumns::Column column = m_columns.column(x);
        const auto light = Light(m_light[size_t(x)]);
        if (light == OnPath) { // its colour before that of the most time
            const uint8_t group = m_pathColumns.column(x).group;
            if (group < m_colours.size()) column.group = group;
        }
        // what is derived has no busy time: never a full bar
        m_line[size_t(x)] = shade(column.group, derived ? 0 : column.covered, light);
    }
}

void LanesPainter::paintHollow(const LaneColumns::Wide &wide, Span span, QRgb colour) {
    const int w = line(), x0 = wide.x0, x1 = wide.x1 - w;
    fill(x0, x1, span.top, span.bottom, theme().base.rgb());
    fill(x0, x1, span.top, span.top + w, colour);
    fill(x0, x1, span.bottom - w, span.bottom, colour);
    fill(x0, x0 + w, span.top, span.bottom, colour);
    fill(x1 - w, x1, span.top, span.bottom, colour);
}

void LanesPainter::paintCounter(const Row &row, Span span) {
    const CounterSeries &series = m_frame->data.counter(row.item);
    if (series.time.empty()) return;
    const CounterSummary &summary = m_frame->data.counterSummary(row.item);
    const double low = std::min(0.0, summary.all().least);
    const double high = std::max(summary.all().most, low + 1e-12);
    const Theme &t = theme();
    const QRgb area = mix(t.base, t.text2, 0.30).rgb(), between = mix(t.base, t.text2, 0.55).rgb();
    const QRgb top = t.text2.rgb();
    const double height = span.bottom - span.top - 2 * line();
    auto yOf = [&](double v) {
        return span.bottom - line() - int(std::lround((v - low) / (high - low) * height));
    };
    size_t next = firstPointAt(series, m_scale.view.begin + 1, 0);
    int before = -1;
    for (int x = 0; x < m_image.width(); ++x) {
        const size_t from = next > 0 ? next - 1 : 0; // the value that holds on from before
        next = firstPointAt(series, m_scale.firstTimeOf(x + 1), next);
        if (from == next) continue;
        const CounterSummary::Extremes extremes = summary.over(series, from, next);
        const int y = yOf(extremes.most), least = yOf(extremes.least);
        fill(x, x + 1, y, least, between); // it was all of these within the pixel
        fill(x, x + 1, least, span.bottom, area);
        const int linked = before < 0 ? y : before; // the step's upright
        fill(x, x + 1, std::min(y, linked), std::max(y + line(), linked), top);
        before = yOf(series.value[next - 1]);
    }
    const QString scale = QStringLiteral("max %1").arg(summary.all().most, 0, 'g', 4);
    addText(scale, 6, row.y - m_frame->scroll, 14, t.text2);
}

void LanesPainter::paintInstants(uint32_t track, Span span) {
    const Trace &trace = m_frame->data.trace();
    const std::vector<uint32_t> &all = m_frame->data.instants(track);
    const QRgb colour = mix(theme().base, theme().text2, 0.6).rgb();
    auto next = std::lower_bound(all.begin(), all.end(), m_scale.view.begin,
                                 [&](uint32_t i, TimeNs t) { return trace.instants[i].time < t; });
    while (next != all.end() && trace.instants[*next].time < m_scale.view.end) {
        const int x = int(m_scale.x(trace.instants[*next].time));
        fill(x, x + line(), span.top, span.bottom, colour);
        next = std::lower_bound(next + 1, all.end(), m_scale.firstTimeOf(x + 1),
                                [&](uint32_t i, TimeNs t) { return trace.instants[i].time < t; });
    }
}

void LanesPainter::paintEdge(TimeNs time, QRgb colour, int dash) {
    const double x = m_scale.x(time);
    if (x < 0 || x >= m_scale.width) return;
    for (int y = 0; y < m_image.height(); y += 2 * dash)
        fill(int(x), int(x) + line(), y, y + dash, colour);
}

void LanesPainter::paintEdges() {
    const Theme &t = theme();
    const auto &steps = m_frame->data.loaded().steps.steps;
    double last = -1e9;
    for (const Step &step : steps) {
        const double x = m_scale.x(step.begin);
        if (x < 0 || x - last < kStepSpacing * m_frame->ratio) continue;
        if (x > m_scale.width) break;
        paintEdge(step.begin, t.line.rgb(), device(3));
        last = x;
    }
    if (m_frame->window) {
        paintEdge(m_frame->window->begin, t.text2.rgb(), device(3));
        paintEdge(m_frame->window->end, t.text2.rgb(), device(3));
    }
    if (m_frame->range) {
        const DeviceRange r = deviceRange(m_scale, m_frame->range->begin, m_frame->range->end);
        fill(r.x0, r.x0 + line(), 0, m_image.height(), t.accent.rgb());
        fill(r.x1 - line(), r.x1, 0, m_image.height(), t.accent.rgb());
    }
}

} // namespace longpole
