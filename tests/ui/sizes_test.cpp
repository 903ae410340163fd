// SPDX-License-Identifier: GPL-3.0-or-later
// The window from its smallest to a large size. With LONGPOLE_PICTURES the folder it names gets a
// picture of each state, to be looked at; LONGPOLE_TRACE takes another trace than the bundled one.
#include "tests/support/files.h"
#include "tests/ui/window_hands.h"
#include "ui/panels/panel.h"
#include "ui/style.h"
#include "ui/theme.h"
#include "ui/timeline/timeline_view.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QAction>
#include <QComboBox>
#include <QDir>
#include <QDockWidget>
#include <QFileInfo>
#include <QLabel>
#include <QLayout>
#include <QLineEdit>
#include <QScrollArea>
#include <QSettings>
#include <QSignalSpy>
#include <QTabBar>
#include <QTemporaryDir>
#include <QToolBar>
#include <QToolButton>

using namespace longpole;

class SizesTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void cleanup() { m_window.reset(); }
    void nothingIsCut_data();
    void nothingIsCut();
    void nothingOverlaps_data();
    void nothingOverlaps();
    void theSmallestSizeIsHonoured();
    void aSmallWindowKeepsItsRoomForTheTimeline();

private:
    void open(QSize size);
    void look(const QString &state);
    QStringList cut() const;
    QStringList overlaps() const;
    void checkRoom(const QString &state);
    template <class T>
    T *child(const char *name) {
        T *found = m_window->findChild<T *>(QLatin1String(name));
        if (!found) qFatal("there is no %s", name);
        return found;
    }

    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;
};

void SizesTest::initTestCase() {
    QCoreApplication::setOrganizationName(QStringLiteral("longpole-test"));
    QCoreApplication::setApplicationName(QStringLiteral("sizes"));
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
    useBundledFont();
    applyStyle(false);
}

