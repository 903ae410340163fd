// SPDX-License-Identifier: Apache-2.0
//
// One small trace per kind of dependency: which edges of that kind the builder finds, how each is
// known, and its lag.
#include "core/analysis/dependency_graph.h"
#include "tests/support/text_trace.h"

#include <QTest>

#include <algorithm>

using namespace longpole;
using namespace longpole::test;

namespace {

DependencyGraph graphOf(const Trace &trace) {
    const Steps steps = findSteps(trace);
    Progress progress;
    auto graph = buildGraph(trace, steps, phases(trace, steps), progress);
    if (!graph) qFatal("%s", graph.error().message.c_str());
    return std::move(*graph);
}

QString micros(TimeNs ns) {
    return QString::number(double(ns) / 1000);
}

/// "main@12 > gpu0/s7@14 recorded 2": all edges of a type in order of where they lead.
QStringList edgesOf(const Trace &trace, const DependencyGraph &graph, EdgeType type) {
    QStringList edges;
    const auto place = [&](uint32_t node) {
        const uint32_t t = graph.track[node];
        if (t == kNone) return QString("begin");
        const Track &track = trace.tracks[t];
        const QString name = track.kind == TrackKind::Stream
                                 ? QString("gpu%1/s%2").arg(*track.device).arg(*track.stream)
                                 : QString::fromStdString(track.name);
        return name + "@" + micros(graph.time[node]);
    };
    for (uint32_t v = 1; v < graph.nodes(); ++v)
        for (uint32_t e = graph.firstEdge[v]; e < graph.firstEdge[v + 1]; ++e)
            if (graph.type[e] == type)
                edges.append(place(graph.source[e]) + " > " + place(v) + " " +
                             QString::fromStdString(std::string(evidenceName(graph.evidence[e]))) +
                             " " + micros(graph.weight[e]));
    return edges;
}

QString lines(const QStringList &list) {
    return list.join('\n');
}

std::string number(auto value) {
    return std::to_string(value);
}

/// So many launches whose operations begin 2 us after the return, on streams that were idle.
std::string launches(int count, TimeNs from, int firstCorrelation = 100) {
    std::string text;
    for (int i = 0; i < count; ++i) {
        const TimeNs at = from + i * 100;
        const std::string corr = " corr=" + number(firstCorrelation + i) + "\n";
        text += "main: cudaLaunchKernel " + number(at) + ".." + number(at + 5) + " launch" + corr;
        text += "gpu0/s7: k " + number(at + 7) + ".." + number(at + 17) + " kernel" + corr;
    }
    return text;
}

/// 1,030 launches and some more, one a microsecond unless a queue of so many places is full.
std::string fullQueue(int places, TimeNs length, bool noted) {
    std::string text;
    TimeNs free = 0, host = 0;
    std::vector<TimeNs> ends;
    for (int i = 0; i < 1'030 + 40; ++i) {
        TimeNs returns = host + 1;
        if (i >= places) returns = std::max(returns, ends[size_t(i - places)] + 1);
        const std::string corr = " corr=" + number(i) + "\n";
        text +=
            "main: cudaLaunchKernel " + number(host) + ".." + number(returns) + " launch" + corr;
        if (noted && returns - host > 5)
            text += "~overhead: Command Buffer Full " + number(host) + ".." + number(returns) +
                    " overhead\n";
        const TimeNs begin = std::max(free, host + 3);
        free = begin + length;
        ends.push_back(free);
        text += "gpu0/s7: k " + number(begin) + ".." + number(free) + " kernel" + corr;
        host = returns;
    }
    return text;
}

/// A graph of four operations on two streams, `runs` times: a, then b and c side by side, then d,
/// which once begins behind c, else behind b.
std::string graphRuns(int runs) {
    std::string text;
    for (int i = 0; i < runs; ++i) {
        const TimeNs at = i * 200;
        const std::string corr = " corr=" + number(i) + "\n";
        const auto op = [&](const char *stream, const char *name, TimeNs begin, TimeNs end) {
            text += std::string("gpu0/") + stream + ": " + name + " " + number(at + begin) + ".." +
                    number(at + end) + " kernel" + corr;
        };
        text +=
            "main: cudaGraphLaunch " + number(at) + ".." + number(at + 10) + " graph_launch" + corr;
        op("s7", "a", 12, 30);
        op("s7", "b", 31, 60);
        op("s8", "c", 32, 40 + 3 * i); // joins nothing: d did not wait for it each time
        op("s8", "d", 62, 70);
    }
    return text;
}

} // namespace

