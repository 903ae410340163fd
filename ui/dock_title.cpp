// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dock_title.h"

#include "ui/icons.h"
#include "ui/theme.h"

#include <QDockWidget>
#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>

#include <algorithm>

namespace longpole {

namespace {

QToolButton *titleButton(const QString &iconName, const QString &tip) {
    auto *button = new QToolButton;
    button->setIcon(icon(iconName));
    button->setIconSize({12, 12});
    button->setAutoRaise(true);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

} // namespace

DockTitle::DockTitle(QDockWidget &dock)
    : QWidget(&dock), m_dock(dock),
      m_float(titleButton(QStringLiteral("external-link"), tr("Detach or attach this panel"))),
      m_close(titleButton(QStringLiteral("x"), tr("Close this panel"))) {
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 2, 4, 1);
    row->setSpacing(0);
    row->addStretch(1);
    row->addWidget(m_float);
    row->addWidget(m_close);
    connect(m_float, &QToolButton::clicked, &dock,
            [&dock] { dock.setFloating(!dock.isFloating()); });
    connect(m_close, &QToolButton::clicked, &dock, &QDockWidget::close);
    connect(&dock, &QDockWidget::windowTitleChanged, this, qOverload<>(&QWidget::update));
}

void DockTitle::setTabbed(bool tabbed) {
    if (tabbed == m_tabbed) return;
    m_tabbed = tabbed;
    m_float->setVisible(!tabbed);
    m_close->setVisible(!tabbed);
    updateGeometry();
}

QSize DockTitle::sizeHint() const {
    if (m_tabbed) return {0, 0};
    return {textWidth() + 60, std::max(26, QFontMetrics(uiFont(12)).height() + 10)};
}

int DockTitle::textWidth() const {
    return QFontMetrics(uiFont(12, QFont::Bold)).horizontalAdvance(m_dock.windowTitle()) + 24;
}

void DockTitle::paintEvent(QPaintEvent *) {
    if (m_tabbed) return;
    const Theme &t = theme();
    QPainter painter(this);
    painter.fillRect(rect(), t.win);
    const QRect tab(0, 0, textWidth(), height());
    painter.fillRect(tab, t.base);
    painter.fillRect(QRect(0, 0, tab.width(), 2), t.accent);
    painter.fillRect(QRect(tab.right(), 2, 1, tab.height() - 2), t.line);
    painter.setFont(uiFont(12, QFont::Bold));
    painter.setPen(t.text);
    painter.drawText(tab.adjusted(12, 1, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     m_dock.windowTitle());
}

} // namespace longpole
