// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/export/picture.h"

#include "core/analysis/statistics.h"
#include "ui/theme.h"
#include "ui/timeline/chrome_painter.h"
#include "ui/timeline/lanes_painter.h"
#include "ui/timeline/marks_painter.h"
#include "ui/timeline/overview_painter.h"
#include "ui/timeline/path_strip.h"
#include "ui/timeline/track_order.h"

#include <QPainter>

#include <algorithm>
#include <numeric>
#include <set>

namespace longpole {

namespace {

constexpr int kTitle = 40, kOverview = 50, kRuler = 26, kLegend = 26, kSums = 26, kSource = 24,
              kLabels = 186, kMargin = 10, kSwatch = 10;

QString duration(TimeNs length) {
    return QString::fromStdString(formatDuration(length));
}

/// Lays the parts of one picture out from top to bottom and paints them.
class Picture {
public:
    explicit Picture(const PictureSpec &spec)
        : m_spec(spec), m_loaded(*spec.loaded),
          m_data(spec.prediction ? spec.prediction->loaded : spec.loaded),
          m_image(QSize(device(spec.size.width()), device(spec.size.height())),
                  QImage::Format_RGB32) {
        m_data.setColourBy(spec.colourBy);
        if (spec.prediction) {
            m_measured.emplace(spec.loaded);
            m_measured->setColourBy(spec.colourBy);
        }
        if (spec.path) m_path.emplace(spec.prediction ? spec.prediction->path : spec.path, m_data);
        const auto &idle = spec.prediction ? spec.prediction->idle : spec.idle;
        if (spec.path && idle) m_idle.emplace(idle);
        if (spec.path && spec.prediction) m_pathBefore.emplace(spec.path, *m_measured);
        if (spec.path && spec.prediction && spec.idle) m_idleBefore.emplace(spec.idle);
        m_links = linksOf(m_data.trace(), m_path ? &m_path->result() : nullptr, spec.selected);
        m_image.fill(theme().base);
        m_image.setDevicePixelRatio(spec.scale);
    }

    QImage paint() {
        const int width = m_spec.size.width(), lanesWidth = width - kLabels;
        const int strip = m_path ? PathStrip::kHeight : 0;
        const int ghost = m_pathBefore ? PathStrip::kGhost : 0;
        const int lanesTop = kTitle + kOverview + kRuler + strip + ghost;
        const int lanesHeight =
            std::max(20, m_spec.size.height() - lanesTop - kLegend - kSums - kSource);
        layOut(lanesHeight);
        QPainter painter(&m_image);
        paintTitle(painter, {0, 0, width, kTitle});
        paintTrace(painter, {kLabels, kTitle, lanesWidth, kOverview});
        const RulerZero zero = rulerZero(m_loaded, m_spec.window);
        const QRect lanes(kLabels, lanesTop, lanesWidth, lanesHeight);
        const int rulerTop = kTitle + kOverview;
        paintRuler(painter, {kLabels, rulerTop, lanesWidth, kRuler}, {0, rulerTop, kLabels, kRuler},
                   m_spec.view, zero, m_spec.range);
        if (m_path) paintPathStrip(painter, {kLabels, rulerTop + kRuler, lanesWidth, strip});
        paintLanes(painter, lanes, zero.zero);
        paintMarks(painter, {kLabels, rulerTop, lanesWidth, kRuler}, lanes, m_spec.view,
                   m_spec.marks);
        int y = lanesTop + lanesHeight;
        painter.fillRect(0, y, width, m_spec.size.height() - y, theme().win);
        painter.fillRect(0, y, width, 1, theme().line);
        paintLegend(painter, {kMargin, y, width - 2 * kMargin, kLegend});
        paintSums(painter, {kMargin, y += kLegend, width - 2 * kMargin, kSums});
        paintSource(painter, {kMargin, y + kSums, width - 2 * kMargin, kSource});
        painter.end();
        m_image.setDevicePixelRatio(1);
        return m_image;
    }

private:
    int device(int logical) const { return std::max(1, int(std::lround(logical * m_spec.scale))); }

