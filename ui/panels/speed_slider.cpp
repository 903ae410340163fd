// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/speed_slider.h"

#include "ui/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr int kMargin = 6;         ///< half a handle and the ring of the focus
constexpr double kTenAt = 0.84;    ///< of the groove; ∞ stands at its end
constexpr double kInfinite = 0.92; ///< from here on a drag means ∞
const double kOctaves = std::log2(10 / 0.25);

/// 0 … 1 along the groove.
double place(Speed speed) {
    if (speed.isInfinite()) return 1;
    if (speed.milli > 10'000) return (kTenAt + kInfinite) / 2; // written into the field
    return std::max(0.0, std::log2(speed.value() / 0.25) / kOctaves) * kTenAt;
}

/// Fine enough for a pixel, round enough to be read.
int rounded(double value) {
    const double unit = value < 3 ? 0.05 : 0.1;
    return std::clamp(int(std::lround(std::round(value / unit) * unit * 1000)), 250, 10'000);
}

} // namespace

SpeedSlider::SpeedSlider(QWidget *parent) : QSlider(Qt::Horizontal, parent) {
    setRange(25, 1001); // for assistive technology: hundredths, and ∞ as the last
    setSpeed({});
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

int SpeedSlider::xIn(int width, Speed speed) {
    return kMargin + int(std::lround(place(speed) * (width - 1 - 2 * kMargin)));
}

Speed SpeedSlider::speedAt(int x) const {
    if (std::abs(x - xOf({})) <= 3) return {};
    const double at = double(x - kMargin) / std::max(1, width() - 1 - 2 * kMargin);
    if (at >= kInfinite) return Speed::infinite();
    return {rounded(0.25 * std::exp2(std::clamp(at / kTenAt, 0.0, 1.0) * kOctaves))};
}

void SpeedSlider::setSpeed(Speed speed) {
    m_speed = speed;
    setValue(speed.isInfinite() ? maximum() : std::clamp(speed.milli / 10, 25, 1000));
    setAccessibleDescription(speed.isInfinite() ? tr("infinitely fast")
                                                : tr("%1 as fast").arg(speed.text()));
    update();
}

void SpeedSlider::change(Speed speed) {
    if (speed == m_speed) return;
    setSpeed(speed);
    emit speedChanged(speed);
}

void SpeedSlider::mousePressEvent(QMouseEvent *event) {
    if (event->button() != Qt::LeftButton) return event->ignore();
    setSliderDown(true);
    change(speedAt(event->position().toPoint().x()));
}

void SpeedSlider::mouseMoveEvent(QMouseEvent *event) {
    if (isSliderDown()) change(speedAt(event->position().toPoint().x()));
}

void SpeedSlider::mouseReleaseEvent(QMouseEvent *event) {
    if (event->button() != Qt::LeftButton || !isSliderDown()) return event->ignore();
    setSliderDown(false);
    emit settled();
}

void SpeedSlider::mouseDoubleClickEvent(QMouseEvent *) {
    change({});
    emit settled();
}

void SpeedSlider::keyPressEvent(QKeyEvent *event) {
    const bool mirrored = isRightToLeft();
    Speed to = m_speed;
    switch (event->key()) {
    case Qt::Key_Up:
        to = to.stepped(1);
        break;
    case Qt::Key_Down:
        to = to.stepped(-1);
        break;
    case Qt::Key_Right:
        to = to.stepped(mirrored ? -1 : 1);
        break;
    case Qt::Key_Left:
        to = to.stepped(mirrored ? 1 : -1);
        break;
    case Qt::Key_PageUp:
        to = to.stepped(4);
        break;
    case Qt::Key_PageDown:
        to = to.stepped(-4);
        break;
    case Qt::Key_Home:
        to = {};
        break;
    case Qt::Key_End:
        to = Speed::infinite();
        break;
    default:
        return event->ignore();
    }
    change(to);
    emit settled();
}

/// The panel scrolls; a slider under the mouse must not change by that.
void SpeedSlider::wheelEvent(QWheelEvent *event) {
    event->ignore();
}

void SpeedSlider::paintEvent(QPaintEvent *) {
    const Theme &t = theme();
    QPainter painter(this);
    const int middle = height() / 2, one = xOf({}), at = xOf(m_speed);
    painter.fillRect(QRect(kMargin, middle - 1, width() - 2 * kMargin, 3), t.line);
    painter.fillRect(QRect(one, middle - 5, 1, 11), t.fieldBorder);
    if (at != one)
        painter.fillRect(QRect(std::min(one, at), middle - 1, std::abs(at - one), 3), t.accent);
    const QRect handle(at - 4, middle - 7, 9, 15);
    const bool changed = !m_speed.isOne();
    painter.fillRect(handle, changed ? t.accent : t.text2);
    const int edge = changed ? 2 : 1;
    painter.fillRect(handle.adjusted(edge, edge, -edge, -edge), t.base);
    if (!hasFocus()) return;
    painter.setPen(QPen(t.accent, 2));
    painter.drawRect(handle.adjusted(-1, -2, 2, 3));
}

} // namespace longpole
