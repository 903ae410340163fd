// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "core/analysis/attribution.h"
#include "core/analysis/idle.h"
#include "core/analysis/named_levers.h"
#include "core/analysis/on_path_shares.h"
#include "core/analysis/path_gaps.h"
#include "core/analysis/predicted_trace.h"
#include "core/analysis/rank.h"
#include "core/analysis/step_period.h"
#include "core/analysis/verdict.h"
#include "core/analysis/what_if.h"
#include "core/model/trace_builder.h"
#include "tests/support/looks.h"

#include <functional>
#include <memory>

using namespace longpole;
using namespace longpole::test;

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr uint64_t kIntervals = 60'000;
constexpr double kLongestMs = 1'000;
#else
constexpr uint64_t kIntervals = 1'000'000;
constexpr double kLongestMs = 100; ///< of processor time; a look is due every few
#endif
constexpr int kMoments = 12;

/// A training loop: operators three deep on two threads, kernels and copies on two streams, with
/// waits, modules, sequence numbers and notes of the profiler.
std::shared_ptr<const Trace> trainingLoop(bool marked) {
    TraceBuilder builder(SourceFile{});
    StringPool &strings = builder.strings();
    const uint32_t process = builder.process("1");
    const uint32_t main = builder.threadTrack(process, "1"),
                   engine = builder.threadTrack(process, "2"),
                   notes = builder.annotationTrack(process, "o", "Overhead");
    const uint32_t streams[] = {builder.streamTrack(process, 0, 7),
                                builder.streamTrack(process, 0, 20)};
    uint64_t made = 0;
    int64_t correlation = 0;
    TimeNs now = 0, free[2] = {0, 0};
    const auto add = [&](uint32_t track, std::string_view name, Kind kind, TimeNs begin, TimeNs end,
                         SideRow side = {}) {
        IntervalRow row{begin, end, made++, strings.intern(name), {}, kNone, kind, 0};
        row.side = builder.addSide(track, side);
        builder.addInterval(track, row);
    };
    for (int step = 0; made < kIntervals; ++step) {
        const TimeNs begin = now;
        for (int op = 0; op < 400; ++op) {
            const bool backward = op >= 200;
            const uint32_t thread = backward ? engine : main;
            const std::string number = std::to_string(op % 100);
            SideRow autograd, launch;
            autograd.sequence = backward ? 399 - op : op;
            autograd.forwardThread = backward ? 1 : -1;
            launch.correlation = ++correlation;
            const int s = op % 7 == 0;
            if (!backward) add(thread, "nn.Module: Layer_" + number, Kind::Python, now, now + 950);
            add(thread, backward ? "Op" + number + "Backward0" : "aten::op" + number, Kind::CpuOp,
                now, now + 900, autograd);
            add(thread, "aten::inner" + number, Kind::CpuOp, now + 100, now + 800);
            add(thread, s ? "cudaMemcpyAsync" : "cudaLaunchKernel",
                s ? Kind::Runtime : Kind::Launch, now + 200, now + 600, launch);
            const TimeNs from = std::max(free[s], now + 700);
            free[s] = from + 500 + op * 37 % 900;
            add(streams[s], s ? "Memcpy HtoD" : "kernel" + number, s ? Kind::H2D : Kind::Kernel,
                from, free[s], launch);
            if (op % 50 == 0) add(notes, "Buffer Flush", Kind::Overhead, now, now + 30);
            now += 1000;
        }
        const TimeNs drained = std::max({now + 500, free[0], free[1]});
        add(main, "cudaDeviceSynchronize", Kind::Sync, now, drained + 100);
        now = drained + 2'000;
        if (marked)
            add(main, "ProfilerStep#" + std::to_string(step), Kind::Annotation, begin, now - 100);
    }
    Progress progress;
    auto trace = builder.finish(progress, 2);
    return trace ? std::make_shared<const Trace>(std::move(*trace)) : nullptr;
}

/// What is known of a trace that nobody stopped.
struct Analysed {
    std::shared_ptr<const Trace> trace = trainingLoop(true), unmarked = trainingLoop(false);
    Steps steps = findSteps(*trace);
    Phases phased = phases(*trace, steps);
    Window window = {trace->range, Window::Kind::All, {}, {}};
    DependencyGraph graph;
    CriticalPath path;
    Scaling scaling;

    Analysed() {
        Progress progress;
        graph = std::move(*buildGraph(*trace, steps, phased, progress));
        path = criticalPath(*trace, steps, graph, window);
        std::vector<std::string> unmatched;
        scaling =
            std::move(*resolveScaling(*trace, phased, graph, {{"kind:kernel", {1, 2}}}, unmatched));
    }
};

struct Entry {
    const char *name;
    std::function<bool(const Analysed &, Progress &)> run; ///< false: it says that it was stopped
};

template <class T>
bool done(const Result<T> &result) {
    return result || result.error().kind != ErrorKind::Cancelled;
}

