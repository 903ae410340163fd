// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QDockWidget;
class QToolButton;

namespace longpole {

/// A dock's title drawn like the selected tab that it is; without height while real tabs show it.
class DockTitle : public QWidget {
    Q_OBJECT
public:
    explicit DockTitle(QDockWidget &dock);
    void setTabbed(bool tabbed);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    int textWidth() const;

    QDockWidget &m_dock;
    QToolButton *m_float, *m_close;
    bool m_tabbed = false;
};

} // namespace longpole
