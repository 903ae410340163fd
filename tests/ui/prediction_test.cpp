// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "tests/support/text_trace.h"
#include "ui/prediction.h"
#include "ui/session.h"

#include <QSignalSpy>

using namespace longpole;
using namespace longpole::test;

namespace {

const QString kOverlap =
    QStringLiteral(LONGPOLE_SOURCE_DIR "/resources/examples/overlapping_timeline.json");

Scaling scalingOf(const Loaded &loaded, const DependencyGraph &graph, const std::string &selector,
                  const char *factor) {
    std::vector<std::string> unmatched;
    return *resolveScaling(*loaded.trace, loaded.phases, graph,
                           {{selector, *parseSpeedFactor(factor)}}, unmatched);
}

} // namespace

class PredictionTest : public QObject {
    Q_OBJECT
private slots:
    /// What runs before the window gets faster too: the two windows still begin together.
    void windowsBeginTogether() {
        const auto trace = traceFromText("main: ProfilerStep#1 0..100\n"
                                         "main: forward 0..100\n"
                                         "main: ProfilerStep#2 100..200\n"
                                         "main: forward 100..200\n");
        auto loaded = std::make_shared<Loaded>();
        loaded->trace = trace;
        loaded->steps = findSteps(*trace);
        loaded->phases = phases(*trace, loaded->steps);
        Progress progress;
        const auto graph = buildGraph(*trace, loaded->steps, loaded->phases, progress);
        WindowRequest request;
        request.step = "ProfilerStep#2";
        const Window window = *resolveWindow(*trace, loaded->steps, request);
        const auto result = predict(loaded, *graph, nullptr, window,
                                    scalingOf(*loaded, *graph, "name:forward", "2"), {}, progress);
        const Prediction &prediction = **result;
        QCOMPARE(prediction.length, TimeNs(50'000));
        QCOMPARE(prediction.end(), TimeNs(150'000));
        QCOMPARE(prediction.loaded->steps.steps[1].begin, TimeNs(100'000));
        QCOMPARE(prediction.loaded->steps.steps[1].end, TimeNs(150'000));
        QCOMPARE(prediction.loaded->steps.steps[0].begin, TimeNs(50'000));
    }

    void theSessionHoldsTheLatest() {
        ViewState state;
        Session session(state);
        session.open({kOverlap});
        QTRY_VERIFY(session.graph() != nullptr);
        QSignalSpy changed(&session, &Session::predictionChanged);
        const auto ask = [&](const std::string &selector, const char *factor) {
            session.predict(scalingOf(*state.loaded(), *session.graph(), selector, factor),
                            QString::fromStdString(selector));
        };
        ask("name:prepare", "2");
        ask("name:compute", "2");
        QTRY_VERIFY(session.prediction() != nullptr);
        QTest::qWait(50);
        const Prediction &prediction = *session.prediction();
        QCOMPARE(prediction.edits, QString("name:compute"));
        QCOMPARE(prediction.length, TimeNs(35'000'000));
        QVERIFY(prediction.low <= prediction.length && prediction.length <= prediction.high);
        QCOMPARE(prediction.measured, state.loaded());
        const IntervalId compute = find(*state.trace(), "compute");
        QCOMPARE(prediction.loaded->trace->end(compute), TimeNs(35'000'000));
        session.predict({}, {});
        QVERIFY(!session.prediction());
        QVERIFY(changed.count() >= 2);
        ask("name:compute", "2");
        session.close();
        QTest::qWait(50);
        QVERIFY(!session.prediction());
    }
};

QTEST_GUILESS_MAIN(PredictionTest)
#include "prediction_test.moc"
