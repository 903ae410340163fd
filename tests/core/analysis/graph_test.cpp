// SPDX-License-Identifier: Apache-2.0
//
// Worked examples whose answers are known by hand: from files and texts through the graph of the
// whole capture, and small graphs whose lags are given.
#include "core/analysis/critical_path.h"
#include "core/import/importer.h"
#include "tests/support/files.h"
#include "tests/support/hand_graph.h"
#include "tests/support/text_trace.h"

#include <QTest>

#include <algorithm>

using namespace longpole;
using namespace longpole::test;

namespace {

constexpr TimeNs ms = 1'000'000;
constexpr SpeedFactor twice{1, 2}, infinitely{0, 1}, slower{3, 2};

/// A trace with its graph, seen through one window.
struct Question {
    explicit Question(std::shared_ptr<const Trace> opened)
        : trace(std::move(opened)), steps(findSteps(*trace)), phaseOf(phases(*trace, steps)) {
        Progress progress;
        auto built = buildGraph(*trace, steps, phaseOf, progress);
        if (!built) qFatal("%s", built.error().message.c_str());
        graph = std::move(*built);
        window = *resolveWindow(*trace, steps, {});
        terms = windowTerms(*trace, steps, graph, window);
    }

    TimeNs ask(const std::vector<SpeedEdit> &edits) const {
        std::vector<std::string> unmatched;
        const auto scaling = resolveScaling(*trace, phaseOf, graph, edits, unmatched);
        if (!scaling) qFatal("%s", scaling.error().message.c_str());
        if (!unmatched.empty()) qFatal("%s matches nothing", unmatched.front().c_str());
        return windowLength(terms, replay(graph, *scaling));
    }
    TimeNs ask(const std::string &selector, SpeedFactor factor) const {
        return ask({{selector, factor}});
    }
    CriticalPath path() const { return criticalPath(*trace, steps, graph, window); }
    /// The least slack of the work of that name.
    TimeNs slackOf(std::string_view name) const {
        const auto slack = path().slack;
        TimeNs least = INT64_MAX;
        for (size_t a = 0; a < slack.size(); ++a) {
            const IntervalId id = graph.activities[a].interval;
            if (id.row != kNone && trace->name(id) == name) least = std::min(least, slack[a]);
        }
        return least;
    }

