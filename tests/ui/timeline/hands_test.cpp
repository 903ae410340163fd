// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/text_trace.h"
#include "ui/commands.h"
#include "ui/theme.h"
#include "ui/timeline/overview_bar.h"
#include "ui/timeline/timeline_view.h"
#include "ui/track_choices.h"

#include <QNativeGestureEvent>
#include <QPointingDevice>
#include <QScrollBar>
#include <QSignalSpy>
#include <QWheelEvent>
#include <QtTest>

using namespace longpole;

/// The timeline as a person uses it: wheel, mouse and keys on the real widget.
class HandsTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup();
    void clickSelectsInTheMiddleAndAtTheEdges();
    void narrowMarksAreHitBesides();
    void clickOnNothingClears();
    void wheelZoomsAtTheCursor();
    void wheelScrollsAndPans();
    void dragPans();
    void shiftDragSelectsARangeAndSnaps();
    void rulerDragSelectsARange();
    void keysPanAndZoom();
    void keysWalkTheLane();
    void theKeyboardFindsAFirstInterval();
    void theHeaderStaysWhileItsRowsScroll();
    void parentsStayReadableInTheHeader();
    void followsTheLaunch();
    void doubleClickZooms();
    void escapeClearsRangeThenSelection();
    void groupsOpenAndClose();
    void revealOpensWhatIsFolded();
    void labelColumnIsResizable();
    void hoverTellsTheCursor();
    void overviewMovesTheView();
    void anEmptyTraceSaysSo();
    void keysFindTheSameName();
    void wasdGoByPlace();
    void pinchZoomsWhereItIs();
    void pinnedTracksStayAtTheTop();
    void tracksAreDraggedIntoOrder();
    void hitsAreTicked();

private:
    void load(const std::string &text, TimeRange view);
    IntervalId id(const char *name) const { return test::find(*m_state->trace(), name); }
    QPoint inside(const char *name, double share) const;
    void wheel(QPoint at, int notches, Qt::KeyboardModifiers modifiers);

    std::unique_ptr<ViewState> m_state;
    std::unique_ptr<TimelineView> m_view;
};

namespace {
const char *const kTrace = "main: ProfilerStep#1 0..1000\n"
                           "main: forward 100..400\n"
                           "main: cudaLaunchKernel 200..210 launch corr=1\n"
                           "main: backward 400..700\n"
                           "main: speck 900..900.001\n"
                           "gpu0/s7: gemm 300..600 corr=1\n";
}

void HandsTest::init() {
    m_state = std::make_unique<ViewState>();
    m_view = std::make_unique<TimelineView>(*m_state);
    m_view->setLabelWidth(200);
    m_view->resize(200 + 1000 + TimelineView::kScrollBar, 400); // one pixel is one microsecond
    m_view->show();
    load(kTrace, {0, 1'000'000});
}

void HandsTest::cleanup() {
    m_view.reset();
    m_state.reset();
}

void HandsTest::load(const std::string &text, TimeRange view) {
    auto loaded = std::make_shared<Loaded>();
    loaded->trace = test::traceFromText(text);
    loaded->steps = findSteps(*loaded->trace);
    loaded->phases = phases(*loaded->trace, loaded->steps);
    m_state->setLoaded(loaded);
    m_state->setView(view, false);
}

QPoint HandsTest::inside(const char *name, double share) const {
    const QRect rect = m_view->rectOf(id(name));
    return {rect.left() + int(share * (rect.width() - 1)), rect.center().y()};
}

void HandsTest::wheel(QPoint at, int notches, Qt::KeyboardModifiers modifiers) {
    QWheelEvent event(at, m_view->mapToGlobal(at), {}, {0, notches * 120}, Qt::NoButton, modifiers,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(m_view.get(), &event);
}

void HandsTest::clickSelectsInTheMiddleAndAtTheEdges() {
    for (const char *name : {"forward", "backward", "gemm"})
        for (double share : {0.0, 0.5, 1.0}) {
            m_state->select({});
            QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, inside(name, share));
            QCOMPARE(m_state->selected(), id(name));
        }
    QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, inside("forward", 0) - QPoint(1, 0));
    QVERIFY(!m_state->selected().valid());
}

void HandsTest::narrowMarksAreHitBesides() {
    for (int beside : {-2, -1, 0, 1, 2}) {
        m_state->select({});
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, inside("speck", 0) + QPoint(beside, 0));
        QCOMPARE(m_state->selected(), id("speck"));
    }
    QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, inside("speck", 0) + QPoint(4, 0));
    QVERIFY(!m_state->selected().valid());
}