const std::vector<Entry> kEntries = {
    {"steps by markers",
     [](const Analysed &a, Progress &p) { return !findSteps(*a.trace, p).steps.empty(); }},
    {"steps by period",
     [](const Analysed &a, Progress &p) {
         findSteps(*a.unmarked, p); // none is found, after all was looked at
         return true;
     }},
    {"phases",
     [](const Analysed &a, Progress &p) {
         return !phases(*a.trace, a.steps, defaultPhaseRules(), p).byTrack.empty();
     }},
    {"graph", [](const Analysed &a,
                 Progress &p) { return done(buildGraph(*a.trace, a.steps, a.phased, p)); }},
    {"path",
     [](const Analysed &a, Progress &p) {
         return !criticalPath(*a.trace, a.steps, a.graph, a.window, p).segments.empty();
     }},
    {"path gaps",
     [](const Analysed &a, Progress &p) {
         pathGaps(*a.trace, a.graph, a.path, p);
         return true;
     }},
    {"idle books",
     [](const Analysed &a, Progress &p) {
         return done(idleBooks(*a.trace, a.phased, a.graph, a.window, p));
     }},
    {"statistics by name",
     [](const Analysed &a, Progress &p) {
         return done(statistics(*a.trace, a.phased, a.window, GroupBy::Name, p));
     }},
    {"statistics by module",
     [](const Analysed &a, Progress &p) {
         auto counted = statistics(*a.trace, a.phased, a.window, GroupBy::Module, p);
         if (!counted) return done(counted);
         addOnPath(*counted, *a.trace, a.phased, a.path, GroupBy::Module, p);
         return true;
     }},
    {"classes",
     [](const Analysed &a, Progress &p) {
         return !attribute(*a.trace, AttributeTo::Class, p).owners.empty();
     }},
    {"replay",
     [](const Analysed &a, Progress &p) {
         std::vector<uint32_t> binding;
         return !replay(a.graph, a.scaling, &binding, p).empty();
     }},
    {"named levers",
     [](const Analysed &a, Progress &p) {
         return done(namedLevers(*a.trace, a.steps, a.phased, a.graph, a.path, p));
     }},
    {"verdict",
     [](const Analysed &a, Progress &p) {
         return done(verdict(*a.trace, a.steps, a.phased, a.graph, a.window, p));
     }},
    {"levers by phase",
     [](const Analysed &a, Progress &p) {
         return done(rankLevers(*a.trace, a.steps, a.phased, a.graph, a.path, RankBy::Phase, p));
     }},
    {"what if",
     [](const Analysed &a, Progress &p) {
         return done(whatIf(*a.trace, a.steps, a.phased, a.graph, a.window,
                            {{"kind:kernel", {1, 2}}}, {}, p));
     }},
    {"predicted trace",
     [](const Analysed &a, Progress &p) {
         const auto times = replay(a.graph, a.scaling, nullptr, p);
         return predictedTrace(*a.trace, a.graph, times, 0, p) != nullptr;
     }},
};

bool run(const Entry &entry, const Analysed &analysed, Progress &progress) {
    try {
        return entry.run(analysed, progress);
    } catch (const Stopped &) {
        return false;
    }
}

} // namespace

/// All that runs over every interval or node looks for a stop, never far apart, and ends soon after
/// one. Counted in time of the processor, so that other programs do not matter.
class StoppingTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { m_analysed = std::make_unique<const Analysed>(); }

    void looksOften_data() { entries(); }
    void looksOften() {
        QFETCH(int, entry);
        Looks looks;
        QVERIFY(run(kEntries[size_t(entry)], *m_analysed, looks.progress()));
        looks.end();
        QVERIFY2(looks.longestMs() < kLongestMs, qPrintable(QString::number(looks.longestMs())));
        QVERIFY2(looks.count() > kIntervals / 500'000, qPrintable(QString::number(looks.count())));
    }

    void endsSoon_data() { entries(); }
    void endsSoon() {
        QFETCH(int, entry);
        Looks whole;
        QVERIFY(run(kEntries[size_t(entry)], *m_analysed, whole.progress()));
        for (int moment = 0; moment < kMoments; ++moment) {
            // the looks of several threads may come in another order, and hardly fewer
            Looks looks(1 + whole.count() * uint64_t(moment) / kMoments);
            QVERIFY(!run(kEntries[size_t(entry)], *m_analysed, looks.progress()));
            QVERIFY2(looks.sinceStopMs() < kLongestMs,
                     qPrintable(QString::number(looks.sinceStopMs())));
        }
    }

private:
    static void entries() {
        QTest::addColumn<int>("entry");
        for (size_t i = 0; i < kEntries.size(); ++i) QTest::newRow(kEntries[i].name) << int(i);
    }

    std::unique_ptr<const Analysed> m_analysed;
};

QTEST_GUILESS_MAIN(StoppingTest)
#include "stopping_test.moc"