class EdgeTypesTest : public QObject {
    Q_OBJECT
private slots:
    void edges_data() {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<int>("type");
        QTest::addColumn<QString>("edges");
        const auto row = [](const char *name, EdgeType type, const std::string &text,
                            const QStringList &edges) {
            QTest::newRow(name) << text << int(type) << lines(edges);
        };

        row("program: the order of a thread, holes too", EdgeType::Program,
            "main: outer 0..30\nmain: inner 10..20\nmain: behind 35..40\n",
            {"main@0 > main@10 recorded 10", "main@10 > main@20 recorded 10",
             "main@20 > main@30 recorded 10", "main@30 > main@35 recorded 5",
             "main@35 > main@40 recorded 5"});
        row("window: what nothing leads to begins with the capture", EdgeType::Window,
            "main: work 0..30\nother: work 10..20\ngpu0/s7: k 15..20\n",
            {"begin > main@0 recorded 0", "begin > other@10 recorded 0",
             "begin > gpu0/s7@15 recorded 0"});

        row("launch: from the return of the call", EdgeType::Launch, launches(5, 0),
            {"main@5 > gpu0/s7@7 recorded 2", "main@105 > gpu0/s7@107 recorded 2",
             "main@205 > gpu0/s7@207 recorded 2", "main@305 > gpu0/s7@307 recorded 2",
             "main@405 > gpu0/s7@407 recorded 2"});
        row("launch: what was queued keeps the usual lag", EdgeType::Launch,
            launches(5, 0) + "main: cudaLaunchKernel 405..408 launch corr=1\n"
                             "gpu0/s7: k 417..420 corr=1\n",
            {"main@5 > gpu0/s7@7 recorded 2", "main@105 > gpu0/s7@107 recorded 2",
             "main@205 > gpu0/s7@207 recorded 2", "main@305 > gpu0/s7@307 recorded 2",
             "main@405 > gpu0/s7@407 recorded 2", "main@408 > gpu0/s7@417 recorded 2"});
        row("launch: from the begin where the operation does not wait for the return",
            EdgeType::Launch,
            "main: cudaLaunchKernel 0..9 launch corr=1\ngpu0/s7: k 6..20 corr=1\n",
            {"main@0 > gpu0/s7@6 recorded 6"});
        row("launch: clocks disagree", EdgeType::Launch,
            "main: before 0..8\nmain: cudaLaunchKernel 10..12 launch corr=1\n"
            "gpu0/s7: k 9..20 corr=1\n",
            {"main@8 > gpu0/s7@9 recorded 1"});

        row("stream: one behind the other", EdgeType::Stream,
            "main: cudaLaunchKernel 0..2 launch corr=1\nmain: cudaLaunchKernel 2..4 launch corr=2\n"
            "gpu0/s7: a 5..60 corr=1\ngpu0/s7: b 61.5..70 corr=2\n",
            {"gpu0/s7@60 > gpu0/s7@61.5 inferred 1.5"});
        row("stream: one over the other", EdgeType::Stream,
            "gpu0/s7: a 0..60.5\ngpu0/s7: b 50..70\n",
            {"gpu0/s7@0 > gpu0/s7@50 inferred 50", "gpu0/s7@60.5 > gpu0/s7@70 inferred 9.5"});

        const std::string records = "main: cudaLaunchKernel 0..2 launch corr=1\n"
                                    "main: cudaEventRecord 2..3 event_record corr=2\n"
                                    "main: cudaStreamWaitEvent 3..4 event_wait corr=3\n"
                                    "main: cudaLaunchKernel 4..6 launch corr=4\n"
                                    "gpu0/s20: a 5..60 corr=1\n";
        row("event: recorded", EdgeType::Event,
            records + "gpu0/s7: b 90..100 corr=4\n"
                      "wait: 3..4 corr=3 stream=7 on=20 record=2\n",
            {"gpu0/s20@60 > gpu0/s7@90 recorded 30"});
        row("event: told by another thread", EdgeType::Event,
            "main: cudaLaunchKernel 0..2 launch corr=1\n"
            "main: cudaEventRecord 2..3 event_record corr=2\n"
            "main: cudaStreamWaitEvent 3..4 event_wait corr=3\n"
            "other: cudaLaunchKernel 14..16 launch corr=4\n"
            "gpu0/s20: a 5..60 corr=1\ngpu0/s7: b 62..100 corr=4\n"
            "wait: 3..4 corr=3 stream=7 on=20 record=2\n",
            {"main@3 > gpu0/s7@62 recorded 0", "gpu0/s20@60 > gpu0/s7@62 recorded 2"});
        row("event: recorded on another device", EdgeType::Event,
            "main: cudaLaunchKernel 0..2 launch corr=1\n"
            "main: cudaEventRecord 2..3 event_record corr=2\n"
            "main: cudaStreamWaitEvent 3..4 event_wait corr=3\n"
            "main: cudaLaunchKernel 4..6 launch corr=4\n"
            "gpu1/s20: a 5..60 corr=1\ngpu0/s7: b 90..100 corr=4\n"
            "wait: 3..4 corr=3 device=0 stream=7 on=20 record=2\n",
            {"gpu1/s20@60 > gpu0/s7@90 recorded 30"});
        const std::string equal = "main: cudaLaunchKernel 0..1 launch corr=1\n"
                                  "main: cudaLaunchKernel 1..2 launch corr=5\n"
                                  "main: cudaEventRecord 2..3 event_record corr=2\n"
                                  "main: cudaStreamWaitEvent 3..4 event_wait corr=3\n"
                                  "main: cudaLaunchKernel 4..6 launch corr=4\n"
                                  "gpu0/s7: b 90..100 corr=4\n"
                                  "wait: 3..4 corr=3 device=0 stream=7 on=7 record=2\n";
        row("event: recorded on a stream of the same number", EdgeType::Event,
            equal + "gpu0/s7: c 3..20 corr=1\ngpu1/s7: a 5..60 corr=5\n",
            {"gpu1/s7@60 > gpu0/s7@90 recorded 30"});
        row("event: recorded on its own device behind the other's", EdgeType::Event,
            equal + "gpu0/s7: c 3..20 corr=5\ngpu1/s7: a 5..60 corr=1\n",
            {"gpu0/s7@20 > gpu0/s7@90 recorded 0"});
        row("event: from the calls, close by", EdgeType::Event,
            records + "gpu0/s7: b 62..100 corr=4\n", {"gpu0/s20@60 > gpu0/s7@62 assumed 2"});
        row("event: from the calls, too far to tell", EdgeType::Event,
            records + "gpu0/s7: b 90..100 corr=4\n", {});
        std::string often, hidden;
        QStringList inferred, coincident;
        for (int i = 0; i < 4; ++i) {
            const TimeNs at = i * 10'000, gap = i < 3 ? 2 : 300; // once the launch is late
            const auto corr = [&](int n) { return " corr=" + number(10 * i + n) + "\n"; };
            const auto t = [&](TimeNs begin, TimeNs end) {
                return number(at + begin) + ".." + number(at + end);
            };
            const std::string calls = "main: cudaEventRecord " + t(2, 3) + " event_record" +
                                      corr(2) + "main: cudaStreamWaitEvent " + t(3, 4) +
                                      " event_wait" + corr(3);
            const std::string work = "main: cudaLaunchKernel " + t(0, 2) + " launch" + corr(1) +
                                     "main: cudaLaunchKernel " + (i < 3 ? t(4, 6) : t(360, 362)) +
                                     " launch" + corr(4) + "gpu0/s20: a " + t(5, 60) + corr(1) +
                                     "gpu0/s7: b " + t(60 + gap, 400) + corr(4);
            often += work + calls;
            hidden += work;
            const QString link =
                QString("gpu0/s20@%1 > gpu0/s7@%2 ").arg(at + 60).arg(at + 60 + gap);
            inferred.append(link + "inferred 2");
            if (i < 3) coincident.append(link + "assumed 2");
        }
        row("event: from the calls, often close", EdgeType::Event, often, inferred);
        row("event: not even the calls, often close", EdgeType::Event, hidden, coincident);
        row("event: once is chance", EdgeType::Event,
            "main: cudaLaunchKernel 0..2 launch corr=1\nmain: cudaLaunchKernel 4..6 launch corr=4\n"
            "gpu0/s20: a 5..60 corr=1\ngpu0/s7: b 62..100 corr=4\n",
            {});

        const std::string two = "main: cudaLaunchKernel 0..2 launch corr=1\n"
                                "main: cudaLaunchKernel 2..4 launch corr=2\n"
                                "gpu0/s7: a 5..60 corr=1\ngpu0/s20: b 6..80 corr=2\n";
        row("sync: a stream, recorded", EdgeType::Sync,
            two + "main: cudaStreamSynchronize 5..67 sync corr=3\nmain: work 67..90\n"
                  "sync: 5..67 corr=3 stream=7\n",
            {"gpu0/s7@60 > main@67 recorded 7"});
        row("sync: a stream, by what had ended", EdgeType::Sync,
            two + "main: cudaStreamSynchronize 5..67 sync corr=3\nmain: work 67..90\n",
            {"gpu0/s7@60 > main@67 inferred 7"});
        row("sync: a device, each of its streams", EdgeType::Sync,
            two + "main: cudaDeviceSynchronize 5..87 sync corr=3\n",
            {"gpu0/s7@60 > main@87 inferred 7", "gpu0/s20@80 > main@87 inferred 7"});
        row("sync: an event", EdgeType::Sync,
            "main: cudaLaunchKernel 0..2 launch corr=1\n"
            "main: cudaEventRecord 2..3 event_record corr=3\n"
            "main: cudaLaunchKernel 3..4 launch corr=2\n"
            "main: cudaEventSynchronize 5..67 sync corr=4\nmain: work 67..90\n"
            "gpu0/s7: a 5..60 corr=1\ngpu0/s7: b 61..80 corr=2\n",
            {"gpu0/s7@60 > main@67 inferred 7"});
        row("sync: asking again and again", EdgeType::Sync,
            "main: cudaLaunchKernel 0..2 launch corr=1\nmain: cudaEventQuery 10..11 runtime\n"
            "main: cudaEventQuery 20..21 runtime\nmain: cudaEventQuery 30..31 runtime\n"
            "gpu0/s7: a 5..25 corr=1\n",
            {"gpu0/s7@25 > main@30 inferred 5"});
        row("sync: memory that is given back", EdgeType::Sync,
            two + "main: cudaFree 5..84 runtime\n", {"gpu0/s20@80 > main@84 assumed 4"});
        row("sync: memory that is given back at once", EdgeType::Sync,
            two + "main: cudaFree 5..20 runtime\n", {});

        row("copy: its call waits", EdgeType::Copy,
            "main: cudaMemcpyAsync 0..70 runtime corr=1\n"
            "gpu0/s7: Memcpy DtoH (Device -> Pageable) 5..60 d2h corr=1\n",
            {"gpu0/s7@60 > main@70 inferred 10"});
        row("copy: its call does not wait", EdgeType::Copy,
            "main: cudaMemcpyAsync 0..4 runtime corr=1\nmain: work 4..90\n"
            "gpu0/s7: Memcpy DtoH (Device -> Pinned) 5..60 d2h corr=1\n",
            {});
        row("copy: staging is work of the host", EdgeType::Copy,
            "main: cudaMemcpyAsync 0..70 runtime corr=1\n"
            "gpu0/s7: Memcpy HtoD (Pageable -> Device) 5..60 h2d corr=1\n",
            {});

        row("handoff: an engine thread and who waits for it", EdgeType::Handoff,
            "main: work 0ms..10ms\nmain: loss.backward 10ms..50ms\n"
            "engine: autograd::engine::evaluate_function: A 3ms..5ms\n"
            "engine: autograd::engine::evaluate_function: B 10.02ms..49.98ms\n",
            {"main@10000 > engine@10020 inferred 20", "engine@49980 > main@50000 inferred 20"});
        row("handoff: any two threads, twice", EdgeType::Handoff,
            "main: work 0..100\nmain: save 100..500\nmain: work 500..600\nmain: save 600..1000\n"
            "main: work 1000..1100\nhelper: pack 0..10\nhelper: pack 120..480\n"
            "helper: pack 620..980\n",
            {"main@100 > helper@120 assumed 20", "helper@480 > main@500 assumed 20",
             "main@600 > helper@620 assumed 20", "helper@980 > main@1000 assumed 20"});
        row("handoff: a sleeper is woken", EdgeType::Handoff,
            "main: a 0..100\nmain: b 100..900\nhelper: x 0..10\nhelper: y 105..120\n",
            {"main@100 > helper@105 assumed 5"});

        const std::string next =
            "main: enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__ ";
        row("loader: a worker that was recorded", EdgeType::Loader,
            next + "0..1000\nmain: step 1000..1500\n" + next +
                "1500..2500\nmain: step 2500..3000\n"
                "worker: collate 0..960\nworker: collate 1040..2480\n",
            {"worker@960 > main@1000 inferred 40", "main@1000 > worker@1040 assumed 40",
             "worker@2480 > main@2500 inferred 20"});
        const auto unseen = [&](const std::string &call) {
            return call + "0..10\nmain: step 10..500\n" + call +
                   "500..1500\nmain: step 1500..2000\n" + call +
                   "2000..2010\nmain: step 2010..2400\n" + call +
                   "2400..3000\nmain: step 3000..3500\n";
        };
        // the batch in between was ready some time after the one before it
        row("loader: workers that nobody saw", EdgeType::Loader, unseen(next),
            {"main@0 > main@1500 recorded 1500", "main@1500 > main@1500 inferred 0",
             "main@1500 > main@2010 inferred 0", "main@1500 > main@3000 recorded 1500",
             "main@3000 > main@3000 inferred 0"});
        row("loader: of an unknown kind", EdgeType::Loader, unseen("main: MyDataLoader.__next__ "),
            {"main@0 > main@1500 recorded 1500", "main@1500 > main@1500 assumed 0",
             "main@1500 > main@2010 inferred 0", "main@1500 > main@3000 recorded 1500",
             "main@3000 > main@3000 assumed 0"});
        row("loader: in the loop itself", EdgeType::Loader,
            "main: step 0..500\n"
            "main: enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__ 500..1500\n"
            "main: step 1500..2000\n",
            {});

        const std::string defaults = "main: cudaLaunchKernel 0..2 launch corr=1\n"
                                     "main: cudaLaunchKernel 2..4 launch corr=2\n"
                                     "main: cudaLaunchKernel 4..6 launch corr=3\n"
                                     "main: cudaLaunchKernel 6..8 launch corr=4\n"
                                     "gpu0/s13: a 5..60 corr=1\ngpu0/s7: b 61..80 corr=2\n"
                                     "gpu0/s13: c 82..90 corr=3\ngpu0/s14: d 10..30 corr=4\n";
        row("default stream: between blocking streams", EdgeType::Stream,
            defaults + "gpu0/s7 is null\ngpu0/s13 is blocking\ngpu0/s14 is nonblocking\n",
            {"gpu0/s13@60 > gpu0/s7@61 inferred 1", "gpu0/s13@60 > gpu0/s13@82 inferred 0",
             "gpu0/s7@80 > gpu0/s13@82 inferred 2"});
        row("default stream: nothing where it is not known", EdgeType::Stream, defaults,
            {"gpu0/s13@60 > gpu0/s13@82 inferred 22"});
        row("default stream: one per thread keeps no such order", EdgeType::Stream,
            defaults + "main: cudaLaunchKernel 8..9 launch corr=5\ngpu0/s7: e 83..88 corr=5\n"
                       "gpu0/s7 is null\ngpu0/s13 is blocking\n",
            {"gpu0/s13@60 > gpu0/s13@82 inferred 22", "gpu0/s7@80 > gpu0/s7@83 inferred 3"});

        QStringList inside, known;
        for (int i = 0; i < 3; ++i) {
            const int at = i * 200;
            const auto edge = [&](const char *from, int begin, const char *to, int end,
                                  const char *evidence, int lag) {
                return QString("gpu0/%1@%2 > gpu0/%3@%4 %5 %6")
                    .arg(from)
                    .arg(at + begin)
                    .arg(to)
                    .arg(at + end)
                    .arg(evidence)
                    .arg(lag);
            };
            const QStringList joins = {edge("s7", 30, "s8", 32, "inferred", 2),
                                       edge("s7", 60, "s8", 62, "inferred", 2)};
            known += joins;
            // and the next run behind this one
            if (i < 2)
                known += QString("gpu0/s8@%1 > gpu0/s7@%2 assumed 0").arg(at + 70).arg(at + 212);
        }
        row("graph: three runs", EdgeType::Graph, graphRuns(3), known);
        for (int i = 0; i < 5; ++i) inside.append(QString(known[i]).replace("inferred", "assumed"));
        row("graph: two runs", EdgeType::Graph, graphRuns(2), inside);
        row("graph: launches what nothing before it holds back", EdgeType::Launch, graphRuns(1),
            {"main@10 > gpu0/s7@12 recorded 2", "main@10 > gpu0/s7@31 recorded 2",
             "main@10 > gpu0/s8@32 recorded 2", "main@10 > gpu0/s8@62 recorded 2"});
        row("graph: stands in the order of its stream", EdgeType::Graph,
            "main: cudaLaunchKernel 0..2 launch corr=1\n"
            "main: cudaGraphLaunch 2..4 graph_launch corr=2\n"
            "main: cudaLaunchKernel 4..6 launch corr=3\n"
            "gpu0/s7: before 4..20 corr=1\ngpu0/s7: a 21..40 corr=2\ngpu0/s7: b 40..45 corr=2\n"
            "gpu0/s8: c 21..70 corr=2\ngpu0/s7: behind 72..80 corr=3\n",
            {"gpu0/s7@20 > gpu0/s8@21 assumed 1", "gpu0/s8@70 > gpu0/s7@72 assumed 2"});
    }