    std::shared_ptr<const Trace> trace;
    Steps steps;
    Phases phaseOf;
    DependencyGraph graph;
    Window window;
    WindowTerms terms;
};

Question exampleFile(const std::string &name) {
    Progress progress;
    auto trace =
        openTraces({std::string(LONGPOLE_SOURCE_DIR) + "/resources/examples/" + name}, progress);
    if (!trace) qFatal("%s", trace.error().message.c_str());
    return Question(*trace);
}

Question written(const std::string &events) {
    auto trace = openText("{\"traceEvents\": [" + events + "]}");
    if (!trace) qFatal("%s", trace.error().message.c_str());
    return Question(*trace);
}

std::string interval(const std::string &category, const std::string &name, int pid, int tid,
                     int begin, int end, const std::string &args = "") {
    return "{\"ph\": \"X\", \"cat\": \"" + category + "\", \"name\": \"" + name +
           "\", \"pid\": " + std::to_string(pid) + ", \"tid\": " + std::to_string(tid) +
           ", \"ts\": " + std::to_string(begin * 1000) +
           ", \"dur\": " + std::to_string((end - begin) * 1000) + ", \"args\": {" + args + "}},\n";
}
std::string onThread(const std::string &name, int tid, int begin, int end) {
    return interval("user_annotation", name, 100, tid, begin, end);
}
struct Place {
    int pid, tid, at;
};
std::string flow(int id, Place from, Place to) {
    const auto point = [&](const char *phase, Place p) {
        return std::string("{\"ph\": \"") + phase +
               "\", \"bp\": \"e\", \"cat\": \"dependency\", \"name\": \"dependency\", \"id\": " +
               std::to_string(id) + ", \"pid\": " + std::to_string(p.pid) +
               ", \"tid\": " + std::to_string(p.tid) + ", \"ts\": " + std::to_string(p.at * 1000) +
               "},\n";
    };
    return point("s", from) + point("f", to);
}
const std::string kClosing = "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 100, "
                             "\"args\": {\"name\": \"python\"}}";

/// The overlapping timeline as four host threads that hand over by flows.
Question overlapOnThreads() {
    return written(onThread("prepare", 1, 0, 20) + onThread("H2D", 2, 10, 20) +
                   onThread("compute", 3, 20, 50) + onThread("logging", 4, 25, 33) +
                   flow(1, {100, 1, 10}, {100, 2, 10}) + flow(2, {100, 1, 20}, {100, 3, 20}) +
                   flow(3, {100, 2, 20}, {100, 3, 20}) + flow(4, {100, 3, 20}, {100, 4, 25}) +
                   kClosing);
}

/// The same as the records of a device: calls that enqueue, an event between the streams.
Question overlapOnDevice() {
    const auto call = [](const std::string &name, int at, int correlation) {
        return interval("cuda_runtime", name, 100, 1, at, at,
                        "\"correlation\": " + std::to_string(correlation));
    };
    const auto on = [](int stream, int correlation) {
        return "\"device\": 0, \"context\": 1, \"stream\": " + std::to_string(stream) +
               ", \"correlation\": " + std::to_string(correlation);
    };
    return written(onThread("prepare", 1, 0, 20) + call("cudaMemcpyAsync", 10, 1) +
                   call("cudaEventRecord", 20, 2) + call("cudaStreamWaitEvent", 20, 3) +
                   call("cudaLaunchKernel", 20, 4) +
                   interval("gpu_memcpy", "H2D", 0, 20, 10, 20, on(20, 1)) +
                   interval("kernel", "compute", 0, 7, 20, 50, on(7, 4)) +
                   interval("cuda_sync", "Stream Wait Event", 0, 7, 20, 20,
                            on(7, 3) + ", \"wait_on_stream\": 20, "
                                       "\"wait_on_cuda_event_record_corr_id\": 2, "
                                       "\"wait_on_cuda_event_id\": 9") +
                   onThread("logging", 4, 25, 33) + flow(4, {0, 7, 20}, {100, 4, 25}) + kClosing);
}

void checkOverlap(const Question &q) {
    QCOMPARE(q.window.range.length(), 50 * ms);
    QCOMPARE(replay(q.graph, {}), q.graph.time);
    QCOMPARE(q.ask("name:prepare", twice), 45 * ms);
    QCOMPARE(q.ask("name:prepare", infinitely), 40 * ms);
    QCOMPARE(q.ask("name:prepare", slower), 60 * ms);
    QCOMPARE(q.ask("name:H2D", twice), 50 * ms);
    QCOMPARE(q.ask("name:H2D", infinitely), 50 * ms);
    QCOMPARE(q.ask("name:H2D", slower), 55 * ms);
    QCOMPARE(q.ask("name:compute", twice), 35 * ms);
    QCOMPARE(q.ask("name:compute", infinitely), 33 * ms);
    QCOMPARE(q.ask("name:logging", twice), 50 * ms);
    QCOMPARE(q.ask("name:logging", infinitely), 50 * ms);
    QCOMPARE(q.ask({{"name:prepare", infinitely}, {"name:H2D", infinitely}}), 30 * ms);
    QCOMPARE(q.slackOf("logging"), 17 * ms);
    QCOMPARE(q.slackOf("prepare"), 0 * ms);
    QCOMPARE(q.slackOf("H2D"), 0 * ms);
    QCOMPARE(q.slackOf("compute"), 0 * ms);
}

void checkTiles(const CriticalPath &path) {
    TimeNs at = path.window.range.begin;
    for (const PathSegment &segment : path.segments) {
        QCOMPARE(segment.begin, at);
        at = segment.end;
    }
    QCOMPARE(at, path.window.range.end);
}

} // namespace