    void layOut(int height) {
        RowChoices choices;
        choices.height = height;
        choices.hiddenTracks = m_spec.hiddenTracks;
        choices.ghosts = m_measured.has_value();
        choices.idle = m_idle.has_value();
        choices.idleBooks = m_idle ? &*m_idle : nullptr;
        choices.idleStacked = m_idle && m_idle->stacks(m_spec.view, m_spec.size.width() - kLabels);
        TrackChoices tracks;
        tracks.reset(m_loaded.trace.get());
        tracks.restore(m_spec.tracks);
        choices.hiddenTracks.resize(m_loaded.trace->tracks.size());
        for (uint32_t track = 0; track < choices.hiddenTracks.size(); ++track)
            if (!tracks.shown(track)) choices.hiddenTracks[track] = true;
        m_rows = arrangeRows(m_data, choices, tracks).rows; // nothing scrolls
    }

    void paintTitle(QPainter &painter, const QRect &rect) {
        const Theme &t = theme();
        painter.fillRect(rect, t.win);
        painter.fillRect(rect.left(), rect.bottom(), rect.width(), 1, t.line);
        QStringList names;
        for (const SourceFile &file : m_loaded.trace->files)
            names << QString::fromStdString(file.name);
        QString title = names.mid(0, 3).join(QStringLiteral(", "));
        if (names.size() > 3) title += QStringLiteral(" and %1 more").arg(names.size() - 3);
        painter.setFont(uiFont(15));
        painter.setPen(t.text);
        const QRect inner = rect.adjusted(kMargin, 0, -kMargin, 0);
        const QFontMetricsF metrics(painter.font());
        title = metrics.elidedText(title, Qt::ElideMiddle, inner.width() * 0.6);
        painter.drawText(inner, Qt::AlignLeft | Qt::AlignVCenter, title);
        painter.setFont(uiFont(12));
        painter.setPen(t.text2);
        painter.drawText(inner, Qt::AlignRight | Qt::AlignVCenter, shown());
    }

    QString shown() const {
        if (const Prediction *p = m_spec.prediction.get())
            return QStringLiteral("predicted: %1 · %2 (%3 – %4) instead of %5")
                .arg(p->edits, duration(p->length), duration(p->low), duration(p->high),
                     duration(p->window.range.length()));
        const RulerZero zero = rulerZero(m_loaded, m_spec.window);
        const QString what =
            zero.offset.isEmpty() ? QString() : zero.title.mid(8) + QStringLiteral(" · ");
        return what + duration(m_spec.view.length()) + QStringLiteral(" in view");
    }

    void paintTrace(QPainter &painter, const QRect &rect) {
        const QSize size = overviewBandRect(rect).size();
        const QImage bands = overviewBands(m_measured ? *m_measured : m_data,
                                           {device(size.width()), device(size.height())});
        paintOverview(painter, rect, {0, rect.top(), kLabels, rect.height()}, m_loaded, bands,
                      m_spec.scale, m_spec.view);
    }

    void paintPathStrip(QPainter &painter, const QRect &rect) {
        PathStrip strip;
        paintPathCell(painter, {0, rect.top(), kLabels, rect.height()}, m_path->window().length());
        drawAligned(painter, rect.topLeft(),
                    strip.paint(m_data, *m_path, m_spec.view, rect.width(), m_spec.scale),
                    m_spec.scale);
        int bottom = rect.bottom();
        if (m_pathBefore) {
            const QRect ghost(rect.left(), rect.bottom() + 1, rect.width(), PathStrip::kGhost);
            paintGhostCell(painter, {0, ghost.top(), kLabels, ghost.height()},
                           m_pathBefore->window().length());
            drawAligned(painter, ghost.topLeft(),
                        strip.paintGhost(*m_measured, *m_pathBefore, m_spec.view, rect.width(),
                                         m_spec.scale),
                        m_spec.scale);
            bottom = ghost.bottom();
        }
        painter.fillRect(0, bottom, m_spec.size.width(), 1, theme().line);
    }

    void paintLanes(QPainter &painter, const QRect &rect, TimeNs zero) {
        std::optional<TimeRange> window;
        if (m_spec.window.steps && !m_spec.range) window = m_spec.window.range;
        LanesPainter lanes;
        const QImage &image = lanes.paint(
            {m_data, m_rows, m_spec.view, 0, rect.size(), m_spec.scale, m_spec.selected,
             m_spec.range, window, zero, m_path ? &*m_path : nullptr, m_idle ? &*m_idle : nullptr,
             &m_links, m_spec.prediction.get(), m_measured ? &*m_measured : nullptr,
             m_idleBefore ? &*m_idleBefore : nullptr});
        drawAligned(painter, rect.topLeft(), image, m_spec.scale);
        paintRowLabels(painter, {0, rect.top(), kLabels, rect.height()}, m_rows, 0);
        paintCut(painter, rect);
        if (!m_rows.empty()) return;
        painter.setFont(uiFont(12));
        painter.setPen(theme().text2);
        painter.drawText(rect.adjusted(24, 24, -24, -24), Qt::AlignTop | Qt::AlignLeft,
                         QStringLiteral("This trace holds no intervals."));
    }

