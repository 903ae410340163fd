// SPDX-License-Identifier: GPL-3.0-or-later
// The part of TimelineView that shows the critical path and walks along it.
#include "ui/timeline/chrome_painter.h"
#include "ui/timeline/timeline_view.h"

#include "ui/theme.h"

#include <QPainter>

#include <algorithm>

namespace longpole {

namespace {

/// Segments from which sorting them would be felt.
constexpr size_t kLargePath = 100'000;

QString text(std::string_view s) {
    return QString::fromUtf8(s.data(), qsizetype(s.size()));
}
QString duration(TimeNs length) {
    return QString::fromStdString(formatDuration(length));
}

} // namespace

void TimelineView::Analysed::clear() {
    job.cancel();
    path.reset();
    idle.reset();
}

void TimelineView::setPath(std::shared_ptr<const WindowPath> path) {
    m_segment = kNone;
    m_asMeasured.job.cancel();
    if (path && m_data)
        makeIndex(m_asMeasured, m_measured, std::move(path));
    else if (m_asMeasured.path && m_data)
        m_stalePath.start();
    else
        take(m_asMeasured, {});
}

void TimelineView::makeIndex(Analysed &of, const std::shared_ptr<TimelineData> &data,
                             std::shared_ptr<const WindowPath> path) {
    const bool large = path->path.segments.size() > kLargePath;
    const auto make = [path, data, by = data->colourBy(), colours = data->slotGroups()] {
        return std::make_shared<const PathIndex>(path, *data, by, colours);
    };
    if (!large) return take(of, make());
    of.job.start([make](Progress &) -> Result<std::shared_ptr<const PathIndex>> { return make(); },
                 [this, &of](Result<std::shared_ptr<const PathIndex>> result) {
                     if (result) take(of, std::move(*result));
                 });
}

void TimelineView::take(Analysed &of, std::shared_ptr<const PathIndex> index) {
    if (&of == &m_asMeasured) m_stalePath.stop();
    of.path = std::move(index);
    findLinks();
    repaintLanes();
}

void TimelineView::setIdle(std::shared_ptr<const std::vector<DeviceIdle>> books) {
    if (!books) return; // the last ones go with their path
    m_asMeasured.idle = std::make_unique<IdleIndex>(std::move(books));
    relayout();
}

void TimelineView::setPrediction(std::shared_ptr<const Prediction> prediction) {
    if (prediction == m_prediction) return;
    const bool fits = prediction && prediction->measured == m_state.loaded();
    m_prediction = fits ? std::move(prediction) : nullptr;
    m_predicted = m_prediction ? std::make_shared<TimelineData>(m_prediction->loaded) : nullptr;
    m_replayed.clear();
    m_segment = kNone;
    chooseData();
    if (m_prediction) {
        m_predicted->setColourBy(m_state.colourBy());
        if (m_prediction->idle) m_replayed.idle = std::make_unique<IdleIndex>(m_prediction->idle);
        makeIndex(m_replayed, m_predicted, m_prediction->path);
    }
    findLinks();
    relayout();
}

/// Both have the same tracks and rows, so that selection and folded rows hold.
void TimelineView::chooseData() {
    m_data = predicted() ? m_predicted : m_measured;
    m_segment = kNone;
    if (m_data) m_data->setColourBy(m_state.colourBy());
    m_painter.clear();
    m_strip.clear();
    m_ghostStrip.clear();
}

void TimelineView::findLinks() {
    m_links = {};
    if (m_data)
        m_links =
            linksOf(m_data->trace(), index() ? &index()->result() : nullptr, m_state.selected());
}

const IdleInterval *TimelineView::idleAt(QPointF at) const {
    const int index = rowIndexAt(at);
    const IdleIndex *idle = analysed().idle.get();
    if (index < 0 || !idle || m_rows[size_t(index)].type != Row::Type::Idle) return nullptr;
    const DeviceIdle *device =
        idle->device(m_data->trace(), m_data->groups()[m_rows[size_t(index)].group]);
    if (!device) return nullptr;
    const int x = int(std::floor((at.x() - lanesRect().x()) * ratio()));
    const auto hit =
        hitLane(idle->lane(*device).source, deviceScale(), x, int(std::lround(2 * ratio())));
    return hit ? &device->intervals[*hit] : nullptr;
}

QRect TimelineView::stripRect() const {
    if (!m_data || !m_state.pathShown() || !m_data->trace().hasResources()) return {};
    return {m_labelWidth, kRulerHeight, std::max(1, width() - m_labelWidth - kScrollBar),
            PathStrip::kHeight};
}

QRect TimelineView::ghostRect() const {
    const QRect strip = stripRect();
    if (strip.isNull() || !predicted()) return {};
    return {strip.left(), strip.bottom() + 1, strip.width(), PathStrip::kGhost};
}

void TimelineView::paintStrip(QPainter &painter) {
    const QRect rect = stripRect(), ghost = ghostRect();
    if (rect.isNull()) return;
    const Theme &t = theme();
    std::optional<TimeNs> length;
    if (index()) length = index()->window().length();
    paintPathCell(painter, {0, rect.top(), m_labelWidth, rect.height()}, length);
    painter.fillRect(rect.united(ghost), t.base);
    const auto stale = [this](const QImage *image) {
        return !image || image->width() != int(deviceScale().width);
    };
    if (index() && stale(m_stripImage))
        m_stripImage = &m_strip.paint(*m_data, *index(), m_state.view(), rect.width(), ratio());
    if (index()) drawAligned(painter, rect.topLeft(), *m_stripImage, ratio());
    const PathIndex *before = m_asMeasured.path.get();
    if (!ghost.isNull()) {
        paintGhostCell(painter, {0, ghost.top(), m_labelWidth, ghost.height()},
                       m_prediction->window.range.length());
        if (before && stale(m_ghostImage))
            m_ghostImage = &m_ghostStrip.paintGhost(*m_measured, *before, m_state.view(),
                                                    ghost.width(), ratio());
        if (before) drawAligned(painter, ghost.topLeft(), *m_ghostImage, ratio());
    }
    painter.fillRect(0, rect.united(ghost).bottom(), m_labelWidth + rect.width(), 1, t.line);
}

uint32_t TimelineView::segmentAt(QPointF at) const {
    const QRect rect = stripRect();
    if (!pathVisible() || !rect.contains(at.toPoint())) return kNone;
    const TimeRange window = index()->window();
    const TimeNs left = std::max(timeAt(at), window.begin);
    const TimeNs right = std::min(timeAt(at + QPointF(1, 0)), window.end);
    if (left >= window.end || right < window.begin) return kNone;
    uint32_t best = index()->segmentAt(left);
    const auto &all = index()->segments();
    TimeNs most = -1;
    for (uint32_t i = best; i < all.size() && all[i].begin <= std::max(left, right - 1); ++i) {
        const TimeNs inside = std::min(all[i].end, right) - std::max(all[i].begin, left);
        if (inside > most) most = inside, best = i;
    }
    return best;
}

IntervalId TimelineView::intervalOfSegment(uint32_t segment) const {
    const IntervalId id = index()->segments()[segment].interval;
    return id.valid() && id.row != kNone ? id : IntervalId();
}

void TimelineView::selectSegment(uint32_t segment) {
    if (segment == kNone) return;
    const IntervalId id = intervalOfSegment(segment);
    if (id.valid())
        m_state.reveal(id);
    else
        m_state.select({});
    m_segment = segment;
}

void TimelineView::walkPath(int by) {
    if (!pathVisible()) return;
    const auto &all = index()->segments();
    const IntervalId selected = m_state.selected();
    int64_t at = m_segment;
    if (m_segment == kNone || (selected.valid() && intervalOfSegment(m_segment) != selected)) {
        const auto found = std::find_if(all.begin(), all.end(), [&](const PathSegment &s) {
            return selected.valid() && s.interval == selected;
        });
        at = found == all.end() ? -1 : found - all.begin();
    }
    if (at < 0) { // the first one in view
        at = index()->segmentAt(std::max(m_state.view().begin, index()->window().begin));
        while (at < int64_t(all.size()) && !intervalOfSegment(uint32_t(at)).valid()) ++at;
        return at < int64_t(all.size()) ? selectSegment(uint32_t(at)) : void();
    }
    const IntervalId from = intervalOfSegment(uint32_t(at));
    for (at += by; at >= 0 && at < int64_t(all.size()); at += by) {
        const IntervalId id = intervalOfSegment(uint32_t(at));
        if (id.valid() && id != from) return selectSegment(uint32_t(at));
    }
}

QString TimelineView::handOverTip(QPointF at) const {
    if (!pathVisible() || !lanesRect().contains(at.toPoint())) return {};
    const QPointF pixel = (at - lanesRect().topLeft()) * ratio();
    const auto [first, last] = m_painter.path().handOversAt(pixel.toPoint());
    const auto &all = index()->handOvers();
    if (first == kNone || last >= all.size()) return {};
    constexpr uint32_t kMost = 6;
    QStringList lines;
    if (first < last) lines << tr("<b>%1 hand-overs</b>").arg(last - first + 1);
    for (uint32_t i = first; i <= std::min(last, first + kMost - 1); ++i)
        lines << tr("<b>%1</b>, %2: %3 hands over to %4")
                     .arg(edgeLabel(all[i].type), text(evidenceName(all[i].evidence)),
                          m_data->facts(all[i].from).label.toHtmlEscaped(),
                          m_data->facts(all[i].to).label.toHtmlEscaped());
    if (last - first >= kMost) lines << tr("and more: zoom in to tell them apart");
    return QStringLiteral("<p style='white-space:pre'>%1</p>")
        .arg(lines.join(QStringLiteral("<br>")));
}

QString TimelineView::idleTip(const IdleInterval &idle) const {
    const std::string_view cause = idleCauseLabel(idle.cause);
    return QStringLiteral("<b>%1 %2</b><br>%3")
        .arg(text(cause), duration(idle.end - idle.begin),
             QString::fromStdString(idleSentence(m_data->trace(), idle)).toHtmlEscaped());
}

void TimelineView::selectCauseOf(const IdleInterval &idle) {
    const bool named = idle.subject.valid() && idle.subject.row != kNone;
    const IntervalId id = named ? idle.subject : idle.next;
    if (id.valid()) m_state.reveal(id);
}

QString TimelineView::segmentTip(uint32_t at) const {
    const PathSegment &segment = index()->segments()[at];
    const Trace &trace = m_data->trace();
    const IntervalId id = intervalOfSegment(at);
    const QString name =
        id.valid() ? shortName(trace.name(id), trace.kind(id)).left(80).toHtmlEscaped() : QString();
    const QString track =
        segment.track == kNone ? QString() : m_data->facts(segment.track).label.toHtmlEscaped();
    const QString edge = edgeLabel(segment.edge), evidence = text(evidenceName(segment.evidence));
    QString head, body;
    switch (segment.type) {
    case PathSegment::Type::Activity:
        head = name;
        body = tr("%1 on %2, %3").arg(m_data->slotName(m_data->slotOf(id)), track, evidence);
        break;
    case PathSegment::Type::Lag:
        head = tr("Lag: %1").arg(edge);
        body = id.valid() ? tr("before %1, %2").arg(name, evidence) : evidence;
        break;
    case PathSegment::Type::Untraced:
        head = tr("Untraced");
        body = tr("%1 ran without an event").arg(track);
        break;
    case PathSegment::Type::Unexplained:
        head = tr("Unexplained");
        body = tr("nothing in the trace says why %1 waited").arg(track);
        break;
    }
    const RulerZero zero = rulerZero(m_data->loaded(), m_state.window());
    return QStringLiteral("<p style='white-space:pre'><b>%1</b><br>%2, from %3 in %4<br>%5</p>")
        .arg(head, duration(segment.end - segment.begin), duration(segment.begin - zero.zero),
             zero.title.mid(8), body);
}

} // namespace longpole