void HandsTest::clickOnNothingClears() {
    m_state->select(id("gemm"));
    QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, inside("gemm", 0.5) + QPoint(300, 0));
    QVERIFY(!m_state->selected().valid());
}

void HandsTest::wheelZoomsAtTheCursor() {
    const QPoint at(200 + 250, 100);
    wheel(at, 2, Qt::ControlModifier);
    const TimeRange view = m_state->view();
    QCOMPARE(view.length(), 640'000);
    QVERIFY(std::abs(double(view.begin) + 0.25 * double(view.length()) - 250'000) < 2);
    wheel(at, -2, Qt::ControlModifier);
    QVERIFY(std::abs(m_state->view().begin) <= 2);
}

void HandsTest::wheelScrollsAndPans() {
    wheel({500, 100}, -1, Qt::ShiftModifier);
    QCOMPARE(m_state->view().begin, 100'000);
    m_view->resize(m_view->width(), 120);
    auto *bar = m_view->findChild<QScrollBar *>();
    QVERIFY(bar->maximum() > 0);
    wheel({500, 60}, -1, Qt::NoModifier);
    QVERIFY(m_view->scroll() > 0);
    wheel({500, 60}, 1, Qt::NoModifier);
    QCOMPARE(m_view->scroll(), 0);
}

void HandsTest::dragPans() {
    for (Qt::MouseButton button : {Qt::LeftButton, Qt::MiddleButton}) {
        m_state->setView({0, 1'000'000}, false);
        QTest::mousePress(m_view.get(), button, {}, {700, 100});
        QTest::mouseMove(m_view.get(), {650, 100});
        QTest::mouseMove(m_view.get(), {600, 100});
        QTest::mouseRelease(m_view.get(), button, {}, {600, 100});
        QCOMPARE(m_state->view().begin, 100'000);
        QVERIFY(!m_state->selected().valid());
    }
}

void HandsTest::shiftDragSelectsARangeAndSnaps() {
    const QPoint from = inside("forward", 0) + QPoint(3, 0),
                 to = inside("forward", 1) - QPoint(4, 0);
    QTest::mousePress(m_view.get(), Qt::LeftButton, Qt::ShiftModifier, from);
    QTest::mouseMove(m_view.get(), from + QPoint(60, 0));
    QTest::mouseMove(m_view.get(), to);
    QTest::mouseRelease(m_view.get(), Qt::LeftButton, Qt::ShiftModifier, to);
    QVERIFY(m_state->range());
    QCOMPARE(*m_state->range(), (TimeRange{100'000, 400'000}));
}

void HandsTest::rulerDragSelectsARange() {
    QTest::mousePress(m_view.get(), Qt::LeftButton, {}, {200 + 150, 10});
    QTest::mouseMove(m_view.get(), {200 + 300, 10});
    QTest::mouseRelease(m_view.get(), Qt::LeftButton, {}, {200 + 300, 10});
    QCOMPARE(*m_state->range(), (TimeRange{150'000, 300'000}));
    QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, {200 + 500, 10});
    QVERIFY(!m_state->range());
}

void HandsTest::keysPanAndZoom() {
    QTest::keyClick(m_view.get(), Qt::Key_D);
    QCOMPARE(m_state->view().begin, 100'000);
    QTest::keyClick(m_view.get(), Qt::Key_A);
    QCOMPARE(m_state->view().begin, 0);
    QTest::keyClick(m_view.get(), Qt::Key_Right);
    QTest::keyClick(m_view.get(), Qt::Key_Left);
    QCOMPARE(m_state->view(), (TimeRange{0, 1'000'000}));
    QTest::keyClick(m_view.get(), Qt::Key_W);
    QCOMPARE(m_state->view().length(), 800'000);
    QTest::keyClick(m_view.get(), Qt::Key_S);
    QCOMPARE(m_state->view().length(), 1'000'000);
    m_state->select(id("gemm"));
    QTest::keyClick(m_view.get(), Qt::Key_F);
    QCOMPARE(m_state->view(), (TimeRange{285'000, 615'000}));
    QTest::keyClick(m_view.get(), Qt::Key_0);
    QCOMPARE(m_state->view(), (TimeRange{-10'000, 1'010'000}));
    m_state->setView({0, 100}, false);
    m_state->select({});
    QTest::keyClick(m_view.get(), Qt::Key_F); // without a selection: the window
    QVERIFY(m_state->view().begin < m_state->window().range.begin);
    QVERIFY(m_state->view().end > m_state->window().range.end);
}

void HandsTest::keysWalkTheLane() {
    m_state->select(id("forward"));
    QTest::keyClick(m_view.get(), Qt::Key_Period);
    QCOMPARE(m_state->selected(), id("backward"));
    QTest::keyClick(m_view.get(), Qt::Key_Comma);
    QCOMPARE(m_state->selected(), id("forward"));
    QTest::keyClick(m_view.get(), Qt::Key_Comma); // the first of its lane stays
    QCOMPARE(m_state->selected(), id("forward"));
}

void HandsTest::theKeyboardFindsAFirstInterval() {
    m_state->setView({150'000, 1'000'000}, false);
    QTest::keyClick(m_view.get(), Qt::Key_Period);
    QCOMPARE(m_state->selected(), id("ProfilerStep#1"));
}

void HandsTest::theHeaderStaysWhileItsRowsScroll() {
    m_view->resize(m_view->width(), 120);
    auto *bar = m_view->findChild<QScrollBar *>();
    bar->setValue(30);
    QCOMPARE(m_view->scroll(), 30);
    const QImage image = m_view->grab().toImage();
    QCOMPARE(image.pixelColor(200 + 900, m_view->lanesRect().top() + 9), theme().head);
    QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, {40, m_view->lanesRect().top() + 9});
    QCOMPARE(m_view->rows()[1].type, Row::Type::Group); // CPU is closed
}

void HandsTest::parentsStayReadableInTheHeader() {
    m_view->resize(m_view->width(), 120);
    m_state->setView({210'000, 390'000}, false); // inside forward
    auto *bar = m_view->findChild<QScrollBar *>();
    bar->setValue(20);
    const QRect lanes(200, m_view->lanesRect().top(), 1000, 18);
    const QImage first = m_view->grab(lanes).toImage();
    bar->setValue(40); // the row of ProfilerStep#1 is gone, and that of forward
    const QImage inForward = m_view->grab(lanes).toImage();
    m_state->setView({410'000, 590'000}, false);
    const QImage inBackward = m_view->grab(lanes).toImage();
    QVERIFY(first != inForward);
    QVERIFY(inForward != inBackward);
}

void HandsTest::followsTheLaunch() {
    m_state->select(id("gemm"));
    QTest::keyClick(m_view.get(), Qt::Key_G);
    QCOMPARE(m_state->selected(), id("cudaLaunchKernel"));
    QTest::keyClick(m_view.get(), Qt::Key_G);
    QCOMPARE(m_state->selected(), id("gemm"));
}

void HandsTest::doubleClickZooms() {
    QTest::mouseDClick(m_view.get(), Qt::LeftButton, {}, inside("gemm", 0.5));
    QCOMPARE(m_state->view(), (TimeRange{285'000, 615'000}));
    QTest::keyClick(m_view.get(), Qt::Key_Backspace);
    QCOMPARE(m_state->view(), (TimeRange{0, 1'000'000}));
}

void HandsTest::escapeClearsRangeThenSelection() {
    m_state->select(id("gemm"));
    m_state->setRange(TimeRange{10, 20});
    QTest::keyClick(m_view.get(), Qt::Key_Escape);
    QVERIFY(!m_state->range() && m_state->selected().valid());
    QTest::keyClick(m_view.get(), Qt::Key_Escape);
    QVERIFY(!m_state->selected().valid());
}

void HandsTest::groupsOpenAndClose() {
    const size_t rows = m_view->rows().size();
    QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, {40, m_view->lanesRect().top() + 9});
    QVERIFY(m_view->rows().size() < rows);
    QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, {40, m_view->lanesRect().top() + 9});
    QCOMPARE(m_view->rows().size(), rows);
}

void HandsTest::revealOpensWhatIsFolded() {
    std::string text;
    for (int d = 0; d < 40; ++d) {
        text += "main: f" + std::to_string(d);
        text += ' ' + std::to_string(d) + "..";
        text += std::to_string(1000 - d) + '\n';
    }
    load(text, {0, 1'000'000});
    m_view->resize(m_view->width(), 200);
    m_state->reveal(id("f39"));
    const QRect rect = m_view->rectOf(id("f39"));
    QVERIFY(!rect.isNull());
    QVERIFY(m_view->lanesRect().contains(rect.center()));
    QCOMPARE(m_state->selected(), id("f39"));
}

void HandsTest::labelColumnIsResizable() {
    QSignalSpy spy(m_view.get(), &TimelineView::labelWidthChanged);
    QTest::mousePress(m_view.get(), Qt::LeftButton, {}, {200, 100});
    QTest::mouseMove(m_view.get(), {260, 100});
    QTest::mouseMove(m_view.get(), {900, 100});
    QTest::mouseRelease(m_view.get(), Qt::LeftButton, {}, {900, 100});
    QCOMPARE(m_view->labelWidth(), 400); // not wider
    QVERIFY(spy.count() >= 1);
}

void HandsTest::hoverTellsTheCursor() {
    QTest::mouseMove(m_view.get(), inside("gemm", 0.5));
    QCOMPARE(m_state->hovered(), id("gemm"));
    QVERIFY(m_state->cursor());
    QVERIFY(std::abs(*m_state->cursor() - 450'000) < 2'000);
}

void HandsTest::overviewMovesTheView() {
    OverviewBar bar(*m_state);
    bar.setLabelWidth(200);
    bar.resize(200 + 1000 + TimelineView::kScrollBar, 50);
    bar.show();
    m_state->setView({200'000, 400'000}, false);
    QTest::mousePress(&bar, Qt::LeftButton, {}, {200 + 300, 25});
    QTest::mouseMove(&bar, {200 + 500, 25});
    QTest::mouseRelease(&bar, Qt::LeftButton, {}, {200 + 500, 25});
    QCOMPARE(m_state->view(), (TimeRange{400'000, 600'000}));
    QTest::mousePress(&bar, Qt::LeftButton, {}, {200 + 100, 25}); // outside the frame: a new one
    QTest::mouseMove(&bar, {200 + 250, 25});
    QTest::mouseRelease(&bar, Qt::LeftButton, {}, {200 + 250, 25});
    QCOMPARE(m_state->view(), (TimeRange{100'000, 250'000}));
}

void HandsTest::anEmptyTraceSaysSo() {
    load("", {0, 1'000});
    QVERIFY(m_view->rows().empty());
    const QImage image = m_view->grab().toImage();
    QVERIFY(!image.isNull());
}

void HandsTest::keysFindTheSameName() {
    load("main: a 0..10\nmain: b 20..30\nmain: a 40..50\nmain: x 60..100\n"
         "main: a 70..80\ngpu0/s7: a 45..90\ngpu0/s7: c 95..99\n",
         {0, 100'000});
    m_state->select(id("a"));
    std::vector<TimeNs> begins;
    for (int i = 0; i < 5; ++i) {
        QTest::keyClick(m_view.get(), Qt::Key_BracketRight);
        QCOMPARE(m_state->trace()->name(m_state->selected()), std::string_view("a"));
        begins.push_back(m_state->trace()->begin(m_state->selected()));
    }
    QVERIFY((begins == std::vector<TimeNs>{40'000, 45'000, 70'000, 70'000, 70'000}));
    begins.clear();
    for (int i = 0; i < 4; ++i) {
        QTest::keyClick(m_view.get(), Qt::Key_BracketLeft);
        begins.push_back(m_state->trace()->begin(m_state->selected()));
    }
    QVERIFY((begins == std::vector<TimeNs>{45'000, 40'000, 0, 0}));
}

/// What a French keyboard sends: Z Q S D lie where W A S D are, and W and A elsewhere.
void HandsTest::wasdGoByPlace() {
    const auto press = [this](quint32 scanCode, Qt::Key key, const char *text) {
        QKeyEvent event(QEvent::KeyPress, key, Qt::NoModifier, scanCode, 0, 0, QLatin1String(text));
        QApplication::sendEvent(m_view.get(), &event);
    };
    press(25, Qt::Key_Z, "z");
    QCOMPARE(m_state->view().length(), 800'000);
    press(39, Qt::Key_S, "s");
    QCOMPARE(m_state->view().length(), 1'000'000);
    press(38, Qt::Key_Q, "q");
    QCOMPARE(m_state->view().begin, -100'000);
    press(40, Qt::Key_D, "d");
    QCOMPARE(m_state->view().begin, 0);
    press(52, Qt::Key_W, "w"); // where Z is on a US keyboard
    press(24, Qt::Key_A, "a");
    QCOMPARE(m_state->view(), (TimeRange{0, 1'000'000}));
    const QString xcb = QStringLiteral("xcb"), windows = QStringLiteral("windows");
    QCOMPARE(positionKey(xcb, 25, Qt::Key_Z), int(Qt::Key_W));
    QCOMPARE(positionKey(xcb, 38, Qt::Key_Q), int(Qt::Key_A));
    QCOMPARE(positionKey(windows, 0x11, Qt::Key_Z), int(Qt::Key_W));
    QCOMPARE(positionKey(windows, 0x1e, Qt::Key_Q), int(Qt::Key_A));
    QCOMPARE(positionKey(windows, 0x2c, Qt::Key_W), 0);
    QCOMPARE(positionKey(QStringLiteral("cocoa"), 1, Qt::Key_W), int(Qt::Key_W));
    QCOMPARE(positionKey(xcb, 0, Qt::Key_D), int(Qt::Key_D));
}

void HandsTest::pinchZoomsWhereItIs() {
    const QPointF at(200 + 250, 100);
    QNativeGestureEvent event(Qt::ZoomNativeGesture, QPointingDevice::primaryPointingDevice(), 2,
                              at, at, m_view->mapToGlobal(at), 0.25, {});
    QApplication::sendEvent(m_view.get(), &event);
    const TimeRange view = m_state->view();
    QCOMPARE(view.length(), 800'000);
    QVERIFY(std::abs(double(view.begin) + 0.25 * double(view.length()) - 250'000) < 2);
}

void HandsTest::pinnedTracksStayAtTheTop() {
    m_view->resize(m_view->width(), 140);
    const uint32_t stream = id("gemm").track;
    m_state->select(id("gemm"));
    QTest::keyClick(m_view.get(), Qt::Key_T, Qt::ShiftModifier);
    QVERIFY(m_state->tracks().isPinned(stream));
    QCOMPARE(m_view->rows().front().track, stream);
    const QRect at = m_view->rectOf(id("gemm"));
    auto *bar = m_view->findChild<QScrollBar *>();
    bar->setValue(bar->maximum());
    QVERIFY(bar->maximum() > 0);
    QCOMPARE(m_view->rectOf(id("gemm")), at);
    m_state->select({});
    QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, at.center());
    QCOMPARE(m_state->selected(), id("gemm"));
    m_state->reveal(id("backward")); // not hidden behind the pinned one
    QVERIFY(m_view->rectOf(id("backward")).top() >= at.bottom());
    QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, inside("backward", 0.5));
    QCOMPARE(m_state->selected(), id("backward"));
    m_state->tracks().setPinned(stream, false);
    QVERIFY(m_view->rows().front().track != stream);
}

void HandsTest::tracksAreDraggedIntoOrder() {
    load("gpu0/s7: a 0..900\ngpu0/s8: b 0..800\ngpu0/s9: c 0..700\n", {0, 1'000'000});
    const auto order = [this] {
        std::string names;
        for (const Row &row : m_view->rows())
            if (row.type == Row::Type::Lane) names += m_state->trace()->name({row.track, 0});
        return names;
    };
    QCOMPARE(order(), std::string("abc"));
    const auto label = [this](const char *name) {
        return QPoint(40, m_view->rectOf(id(name)).center().y());
    };
    const auto drag = [this](QPoint from, QPoint to) {
        QTest::mousePress(m_view.get(), Qt::LeftButton, {}, from);
        QTest::mouseMove(m_view.get(), (from + to) / 2);
        QTest::mouseMove(m_view.get(), to);
        QTest::mouseRelease(m_view.get(), Qt::LeftButton, {}, to);
    };
    drag(label("c"), label("a") - QPoint(0, 8));
    QCOMPARE(order(), std::string("cab"));
    drag(label("c"), label("b") + QPoint(0, 12));
    QCOMPARE(order(), std::string("abc"));
    drag(label("a"), label("b") + QPoint(0, 12));
    QCOMPARE(order(), std::string("bac"));
    m_state->tracks().setFilter(QStringLiteral("stream 8"));
    QCOMPARE(order(), std::string("b"));
    m_state->reveal(id("c")); // ends the filter
    QCOMPARE(order(), std::string("bac"));
}

void HandsTest::hitsAreTicked() {
    const QRect mark = m_view->rectOf(id("gemm"));
    const auto tick = [&] {
        return m_view->grab().toImage().pixelColor(mark.left(), mark.top()).rgb();
    };
    QVERIFY(tick() != theme().accent.rgb());
    m_state->setSearchHits(std::make_shared<SearchHits>(hitsOf({id("gemm")})));
    for (int dy : {0, 2})
        QCOMPARE(m_view->grab().toImage().pixelColor(mark.left(), mark.top() + dy).rgb(),
                 theme().accent.rgb());
    m_state->setSearchHits(nullptr);
    QVERIFY(tick() != theme().accent.rgb());
}

QTEST_MAIN(HandsTest)
#include "hands_test.moc"