class GraphTest : public QObject {
    Q_OBJECT
private slots:
    void serialStep() {
        const Question q = exampleFile("serial_step.json");
        QCOMPARE(q.window.range.length(), 100 * ms);
        QCOMPARE(q.ask("name:forward/backward", twice), 80 * ms);
        QCOMPARE(q.ask("kind:kernel", twice), 80 * ms);
        QCOMPARE(q.ask("name:data wait", twice), 80 * ms);
        QCOMPARE(q.ask("data_wait", twice), 80 * ms);
        QCOMPARE(q.ask("name:forward/backward", infinitely), 60 * ms);
        for (const char *name : {"data wait", "H2D", "forward/backward", "update"})
            QCOMPARE(q.slackOf(name), 0 * ms);
        const CriticalPath path = q.path();
        checkTiles(path);
        QCOMPARE(path.byEvidence.recorded, 100 * ms);
        std::vector<std::string> names;
        for (const PathSegment &s : path.segments)
            if (s.type == PathSegment::Type::Activity)
                names.emplace_back(q.trace->name(s.interval));
        QCOMPARE(names,
                 (std::vector<std::string>{"data wait", "H2D", "forward/backward", "update"}));
    }

    void fixedPartAndComputation() {
        const Question q(traceFromText("main: fixed 0ms..30ms\nmain: computation 30ms..100ms\n"));
        QCOMPARE(q.window.range.length(), 100 * ms);
        QCOMPARE(q.ask("name:computation", twice), 65 * ms);
        QCOMPARE(q.ask("name:computation", infinitely), 30 * ms);
    }

    void overlappingTimeline_data() {
        QTest::addColumn<int>("form");
        QTest::newRow("the example's file") << 0;
        QTest::newRow("four host threads") << 1;
        QTest::newRow("launch, copy and kernel records") << 2;
    }
    void overlappingTimeline() {
        QFETCH(int, form);
        const Question q = form == 0   ? exampleFile("overlapping_timeline.json")
                           : form == 1 ? overlapOnThreads()
                                       : overlapOnDevice();
        checkOverlap(q);
        checkTiles(q.path());
    }

    void twoBranches() {
        const Question q = written(
            onThread("left", 1, 0, 30) + onThread("right", 2, 0, 30) + onThread("join", 3, 30, 50) +
            flow(1, {100, 1, 30}, {100, 3, 30}) + flow(2, {100, 2, 30}, {100, 3, 30}) + kClosing);
        QCOMPARE(q.window.range.length(), 50 * ms);
        QCOMPARE(q.ask("name:left", twice), 50 * ms);
        QCOMPARE(q.ask("name:right", twice), 50 * ms);
        QCOMPARE(q.ask({{"name:left", twice}, {"name:right", twice}}), 35 * ms);
        QCOMPARE(q.slackOf("left"), 0 * ms);
        QCOMPARE(q.slackOf("right"), 0 * ms);
    }

    /// A call that loads a module first enqueues at its end, not when it begins (R6).
    void longCallsEnqueueAtTheirEnd() {
        const Question q =
            written("{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", "
                    "\"pid\": 100, \"tid\": 1, \"ts\": 0, \"dur\": 5000, "
                    "\"args\": {\"correlation\": 1}},\n"
                    "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"kernel\", \"pid\": 0, "
                    "\"tid\": 7, \"ts\": 4988, \"dur\": 1000, \"args\": {\"device\": 0, "
                    "\"stream\": 7, \"correlation\": 1}},\n" +
                    kClosing);
        QCOMPARE(q.path().byEvidence.unexplained, TimeNs(0));
        QCOMPARE(q.ask("kind:launch", twice), TimeNs(5'988'000 - 4'980'000 / 2));
    }

