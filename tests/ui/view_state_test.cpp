// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/track_choices.h"
#include "ui/view_state.h"

#include <QSignalSpy>
#include <QTest>

using namespace longpole;

namespace {

/// One thread, 10 ops of 1 µs, one every 10 µs; an annotation row that begins before and ends
/// after them.
std::shared_ptr<const Loaded> sample() {
    auto strings = std::make_shared<StringPool>();
    auto trace = std::make_shared<Trace>();
    auto addTrack = [&](TrackKind kind, std::vector<TimeRange> intervals) {
        auto table = std::make_shared<TrackTable>();
        for (const TimeRange &i : intervals) {
            table->start.push_back(i.begin);
            table->duration.push_back(i.length());
            table->name.push_back(strings->intern("op"));
            table->category.push_back({});
            table->kind.push_back(Kind::CpuOp);
            table->flags.push_back(0);
            table->depth.push_back(0);
            table->parent.push_back(kNone);
            table->offset.push_back(0);
        }
        table->laneBegin = {0, table->size()};
        table->strings = strings;
        Track track;
        track.kind = kind;
        track.table = table;
        trace->tracks.push_back(track);
    };
    std::vector<TimeRange> ops;
    for (TimeNs i = 0; i < 10; ++i) ops.push_back({i * 10'000, i * 10'000 + 1'000});
    addTrack(TrackKind::Thread, ops);
    addTrack(TrackKind::Annotation, {{-5'000, 120'000}});
    trace->files.resize(1);
    trace->processes.resize(1);
    trace->strings = {strings};
    trace->range = {0, 91'000};
    auto loaded = std::make_shared<Loaded>();
    for (uint32_t i = 0; i < 3; ++i) {
        Step step;
        step.name = "ProfilerStep#" + std::to_string(i + 7);
        step.marker = {0, i};
        step.begin = TimeNs(i) * 10'000;
        step.end = step.drainedEnd = step.begin + 1'000;
        loaded->steps.steps.push_back(step);
    }
    loaded->phases.byTrack = {std::vector<uint8_t>(10, 0), {0}};
    loaded->trace = trace;
    return loaded;
}

} // namespace

class ViewStateTest : public QObject {
    Q_OBJECT
private slots:
    void extentHoldsAnnotations() {
        ViewState state;
        state.setLoaded(sample());
        QCOMPARE(state.extent(), (TimeRange{-5'000, 120'000}));
    }

    void viewIsClamped() {
        ViewState state;
        state.setLoaded(sample());
        state.setView({500, 501});
        QCOMPARE(state.view().length(), TimeNs(20));
        QVERIFY(state.view().begin <= 500 && state.view().end >= 501);
        state.setView({-10'000'000, 10'000'000});
        QCOMPARE(state.view().length(), TimeNs(375'000));
        state.setView({900'000, 900'100});
        QCOMPARE(state.view(), (TimeRange{120'000, 120'100}));
        state.setView({-900'000, -899'900});
        QCOMPARE(state.view(), (TimeRange{-5'100, -5'000}));
    }

    void historyMergesQuickChanges() {
        ViewState state;
        state.setLoaded(sample());
        const TimeRange opened = state.view();
        for (TimeNs i = 1; i < 20; ++i) state.setView({i * 10, i * 10 + 1'000});
        QVERIFY(state.canGoBack());
        state.back();
        QCOMPARE(state.view(), opened);
        QVERIFY(!state.canGoBack());
        state.forward();
        QCOMPARE(state.view(), (TimeRange{190, 1'190}));
        state.setView({0, 500}, false);
        state.back();
        QCOMPARE(state.view(), opened);
    }

    void everyJumpIsAStepOfTheHistory() {
        ViewState state;
        state.setLoaded(sample());
        const TimeRange opened = state.view();
        state.setStep(0);
        const TimeRange first = state.view();
        state.setStep(2);
        const TimeRange third = state.view();
        state.setView({0, 700});
        state.back();
        QCOMPARE(state.view(), third);
        state.back();
        QCOMPARE(state.view(), first);
        state.back();
        QCOMPARE(state.view(), opened);
    }

    void signalsOnlyOnChange() {
        ViewState state;
        state.setLoaded(sample());
        state.setView({0, 1'000});
        QSignalSpy views(&state, &ViewState::viewChanged);
        QSignalSpy selections(&state, &ViewState::selectedChanged);
        QSignalSpy windows(&state, &ViewState::windowChanged);
        state.setView({0, 1'000});
        state.select({});
        state.setRange({});
        QCOMPARE(views.count() + selections.count() + windows.count(), 0);
        state.select({0, 3});
        state.select({0, 3});
        state.setRange(TimeRange{5, 50});
        QCOMPARE(selections.count(), 1);
        QCOMPARE(windows.count(), 1);
        QCOMPARE(views.count(), 0);
    }

    void windowFollowsRangeThenStep() {
        ViewState state;
        state.setLoaded(sample());
        state.setStep(2);
        QVERIFY(state.window().steps);
        QCOMPARE(state.window().steps->first, 2u);
        QVERIFY(state.view().begin <= state.window().range.begin);
        QVERIFY(state.view().end >= state.window().range.end);
        state.setRange(TimeRange{100, 900});
        QCOMPARE(state.window().range, (TimeRange{100, 900}));
        QCOMPARE(state.window().kind, Window::Kind::Range);
        state.setRange({});
        QCOMPARE(state.window().steps->first, 2u);
        QCOMPARE(state.stepBeside(-1), std::optional<uint32_t>(1));
        QCOMPARE(state.stepBeside(1), std::optional<uint32_t>());
        state.setStep(99);
        QCOMPARE(state.step(), std::optional<uint32_t>(2));
    }

    void revealMakesAnIntervalVisible_data() {
        QTest::addColumn<qint64>("begin");
        QTest::addColumn<qint64>("end");
        QTest::newRow("outside") << 0LL << 5'000LL;
        QTest::newRow("too small") << -100'000LL << 250'000LL;
        QTest::newRow("too large") << 70'100LL << 70'200LL;
        QTest::newRow("already there") << 65'000LL << 75'000LL;
    }
    void revealMakesAnIntervalVisible() {
        QFETCH(qint64, begin);
        QFETCH(qint64, end);
        ViewState state;
        state.setLoaded(sample());
        state.setView({begin, end});
        state.tracks().setHidden(0, true);
        QSignalSpy revealed(&state, &ViewState::revealed);
        state.reveal({0, 7}); // 70,000 … 71,000
        QVERIFY(state.view().begin <= 70'000 && state.view().end >= 71'000);
        QVERIFY(state.view().length() <= 300 * 1'000);
        QCOMPARE(state.selected(), (IntervalId{0, 7}));
        QVERIFY(!state.tracks().hidden(0));
        QCOMPARE(revealed.count(), 1);
        if (qstrcmp(QTest::currentDataTag(), "already there") == 0)
            QCOMPARE(state.view(), (TimeRange{begin, end}));
    }

    void closingForgetsEverything() {
        ViewState state;
        state.setLoaded(sample());
        state.select({0, 1});
        state.setRange(TimeRange{0, 10});
        state.setCursor(5);
        state.setLoaded({});
        QVERIFY(!state.trace());
        QVERIFY(!state.selected().valid());
        QVERIFY(!state.range() && !state.cursor() && !state.step());
        QVERIFY(state.window().range.empty());
        state.reveal({0, 1});
        QVERIFY(!state.selected().valid());
    }
};

QTEST_MAIN(ViewStateTest)
#include "view_state_test.moc"
