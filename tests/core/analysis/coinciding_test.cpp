// SPDX-License-Identifier: Apache-2.0
// Work on several threads and streams that begins and ends in the same instants: rows of viewers
// that repeat each other, a file given twice, times in whole milliseconds.
#include "core/analysis/verdict.h"
#include "core/import/importer.h"
#include "tests/support/files.h"

#include <QTest>

#include <random>

using namespace longpole;
using namespace longpole::test;

namespace {

struct Analysed {
    explicit Analysed(const std::string &events) {
        auto opened = openText("[" + events + "{\"ph\": \"M\", \"name\": \"none\", \"pid\": 1}]");
        if (!opened) qFatal("%s", opened.error().message.c_str());
        trace = *opened;
        Progress progress;
        const Steps steps = findSteps(*trace);
        const Phases phased = phases(*trace, steps);
        auto built = buildGraph(*trace, steps, phased, progress);
        if (!built) qFatal("%s", built.error().message.c_str());
        graph = std::move(*built);
        const Window all{trace->range, Window::Kind::All, {}, {}};
        path = criticalPath(*trace, steps, graph, all);
        auto v = verdict(*trace, steps, phased, graph, all, progress);
        if (!v) qFatal("%s", v.error().message.c_str());
    }
    TimeNs unexplained() const {
        TimeNs sum = 0;
        for (const PathSegment &s : path.segments)
            if (s.type == PathSegment::Type::Unexplained) sum += s.end - s.begin;
        return sum;
    }

    std::shared_ptr<const Trace> trace;
    DependencyGraph graph;
    CriticalPath path;
};

std::string range(int thread, const std::string &name, int64_t begin, int64_t length) {
    return "{\"ph\": \"X\", \"name\": \"" + name +
           "\", \"pid\": 1, \"tid\": " + std::to_string(thread) +
           ", \"ts\": " + std::to_string(begin) + ", \"dur\": " + std::to_string(length) + "},\n";
}

} // namespace

class CoincidingTest : public QObject {
    Q_OBJECT
private slots:
    /// Each of them could be waiting for the other one. Both cannot: their work is not explained
    /// away.
    void rowsThatRepeatEachOther_data() {
        QTest::addColumn<int>("threads");
        for (const int threads : {2, 3, 5}) QTest::addRow("%d", threads) << threads;
    }
    void rowsThatRepeatEachOther() {
        QFETCH(int, threads);
        std::string events;
        for (int i = 0; i < 6; ++i)
            for (int t = 1; t <= threads; ++t)
                events += range(t, "work" + std::to_string(t), i * 360, 150);
        const Analysed a(events);
        TimeNs work = 0;
        for (const PathSegment &s : a.path.segments)
            if (s.type == PathSegment::Type::Activity && s.interval.row != kNone)
                work += s.end - s.begin;
        QCOMPARE(work, TimeNs(6 * 150'000));
        QCOMPARE(a.unexplained(), TimeNs(0));
    }

    /// Whatever coincides, every node follows from an edge and the path fills the window.
    void coarseTimes() {
        for (unsigned seed = 0; seed < 200; ++seed) {
            std::mt19937 random(seed);
            const auto below = [&](uint32_t n) { return int64_t(random() % n); };
            std::string events;
            for (int t = 1; t <= 4; ++t) {
                int64_t at = below(3) * 100;
                for (int i = 0; i < 8; ++i) {
                    const int64_t length = 100 * (1 + below(3));
                    events += range(t, "work", at, length);
                    at += length + below(3) * 100;
                }
            }
            const Analysed a(events);
            for (uint32_t v = 1; v < a.graph.nodes(); ++v)
                QVERIFY2(a.graph.firstEdge[v] < a.graph.firstEdge[v + 1],
                         qPrintable(QString("seed %1 node %2").arg(seed).arg(v)));
            TimeNs sum = 0;
            for (const PathSegment &s : a.path.segments) sum += s.end - s.begin;
            QCOMPARE(sum, a.trace->range.length());
        }
    }

    /// One operation on each of many streams costs no look at every pair of them.
    void manyStreams() {
        std::string events;
        for (int i = 0; i < 20'000; ++i)
            events +=
                "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"pid\": 0, \"tid\": " +
                std::to_string(i) + ", \"ts\": " + std::to_string(i * 10) +
                ", \"dur\": 8, \"args\": {\"device\": 0, \"stream\": " + std::to_string(i) +
                "}},\n";
        QElapsedTimer timer;
        timer.start();
        const Analysed a(events);
        QVERIFY(a.graph.nodes() >= 40'000);
        QVERIFY2(timer.elapsed() < 20'000, "took more than 20 s"); // of pairs: minutes
    }

    /// What stands around the work is looked up once, however deep it is nested.
    void deepNesting() {
        constexpr int kDepth = 40'000;
        std::string events;
        for (int i = 0; i < kDepth; ++i)
            events += range(1, "f" + std::to_string(i % 9), i, 2 * kDepth + 1 - 2 * i);
        QElapsedTimer timer;
        timer.start();
        const Analysed a(events);
        QCOMPARE(a.path.segments.size(), size_t(2 * kDepth - 1));
        QVERIFY2(timer.elapsed() < 15'000, "took more than 15 s"); // of pairs: more than 30 s
    }
};

QTEST_GUILESS_MAIN(CoincidingTest)
#include "coinciding_test.moc"