    /// Where all times are whole microseconds, an overlap of one is rounding (R13).
    /// The device's clock runs 6 us ahead: by it the wait returns before the work has ended. The copy
    /// behind it begins after the return, and cannot be what the host saw.
    void clocksMayDisagreeAboutAWait() {
        const auto measured = [](const char *kernel) {
            return Question(traceFromText("main: cudaLaunchKernel 0..5 launch corr=1\n"
                                          "main: cudaMemcpyAsync 6..9 runtime corr=2\n"
                                          "main: cudaDeviceSynchronize 20..100 sync corr=3\n"
                                          "main: work 100..150\n"
                                          "gpu0/s7: k " + std::string(kernel) + " corr=1\n"
                                          "gpu0/s7: copy 107..108 h2d corr=2\n"));
        };
        const Question q = measured("10..106");
        QCOMPARE(replay(q.graph, {}), q.graph.time);
        checkTiles(q.path());
        QCOMPARE(q.ask("name:k", twice), TimeNs(105'000)); // 10 + 45 to the return, 50 of work
        QCOMPARE(q.ask("name:work", twice), TimeNs(125'000));
        QCOMPARE(q.slackOf("k"), TimeNs(0));
        QCOMPARE(q.graph.counters.skewed, uint64_t(1));
        // so much apart no clocks are: what ran on was not waited for
        QCOMPARE(measured("10..126").ask("name:work", twice), TimeNs(126'000));
        QVERIFY(measured("10..126").ask("name:k", twice) >= TimeNs(149'000));
    }

    void roundedTimesMayOverlap() {
        const auto op = [](const std::string &name, const std::string &times) {
            return "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"" + name +
                   "\", \"pid\": 0, \"tid\": 7, " + times +
                   ", \"args\": {\"device\": 0, \"stream\": 7}},\n";
        };
        const std::string first = op("first", "\"ts\": 10, \"dur\": 31"),
                          second = op("second", "\"ts\": 40, \"dur\": 20"),
                          fine = op("later", "\"ts\": 90, \"dur\": 1.5");
        const Question rounded = written(first + second + kClosing);
        QCOMPARE(rounded.ask("name:first", infinitely), TimeNs(19'000));
        const Question exact = written(first + second + fine + kClosing);
        QCOMPARE(exact.ask("name:first", infinitely), exact.ask("name:first", {1, 1}));
    }

    // The graphs below are in microseconds; a launch takes effect 8 after its call began.

    void serialLaunchAndBlockingCopy() {
        HandGraph hand(2);
        const uint32_t launch = hand.node(0);
        hand.work(0, 2);
        const uint32_t kernelBegin = hand.node(1);
        hand.lag(launch, 8, EdgeType::Launch);
        const uint32_t kernelEnd = hand.node(1);
        const uint32_t kernel = hand.work(kernelBegin, 20);
        const uint32_t call = hand.node(0);
        hand.work(launch, 10);
        const uint32_t copyBegin = hand.node(1);
        hand.lag(call, 8, EdgeType::Launch);
        hand.lag(kernelEnd, 1, EdgeType::Stream);
        const uint32_t copyEnd = hand.node(1);
        hand.work(copyBegin, 2);
        const uint32_t back = hand.node(0);
        hand.work(call, 5);
        hand.lag(copyEnd, 10, EdgeType::Copy);
        const uint32_t second = hand.node(0);
        hand.work(back, 7);
        const uint32_t secondBegin = hand.node(1);
        hand.lag(second, 8, EdgeType::Launch);
        hand.lag(copyEnd, 1, EdgeType::Stream);
        hand.node(1);
        hand.work(secondBegin, 20);
        const DependencyGraph graph = hand.finish();
        QCOMPARE(lengthOf(graph), TimeNs(78));
        QCOMPARE(lengthOf(graph, scalingOf(graph, {kernel}, twice)), TimeNs(68));
        QCOMPARE(lengthOf(graph, scalingOf(graph, {kernel}, infinitely)), TimeNs(67));
        checkTiles(pathOf(hand, graph));
    }

    void eventWait() {
        HandGraph hand(3);
        const uint32_t launchA = hand.node(0);
        const uint32_t host1 = hand.work(0, 2);
        const uint32_t beginA = hand.node(1);
        hand.lag(launchA, 8, EdgeType::Launch);
        const uint32_t endA = hand.node(1);
        const uint32_t a = hand.work(beginA, 30);
        const uint32_t launchB = hand.node(0);
        const uint32_t host2 = hand.work(launchA, 28);
        const uint32_t beginB = hand.node(2);
        hand.lag(launchB, 8, EdgeType::Launch);
        hand.lag(endA, 2, EdgeType::Event);
        hand.node(2);
        hand.work(beginB, 18);
        const DependencyGraph graph = hand.finish();
        QCOMPARE(lengthOf(graph), TimeNs(60));
        QCOMPARE(lengthOf(graph, scalingOf(graph, {a}, twice)), TimeNs(56));
        QCOMPARE(lengthOf(graph, scalingOf(graph, {host1, host2}, twice)), TimeNs(59));
        QCOMPARE(lengthOf(graph, scalingOf(graph, {a, host1, host2}, twice)), TimeNs(44));
    }

    void deviceSyncOverTwoStreams() {
        HandGraph hand(3);
        const uint32_t launchA = hand.node(0);
        hand.work(0, 2);
        const uint32_t launchB = hand.node(0);
        hand.work(launchA, 2);
        const uint32_t beginA = hand.node(1);
        hand.lag(launchA, 8, EdgeType::Launch);
        const uint32_t beginB = hand.node(2);
        hand.lag(launchB, 8, EdgeType::Launch);
        const uint32_t call = hand.node(0);
        hand.work(launchB, 10);
        const uint32_t endB = hand.node(2);
        const uint32_t b = hand.work(beginB, 28);
        const uint32_t endA = hand.node(1);
        const uint32_t a = hand.work(beginA, 40);
        hand.node(0);
        hand.work(call, 3);
        hand.lag(endA, 5, EdgeType::Sync);
        hand.lag(endB, 5, EdgeType::Sync);
        const DependencyGraph graph = hand.finish();
        QCOMPARE(lengthOf(graph), TimeNs(55));
        QCOMPARE(lengthOf(graph, scalingOf(graph, {a}, twice)), TimeNs(45));
        QCOMPARE(lengthOf(graph, scalingOf(graph, {b}, twice)), TimeNs(55));
        QCOMPARE(lengthOf(graph, scalingOf(graph, {a, b}, twice)), TimeNs(35));
    }

    void backPressure_data() {
        QTest::addColumn<bool>("known");
        QTest::addColumn<qint64>("end");
        QTest::newRow("with the edge from the full queue") << true << qint64(32);
        QTest::newRow("without it launches stay late") << false << qint64(40);
    }
    void backPressure() {
        QFETCH(bool, known);
        constexpr size_t depth = 2;
        HandGraph hand(2);
        std::vector<uint32_t> kernels, kernelEnds;
        uint32_t launch = 0;
        TimeNs launchTime = 0, kernelEnd = 0;
        std::vector<TimeNs> ends;
        for (size_t k = 0; k < 6; ++k) {
            const uint32_t begin = hand.node(1);
            hand.lag(launch, 2, EdgeType::Launch);
            if (k > 0) hand.lag(kernelEnds.back(), 0, EdgeType::Stream);
            kernelEnd = std::max(launchTime + 2, kernelEnd) + 10;
            ends.push_back(kernelEnd);
            const uint32_t end = hand.node(1);
            kernels.push_back(hand.work(begin, 10));
            kernelEnds.push_back(end);
            const TimeNs returned =
                k < depth ? launchTime + 1 : std::max(launchTime + 1, ends[k - depth] + 1);
            const uint32_t back = hand.node(0);
            hand.work(launch, known ? 1 : returned - launchTime, EdgeType::Program);
            if (known && k >= depth) hand.lag(kernelEnds[k - depth], 1, EdgeType::BackPressure);
            launch = back;
            launchTime = returned;
        }
        const DependencyGraph graph = hand.finish();
        QCOMPARE(lengthOf(graph), TimeNs(62));
        const auto faster = replay(graph, scalingOf(graph, kernels, twice));
        QTEST(qint64(faster[graph.byTrack[1].nodes.back()]), "end");
    }
};

QTEST_APPLESS_MAIN(GraphTest)
#include "graph_test.moc"
