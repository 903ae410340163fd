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
#include <QScrollArea>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolBar>

using namespace longpole;

class SizesTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void cleanup() { m_window.reset(); }
    void nothingIsCut_data();
    void nothingIsCut();
    void theSmallestSizeIsHonoured();
    void aSmallWindowKeepsItsRoomForTheTimeline();

private:
    void open(QSize size);
    void look(const QString &state);
    QStringList cut() const;
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

/// What of the visible labels, buttons and bars is given less room than it asks for.
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
    return found;
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