    /// Says so where rows did not fit.
    void paintCut(QPainter &painter, const QRect &rect) {
        const auto cut = std::count_if(m_rows.begin(), m_rows.end(), [&](const Row &row) {
            return row.type != Row::Type::Group && row.bottom() > rect.height();
        });
        if (cut == 0) return;
        painter.setFont(uiFont(11));
        const QString text = cut == 1 ? QStringLiteral("1 more row below")
                                      : QStringLiteral("%1 more rows below").arg(cut);
        const int width = painter.fontMetrics().horizontalAdvance(text) + 16;
        // at the right end stand the ends of a prediction
        const int left = m_spec.prediction ? rect.left() + 7 : rect.right() - width - 7;
        const QRect box(left, rect.bottom() - 25, width, 20);
        painter.fillRect(box, theme().line);
        painter.fillRect(box.adjusted(1, 1, -1, -1), theme().base);
        painter.setPen(theme().text2);
        painter.drawText(box, Qt::AlignCenter, text);
    }

    /// Phases or kinds of the intervals that touch the view, by slot.
    std::vector<bool> present() {
        std::vector<bool> seen(256, false);
        std::set<uint32_t> tracks; // many rows may show lanes of one track
        for (const Row &row : m_rows) {
            tracks.insert(row.tracks.begin(), row.tracks.end());
            if (row.track != kNone && row.type != Row::Type::Counter) tracks.insert(row.track);
        }
        for (const uint32_t t : tracks)
            for (uint32_t l = 0; l < m_loaded.trace->tracks[t].table->lanes(); ++l)
                mark(m_data.trackLane(t, l).source, seen);
        return seen;
    }
    /// One look per interval: a picture may take its time.
    void mark(const LaneSource &lane, std::vector<bool> &seen) const {
        for (uint32_t i = lane.firstAfter(m_spec.view.begin);
             i < lane.count && lane.begin(i) < m_spec.view.end; ++i)
            seen[lane.slot[i]] = true;
    }

    static std::vector<uint8_t> inPaletteOrder(const std::vector<QColor> &colours) {
        std::vector<uint8_t> order(colours.size());
        std::iota(order.begin(), order.end(), uint8_t(0));
        auto place = [&](uint8_t g) {
            const auto &palette = theme().phase;
            return std::find(palette.begin(), palette.end(), colours[g]) - palette.begin();
        };
        std::stable_sort(order.begin(), order.end(),
                         [&](uint8_t a, uint8_t b) { return place(a) < place(b); });
        return order;
    }

