// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/speedup_plot.h"

#include "ui/numbers.h"
#include "ui/theme.h"

#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <limits>

namespace longpole {

namespace {

constexpr double kUsual = 10;   ///< end of the axis while all is finite and small
constexpr double kBeyond = 1.9; ///< ∞ stands that much farther, as at the end of the slider

/// Ticks as "1.2×" with as many digits as their distance asks for.
class TimesTicker : public QCPAxisTicker {
protected:
    double getTickStep(const QCPRange &range) override {
        const double step = QCPAxisTicker::getTickStep(range);
        m_decimals = 1; // as many as the step has, or even ticks would seem uneven
        for (double rest = step * 10; m_decimals < 4 && std::abs(rest - std::round(rest)) > 1e-6;
             rest *= 10)
            ++m_decimals;
        return step;
    }
    QString getTickLabel(double tick, const QLocale &, QChar, int) override {
        return QString::number(tick, 'f', m_decimals) + QChar(0xD7);
    }
    int m_decimals = 1;
};

QCPItemText *textItem(QCustomPlot &plot, int pixels, QFont::Weight weight) {
    auto *item = new QCPItemText(&plot);
    item->setFont(uiFont(pixels, weight));
    item->setClipToAxisRect(false);
    item->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
    item->position->setType(QCPItemPosition::ptAbsolute);
    return item;
}

double speedupAt(const std::vector<SpeedupCurves::Point> &points, double speed) {
    const auto next =
        std::lower_bound(points.begin(), points.end(), speed,
                         [](const SpeedupCurves::Point &p, double s) { return p.speed < s; });
    if (points.empty() || next == points.end()) return 0;
    if (next == points.begin() || next->speed == speed) return next->speedup;
    // Lengths, not speed-ups, are straight against 1 / speed.
    const auto &a = *(next - 1), &b = *next;
    const double x = 1 / a.speed, y = 1 / b.speed; // 0 at infinite speed
    const double share = (x - 1 / speed) / (x - y);
    return 1 / (1 / a.speedup + (1 / b.speedup - 1 / a.speedup) * share);
}

QString timesText(double value) {
    return std::isinf(value) ? QStringLiteral("∞") : QString::number(value, 'f', 2) + QChar(0xD7);
}

} // namespace

SpeedupPlot::SpeedupPlot(QWidget *parent) : QCustomPlot(parent) {
    setObjectName(QStringLiteral("speedupPlot"));
    setAccessibleName(tr("Speed-up of the window against the speed of this work"));
    setMouseTracking(true);
    setNoAntialiasingOnDrag(false);
    const auto graph = [this](const QString &name) {
        QCPGraph *made = addGraph();
        made->setName(name);
        made->setAdaptiveSampling(false);
        return made;
    };
    m_amdahl = graph(tr("Amdahl"));
    m_replay = graph(tr("replay"));
    m_knees = graph(tr("knees"));
    m_measured = graph(tr("measured"));
    m_point = graph(tr("now"));
    for (QCPGraph *points : {m_knees, m_measured, m_point}) points->setLineStyle(QCPGraph::lsNone);
    for (QCPGraph *unnamed : {m_amdahl, m_replay, m_knees}) unnamed->removeFromLegend();
    m_title = textItem(*this, 11, QFont::Bold);
    m_title->position->setCoords(8, 5);
    m_amdahlLabel = textItem(*this, 10, QFont::Normal);
    m_replayLabel = textItem(*this, 10, QFont::Medium);
    m_kneeLabel = textItem(*this, 10, QFont::Normal);
    m_amdahlLabel->setText(tr("Amdahl"));
    m_replayLabel->setText(tr("replay"));
    xAxis->setScaleType(QCPAxis::stLogarithmic);
    yAxis->setTicker(QSharedPointer<TimesTicker>::create());
    yAxis->ticker()->setTickCount(4);
    axisRect()->setAutoMargins(QCP::msLeft | QCP::msBottom);
    axisRect()->setMargins(QMargins(0, 24, 14, 0));
    axisRect()->insetLayout()->setInsetAlignment(0, Qt::AlignLeft | Qt::AlignTop);
    connect(this, &QCustomPlot::afterLayout, this, &SpeedupPlot::placeLabels);
    applyTheme();
    clearCurves();
}

void SpeedupPlot::applyTheme() {
    const Theme &t = theme();
    setBackground(t.base);
    for (QCPAxis *axis : {xAxis, yAxis}) {
        axis->setTickLabelFont(uiFont(10));
        axis->setLabelFont(uiFont(10));
        axis->setTickLabelColor(t.text2);
        axis->setLabelColor(t.text2);
        axis->setBasePen(QPen(t.line, 1));
        axis->setTickPen(QPen(t.line, 1));
        axis->setSubTicks(false);
        axis->setTickLength(0, 3);
        axis->setTickLabelPadding(3);
        axis->setLabelPadding(1);
        axis->grid()->setPen(QPen(t.grid, 1));
        axis->grid()->setZeroLinePen(Qt::NoPen);
    }
    QPen dashed(t.text2, 1.3);
    dashed.setDashPattern({4, 3});
    m_amdahl->setPen(dashed);
    m_replay->setPen(QPen(t.accent, 2));
    m_knees->setScatterStyle({QCPScatterStyle::ssDiamond, QPen(t.accent, 1.3), t.base, 8});
    m_measured->setScatterStyle({QCPScatterStyle::ssSquare, QPen(t.text, 1), t.text, 6});
    m_point->setScatterStyle({QCPScatterStyle::ssSquare, QPen(t.accent, 1), t.accent, 7});
    m_title->setColor(t.text);
    m_amdahlLabel->setColor(t.text2);
    m_replayLabel->setColor(t.accent);
    m_kneeLabel->setColor(t.text);
    legend->setFont(uiFont(10));
    legend->setTextColor(t.text);
    legend->setBorderPen(Qt::NoPen);
    legend->setBrush(Qt::NoBrush);
    legend->setIconSize(10, 10);
    legend->setRowSpacing(0);
    legend->setMargins(QMargins(4, 0, 0, 0));
}

void SpeedupPlot::clearCurves() {
    m_curves = {};
    for (QCPGraph *graph : {m_amdahl, m_replay, m_knees, m_measured, m_point})
        graph->data()->clear();
    legend->setVisible(false);
    arrange();
}

void SpeedupPlot::setCurves(const SpeedupCurves &curves) {
    m_curves = curves;
    legend->setVisible(true);
    arrange();
}

void SpeedupPlot::setNow(Speed speed, double speedup) {
    m_now = speed;
    m_nowSpeedup = speedup;
    m_point->setName(tr("now %1").arg(speed.text()));
    setAccessibleDescription(tr("At %1 the speed-up is %2").arg(speed.text(), timesText(speedup)));
    arrange();
}

double SpeedupPlot::shown(double speed) const {
    return std::isinf(speed) ? m_most * kBeyond : speed;
}

void SpeedupPlot::fillCurve(QCPGraph &graph, const std::vector<SpeedupCurves::Point> &points) {
    constexpr int kSteps = 120;
    std::vector<double> speeds;
    for (int i = 0; i <= kSteps; ++i)
        speeds.push_back(m_least * std::pow(m_most / m_least, double(i) / kSteps));
    for (const auto &point : points) // the knees exactly
        if (point.speed > m_least && point.speed < m_most) speeds.push_back(point.speed);
    std::sort(speeds.begin(), speeds.end());
    QVector<double> x, y;
    for (const double speed : speeds) {
        if (points.empty() || speed < points.front().speed) continue;
        x << speed;
        y << speedupAt(points, speed);
    }
    if (m_now.isInfinite() && !points.empty() && std::isfinite(points.back().speedup)) {
        x << shown(points.back().speed);
        y << points.back().speedup;
    }
    graph.setData(x, y, true);
}

void SpeedupPlot::arrange() {
    const double now = m_now.value();
    m_least = now < 1 ? std::min(0.25, now) : 1;
    m_most = m_now.isInfinite() ? kUsual : std::max(kUsual, now);
    fillCurve(*m_amdahl, m_curves.amdahl);
    fillCurve(*m_replay, m_curves.replay);
    QVector<double> kneeX, kneeY;
    for (const auto &knee : m_curves.knees) {
        if (knee.at.speed < m_least || knee.at.speed > m_most) continue;
        kneeX << knee.at.speed;
        kneeY << knee.at.speedup;
    }
    m_knees->setData(kneeX, kneeY, true);
    if (!m_curves.replay.empty()) {
        m_measured->setData({1.0}, {1.0}, true);
        if (std::isfinite(m_nowSpeedup)) // where nothing is left there is no place for it
            m_point->setData({shown(now)}, {m_nowSpeedup}, true);
        else
            m_point->data()->clear();
    }
    arrangeAxes();
    replot(rpQueuedReplot);
}

void SpeedupPlot::arrangeAxes() {
    const double end = m_now.isInfinite() ? m_most * kBeyond : m_most;
    const auto ticks = QSharedPointer<QCPAxisTickerText>::create();
    for (const double tick : {0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0, 300.0, 1000.0})
        if (tick >= m_least && tick <= m_most && (tick != 3.0 || m_least == 1))
            ticks->addTick(tick, QString::number(tick) + QChar(0xD7));
    if (m_now.isInfinite()) ticks->addTick(end, QStringLiteral("∞"));
    xAxis->setTicker(ticks);
    xAxis->setRange(m_least, end);
    double low = 1, high = 1.02;
    for (const QCPGraph *graph : {m_amdahl, m_replay, m_point}) {
        for (const QCPGraphData &point : *graph->data()) {
            low = std::min(low, point.value);
            high = std::max(high, point.value);
        }
    }
    const double room = (high - low) * 0.06;
    yAxis->setRange(low - room, high + room);
}

void SpeedupPlot::placeLabels() {
    const auto &replay = m_curves.replay, &amdahl = m_curves.amdahl;
    const bool any = !replay.empty(), both = any && !amdahl.empty();
    const auto heightAt = [&](const std::vector<SpeedupCurves::Point> &points, double speed) {
        return yAxis->coordToPixel(speedupAt(points, speed));
    };
    const double apart = both ? heightAt(replay, m_most) - heightAt(amdahl, m_most) : 0;
    const bool one = both && apart < 4; // one curve: one name
    m_title->setText(
        QFontMetrics(m_title->font()).elidedText(m_curves.title, Qt::ElideRight, width() - 14));
    m_replayLabel->setVisible(any);
    m_replayLabel->setText(one ? tr("replay = Amdahl") : tr("replay"));
    m_amdahlLabel->setVisible(both && !one);
    if (!any) return m_kneeLabel->setVisible(false);
    const double right = xAxis->coordToPixel(m_most);
    if (both && !one) {
        const double at = m_least * std::pow(m_most / m_least, 0.62);
        m_amdahlLabel->setPositionAlignment(Qt::AlignRight | Qt::AlignBottom);
        m_amdahlLabel->position->setCoords(xAxis->coordToPixel(at), heightAt(amdahl, at) - 2);
    }
    if (apart > 24) { // room above the curve, which rises to the right
        m_replayLabel->setPositionAlignment(Qt::AlignRight | Qt::AlignBottom);
        m_replayLabel->position->setCoords(right, heightAt(replay, m_most) - 3);
    } else {
        m_replayLabel->setPositionAlignment(Qt::AlignRight | Qt::AlignTop);
        placeBelow(*m_replayLabel, right);
    }
    placeKnee();
}

/// Under the curve along its whole width, which ends at `right`.
void SpeedupPlot::placeBelow(QCPItemText &label, double right) {
    const int width = QFontMetrics(label.font()).horizontalAdvance(label.text());
    const double left = std::max(xAxis->pixelToCoord(right - width), m_least);
    label.position->setCoords(right, yAxis->coordToPixel(speedupAt(m_curves.replay, left)) + 3);
}

void SpeedupPlot::placeKnee() {
    const auto first = std::find_if(
        m_curves.knees.begin(), m_curves.knees.end(), [&](const SpeedupCurves::Knee &knee) {
            return !knee.takesOver.isEmpty() && knee.at.speed >= 1 && knee.at.speed < m_most;
        });
    m_kneeLabel->setVisible(first != m_curves.knees.end());
    if (!m_kneeLabel->visible()) return;
    const QFontMetrics metrics(m_kneeLabel->font());
    const QString text =
        tr("knee %1×: %2 takes over").arg(QString::number(first->at.speed, 'f', 1));
    const int rest = axisRect()->width() * 3 / 4 - metrics.horizontalAdvance(text.arg(QString()));
    m_kneeLabel->setText(text.arg(metrics.elidedText(first->takesOver, Qt::ElideMiddle, rest)));
    const int width = metrics.horizontalAdvance(m_kneeLabel->text());
    const double right =
        std::min(xAxis->coordToPixel(first->at.speed) + 6 + width, double(axisRect()->right() - 2));
    m_kneeLabel->setPositionAlignment(Qt::AlignRight | Qt::AlignTop);
    placeBelow(*m_kneeLabel, right);
}

void SpeedupPlot::mouseMoveEvent(QMouseEvent *event) {
    QCustomPlot::mouseMoveEvent(event);
    const QPoint at = event->position().toPoint();
    if (!axisRect()->rect().contains(at) || m_curves.replay.empty()) return QToolTip::hideText();
    double speed = xAxis->pixelToCoord(at.x());
    if (speed > m_most * 1.2) speed = std::numeric_limits<double>::infinity();
    const auto line = [&](const QString &name, const std::vector<SpeedupCurves::Point> &points) {
        const double speedup = speedupAt(points, speed);
        return tr("%1 %2, %3")
            .arg(name, durationText(TimeNs(double(m_curves.measured) / speedup)),
                 timesText(speedup));
    };
    QString text = tr("at %1: ").arg(timesText(speed)) + line(tr("replay"), m_curves.replay);
    if (speed >= 1 && !m_curves.amdahl.empty())
        text += QLatin1Char('\n') + line(tr("Amdahl"), m_curves.amdahl);
    QToolTip::showText(event->globalPosition().toPoint(), text, this);
}

void SpeedupPlot::changeEvent(QEvent *event) {
    QCustomPlot::changeEvent(event);
    if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange) return;
    if (!m_kneeLabel) return; // still in the constructor
    applyTheme();
    replot(rpQueuedReplot);
}

} // namespace longpole
