// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/example_note.h"

#include "ui/examples.h"
#include "ui/icons.h"
#include "ui/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

namespace longpole {

namespace {

QLabel *text(const QString &name) {
    auto *label = new QLabel;
    label->setObjectName(name);
    label->setFont(uiFont(11));
    label->setWordWrap(true);
    label->setTextFormat(Qt::RichText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    return label;
}

QString headed(const QString &head, const QString &body) {
    return QStringLiteral("<b>%1</b> %2").arg(head, body.toHtmlEscaped());
}

} // namespace

ExampleNote::ExampleNote(QWidget *parent)
    : QWidget(parent), m_icon(new QLabel), m_see(text(QStringLiteral("noteSee"))),
      m_attempt(text(QStringLiteral("noteTry"))), m_lesson(text(QStringLiteral("noteLesson"))) {
    setObjectName(QStringLiteral("exampleNote"));
    setAccessibleName(tr("Note on this example"));
    auto *close = new QToolButton;
    close->setObjectName(QStringLiteral("closeNote"));
    close->setIcon(icon(QStringLiteral("x")));
    close->setIconSize({12, 12});
    close->setAutoRaise(true);
    close->setToolTip(tr("Close this note"));
    close->setAccessibleName(close->toolTip());
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(14, 6, 8, 7);
    row->setSpacing(18);
    row->addWidget(m_icon, 0, Qt::AlignTop);
    for (QLabel *label : {m_see, m_attempt, m_lesson}) row->addWidget(label, 1);
    row->addWidget(close, 0, Qt::AlignTop);
    hide();
}

void ExampleNote::showNote(const Example &example) {
    m_see->setText(headed(tr("See:"), example.see));
    m_attempt->setText(headed(tr("Try:"), example.attempt));
    m_lesson->setText(headed(tr("Learn:"), example.lesson));
    colour();
    show();
}

void ExampleNote::colour() {
    m_icon->setPixmap(
        iconPixmap(QStringLiteral("info-circle"), theme().accent, 16, devicePixelRatioF()));
}

void ExampleNote::paintEvent(QPaintEvent *) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().alt);
    painter.fillRect(0, height() - 1, width(), 1, theme().line);
}

void ExampleNote::changeEvent(QEvent *event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_lesson) colour();
}

} // namespace longpole
