// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/page_parts.h"

#include "ui/icons.h"
#include "ui/theme.h"

#include <QEvent>
#include <QFrame>
#include <QLabel>
#include <QPushButton>

namespace longpole {

namespace {

/// Gives a filled button's icon the colour of its text, again after each change of theme.
class PrimaryIcon : public QObject {
public:
    PrimaryIcon(QPushButton *button, QString name)
        : QObject(button), m_button(button), m_name(std::move(name)) {
        button->installEventFilter(this);
        paint();
    }
    bool eventFilter(QObject *, QEvent *event) override {
        if (event->type() == QEvent::PaletteChange) paint();
        return false;
    }

private:
    void paint() {
        const QColor colour = theme().textOn(theme().accent);
        m_button->setIcon(iconPixmap(m_name, colour, 16, m_button->devicePixelRatioF()));
    }
    QPushButton *m_button;
    QString m_name;
};

/// A one pixel line in the theme's divider colour.
class Divider : public QFrame {
public:
    Divider() {
        setFixedHeight(1);
        setAutoFillBackground(true);
        setBackgroundRole(QPalette::Mid);
    }
};

} // namespace

QLabel *headline(const QString &text) {
    auto *label = new QLabel(text);
    label->setFont(uiFont(22, QFont::Bold));
    label->setWordWrap(true);
    return label;
}

QLabel *sectionHead(const QString &text) {
    auto *label = new QLabel(text);
    label->setFont(uiFont(13, QFont::Bold));
    return label;
}

QLabel *secondary(const QString &text, int pixels) {
    auto *label = new QLabel(text);
    label->setFont(uiFont(pixels));
    label->setForegroundRole(QPalette::PlaceholderText);
    label->setWordWrap(true);
    return label;
}

QFrame *divider() {
    return new Divider;
}

void makePrimary(QPushButton *button, const QString &iconName) {
    button->setProperty("primary", true);
    button->setMinimumHeight(30);
    button->setMinimumWidth(150);
    button->setFont(uiFont(12, QFont::Medium));
    if (!iconName.isEmpty()) new PrimaryIcon(button, iconName);
}

} // namespace longpole
