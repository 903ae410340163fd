// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_view.h"

#include "ui/theme.h"
#include "ui/timeline/chrome_painter.h"
#include "ui/timeline/marks_painter.h"
#include "ui/track_choices.h"

#include <QEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>

namespace longpole {

namespace {
constexpr int kLeastLabels = 120, kMostLabels = 400;
constexpr int kTipDelayMs = 300, kStaleMs = 250;

QString text(std::string_view s) {
    return QString::fromUtf8(s.data(), qsizetype(s.size()));
}
} // namespace

TimelineView::TimelineView(ViewState &state, QWidget *parent)
    : QWidget(parent), m_state(state), m_scrollBar(new QScrollBar(Qt::Vertical, this)) {
    setObjectName(QStringLiteral("timeline"));
    setAccessibleName(tr("Timeline"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    m_scrollBar->setFocusPolicy(Qt::NoFocus);
    m_scrollBar->setAccessibleName(tr("Scroll rows"));
    m_tipTimer.setSingleShot(true);
    m_tipTimer.setInterval(kTipDelayMs);
    connect(&m_tipTimer, &QTimer::timeout, this, &TimelineView::showTip);
    connect(m_scrollBar, &QScrollBar::valueChanged, this, &TimelineView::repaintLanes);
    connect(&m_state, &ViewState::loadedChanged, this, &TimelineView::reload);
    connect(&m_state, &ViewState::viewChanged, this,
            [this] { idleStacked() == m_choices.idleStacked ? repaintLanes() : relayout(); });
    connect(&m_state, &ViewState::windowChanged, this, &TimelineView::repaintLanes);
    connect(&m_state, &ViewState::selectedChanged, this, [this] {
        describe();
        findLinks();
        repaintLanes();
    });
    connect(&m_state, &ViewState::revealed, this, &TimelineView::showRevealed);
    connect(&m_state, &ViewState::trackRevealed, this, &TimelineView::showTrack);
    connect(&m_state, &ViewState::hoveredChanged, this, qOverload<>(&QWidget::update));
    connect(&m_state, &ViewState::cursorChanged, this, qOverload<>(&QWidget::update));
    connect(&m_state, &ViewState::searchChanged, this, qOverload<>(&QWidget::update));
    connect(&m_state.marks(), &Marks::changed, this, qOverload<>(&QWidget::update));
    m_stalePath.setSingleShot(true);
    m_stalePath.setInterval(kStaleMs);
    connect(&m_stalePath, &QTimer::timeout, this, [this] {
        m_asMeasured.clear();
        relayout();
    });
    connect(&m_state, &ViewState::looksChanged, this, [this] {
        if (m_measured) m_measured->setColourBy(m_state.colourBy());
        chooseData();
        for (auto [of, data] : {std::pair(&m_asMeasured, m_measured), {&m_replayed, m_predicted}})
            if (of->path && of->path->colourBy() != m_state.colourBy())
                makeIndex(*of, data, of->path->shared());
        findLinks();
        relayout();
    });
    reload();
}

TimelineView::~TimelineView() = default;

void TimelineView::reload() {
    m_painter.clear();
    m_pinPainter.clear();
    m_strip.clear();
    m_ghostStrip.clear();
    m_asMeasured.clear();
    m_links = {};
    m_choices.closedGroups.clear();
    m_choices.openHelpers.clear();
    m_choices.openTracks.clear();
    m_measured.reset();
    setPrediction({});
    if (m_state.loaded() && m_state.trace()) {
        m_measured = TimelineData::of(m_state.loaded());
        m_measured->setColourBy(m_state.colourBy());
    }
    m_data = m_measured;
    m_scrollBar->setValue(0);
    describe();
    relayout();
}

void TimelineView::relayout() {
    m_arranged = {};
    if (m_data) {
        m_choices.height = lanesRect().height();
        m_choices.ghosts = predicted();
        m_choices.idle = !stripRect().isNull();
        m_choices.idleBooks = analysed().idle.get();
        m_choices.idleStacked = idleStacked();
        m_choices.hiddenTracks.resize(m_data->trace().tracks.size());
        for (uint32_t t = 0; t < m_choices.hiddenTracks.size(); ++t)
            m_choices.hiddenTracks[t] = !m_state.tracks().shown(t);
        m_arranged = arrangeRows(*m_data, m_choices, m_state.tracks());
    }
    updateScrollBar();
    repaintLanes();
}

void TimelineView::repaintLanes() {
    m_lanes = m_stripImage = m_ghostImage = nullptr;
    update();
}

QRect TimelineView::lanesRect() const {
    const QRect strip = stripRect().united(ghostRect());
    const int top = strip.isNull() ? kRulerHeight : strip.bottom() + 1;
    return {m_labelWidth, top, std::max(1, width() - m_labelWidth - kScrollBar),
            std::max(1, height() - top)};
}

int TimelineView::scroll() const {
    return m_scrollBar->value();
}

TimeScale TimelineView::scale() const {
    return {m_state.view(), double(lanesRect().width())};
}

TimeScale TimelineView::deviceScale() const {
    return {m_state.view(), double(std::lround(lanesRect().width() * ratio()))};
}

void TimelineView::updateScrollBar() {
    const QRect lanes = lanesRect();
    m_scrollBar->setGeometry(width() - kScrollBar, lanes.top(), kScrollBar, lanes.height());
    const int beyond = std::max(0, totalHeight(m_rows) - lanes.height());
    m_scrollBar->setRange(0, beyond);
    m_scrollBar->setPageStep(lanes.height());
    m_scrollBar->setSingleStep(3 * m_choices.laneHeight);
    m_scrollBar->setEnabled(beyond > 0);
}

void TimelineView::setLabelWidth(int width) {
    width = std::clamp(width, kLeastLabels, kMostLabels);
    if (width == m_labelWidth) return;
    m_labelWidth = width;
    updateScrollBar();
    repaintLanes();
    emit labelWidthChanged(width);
}

void TimelineView::setLaneHeight(int pixels) {
    if (pixels == m_choices.laneHeight) return;
    m_choices.laneHeight = pixels;
    relayout();
}

void TimelineView::setAllTracksShown() {
    m_state.tracks().showAll();
}

QRect TimelineView::rectOf(IntervalId id) const {
    const int index = m_data ? rowOf(m_rows, m_data->trace(), id) : -1;
    if (index < 0) return {};
    const Row &row = m_rows[size_t(index)];
    const QRect lanes = lanesRect();
    const DeviceRange x =
        deviceRange(deviceScale(), m_data->trace().begin(id), m_data->trace().end(id));
    const int left = int(x.x0 / ratio()), right = int(std::ceil(x.x1 / ratio()));
    const QRect mark(lanes.x() + left, lanes.y() + yOf(size_t(index)), std::max(1, right - left),
                     row.bar);
    if (size_t(index) >= m_arranged.pinned.size() && mark.bottom() < lanes.top() + pinnedHeight())
        return {}; // behind the pinned ones
    return mark.intersects(lanes) ? mark : QRect();
}

/// Opens what is folded around a track.
void TimelineView::openGroupOf(uint32_t track) {
    const auto holds = [track](const std::vector<uint32_t> &tracks) {
        return std::find(tracks.begin(), tracks.end(), track) != tracks.end();
    };
    for (const TrackGroup &group : m_data->groups()) {
        if (holds(group.helpers)) m_choices.openHelpers.insert(group.key);
        if (holds(group.helpers) || holds(group.tracks) || holds(group.notes))
            m_choices.closedGroups.remove(group.key);
    }
}

void TimelineView::showRevealed(IntervalId id) {
    if (!m_data || !id.valid()) return;
    openGroupOf(id.track);
    relayout();
    int index = rowOf(m_rows, m_data->trace(), id);
    if (index >= 0 && m_rows[size_t(index)].type == Row::Type::Density) {
        m_choices.openTracks.insert(id.track);
        relayout();
        index = rowOf(m_rows, m_data->trace(), id);
    }
    if (index >= 0) scrollTo(m_rows[size_t(index)]);
}

void TimelineView::scrollTo(const Row &row) {
    const int margin = 2 * m_choices.laneHeight, room = lanesRect().height();
    if (row.bottom() <= pinnedHeight()) return;
    if (row.y < scroll() + pinnedHeight())
        m_scrollBar->setValue(row.y - pinnedHeight() - margin);
    else if (row.bottom() > scroll() + room)
        m_scrollBar->setValue( // never behind what is pinned
            std::min(row.bottom() + margin - room, row.y - pinnedHeight()));
}

void TimelineView::showTrack(uint32_t track) {
    if (!m_data) return;
    openGroupOf(track);
    relayout();
    for (const Row &row : m_rows)
        if (row.track == track) return scrollTo(row);
}

void TimelineView::describe() {
    const IntervalId id = m_state.selected();
    if (!m_data || !id.valid()) {
        setAccessibleDescription(tr("Nothing is selected."));
        return;
    }
    const Trace &trace = m_data->trace();
    setAccessibleDescription(
        tr("Selected: %1 on %2, %3")
            .arg(text(trace.name(id)), text(trace.track(id).name),
                 QString::fromStdString(formatDuration(trace.end(id) - trace.begin(id)))));
}

void TimelineView::resizeEvent(QResizeEvent *) {
    relayout();
}

void TimelineView::changeEvent(QEvent *event) {
    const bool looks = event->type() == QEvent::PaletteChange ||
                       event->type() == QEvent::ApplicationPaletteChange ||
                       event->type() == QEvent::StyleChange;
    if (looks) repaintLanes();
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange) {
        m_painter = LanesPainter();
        m_pinPainter = LanesPainter();
        m_strip = PathStrip();
        m_ghostStrip = PathStrip();
        repaintLanes();
    }
    QWidget::changeEvent(event);
}

void TimelineView::paintEvent(QPaintEvent *) {
    QPainter painter(this);
    const Theme &t = theme();
    const QRect lanes = lanesRect();
    painter.fillRect(QRect(lanes.right() + 1, 0, kScrollBar, lanes.top()), t.win);
    if (!m_data) {
        painter.fillRect(rect(), t.base);
        return;
    }
    paintRows(painter);
    RulerZero zero = rulerZero(m_measured->loaded(), m_state.window());
    if (predicted()) zero.offset = tr("predicted");
    paintRuler(painter, {lanes.x(), 0, lanes.width(), kRulerHeight},
               {0, 0, m_labelWidth, kRulerHeight}, m_state.view(), zero, m_state.range());
    paintStrip(painter);
    paintStickyHeader(painter);
    paintHits(painter);
    paintMarks(painter, {lanes.x(), 0, lanes.width(), kRulerHeight}, lanes, m_state.view(),
               m_state.marks().all());
    paintOverlay(painter);
    paintDrop(painter);
    if (m_rows.empty()) paintHint(painter);
}

int TimelineView::yOf(size_t row) const {
    return m_rows[row].y - (row < m_arranged.pinned.size() ? 0 : scroll());
}

void TimelineView::paintRows(QPainter &painter) {
    const QRect lanes = lanesRect();
    const QRect labels(0, lanes.top(), m_labelWidth, lanes.height());
    std::optional<TimeRange> window;
    if (!m_state.range() && m_state.window().steps) window = m_state.window().range;
    const RulerZero zero = rulerZero(m_measured->loaded(), m_state.window());
    const auto frame = [&](const std::vector<Row> &rows, int scrolled, QSize size) {
        return LanesFrame{*m_data,
                          rows,
                          m_state.view(),
                          scrolled,
                          size,
                          ratio(),
                          m_state.selected(),
                          m_state.range(),
                          window,
                          zero.zero,
                          pathVisible() ? index() : nullptr,
                          pathVisible() ? analysed().idle.get() : nullptr,
                          &m_links,
                          predicted() ? m_prediction.get() : nullptr,
                          predicted() ? m_measured.get() : nullptr,
                          predicted() ? m_asMeasured.idle.get() : nullptr};
    };
    if (!m_lanes || m_lanes->width() != int(deviceScale().width))
        m_lanes = &m_painter.paint(frame(m_rows, scroll(), lanes.size()));
    drawAligned(painter, lanes.topLeft(), *m_lanes, ratio());
    paintRowLabels(painter, labels, m_rows, scroll());
    if (m_arranged.pinned.empty()) return;
    const int height = std::min(pinnedHeight(), lanes.height());
    drawAligned(painter, lanes.topLeft(),
                m_pinPainter.paint(frame(m_arranged.pinned, 0, {lanes.width(), height})), ratio());
    paintRowLabels(painter, {0, lanes.top(), m_labelWidth, height}, m_arranged.pinned, 0);
    painter.fillRect(0, lanes.top() + height - 1, lanes.right() + 1, 1, theme().line);
}

/// Ticks of the search, in the rows that scroll and in those that do not.
void TimelineView::paintHits(QPainter &painter) {
    const auto hits = m_state.searchHits();
    if (!hits) return;
    if (m_copyHits.hits != hits || m_copyHits.data != m_data)
        m_copyHits = {hits, m_data, transferHits(*m_data, *hits)};
    const QRect lanes = lanesRect();
    const auto ticks = [&](const std::vector<Row> &rows, int scrolled) {
        paintHitTicks(painter, lanes, m_data->trace(), rows, scrolled, m_state.view(), *hits,
                      m_copyHits.begins);
    };
    painter.save();
    painter.setClipRect(lanes.adjusted(0, pinnedHeight(), 0, 0));
    ticks(m_rows, scroll());
    painter.setClipRect(lanes);
    ticks(m_arranged.pinned, 0);
    painter.restore();
}

int TimelineView::stickyHeader() const {
    const int top = rowAt(m_rows, scroll() + pinnedHeight());
    if (top < 0) return -1;
    int header = top;
    while (header > 0 && m_rows[size_t(header)].type != Row::Type::Group) --header;
    const Row &row = m_rows[size_t(header)];
    return row.type == Row::Type::Group && row.y < scroll() + pinnedHeight() ? header : -1;
}

int TimelineView::stickyShift() const {
    const Row &header = m_rows[size_t(stickyHeader())];
    for (const Row &row : m_rows)
        if (row.type == Row::Type::Group && row.y > scroll() + pinnedHeight())
            return std::min(0, row.y - scroll() - pinnedHeight() - header.height);
    return 0;
}

std::pair<QString, QString> TimelineView::scrolledAway(int header) const {
    const int top = rowAt(m_rows, scroll() + pinnedHeight() + m_rows[size_t(header)].height);
    if (top <= header) return {};
    const Row &row = m_rows[size_t(top)];
    const bool nested = row.type == Row::Type::Lane || row.type == Row::Type::Density;
    if (!nested || row.firstLane == 0 || row.track == kNone) return {};
    const TimeRange view = m_state.view();
    const TimeNs middle = view.begin + view.length() / 2;
    QStringList parents;
    for (uint32_t lane = 0; lane < row.firstLane; ++lane) {
        const LaneSource source = m_data->trackLane(row.track, lane).source;
        const uint32_t at = source.firstAfter(middle);
        if (at == source.count || source.begin(at) > middle) break;
        const TrackTable &table = *m_data->trace().tracks[row.track].table;
        const IntervalId id{row.track, table.laneBegin[lane] + at};
        parents << shortName(m_data->trace().name(id), m_data->trace().kind(id)).left(60);
    }
    return {m_data->facts(row.track).label, parents.join(QStringLiteral(" › "))};
}

void TimelineView::paintStickyHeader(QPainter &painter) {
    const int index = stickyHeader();
    if (index < 0) return;
    const Theme &t = theme();
    Row header = m_rows[size_t(index)];
    header.y = 0;
    if (const auto [track, parents] = scrolledAway(index); !track.isEmpty()) {
        header.label += QStringLiteral(" · ") + track;
        if (!parents.isEmpty()) header.detail = parents;
    }
    const QRect lanes = lanesRect().adjusted(0, pinnedHeight(), 0, 0);
    const int shift = stickyShift(), visible = header.height + shift;
    paintRowLabels(painter, {0, lanes.top(), m_labelWidth, visible}, {header}, -shift);
    const QRect bar(lanes.left(), lanes.top() + shift, lanes.width(), header.height);
    painter.save();
    painter.setClipRect(lanes);
    painter.fillRect(bar, t.head);
    painter.setFont(uiFont(11));
    painter.setPen(t.text2);
    const QRect room = bar.adjusted(8, 0, -8, 0);
    painter.drawText(
        room, Qt::AlignLeft | Qt::AlignVCenter,
        painter.fontMetrics().elidedText(header.detail, Qt::ElideMiddle, room.width()));
    painter.restore();
}

void TimelineView::paintOverlay(QPainter &painter) {
    const Theme &t = theme();
    const QRect lanes = lanesRect();
    painter.setClipRect(lanes.adjusted(0, -lanes.top(), 0, 0));
    if (m_state.cursor()) {
        const double x = lanes.x() + std::floor(scale().x(*m_state.cursor()));
        QPen pen(t.text2, 1);
        pen.setDashPattern({2, 3});
        painter.setPen(pen);
        painter.drawLine(QPointF(x + 0.5, lanes.top() - 6), QPointF(x + 0.5, lanes.bottom()));
    }
    painter.setClipRect(lanes);
    const QRect hovered = rectOf(m_state.hovered());
    if (!hovered.isNull() && m_state.hovered() != m_state.selected()) {
        painter.setPen(QPen(t.text, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(hovered.adjusted(0, 0, -1, -1));
    }
    painter.setClipping(false);
    if (!m_ring) return;
    painter.setPen(QPen(t.accent, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
}

void TimelineView::paintHint(QPainter &painter) {
    const bool hidden = std::any_of(m_choices.hiddenTracks.begin(), m_choices.hiddenTracks.end(),
                                    [](bool h) { return h; });
    const QString filter = m_state.tracks().filter();
    const QString head = !hidden ? tr("This trace holds no intervals.")
                         : filter.isEmpty()
                             ? tr("All tracks are hidden.")
                             : tr("No track that is shown contains “%1”.").arg(filter);
    const QString body = hidden ? tr("“Show all” in the status line brings them back.")
                                : tr("The import log says what was read and what was set aside.");
    QRect area = lanesRect().adjusted(24, 24, -24, -24);
    painter.setPen(theme().text);
    painter.setFont(uiFont(13, QFont::Bold));
    painter.drawText(area, Qt::AlignTop | Qt::AlignLeft, head);
    area.translate(0, 24);
    painter.setPen(theme().text2);
    painter.setFont(uiFont(12));
    painter.drawText(area, Qt::AlignTop | Qt::AlignLeft | Qt::TextWordWrap, body);
}

} // namespace longpole
