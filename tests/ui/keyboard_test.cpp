// SPDX-License-Identifier: GPL-3.0-or-later
// The window without a mouse: whatever can be focused has a name for those who cannot see it, is
// reached by Tab, and every command is in the palette.
#include <QTest>

#include "tests/ui/window_hands.h"
#include "ui/commands.h"
#include "ui/panels/panel.h"
#include "ui/style.h"
#include "ui/theme.h"
#include "ui/timeline/timeline_view.h"

#include <QAccessible>
#include <QAction>
#include <QDialog>
#include <QDockWidget>
#include <QFile>
#include <QLineEdit>
#include <QListView>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <set>

using namespace longpole;

class KeyboardTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void everythingHasAName();
    void tabComesEverywhere_data();
    void tabComesEverywhere();
    void thePaletteHasEveryCommand();

private:
    QString words(const QWidget *widget) const;
    std::set<QWidget *> focusable() const;

    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;
    std::unique_ptr<test::WindowHands> m_hands;
};

void KeyboardTest::initTestCase() {
    QCoreApplication::setOrganizationName(QStringLiteral("longpole-test"));
    QCoreApplication::setApplicationName(QStringLiteral("keyboard"));
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
    useBundledFont();
    applyStyle(false);
    const QString path = m_folder.filePath("training.json.gz");
    QVERIFY(QFile::copy(LONGPOLE_SOURCE_DIR "/resources/examples/training.json.gz", path));
    m_window = std::make_unique<MainWindow>();
    m_window->resize(1600, 1000);
    m_window->show();
    m_hands = std::make_unique<test::WindowHands>(*m_window);
    QVERIFY(m_hands->activate());
    QSignalSpy opened(&m_window->session(), &Session::opened);
    m_window->openPaths({path});
    QVERIFY(opened.wait(60'000));
    QTRY_VERIFY_WITH_TIMEOUT(m_window->session().statistics(), 60'000);
    QTRY_VERIFY_WITH_TIMEOUT(m_window->session().verdict(), 60'000);
    m_window->timeline().walkPath(1); // something is selected
    for (const Panel &panel : panels()) m_window->findChild<QDockWidget *>(panel.id)->show();
}

QString KeyboardTest::words(const QWidget *widget) const {
    const QWidget *parent = widget->parentWidget();
    return QStringLiteral("%1 “%2” in %3 “%4”")
        .arg(widget->metaObject()->className(), widget->objectName(),
             parent ? parent->metaObject()->className() : "-",
             parent ? parent->objectName() : QString());
}

/// By keys, and now: what lies under another tab comes when that one is raised.
std::set<QWidget *> KeyboardTest::focusable() const {
    std::set<QWidget *> found;
    for (QWidget *widget : m_window->findChildren<QWidget *>()) {
        if (!(widget->focusPolicy() & Qt::TabFocus) || !widget->isVisible() ||
            !widget->isEnabled() || widget->window() != m_window.get() || widget->focusProxy())
            continue;
        if (widget->visibleRegion().isEmpty()) {
            bool below = false; // scrolled away is no obstacle, another tab is
            for (const QWidget *up = widget; up; up = up->parentWidget())
                if (auto *dock = qobject_cast<const QDockWidget *>(up))
                    below |= dock->visibleRegion().isEmpty();
            if (below) continue;
        }
        found.insert(widget);
    }
    return found;
}

void KeyboardTest::everythingHasAName() {
    QStringList nameless;
    for (const Panel &panel : panels()) {
        m_window->findChild<QDockWidget *>(panel.id)->raise();
        QCoreApplication::processEvents();
        for (QWidget *widget : m_window->findChildren<QWidget *>()) {
            if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisible()) continue;
            if (widget->inherits("QScrollArea") || widget->inherits("QTabBar")) continue; // frames
            QAccessibleInterface *face = QAccessible::queryAccessibleInterface(widget);
            if (!face || face->text(QAccessible::Name).trimmed().isEmpty())
                nameless << words(widget);
        }
    }
    nameless.removeDuplicates();
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join('\n')));
}

void KeyboardTest::tabComesEverywhere_data() {
    QTest::addColumn<QString>("id");
    for (const Panel &panel : panels()) QTest::newRow(panel.id) << QString(panel.id);
}

void KeyboardTest::tabComesEverywhere() {
    QFETCH(QString, id);
    m_window->findChild<QDockWidget *>(id)->raise();
    QTRY_VERIFY(m_window->session().path());
    QTest::qWait(50);
    m_window->timeline().setFocus();
    std::set<QWidget *> reached;
    for (int i = 0; i < 250; ++i) {
        QWidget *now = QApplication::focusWidget();
        QVERIFY(now);
        if (!reached.insert(now).second && now == &m_window->timeline()) break; // around
        m_hands->key(Qt::Key_Tab);
    }
    QStringList missed;
    for (QWidget *widget : focusable())
        if (!reached.count(widget)) missed << words(widget);
    QVERIFY2(missed.isEmpty(), qPrintable(missed.join('\n')));
    QVERIFY(reached.size() > 15);
}

void KeyboardTest::thePaletteHasEveryCommand() {
    m_window->state().setRange(TimeRange{1'000'000, 9'000'000});
    m_window->timeline().setFocus();
    m_hands->key(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    auto *list = m_window->findChild<QListView *>("paletteList");
    QVERIFY(list);
    auto *field = m_window->findChild<QLineEdit *>("paletteField");
    QStringList missing;
    const auto check = [&](const QAction *action) {
        const QString text = action->text().remove('&').remove("…");
        field->setText(text);
        for (int row = 0; row < list->model()->rowCount(); ++row)
            if (list->model()->index(row, 0).data().toString() == text) return;
        missing << text;
    };
    for (const Command &command : commands()) {
        if (command.where != Command::Where::Window) continue;
        const auto *action = m_window->findChild<QAction *>(command.id);
        QVERIFY2(action, command.id);
        if (action->isEnabled() && action->objectName() != "palette") check(action);
    }
    QVERIFY2(missing.isEmpty(), qPrintable(missing.join(", ")));
    QTest::keyClick(field, Qt::Key_Escape);
}

QTEST_MAIN(KeyboardTest)
#include "keyboard_test.moc"
