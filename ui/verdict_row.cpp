// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/verdict_row.h"

#include "ui/theme.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace longpole {

namespace {

constexpr int kPad = 4; ///< around a number, for the focus ring
constexpr int kSwatch = 9, kSwatchRoom = 13;
constexpr int kShortestName = 170; ///< px that an elided name keeps

int baseline(const QWidget &widget) {
    const QFontMetrics metrics(widget.font());
    return (widget.height() + metrics.ascent() - metrics.descent()) / 2;
}

} // namespace

VerdictNumber::VerdictNumber(const VerdictPart &part, const QFont &font, QWidget *parent)
    : QAbstractButton(parent), m_link(part.link) {
    setText(QString::fromStdString(part.text));
    setFont(font);
    setCursor(Qt::PointingHandCursor);
    setFocusPolicy(Qt::TabFocus); // a click leaves the keys to the timeline
}

QSize VerdictNumber::sizeHint() const {
    const QFontMetrics metrics(font());
    return {metrics.horizontalAdvance(text()) + 2 * kPad, metrics.height()};
}

void VerdictNumber::paintEvent(QPaintEvent *) {
    QPainter painter(this);
    const Theme &t = theme();
    QFont underlined = font();
    underlined.setUnderline(true);
    painter.setFont(underlined);
    painter.setPen(isEnabled() ? t.accent : t.disabled);
    painter.drawText(kPad, baseline(*this), text());
    if (!hasFocus()) return;
    painter.setPen(Qt::NoPen);
    for (const QRect &side : {QRect(0, 0, width(), 2), QRect(0, height() - 2, width(), 2),
                              QRect(0, 0, 2, height()), QRect(width() - 2, 0, 2, height())})
        painter.fillRect(side, t.accent);
}

void VerdictNumber::keyPressEvent(QKeyEvent *event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        click();
    else
        QAbstractButton::keyPressEvent(event);
}

VerdictRow::VerdictRow(QWidget *parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

void VerdictRow::setLook(const QFont &text, const QFont &numbers, bool secondary) {
    setFont(text);
    m_numberFont = numbers;
    m_secondary = secondary;
    for (Placed &p : m_placed)
        if (p.number) p.number->setFont(numbers);
    updateGeometry();
    place();
}

void VerdictRow::setPieces(std::vector<Piece> pieces) {
    for (const Placed &p : m_placed)
        if (p.number) {
            p.number->hide();
            p.number->deleteLater();
        }
    m_placed.clear();
    QString all;
    for (Piece &piece : pieces) {
        Placed placed;
        placed.text = QString::fromStdString(piece.part.text);
        all += placed.text;
        if (piece.part.link.to != VerdictLink::To::Nothing) {
            placed.number = new VerdictNumber(piece.part, m_numberFont, this);
            placed.number->setToolTip(piece.tip);
            placed.number->setAccessibleDescription(piece.tip);
            connect(placed.number, &QAbstractButton::clicked, this,
                    [this, link = piece.part.link] { emit followed(link); });
        }
        placed.piece = std::move(piece);
        m_placed.push_back(std::move(placed));
    }
    setAccessibleName(all);
    updateGeometry();
    place();
}

void VerdictRow::setLive(bool live) {
    for (const Placed &p : m_placed)
        if (p.number) p.number->setEnabled(live);
    m_live = live;
    update();
}

int VerdictRow::natural(const Placed &p) const {
    if (p.number) return p.number->sizeHint().width() - 2 * kPad;
    return fontMetrics().horizontalAdvance(p.text) + (p.piece.swatch ? kSwatchRoom : 0);
}

QSize VerdictRow::sizeHint() const {
    int width = 0;
    for (const Placed &p : m_placed) width += natural(p);
    return {width + kPad, fontMetrics().height()};
}

void VerdictRow::place() {
    std::vector<int> widths;
    int total = 0, cap = 0;
    for (const Placed &p : m_placed) {
        widths.push_back(natural(p));
        total += widths.back();
        if (p.piece.elastic) cap = std::max(cap, widths.back());
    }
    // The longest names give way first.
    for (; total > width() && cap > kShortestName; --cap)
        for (size_t i = 0; i < widths.size(); ++i)
            if (m_placed[i].piece.elastic && widths[i] >= cap) {
                --widths[i];
                --total;
            }
    size_t shown = m_placed.size();
    m_cut = total > width();
    if (m_cut) {
        const int room = width() - fontMetrics().horizontalAdvance(QChar(0x2026)) - kPad;
        int used = 0;
        shown = 0;
        for (size_t i = 0; i < m_placed.size() && used <= room; used += widths[i++])
            if (m_placed[i].piece.mayEndBefore || i == 0) shown = i;
        if (shown == 0) shown = m_placed.size(); // nothing may be left out: it is clipped
    }
    int x = 0;
    for (size_t i = 0; i < m_placed.size(); ++i) {
        Placed &p = m_placed[i];
        p.shown = p.text;
        if (p.piece.elastic && widths[i] < natural(p)) {
            p.shown = fontMetrics().elidedText(p.text, Qt::ElideMiddle, widths[i]);
            widths[i] = fontMetrics().horizontalAdvance(p.shown);
        }
        p.rect = i < shown ? QRect(x, 0, widths[i], height()) : QRect();
        x += i < shown ? widths[i] : 0;
        if (!p.number) continue;
        p.number->setVisible(i < shown);
        p.number->setGeometry(p.rect.adjusted(-kPad, 0, kPad, 0));
    }
    m_end = x;
    update();
}

void VerdictRow::paintEvent(QPaintEvent *) {
    QPainter painter(this);
    const Theme &t = theme();
    const QColor colour = !m_live ? t.disabled : m_secondary ? t.text2 : t.text;
    painter.setPen(colour);
    for (const Placed &p : m_placed) {
        if (p.number || p.rect.isEmpty()) continue;
        QRect rect = p.rect;
        if (p.piece.swatch) {
            const QRect box(rect.left(), (height() - kSwatch) / 2, kSwatch, kSwatch);
            paintTrust(painter, box, *p.piece.swatch);
            painter.setPen(colour);
            rect.setLeft(rect.left() + kSwatchRoom);
        }
        painter.drawText(rect.left(), baseline(*this), p.shown);
    }
    if (m_cut && m_end < width()) painter.drawText(m_end, baseline(*this), QChar(0x2026));
}

void VerdictRow::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    place();
}

bool VerdictRow::event(QEvent *event) {
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        for (const Placed &p : m_placed)
            if (p.rect.contains(help->pos()) && !p.piece.tip.isEmpty()) {
                QToolTip::showText(help->globalPos(), p.piece.tip, this, p.rect);
                return true;
            }
    }
    return QWidget::event(event);
}

void paintTrust(QPainter &painter, const QRect &rect, PathTrust trust) {
    const Theme &t = theme();
    constexpr double shares[] = {1, 0.6, 0.3};
    if (trust == PathTrust::Untraced) {
        painter.fillRect(rect, t.text2);
        painter.fillRect(rect.adjusted(1, 1, -1, -1), t.base);
    } else if (trust == PathTrust::Unexplained) {
        painter.fillRect(rect, t.base);
        painter.fillRect(rect, QBrush(t.text2, Qt::BDiagPattern));
        painter.setPen(t.text2);
        painter.drawRect(rect.adjusted(0, 0, -1, -1));
    } else {
        painter.fillRect(rect, mix(t.base, t.text2, shares[size_t(trust)]));
    }
}

} // namespace longpole
