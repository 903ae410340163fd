// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBoxLayout>
#include <QResizeEvent>
#include <QWidget>

#include <algorithm>

namespace longpole {

/// Two parts beside each other; the second one below the first where there is no room for both, so
/// that a panel asks for the wider of them and no more.
class WrapRow : public QWidget {
public:
    WrapRow(QWidget *first, int firstStretch, QWidget *second, int secondStretch = 0)
        : m_first(first), m_second(second), m_row(new QBoxLayout(QBoxLayout::LeftToRight, this)) {
        m_row->setContentsMargins(8, 4, 8, 4);
        m_row->setSpacing(5);
        m_row->addWidget(first, firstStretch);
        m_row->addWidget(second, secondStretch);
    }
    QSize minimumSizeHint() const override {
        return {std::max(m_first->minimumSizeHint().width(), m_second->minimumSizeHint().width()) +
                    2 * m_row->contentsMargins().left(),
                QWidget::minimumSizeHint().height()};
    }

protected:
    void resizeEvent(QResizeEvent *event) override {
        QWidget::resizeEvent(event);
        const int beside = m_first->sizeHint().width() + m_second->sizeHint().width() +
                           2 * m_row->contentsMargins().left() + m_row->spacing();
        const auto wanted =
            event->size().width() < beside ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight;
        if (m_row->direction() == wanted) return;
        m_row->setDirection(wanted);
        updateGeometry();
    }

private:
    QWidget *m_first, *m_second;
    QBoxLayout *m_row;
};

/// Widgets in a row without margins; those at `stretch` take what the others leave.
inline QWidget *rowOf(std::initializer_list<QWidget *> widgets, QWidget *stretch = nullptr) {
    auto *part = new QWidget;
    auto *row = new QHBoxLayout(part);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(5);
    for (QWidget *widget : widgets) row->addWidget(widget, widget == stretch);
    if (!stretch) row->addStretch(1);
    return part;
}

} // namespace longpole
