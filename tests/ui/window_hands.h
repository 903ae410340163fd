// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/main_window.h"

#include <QApplication>
#include <QMutex>
#include <QTest>
#include <QWheelEvent>
#include <QWindow>

namespace longpole::test {

/// Every message of Qt and of ours from warnings on, of all threads, while this object lives.
class Complaints {
public:
    Complaints() { s_before = qInstallMessageHandler(take); }
    ~Complaints() { qInstallMessageHandler(s_before); }
    Complaints(const Complaints &) = delete;
    Complaints &operator=(const Complaints &) = delete;

    static QStringList taken() {
        const QMutexLocker lock(&s_mutex);
        return std::exchange(s_texts, {});
    }

private:
    static void take(QtMsgType type, const QMessageLogContext &context, const QString &text) {
        // What the off-screen platform cannot do says nothing of us.
        if (text.startsWith(QLatin1String("This plugin does not support "))) return;
        if (type != QtWarningMsg && type != QtCriticalMsg) return s_before(type, context, text);
        const QMutexLocker lock(&s_mutex);
        s_texts << text;
    }

    static inline QtMessageHandler s_before = nullptr;
    static inline QMutex s_mutex;
    static inline QStringList s_texts;
};

/// Mouse, wheel and keys as the window system delivers them to a window: what lies under the mouse
/// gets the one, what has the focus the other.
class WindowHands {
public:
    explicit WindowHands(QWidget &window) : m_window(window) {}

    /// Keys go nowhere else then; without a window manager nobody else does it.
    bool activate() {
        if (!QTest::qWaitForWindowExposed(&m_window)) return false;
        m_window.activateWindow();
        return QTest::qWaitForWindowActive(&m_window);
    }
    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
        QTest::keyClick(handle(), key, modifiers);
        QCoreApplication::processEvents();
    }
    void type(const char *text) {
        for (; *text; ++text) QTest::keyClick(handle(), *text);
        QCoreApplication::processEvents();
    }
    void click(const QWidget &widget, QPoint at) {
        QTest::mouseClick(handle(), Qt::LeftButton, {}, in(widget, at));
        QCoreApplication::processEvents();
    }
    void click(const QWidget &widget) { click(widget, widget.rect().center()); }
    void move(const QWidget &widget, QPoint at) {
        QTest::mouseMove(handle(), in(widget, at));
        QCoreApplication::processEvents();
    }
    void drag(const QWidget &widget, QPoint from, QPoint to, int moves = 6) {
        QTest::mousePress(handle(), Qt::LeftButton, {}, in(widget, from));
        for (int i = 1; i <= moves; ++i) move(widget, from + (to - from) * i / moves);
        QTest::mouseRelease(handle(), Qt::LeftButton, {}, in(widget, to));
        QCoreApplication::processEvents();
    }
    void wheel(const QWidget &widget, QPoint at, int notches,
               Qt::KeyboardModifiers modifiers = {}) {
        const QPoint local = in(widget, at);
        QWheelEvent event(local, handle()->mapToGlobal(local), {}, {0, notches * 120}, Qt::NoButton,
                          modifiers, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(handle(), &event);
        QCoreApplication::processEvents();
    }

private:
    QWindow *handle() { return m_window.windowHandle(); }
    QPoint in(const QWidget &widget, QPoint at) { return widget.mapTo(&m_window, at); }

    QWidget &m_window;
};

} // namespace longpole::test