    void edges() {
        QFETCH(std::string, text);
        QFETCH(int, type);
        QFETCH(QString, edges);
        const auto trace = traceFromText(text);
        const DependencyGraph graph = graphOf(*trace);
        QCOMPARE(lines(edgesOf(*trace, graph, EdgeType(type))), edges);
    }

    void backPressure_data() {
        QTest::addColumn<int>("places");
        QTest::addColumn<bool>("noted");
        QTest::addColumn<QString>("evidence");
        QTest::newRow("a full queue") << 1'000 << false << "inferred";
        QTest::newRow("the profiler noted it") << 1'000 << true << "recorded";
        QTest::newRow("a queue that never was full") << 100'000 << false << "assumed";
    }
    void backPressure() {
        QFETCH(int, places);
        QFETCH(bool, noted);
        QFETCH(QString, evidence);
        const bool full = places < 100'000;
        const auto trace = traceFromText(fullQueue(places, full ? 2'000 : 1, noted));
        const DependencyGraph graph = graphOf(*trace);
        const QStringList edges = edgesOf(*trace, graph, EdgeType::BackPressure);
        // each launch that finds no place waits for the operation so many before it
        const int distance = full ? places : 1'024;
        QCOMPARE(edges.size(), 1'070 - distance);
        QVERIFY2(edges.front().contains(evidence), qPrintable(edges.front()));
        QVERIFY2(edges.back().contains(evidence), qPrintable(edges.back()));
        if (full) QVERIFY2(edges.back().endsWith(" 1"), qPrintable(edges.back()));
    }

    /// A graph takes one place in the queue, however many operations it has.
    void graphsTakeOnePlace() {
        std::string text;
        for (int i = 0; i < 3; ++i) {
            const std::string corr = " corr=" + number(i) + "\n";
            text += "main: cudaGraphLaunch " + number(i * 10) + ".." + number(i * 10 + 9) +
                    " graph_launch" + corr;
            for (int k = 0; k < 500; ++k)
                text += "gpu0/s7: k " + number(100 + i * 1'000 + 2 * k) + ".." +
                        number(101 + i * 1'000 + 2 * k) + " kernel" + corr;
        }
        const auto trace = traceFromText(text);
        QCOMPARE(edgesOf(*trace, graphOf(*trace), EdgeType::BackPressure), QStringList());
    }
};

QTEST_APPLESS_MAIN(EdgeTypesTest)
#include "edge_types_test.moc"
