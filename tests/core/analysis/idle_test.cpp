// SPDX-License-Identifier: Apache-2.0
// Idle books: each cause on a trace made for it, and what must hold on any trace.
#include "core/analysis/idle.h"
#include "tests/support/text_trace.h"

#include <QTest>

#include <random>

using namespace longpole;
using namespace longpole::test;

namespace {

std::vector<DeviceIdle> booksOf(const Trace &trace, std::optional<TimeRange> range = {}) {
    const Steps steps = findSteps(trace);
    const Phases phased = phases(trace, steps);
    Progress progress;
    const auto graph = buildGraph(trace, steps, phased, progress);
    if (!graph) return {};
    Window window;
    window.range = range.value_or(trace.range);
    if (range) window.kind = Window::Kind::Range;
    auto books = idleBooks(trace, phased, *graph, window, progress);
    return books ? std::move(*books) : std::vector<DeviceIdle>{};
}

/// "30..40 host_bound, 40..42 launch_latency": the pieces of the only device, in microseconds.
QString piecesOf(const Trace &trace) {
    QStringList pieces;
    for (const DeviceIdle &device : booksOf(trace))
        for (const IdleInterval &i : device.intervals)
            pieces.append(QString("%1..%2 %3")
                              .arg(double(i.begin) / 1000)
                              .arg(double(i.end) / 1000)
                              .arg(QString::fromStdString(std::string(idleCauseName(i.cause)))));
    return pieces.join(", ");
}

} // namespace

class IdleTest : public QObject {
    Q_OBJECT
private slots:
    void causes_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("pieces");
        const auto row = [](const char *name, const char *text, const char *pieces) {
            QTest::newRow(name) << text << pieces;
        };
        row("host work, then its launch",
            "main: cudaLaunchKernel 0..4 launch corr=1\n"
            "main: prepare_loss 4..50\n"
            "main: cudaLaunchKernel 50..54 launch corr=2\n"
            "gpu0/s7: a 5..20 corr=1\ngpu0/s7: b 56..60 corr=2\n",
            "0..5 launch_latency, 20..50 host_bound, 50..56 launch_latency");
        row("data wait",
            "main: cudaLaunchKernel 0..4 launch corr=1\n"
            "main: enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__ 4..50\n"
            "main: cudaLaunchKernel 50..54 launch corr=2\n"
            "gpu0/s7: a 5..20 corr=1\ngpu0/s7: b 56..60 corr=2\n",
            "0..5 launch_latency, 20..50 data_wait, 50..56 launch_latency");
        row("allocator, profiler, blocking copy",
            "main: cudaLaunchKernel 0..4 launch corr=1\n"
            "main: cudaMalloc 4..30 runtime\n"
            "main: Buffer Flush 30..40 overhead\n"
            "main: cudaMemcpy 40..50 runtime\n"
            "main: cudaLaunchKernel 50..54 launch corr=2\n"
            "gpu0/s7: a 5..20 corr=1\ngpu0/s7: b 56..60 corr=2\n",
            "0..5 launch_latency, 20..30 allocator, 30..40 profiler, 40..50 transfer_blocking, "
            "50..56 launch_latency");
        row("synchronising call drains the queue",
            "main: cudaLaunchKernel 0..4 launch corr=1\n"
            "main: cudaDeviceSynchronize 4..28 sync\n"
            "main: cudaLaunchKernel 28..30 launch corr=2\n"
            "gpu0/s7: a 5..20 corr=1\ngpu0/s7: b 31..60 corr=2\n",
            "0..5 launch_latency, 20..28 sync_wait, 28..31 launch_latency");
        row("gap between queued kernels",
            "main: cudaLaunchKernel 0..2 launch corr=1\nmain: cudaLaunchKernel 2..4 launch corr=2\n"
            "gpu0/s7: a 5..60 corr=1\ngpu0/s7: b 61..70 corr=2\n",
            "0..5 launch_latency, 60..61 kernel_gap");
        row("host runs on behind the last operation",
            "main: cudaLaunchKernel 0..2 launch corr=1\nmain: log 2..90\ngpu0/s7: a 5..60 corr=1\n",
            "0..5 launch_latency, 60..90 window_edge");
        row("a copy in a queue of its own is no idle time",
            "main: cudaLaunchKernel 0..2 launch corr=1\nmain: cudaMemcpyAsync 2..4 runtime corr=2\n"
            "gpu0/s7: a 5..30 corr=1\ngpu0/s20: Memcpy HtoD 30..60 h2d corr=2\n",
            "0..5 launch_latency");
    }
    void causes() {
        QFETCH(QString, text);
        QFETCH(QString, pieces);
        QCOMPARE(piecesOf(*traceFromText(text.toStdString())), pieces);
    }

    void sentencesNameWhatWasGoingOn() {
        const auto trace = traceFromText("main: cudaLaunchKernel 0..4 launch corr=1\n"
                                         "main: step 4..54\nmain: left 4..30\nmain: right 30..48\n"
                                         "main: cudaLaunchKernel 50..54 launch corr=2\n"
                                         "gpu0/s7: a 5..20 corr=1\ngpu0/s7: b 56..60 corr=2\n");
        const auto books = booksOf(*trace);
        QCOMPARE(books.size(), 1u);
        QCOMPARE(
            QString::fromStdString(idleSentence(*trace, books[0].intervals[1])),
            QString(
                "No operation for 30.0\u00a0µs: main was in step and launched nothing. Recorded."));
        QCOMPARE(QString::fromStdString(idleSentence(*trace, books[0].intervals[2])),
                 QString("b began 6.00\u00a0µs after its launch did. Recorded."));
    }

    void noDeviceIsSaid() {
        const auto trace = traceFromText("main: work 0..10\n");
        const Steps steps = findSteps(*trace);
        const Phases phased = phases(*trace, steps);
        Progress progress;
        const auto graph = buildGraph(*trace, steps, phased, progress);
        QVERIFY(graph);
        Window window;
        window.range = trace->range;
        const auto books = idleBooks(*trace, phased, *graph, window, progress);
        QVERIFY(!books && books.error().kind == ErrorKind::Impossible);
        QVERIFY(books.error().message.ends_with('.'));
    }

    /// On any trace and window: pieces tile what is not busy, and the books add up.
    void booksBalance() {
        for (uint32_t seed = 0; seed < 300; ++seed) {
            const auto trace = randomTrace(seed);
            std::mt19937 random(seed);
            const TimeNs from = TimeNs(random() % 100'000), length = TimeNs(random() % 200'000 + 1);
            const bool whole = seed % 2;
            const TimeRange range = whole ? trace->range : TimeRange{from, from + length};
            const auto books =
                booksOf(*trace, whole ? std::optional<TimeRange>() : std::optional(range));
            QCOMPARE(books.size(), 2u);
            for (const DeviceIdle &device : books) check(*trace, device, range, seed);
        }
    }