void SizesTest::open(QSize size) {
    QSettings().clear();
    m_window = std::make_unique<MainWindow>();
    m_window->resize(size);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    QString path = qEnvironmentVariable("LONGPOLE_TRACE");
    if (path.isEmpty())
        path = QStringLiteral(LONGPOLE_SOURCE_DIR "/resources/examples/training.json.gz");
    QSignalSpy opened(&m_window->session(), &Session::opened);
    m_window->openPaths({path});
    QVERIFY(opened.wait(60'000));
    QTRY_VERIFY_WITH_TIMEOUT(m_window->session().statistics(), 60'000);
    QTRY_VERIFY_WITH_TIMEOUT(
        m_window->session().verdict() || !m_window->session().graphProblem().empty(), 60'000);
    QTest::qWait(100);
}

/// Keeps a picture of the whole window for whoever wants to look at it.
void SizesTest::look(const QString &state) {
    const QString folder = qEnvironmentVariable("LONGPOLE_PICTURES");
    if (folder.isEmpty()) return;
    QTest::qWait(150);
    const QString name = QStringLiteral("%1x%2@%3_%4_%5.png")
                             .arg(m_window->width())
                             .arg(m_window->height())
                             .arg(m_window->devicePixelRatioF())
                             .arg(theme().id, state);
    QVERIFY(m_window->grab().save(QDir(folder).filePath(name)));
}

/// What of the visible labels, buttons and bars is given less room than it asks for, and fields
/// that are given far more.
QStringList SizesTest::cut() const {
    QStringList found;
    const auto say = [&](const QWidget *widget, const QString &text) {
        found << QStringLiteral("%1 %2 “%3”: %4×%5 of %6×%7")
                     .arg(QLatin1String(widget->metaObject()->className()), widget->objectName(),
                          text.left(40))
                     .arg(widget->width())
                     .arg(widget->height())
                     .arg(widget->sizeHint().width())
                     .arg(widget->sizeHint().height());
    };
    const auto scrolls = [](const QWidget *widget) {
        while ((widget = widget->parentWidget()))
            if (qobject_cast<const QAbstractScrollArea *>(widget)) return true;
        return false;
    };
    const auto fits = [&scrolls](const QWidget *widget, QSize needed) {
        if (!scrolls(widget) && widget->visibleRegion().boundingRect() != widget->rect())
            return false; // by what is around it
        return needed.width() <= widget->width() && needed.height() <= widget->height();
    };
    const auto seen = [](const QWidget *widget) { // tabs below others lie outside the window
        return widget->isVisible() && !widget->visibleRegion().isEmpty();
    };
    for (const QLabel *label : m_window->findChildren<QLabel *>()) {
        if (!seen(label) || label->text().isEmpty()) continue;
        if (label->sizePolicy().horizontalPolicy() == QSizePolicy::Ignored) continue;
        const QSize needed = label->wordWrap() ? QSize(0, label->heightForWidth(label->width()))
                                               : label->minimumSizeHint();
        if (!fits(label, needed)) say(label, label->text());
    }
    for (const QAbstractButton *button : m_window->findChildren<QAbstractButton *>())
        if (seen(button) && !button->text().isEmpty() && !fits(button, button->sizeHint()))
            say(button, button->text());
    const auto swollen = [&](const QWidget *widget) {
        if (seen(widget) && widget->height() > 2 * widget->sizeHint().height())
            say(widget, QStringLiteral("swollen"));
    };
    for (const QComboBox *box : m_window->findChildren<QComboBox *>()) swollen(box);
    for (const QLineEdit *field : m_window->findChildren<QLineEdit *>()) swollen(field);
    return found;
}

/// Parts of the window that lie over one another or outside of it, are flattened to nothing, or
/// tabs that cannot be clicked.
QStringList SizesTest::overlaps() const {
    QStringList found;
    QList<std::pair<QString, QRect>> parts;
    const auto at = [&](const QWidget *widget) {
        return QRect(widget->mapTo(m_window.get(), QPoint()), widget->size());
    };
    const auto take = [&](const QString &name, const QWidget *widget, QSize least) {
        const QRect room = at(widget);
        if (room.width() < least.width() || room.height() < least.height())
            found << QStringLiteral("%1 is %2×%3").arg(name).arg(room.width()).arg(room.height());
        if (!m_window->rect().contains(room))
            found << QStringLiteral("%1 leaves the window by %2,%3")
                         .arg(name)
                         .arg(room.right() - m_window->rect().right())
                         .arg(room.bottom() - m_window->rect().bottom());
        parts.emplaceBack(name, room);
    };
    for (const char *name : {"verdict", "toolBar", "overview", "timeline", "statusLine"})
        take(QLatin1String(name), m_window->findChild<QWidget *>(QLatin1String(name)), {300, 20});
    for (const QDockWidget *dock : m_window->findChildren<QDockWidget *>())
        if (dock->isVisible() && !dock->visibleRegion().isEmpty())
            take(dock->objectName(), dock, {150, 90});
    for (const QTabBar *tabs : m_window->findChildren<QTabBar *>()) {
        if (!tabs->isVisible() || tabs->count() < 2) continue; // Qt puts unused ones aside
        take(QStringLiteral("tabs of ") + tabs->tabText(0), tabs, {100, 20});
        const QRegion seen = tabs->visibleRegion();
        bool scrolls = false;
        for (const auto *button : tabs->findChildren<QAbstractButton *>())
            scrolls |= button->isVisible();
        for (int i = 0; i < tabs->count(); ++i)
            if (!scrolls && seen.intersected(tabs->tabRect(i)).boundingRect() != tabs->tabRect(i))
                found << QStringLiteral("tab %1 is covered").arg(tabs->tabText(i));
    }
    const auto *more = m_window->findChild<QToolButton *>("qt_toolbar_ext_button");
    if (more && more->isVisible()) found << QStringLiteral("the toolbar hides some of its buttons");
    const QWidget *inner = m_window->findChild<QDockWidget *>()->parentWidget();
    const QSize needed = inner->layout()->minimumSize();
    if (needed.width() > inner->width() || needed.height() > inner->height())
        found << QStringLiteral("docks and timeline need %1×%2 of %3×%4")
                     .arg(needed.width())
                     .arg(needed.height())
                     .arg(inner->width())
                     .arg(inner->height());
    for (int i = 0; i < parts.size(); ++i)
        for (int j = 0; j < i; ++j)
            if (parts[i].second.intersects(parts[j].second)) {
                const QRect both = parts[i].second.intersected(parts[j].second);
                found << QStringLiteral("%1 and %2 share %3×%4")
                             .arg(parts[i].first, parts[j].first)
                             .arg(both.width())
                             .arg(both.height());
            }
    return found;
}

void SizesTest::checkRoom(const QString &state) {
    // layouts follow a little later
    if (!QTest::qWaitFor([this] { return overlaps().isEmpty(); }, 1500)) {
        look(state + QStringLiteral("_overlap"));
        QFAIL(qPrintable(state + QStringLiteral(": ") + overlaps().join(QStringLiteral("; "))));
    }
}

void SizesTest::nothingOverlaps_data() {
    QTest::addColumn<QSize>("size");
    for (const QSize size : {QSize(900, 560), QSize(1024, 640), QSize(1280, 720), QSize(1920, 1080),
                             QSize(3840, 2160)})
        if (size.width() * qApp->devicePixelRatio() <= 3840) // as many as a screen has
            QTest::addRow("%d×%d", size.width(), size.height()) << size;
}

/// However a panel comes to be there: one after the other, all at once, as left in a larger or
/// smaller window, moved or detached and taken back.
void SizesTest::nothingOverlaps() {
    QFETCH(QSize, size);
    const auto raise = [this](const char *id) {
        auto *dock = child<QDockWidget>(id);
        dock->show();
        dock->raise();
    };
    open(size);
    checkRoom("opened");
    for (const Panel &panel : panels()) {
        raise(panel.id);
        checkRoom(QStringLiteral("with ") + panel.id);
    }
    for (auto panel = panels().rbegin(); panel != panels().rend(); ++panel) {
        child<QDockWidget>(panel->id)->hide();
        checkRoom(QStringLiteral("without ") + panel->id);
    }
    for (auto panel = panels().rbegin(); panel != panels().rend(); ++panel) {
        raise(panel->id);
        checkRoom(QStringLiteral("again with ") + panel->id);
    }
    for (const char *id : {"details", "statistics", "whatIf"}) {
        raise(id);
        child<QDockWidget>(id)->setFloating(true);
        QTest::qWait(20);
        child<QDockWidget>(id)->setFloating(false);
        checkRoom(QStringLiteral("taken back ") + id);
    }
    for (const QSize other : {QSize(900, 560), QSize(3840, 2160), QSize(1024, 640), size}) {
        m_window->resize(other);
        checkRoom(QStringLiteral("resized to %1×%2").arg(other.width()).arg(other.height()));
    }
    m_window->timeline().walkPath(1);
    m_window->state().setPredictedShown(true);
    checkRoom("selected and predicted");
    QSignalSpy example(&m_window->session(), &Session::opened);
    child<QAction>("example_overlapping_timeline.json")->trigger(); // has a note of its own
    QVERIFY(example.wait(60'000));
    QTest::qWait(200);
    checkRoom("an example");
    child<QAction>("close")->trigger(); // and with the same layout for the next trace
    QSignalSpy opened(&m_window->session(), &Session::opened);
    m_window->openPaths(
        {QStringLiteral(LONGPOLE_SOURCE_DIR "/resources/examples/training.json.gz")});
    QVERIFY(opened.wait(60'000));
    checkRoom("the next trace");
    m_window->close(); // the layout is kept
    for (const QSize other : {QSize(900, 560), QSize(1280, 720), size}) {
        m_window = std::make_unique<MainWindow>();
        m_window->resize(other);
        m_window->show();
        QSignalSpy again(&m_window->session(), &Session::opened);
        m_window->openPaths(
            {QStringLiteral(LONGPOLE_SOURCE_DIR "/resources/examples/training.json.gz")});
        QVERIFY(again.wait(60'000));
        checkRoom(QStringLiteral("kept, at %1×%2").arg(other.width()).arg(other.height()));
    }
}

void SizesTest::nothingIsCut_data() {
    QTest::addColumn<QSize>("size");
    QTest::addColumn<QString>("theme");
    for (const char *theme : {"light", "dark"}) {
        QTest::addRow("smallest %s", theme) << QSize(900, 560) << QString(theme);
        QTest::addRow("small %s", theme) << QSize(1024, 640) << QString(theme);
        QTest::addRow("large %s", theme) << QSize(3840, 2160) << QString(theme);
        QTest::addRow("middle %s", theme) << QSize(1920, 1080) << QString(theme);
    }
}

void SizesTest::nothingIsCut() {
    QFETCH(QSize, size);
    QFETCH(QString, theme);
    chooseTheme(theme);
    QStringList found;
    const auto check = [&](const QString &state) {
        // layouts follow new texts a little later
        if (!QTest::qWaitFor([this] { return cut().isEmpty(); }, 2000))
            for (const QString &what : cut()) found << state + QStringLiteral(": ") + what;
        look(state);
    };
    open(size);
    check(QStringLiteral("opened"));
    QCOMPARE(m_window->size(), size);
    for (const Panel &panel : panels()) {
        auto *dock = child<QDockWidget>(panel.id);
        dock->show();
        dock->raise();
        check(QLatin1String(panel.id));
    }
    m_window->timeline().walkPath(1);
    m_window->state().setPredictedShown(true);
    child<QComboBox>("statisticsBy")->setCurrentIndex(1);
    emit child<QComboBox>("statisticsBy")->activated(1);
    m_window->state().setRange(m_window->state().view());
    for (const char *panel : {"details", "statistics", "whatIf"})
        child<QDockWidget>(panel)->raise();
    QTest::qWait(300);
    check(QStringLiteral("selected"));
    child<QAction>("close")->trigger();
    check(QStringLiteral("start"));
    const test::TempFile odd("{\"nodes\": [1, 2]}");
    QSignalSpy failed(&m_window->session(), &Session::openFailed);
    m_window->openPaths({QString::fromStdString(odd.path())});
    QVERIFY(failed.wait());
    check(QStringLiteral("error"));
    found.removeDuplicates();
    QVERIFY2(found.isEmpty(), qPrintable(found.join(QLatin1Char('\n'))));
    QCOMPARE(m_window->size(), size);
}

void SizesTest::theSmallestSizeIsHonoured() {
    open({1024, 640});
    for (const Panel &panel : panels()) child<QDockWidget>(panel.id)->show();
    m_window->resize(300, 200);
    QCoreApplication::processEvents();
    QCOMPARE(m_window->size(), QSize(900, 560));
    const QRect room = m_window->rect();
    for (const char *name : {"verdict", "toolBar", "overview", "statusLine", "timeline"}) {
        const auto *part = child<QWidget>(name);
        const QRect at(part->mapTo(m_window.get(), QPoint()), part->size());
        QVERIFY2(room.contains(at), name);
    }
}

void SizesTest::aSmallWindowKeepsItsRoomForTheTimeline() {
    open({1024, 640});
    for (const Panel &panel : panels())
        QVERIFY2(!child<QDockWidget>(panel.id)->isVisible(), panel.id);
    QCOMPARE(child<QWidget>("verdict")->height(), 40);
    QCOMPARE(child<QWidget>("overview")->height(), 28);
    QVERIFY(m_window->timeline().height() >= 450);
    for (const Panel &panel : panels()) {
        auto *dock = child<QDockWidget>(panel.id);
        dock->show();
        QCoreApplication::processEvents();
        QVERIFY2(m_window->timeline().height() >= 200 && m_window->timeline().width() >= 500,
                 panel.id);
        dock->hide();
    }
}

QTEST_MAIN(SizesTest)
#include "sizes_test.moc"
