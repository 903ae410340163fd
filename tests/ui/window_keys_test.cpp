// SPDX-License-Identifier: GPL-3.0-or-later
// Keys and drags of the timeline as the window system delivers them to the whole window, where
// menus, fields and docks could take them away.
#include <QTest>

#include "tests/support/text_trace.h"
#include "tests/ui/window_hands.h"
#include "ui/style.h"
#include "ui/theme.h"
#include "ui/timeline/timeline_view.h"

#include <QClipboard>
#include <QDir>
#include <QFile>
#include <QImage>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>

using namespace longpole;

class WindowKeysTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void spaceAndDragPan();
    void altAndArrowsGoThroughTheViews();
    void selectionIsCopiedAsText();
    void viewIsCopiedAsAPicture();
    void launchesAndNamesAreWalked();
    void theSelectionIsFitted();
    void aRangeIsDragged();

private:
    ViewState &state() { return m_window->state(); }
    TimelineView &timeline() { return m_window->timeline(); }
    void drag(Qt::MouseButton button, QPoint from, QPoint to);

    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;
    std::unique_ptr<test::WindowHands> m_hands;
};

void WindowKeysTest::initTestCase() {
    QCoreApplication::setOrganizationName(QStringLiteral("longpole-test"));
    QCoreApplication::setApplicationName(QStringLiteral("window-keys"));
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
    QTRY_VERIFY_WITH_TIMEOUT(timeline().hasPath(), 60'000);
}

void WindowKeysTest::init() {
    state().select({});
    state().setRange({});
    state().frameWindow();
    timeline().setFocus();
}

void WindowKeysTest::drag(Qt::MouseButton button, QPoint from, QPoint to) {
    const auto at = [this](QPoint point) { return timeline().mapTo(m_window.get(), point); };
    QTest::mousePress(m_window->windowHandle(), button, {}, at(from));
    for (int i = 1; i <= 4; ++i) m_hands->move(timeline(), from + (to - from) * i / 4);
    QTest::mouseRelease(m_window->windowHandle(), button, {}, at(to));
    QCoreApplication::processEvents();
}

void WindowKeysTest::spaceAndDragPan() {
    const QRect lanes = timeline().lanesRect();
    const QPoint from = lanes.center(), to = from - QPoint(lanes.width() / 4, 0);
    for (const bool space : {true, false}) { // without it the middle button does the same
        const TimeRange before = state().view();
        if (space) QTest::keyPress(m_window->windowHandle(), Qt::Key_Space);
        drag(space ? Qt::LeftButton : Qt::MiddleButton, from, to);
        if (space) QTest::keyRelease(m_window->windowHandle(), Qt::Key_Space);
        QCOMPARE(state().view().length(), before.length());
        const double moved = double(state().view().begin - before.begin) / double(before.length());
        QVERIFY2(std::abs(moved - 0.25) < 0.01, qPrintable(QString::number(moved)));
        QVERIFY(!state().range() && !state().selected().valid());
    }
}

void WindowKeysTest::altAndArrowsGoThroughTheViews() {
    const TimeRange first = state().view();
    m_hands->key(Qt::Key_0);
    const TimeRange whole = state().view();
    QVERIFY(whole.length() > first.length());
    m_hands->key(Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(state().view(), first);
    m_hands->key(Qt::Key_Right, Qt::AltModifier);
    QCOMPARE(state().view(), whole);
    m_hands->key(Qt::Key_Backspace);
    QCOMPARE(state().view(), first);
}

void WindowKeysTest::selectionIsCopiedAsText() {
    m_hands->key(Qt::Key_N);
    QVERIFY(state().selected().valid());
    QApplication::clipboard()->clear();
    m_hands->key(Qt::Key_C, Qt::ControlModifier);
    const QString text = QApplication::clipboard()->text();
    QVERIFY2(text.contains(QString::fromUtf8(state().trace()->name(state().selected()))),
             qPrintable(text));
}

void WindowKeysTest::viewIsCopiedAsAPicture() {
    QApplication::clipboard()->clear();
    m_hands->key(Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY(!QApplication::clipboard()->image().isNull());
    QVERIFY(QApplication::clipboard()->image().width() > 600);
}

void WindowKeysTest::launchesAndNamesAreWalked() {
    const Trace &trace = *state().trace();
    for (int i = 0;
         i < 40 && !(state().selected().valid() && isDeviceKind(trace.kind(state().selected())));
         ++i)
        m_hands->key(Qt::Key_N);
    const IntervalId kernel = state().selected();
    QVERIFY(kernel.valid() && isDeviceKind(trace.kind(kernel)));
    m_hands->key(Qt::Key_G);
    QCOMPARE(state().selected(), trace.callOf(kernel));
    m_hands->key(Qt::Key_G);
    QCOMPARE(state().selected(), kernel);
    m_hands->key(Qt::Key_BracketRight);
    const IntervalId next = state().selected();
    QVERIFY(next != kernel);
    QCOMPARE(trace.name(next), trace.name(kernel));
    m_hands->key(Qt::Key_BracketLeft);
    QCOMPARE(state().selected(), kernel);
    m_hands->key(Qt::Key_Period);
    QCOMPARE(state().selected().track, kernel.track);
    QVERIFY(trace.begin(state().selected()) > trace.begin(kernel));
    m_hands->key(Qt::Key_Comma);
    QCOMPARE(state().selected(), kernel);
    m_hands->key(Qt::Key_N);
    const IntervalId behind = state().selected();
    m_hands->key(Qt::Key_N, Qt::ShiftModifier);
    QVERIFY(behind != state().selected());
}

void WindowKeysTest::theSelectionIsFitted() {
    m_hands->key(Qt::Key_N);
    const IntervalId id = state().selected();
    m_hands->key(Qt::Key_F);
    const TimeRange view = state().view();
    const TimeNs begin = state().trace()->begin(id), end = state().trace()->end(id);
    QVERIFY(view.begin <= begin && end <= view.end);
    QVERIFY(view.length() <= std::max<TimeNs>(20, 2 * (end - begin)));
}

void WindowKeysTest::aRangeIsDragged() {
    const QRect lanes = timeline().lanesRect();
    const QPoint from(lanes.left() + lanes.width() / 3, TimelineView::kRulerHeight / 2);
    m_hands->drag(timeline(), from, from + QPoint(lanes.width() / 4, 0));
    QVERIFY(state().range());
    const double share = double(state().range()->length()) / double(state().view().length());
    QVERIFY2(std::abs(share - 0.25) < 0.03, qPrintable(QString::number(share)));
    QCOMPARE(state().window().range, *state().range()); // what the statistics are of
    m_hands->key(Qt::Key_Escape);
    QVERIFY(!state().range());
}

QTEST_MAIN(WindowKeysTest)
#include "window_keys_test.moc"
