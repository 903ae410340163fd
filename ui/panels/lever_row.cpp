// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/lever_row.h"

#include "ui/describe.h"
#include "ui/numbers.h"
#include "ui/panels/speed_slider.h"
#include "ui/style.h"
#include "ui/theme.h"

#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>

namespace longpole {

namespace {

// Shared by the rows and the header above them.
constexpr int kSide = 10, kChip = 12, kGap = 6, kNameWidth = 104, kFieldWidth = 58;

int sliderLeft() {
    return kSide + kChip + kGap + kNameWidth + kGap;
}

QLabel *smallLabel(const QString &text) {
    auto *label = new QLabel(text);
    label->setFont(uiFont(10));
    label->setForegroundRole(QPalette::PlaceholderText);
    return label;
}

} // namespace

SpeedField::SpeedField(QWidget *parent) : QLineEdit(parent) {
    setFont(tableFont());
    setAlignment(Qt::AlignRight);
    setFixedSize(kFieldWidth, 22);
    setToolTip(tr("How many times faster: a number, or inf"));
    connect(this, &QLineEdit::editingFinished, this, &SpeedField::commit);
    setSpeed({});
}

void SpeedField::setSpeed(Speed speed) {
    m_speed = speed;
    setText(speed.field());
}

void SpeedField::commit() {
    const auto entered = Speed::parse(text());
    if (!entered || *entered == m_speed) return setSpeed(m_speed);
    setSpeed(*entered);
    emit speedEntered(*entered);
}

void SpeedField::keyPressEvent(QKeyEvent *event) {
    if (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down) {
        const Speed to = m_speed.stepped(event->key() == Qt::Key_Up ? 1 : -1);
        setText(to.field());
        commit();
        selectAll();
    } else if (event->key() == Qt::Key_Escape && text() != m_speed.field()) {
        setSpeed(m_speed);
        selectAll();
    } else {
        QLineEdit::keyPressEvent(event);
    }
}

void SpeedField::focusInEvent(QFocusEvent *event) {
    QLineEdit::focusInEvent(event);
    if (event->reason() != Qt::MouseFocusReason) selectAll();
}

LeverRow::LeverRow(std::shared_ptr<const WhatIfBasis> basis, size_t index, QWidget *parent)
    : QWidget(parent), m_basis(std::move(basis)), m_lever(m_basis->levers[index]),
      m_name(new QLabel), m_slider(new SpeedSlider), m_field(new SpeedField) {
    const SliderWork &lever = m_lever;
    const QString id = QString::fromStdString(lever.id);
    setObjectName(QStringLiteral("lever_") + id);
    m_slider->setObjectName(QStringLiteral("slider_") + id);
    m_field->setObjectName(QStringLiteral("factor_") + id);
    m_slider->setAccessibleName(tr("Speed of %1").arg(lever.label));
    m_field->setAccessibleName(tr("Speed of %1, as a number").arg(lever.label));
    m_name->setFixedWidth(kNameWidth);
    m_name->setBuddy(m_slider);
    const bool counted = lever.sum > 0; // not so where all of it is host time without an event
    auto *sums = smallLabel(
        counted
            ? tr("sum %1 · union %2").arg(durationText(lever.sum), durationText(lever.unionTime))
            : tr("untraced %1").arg(durationText(lever.work)));
    sums->setToolTip(
        !counted ? tr("Host time without an event, of which a what-if can only guess.")
                 : tr("Sum of durations: all added, work side by side counts more than once.\n"
                      "Union: time in which at least one of them ran."));
    auto *path = smallLabel(lever.onPath > 0 ? tr("on path %1").arg(durationText(lever.onPath))
                                             : tr("off the path"));
    if (lever.onPath > 0) {
        path->setFont(uiFont(10, QFont::Bold));
        path->setForegroundRole(QPalette::Text);
    }
    path->setToolTip(tr("Time this contributes to the critical path; making it faster saves at "
                        "most this much before another path takes over."));
    path->setAlignment(Qt::AlignRight | Qt::AlignTop);
    path->setObjectName(QStringLiteral("onPath_") + id);
    m_sums = sums;
    m_onPath = path;

    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(kSide + kChip + kGap, 2, kSide, 3);
    grid->setHorizontalSpacing(kGap);
    grid->setVerticalSpacing(0);
    grid->addWidget(m_name, 0, 0);
    grid->addWidget(m_slider, 0, 1);
    grid->addWidget(m_field, 0, 2);
    auto *below = new QHBoxLayout;
    below->addWidget(sums);
    below->addStretch(1);
    below->addWidget(path);
    grid->addLayout(below, 1, 0, 1, 3);
    grid->setColumnStretch(1, 1);

    connect(m_slider, &SpeedSlider::speedChanged, this, [this](Speed speed) {
        m_field->setSpeed(speed);
        emit speedChanged(speed);
    });
    connect(m_slider, &SpeedSlider::settled, this, &LeverRow::settled);
    connect(m_field, &SpeedField::speedEntered, this, [this](Speed speed) {
        m_slider->setSpeed(speed);
        emit speedChanged(speed);
        emit settled();
    });
    m_slider->installEventFilter(this);
    m_field->installEventFilter(this);
    setActive(false);
}

void LeverRow::setSpeed(Speed speed) {
    m_slider->setSpeed(speed);
    m_field->setSpeed(speed);
}

void LeverRow::showPending() {
    m_sums->setText(QStringLiteral("…"));
    m_onPath->setText(QStringLiteral("…"));
}

void LeverRow::setActive(bool active) {
    m_active = active;
    m_name->setFont(uiFont(12, active ? QFont::Bold : QFont::Normal));
    m_name->setText(m_name->fontMetrics().elidedText(m_lever.label, Qt::ElideRight, kNameWidth));
    m_name->setToolTip(m_lever.label);
    update();
}

void LeverRow::mousePressEvent(QMouseEvent *) {
    m_slider->setFocus();
    emit chosen();
}

bool LeverRow::eventFilter(QObject *watched, QEvent *event) {
    if (event->type() == QEvent::FocusIn) {
        const auto reason = static_cast<QFocusEvent *>(event)->reason();
        if (reason != Qt::ActiveWindowFocusReason && reason != Qt::PopupFocusReason) emit chosen();
    }
    return QWidget::eventFilter(watched, event);
}

void LeverRow::paintEvent(QPaintEvent *) {
    QPainter painter(this);
    if (m_active) painter.fillRect(rect(), theme().selected);
    painter.fillRect(QRect(kSide, m_name->geometry().center().y() - kChip / 2 + 1, kChip, kChip),
                     colour());
}

QColor LeverRow::colour() const {
    if (m_basis->byKind) return theme().kindColour(Kind(m_lever.key));
    return ruleColour(m_basis->loaded->phases.rules.rules[m_lever.key]);
}

LeverHeader::LeverHeader(QWidget *parent) : QWidget(parent) {
    setFixedHeight(QFontMetrics(uiFont(10)).height() + 6);
}

void LeverHeader::paintEvent(QPaintEvent *) {
    QPainter painter(this);
    painter.setFont(uiFont(10));
    painter.setPen(theme().text2);
    const QRect text = rect().adjusted(kSide, 0, -kSide, 0);
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, tr("Work"));
    painter.drawText(text, Qt::AlignRight | Qt::AlignVCenter, tr("faster by"));
    const int length = width() - sliderLeft() - kGap - kFieldWidth - kSide;
    const std::pair<int, QString> marks[] = {{1000, QStringLiteral("1×")},
                                             {0, QStringLiteral("∞")},
                                             {250, QStringLiteral("¼×")},
                                             {4000, QStringLiteral("4×")},
                                             {10'000, QStringLiteral("10×")}};
    QRegion taken; // what has no room is left out, the last first
    for (const auto &[milli, mark] : marks) {
        const int x = sliderLeft() + SpeedSlider::xIn(length, {milli});
        const int half = painter.fontMetrics().horizontalAdvance(mark) / 2 + 2;
        const QRect place(x - half, 0, 2 * half + 1, height());
        if (taken.intersects(place)) continue;
        taken += place;
        painter.drawText(place, Qt::AlignCenter, mark);
    }
}

} // namespace longpole