private:
    static std::shared_ptr<const Trace> randomTrace(uint32_t seed) {
        std::mt19937 random(seed);
        const auto upTo = [&](uint32_t n) { return int(random() % n); };
        std::string text;
        int host[2] = {0, upTo(30)}, free[2][2] = {};
        for (int i = 0; i < 60; ++i) {
            const int thread = upTo(2), device = i < 2 ? i : upTo(2), stream = upTo(2);
            int &at = host[thread];
            const std::string line = "t" + std::to_string(thread) + ": ";
            const auto span = [](int a, int b) {
                return std::to_string(a) + ".." + std::to_string(b);
            };
            at += upTo(8);
            const int length = 1 + upTo(6);
            const char *const other[] = {"aten::mul", "cudaStreamSynchronize", "cudaMalloc"};
            const int what = upTo(9);
            if (i >= 2 && what < 3) {
                text += line + other[what] + " " + span(at, at + length) +
                        (what == 1 ? " sync\n" : " cpu_op\n");
            } else {
                const std::string corr = " corr=" + std::to_string(i + 1) + "\n";
                text += line + "cudaLaunchKernel " + span(at, at + length) + " launch" + corr;
                const int begin = std::max(free[device][stream], at + upTo(5)) + upTo(3);
                free[device][stream] = begin + upTo(12);
                text += "gpu" + std::to_string(device) + "/s" + std::to_string(stream) + ": k " +
                        span(begin, free[device][stream]) + (upTo(4) ? " kernel" : " comm") + corr;
            }
            at += length;
        }
        return traceFromText(text);
    }

    static void check(const Trace &trace, const DeviceIdle &device, TimeRange range,
                      uint32_t seed) {
        TimeNs sum = 0, byCause = 0, last = range.begin;
        for (const IdleInterval &i : device.intervals) {
            QVERIFY2(i.begin >= last && i.end > i.begin && i.end <= range.end,
                     qPrintable(QString::number(seed)));
            last = i.end;
            sum += i.end - i.begin;
            QVERIFY(!idleSentence(trace, i).empty());
        }
        for (const TimeNs t : device.byCause) byCause += t;
        QCOMPARE(sum, device.idle);
        QCOMPARE(byCause, device.idle);
        QCOMPARE(device.busy + device.idle, range.length());
        // the same by brute force: each microsecond is busy or idle
        TimeNs busy = 0;
        for (TimeNs t = range.begin; t < range.end; t = (t / 1000 + 1) * 1000) {
            const TimeNs end = std::min((t / 1000 + 1) * 1000, range.end);
            bool any = false;
            for (const Track &track : trace.tracks)
                for (uint32_t row = 0; track.device == device.device && row < track.table->size();
                     ++row)
                    any |= track.begin(row) <= t && t < track.end(row);
            if (any) busy += end - t;
        }
        QCOMPARE(busy, device.busy);
    }
};

QTEST_GUILESS_MAIN(IdleTest)
#include "idle_test.moc"