    void paintLegend(QPainter &painter, const QRect &rect) {
        const Theme &t = theme();
        const std::vector<bool> seen = present();
        const std::vector<QColor> colours = m_data.groupColours();
        painter.setFont(uiFont(11));
        const QString head = m_data.colourBy() == ColourBy::Phase ? QStringLiteral("Phases")
                                                                  : QStringLiteral("Kinds");
        painter.setPen(t.text2);
        painter.drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, head);
        int x = rect.left() + kLabels - kMargin + 6;
        for (uint8_t g : inPaletteOrder(colours)) {
            QStringList names;
            for (int slot = 0; slot < 256; ++slot)
                if (seen[size_t(slot)] && m_data.slotGroups().groupOf[slot] == g)
                    names << m_data.slotName(uint8_t(slot));
            if (names.isEmpty()) continue;
            const QString name = names.join(QStringLiteral(", "));
            const int width = painter.fontMetrics().horizontalAdvance(name);
            if (x + kSwatch + 6 + width > rect.right()) break;
            painter.fillRect(x, rect.center().y() - kSwatch / 2 + 1, kSwatch, kSwatch, colours[g]);
            painter.setPen(t.text);
            painter.drawText(QRect(x + kSwatch + 6, rect.top(), width + 2, rect.height()),
                             Qt::AlignLeft | Qt::AlignVCenter, name);
            x += kSwatch + 6 + width + 16;
        }
        if (m_path) {
            const QString line = QStringLiteral("critical path"),
                          rest = QStringLiteral("off the path");
            const QFontMetrics metrics = painter.fontMetrics();
            const int width = metrics.horizontalAdvance(line) + metrics.horizontalAdvance(rest);
            if (x + 16 + width + 2 * (kSwatch + 24) < rect.right()) {
                x += 16;
                painter.fillRect(x, rect.center().y(), kSwatch + 8, 3, t.path);
                painter.drawText(QRect(x + kSwatch + 14, rect.top(), width, rect.height()),
                                 Qt::AlignLeft | Qt::AlignVCenter, line);
                x += kSwatch + 14 + metrics.horizontalAdvance(line) + 16;
                painter.fillRect(x, rect.center().y() - kSwatch / 2 + 1, kSwatch, kSwatch,
                                 mix(t.base, t.phase.back(), t.dimShare));
                painter.drawText(QRect(x + kSwatch + 6, rect.top(), width, rect.height()),
                                 Qt::AlignLeft | Qt::AlignVCenter, rest);
                x += kSwatch + 6 + metrics.horizontalAdvance(rest) + 16;
            }
        }
        const QString note = QStringLiteral("No name tells a phase: colours show kinds.");
        const bool room = x + painter.fontMetrics().horizontalAdvance(note) < rect.right();
        if (m_loaded.phases.named || m_loaded.trace->intervalCount() == 0 || !room) return;
        painter.setPen(t.text2);
        painter.drawText(rect, Qt::AlignRight | Qt::AlignVCenter, note);
    }

    void paintSums(QPainter &painter, const QRect &rect) {
        painter.setFont(uiFont(11));
        painter.setPen(theme().text2);
        painter.drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("Window"));
        painter.setFont(uiFont(12, QFont::Medium));
        painter.setPen(theme().text);
        const QRect value = rect.adjusted(kLabels - kMargin + 6, 0, 0, 0);
        const QString sums = sumsText(m_loaded, m_spec.window);
        painter.drawText(value, Qt::AlignLeft | Qt::AlignVCenter, sums);
        const int used = painter.fontMetrics().horizontalAdvance(sums) + 24;
        painter.setFont(uiFont(11));
        painter.setPen(theme().text2);
        const QString policy = painter.fontMetrics().elidedText(
            QString::fromStdString(m_spec.window.policy), Qt::ElideRight, value.width() - used);
        painter.drawText(value, Qt::AlignRight | Qt::AlignVCenter, policy);
    }

    void paintSource(QPainter &painter, const QRect &rect) {
        QStringList parts;
        for (const SourceFile &file : m_loaded.trace->files)
            parts << QString::fromStdString(file.name + " · " + file.fingerprint);
        painter.setFont(uiFont(10));
        painter.setPen(theme().text2);
        const QString program = QStringLiteral("Longpole %1").arg(QStringLiteral(LONGPOLE_VERSION));
        const int used = painter.fontMetrics().horizontalAdvance(program) + 24;
        const QString source = painter.fontMetrics().elidedText(
            parts.join(QStringLiteral(" · ")), Qt::ElideMiddle, rect.width() - used);
        painter.drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, source);
        painter.drawText(rect, Qt::AlignRight | Qt::AlignVCenter, program);
    }

    const PictureSpec &m_spec;
    const Loaded &m_loaded;
    TimelineData m_data;
    std::optional<TimelineData> m_measured;        ///< under a prediction
    std::optional<PathIndex> m_path, m_pathBefore; ///< of the prediction, and as measured
    std::optional<IdleIndex> m_idle, m_idleBefore;
    SelectionLinks m_links;
    std::vector<Row> m_rows;
    QImage m_image;
};

} // namespace

QString sumsText(const Loaded &loaded, const Window &window) {
    Progress progress;
    const auto sums = statistics(*loaded.trace, loaded.phases, window, GroupBy::Phase, progress);
    if (!sums) return {};
    return QStringLiteral("sum of durations %1 · union %2 · elapsed %3")
        .arg(duration(sums->total.sum), duration(sums->total.unionTime),
             duration(window.range.length()));
}

QImage renderPicture(const PictureSpec &spec) {
    const BundledFontScope font;
    return Picture(spec).paint();
}

} // namespace longpole
