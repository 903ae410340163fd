// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "core/import/importer.h"
#include "core/model/trace_builder.h"
#include "tests/support/files.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <thread>

using namespace longpole;
using namespace longpole::test;

namespace {

struct Range {
    TimeNs begin, end;
};

/// Nested ranges of one thread as a recorder would see them: each before what is inside of it, or
/// behind it where `innerFirst`.
void nestedRanges(std::mt19937 &random, TimeNs begin, TimeNs end, int depth, bool innerFirst,
                  std::vector<Range> &out) {
    TimeNs at = begin;
    for (int sibling = 0; sibling < 12 && end - at > 3; ++sibling) {
        const TimeNs from = at + TimeNs(random() % uint64_t(std::max<TimeNs>(1, (end - at) / 4)));
        const TimeNs to = std::min(
            end, from + 1 + TimeNs(random() % uint64_t(std::max<TimeNs>(1, (end - from) / 3))));
        if (!innerFirst) out.push_back({from, to});
        if (depth > 0) nestedRanges(random, from, to, depth - 1, innerFirst, out);
        if (innerFirst) out.push_back({from, to});
        at = to;
    }
}

/// What the bins should say: how much of each is covered by the union, or by the sum, of the
/// ranges.
std::vector<double> expected(std::vector<Range> ranges, const Preview &preview, bool united) {
    std::sort(ranges.begin(), ranges.end(),
              [](const Range &a, const Range &b) { return a.begin < b.begin; });
    const TimeNs width = preview.binLength();
    std::vector<double> bins(Preview::kBins);
    TimeNs reached = preview.range.begin;
    for (const Range &r : ranges) {
        const TimeNs begin = united ? std::max(r.begin, reached) : r.begin;
        for (TimeNs at = begin; at < r.end;) {
            const TimeNs bin = (at - preview.range.begin) / width;
            const TimeNs to = std::min(r.end, preview.range.begin + (bin + 1) * width);
            bins[size_t(bin)] += double(to - at) / double(width);
            at = to;
        }
        reached = std::max(reached, r.end);
    }
    for (double &bin : bins) bin = std::min(1.0, bin);
    return bins;
}

/// Bins that differ from what is expected by more than the rounding to 1 of 255.
int wrongBins(const std::vector<uint8_t> &busy, const std::vector<double> &want) {
    int wrong = 0;
    for (size_t bin = 0; bin < want.size(); ++bin) {
        wrong += (busy[bin] > 0) != (want[bin] > 0);
        wrong += busy[bin] > 1 && std::abs(busy[bin] / 255.0 - want[bin]) > 0.51 / 255;
        wrong += busy[bin] == 1 && want[bin] > 1.51 / 255;
    }
    return wrong;
}

std::shared_ptr<const Trace> finished(TraceBuilder &builder) {
    Progress progress;
    auto trace = builder.finish(progress, 2);
    return trace ? std::make_shared<const Trace>(std::move(*trace)) : nullptr;
}

IntervalRow row(TimeNs begin, TimeNs end, Kind kind = Kind::CpuOp) {
    IntervalRow r;
    r.begin = begin;
    r.end = end;
    r.kind = kind;
    return r;
}

/// The ranges of each track of the finished trace, where the preview has it.
std::vector<Range> rangesOn(const Trace &trace, const Preview &preview, size_t shown) {
    std::vector<Range> ranges;
    const TimeNs shift = onTrace(preview, {0, 0}, trace).begin;
    for (const Track &track : trace.tracks)
        if (track.name == preview.tracks[shown].name)
            for (uint32_t r = 0; r < track.table->size(); ++r)
                ranges.push_back({track.begin(r) - shift, track.end(r) - shift});
    return ranges;
}

} // namespace

/// What is shown of a trace while it is read, against what the finished trace says.
class PreviewTest : public QObject {
    Q_OBJECT
private slots:
    void binsAreTheUnion_data() {
        QTest::addColumn<bool>("innerFirst");
        QTest::addColumn<TimeNs>("length");
        for (const TimeNs length : {TimeNs(5'000), TimeNs(7'000'000), TimeNs(86'400'000'000'000)})
            for (const bool innerFirst : {false, true})
                QTest::addRow("%lld %d", static_cast<long long>(length), innerFirst)
                    << innerFirst << length;
    }

    void binsAreTheUnion() {
        QFETCH(bool, innerFirst);
        QFETCH(TimeNs, length);
        std::mt19937 random(7);
        TraceBuilder builder{SourceFile{}};
        const auto slot = std::make_shared<PreviewSlot>();
        PreviewBuilder preview(slot);
        builder.showIn(&preview);
        const uint32_t process = builder.process("1");
        const TimeNs epoch = 1'700'000'000'000'000'000;
        for (int t = 0; t < 3; ++t) {
            const uint32_t track = builder.threadTrack(process, std::to_string(t));
            std::vector<Range> ranges;
            nestedRanges(random, epoch, epoch + length / (t + 1), 3, innerFirst, ranges);
            for (const Range &r : ranges) builder.addInterval(track, row(r.begin, r.end));
        }
        const auto trace = finished(builder);
        const auto made = slot->latest();
        QVERIFY(trace && made);
        QCOMPARE(made->tracks.size(), size_t(3));
        QCOMPARE(made->intervals, trace->intervalCount());
        for (size_t t = 0; t < 3; ++t) {
            const std::vector<Range> ranges = rangesOn(*trace, *made, t);
            QCOMPARE(made->tracks[t].intervals, uint64_t(ranges.size()));
            QVERIFY(ranges.size() > 100);
            QCOMPARE(wrongBins(made->tracks[t].busy, expected(ranges, *made, true)), 0);
        }
    }

    /// In no order at all the union is out of reach, but nothing is lost and nothing added.
    void anyOrderStaysInBounds() {
        std::mt19937 random(11);
        std::vector<Range> ranges;
        nestedRanges(random, 0, 40'000'000, 4, false, ranges);
        std::shuffle(ranges.begin(), ranges.end(), random);
        TraceBuilder builder{SourceFile{}};
        const auto slot = std::make_shared<PreviewSlot>();
        PreviewBuilder preview(slot);
        builder.showIn(&preview);
        const uint32_t track = builder.threadTrack(builder.process("1"), "1");
        for (const Range &r : ranges) builder.addInterval(track, row(r.begin, r.end));
        const auto trace = finished(builder);
        const auto made = slot->latest();
        ranges = rangesOn(*trace, *made, 0);
        const auto least = expected(ranges, *made, true), most = expected(ranges, *made, false);
        for (size_t bin = 0; bin < Preview::kBins; ++bin) {
            const double got = made->tracks[0].busy[bin] / 255.0;
            QVERIFY(got >= least[bin] - 0.51 / 255);
            QVERIFY(got <= std::max(1 / 255.0, most[bin] + 0.51 / 255));
        }
    }

    void theRangeDoublesToBothSides() {
        std::mt19937 random(3);
        std::vector<Range> ranges; // disjoint, so that their order makes no difference
        for (TimeNs at = -3'000'000'000; at < 9'000'000'000; at += 1'000'000 + random() % 9'000'000)
            ranges.push_back({at, at + 1 + TimeNs(random() % 1'000'000)});
        std::vector<std::shared_ptr<const Preview>> made;
        for (int order = 0; order < 3; ++order) {
            if (order == 1) std::reverse(ranges.begin(), ranges.end());
            if (order == 2) std::shuffle(ranges.begin(), ranges.end(), random);
            TraceBuilder builder{SourceFile{}};
            const auto slot = std::make_shared<PreviewSlot>();
            PreviewBuilder preview(slot);
            builder.showIn(&preview);
            const uint32_t track = builder.threadTrack(builder.process("1"), "1");
            for (const Range &r : ranges) builder.addInterval(track, row(r.begin, r.end));
            const auto trace = finished(builder);
            const Preview &p = *slot->latest();
            QVERIFY((p.binLength() & (p.binLength() - 1)) == 0); // a power of two
            QCOMPARE(p.range.length(), p.binLength() * TimeNs(Preview::kBins));
            QVERIFY(p.range.begin <= p.seen.begin && p.seen.end <= p.range.end);
            QVERIFY(p.range.length() < 4 * p.seen.length());
            QCOMPARE(onTrace(p, p.seen, *trace), trace->range);
            QCOMPARE(wrongBins(p.tracks[0].busy, expected(rangesOn(*trace, p, 0), p, true)), 0);
        }
    }

    void manyTracksStaySmall_data() {
        QTest::addColumn<int>("tracks");
        QTest::addRow("10,000") << 10'000;
        QTest::addRow("1,000,000") << 1'000'000;
    }

    void manyTracksStaySmall() {
        QFETCH(int, tracks);
        TraceBuilder builder{SourceFile{}};
        const auto slot = std::make_shared<PreviewSlot>();
        PreviewBuilder preview(slot);
        builder.showIn(&preview);
        const uint32_t process = builder.process(std::string(10'000, 'p'));
        for (int t = 0; t < tracks; ++t) {
            const std::string tid = std::to_string(t) + std::string(t < 2000 ? 5'000 : 0, 'x');
            builder.addInterval(builder.threadTrack(process, tid), row(t * 1000, t * 1000 + 900));
            if (t % 1000 == 0) builder.look();
        }
        preview.look(builder, true);
        const auto made = slot->latest();
        QVERIFY2(made->bytes() <= 8'000'000, qPrintable(QString::number(made->bytes())));
        QCOMPARE(made->tracks.size(), size_t(Preview::kTracks));
        QCOMPARE(made->otherTracks, uint64_t(tracks) - Preview::kTracks);
        QCOMPARE(made->intervals, uint64_t(tracks)); // what has no row of its own is in one for all
        QCOMPARE(made->others.intervals, made->otherTracks);
        QVERIFY(std::count(made->others.busy.begin(), made->others.busy.end(), 0) < 4096);
    }

    void publishesFiveTimesASecond() {
        TraceBuilder builder{SourceFile{}};
        const auto slot = std::make_shared<PreviewSlot>();
        PreviewBuilder preview(slot);
        builder.showIn(&preview);
        const uint32_t track = builder.threadTrack(builder.process("1"), "1");
        std::vector<std::shared_ptr<const Preview>> made;
        const auto begin = std::chrono::steady_clock::now();
        TimeNs at = 0;
        for (; std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(700); ++at) {
            builder.addInterval(track, row(at * 10, at * 10 + 5, Kind::Launch));
            builder.look();
            if (made.empty() || slot->latest() != made.back()) made.push_back(slot->latest());
            std::this_thread::sleep_for(std::chrono::microseconds(500));
        }
        QVERIFY(made.size() >= 2 && made.size() <= 4); // the first one at once, then every 200 ms
        QCOMPARE(made.front()->intervals, uint64_t(1));
        for (size_t i = 1; i < made.size(); ++i)
            QVERIFY(made[i]->intervals > made[i - 1]->intervals);
        QCOMPARE(int(made.back()->tracks[0].mostly), int(Kind::Launch));
    }

    void beginsAndEndsAreBusyInBetween() {
        TraceBuilder builder{SourceFile{}};
        const auto slot = std::make_shared<PreviewSlot>();
        PreviewBuilder preview(slot);
        builder.showIn(&preview);
        const uint32_t track = builder.threadTrack(builder.process("1"), "1");
        const StringId outer = builder.strings().intern("outer"),
                       inner = builder.strings().intern("inner");
        IntervalRow begin = row(1'000'000, 1'000'000);
        begin.name = outer;
        builder.addBegin(track, begin);
        preview.look(builder); // an end may come in another look
        begin.begin = begin.end = 1'200'000;
        begin.name = inner;
        builder.addBegin(track, begin);
        builder.addEnd(track, 1'300'000, inner, 2);
        builder.addEnd(track, 1'400'000, outer, 3);
        const auto trace = finished(builder);
        const auto made = slot->latest();
        QCOMPARE(made->seen.length(), TimeNs(400'000));
        QCOMPARE(onTrace(*made, made->seen, *trace), trace->range);
        const auto want = expected(rangesOn(*trace, *made, 0), *made, true);
        QCOMPARE(wrongBins(made->tracks[0].busy, want), 0);
    }

    /// Times at the far ends of what a file may say, instants alone, and nothing at all.
    void strangeTimes() {
        for (const auto &ranges : {std::vector<Range>{},
                                   {{-(TimeNs(1) << 60), TimeNs(1) << 60}, {5, 6}},
                                   {{(TimeNs(1) << 61) - 1, (TimeNs(1) << 61) - 1}, {0, 0}},
                                   {{0, 0}}}) {
            TraceBuilder builder{SourceFile{}};
            const auto slot = std::make_shared<PreviewSlot>();
            PreviewBuilder preview(slot);
            builder.showIn(&preview);
            const uint32_t track = builder.threadTrack(builder.process("1"), "1");
            for (const Range &r : ranges) builder.addInterval(track, row(r.begin, r.end));
            QVERIFY(finished(builder));
            QCOMPARE(slot->latest()->intervals, uint64_t(ranges.size()));
            QVERIFY(slot->latest()->range.length() > 0);
            uint64_t busy = 0;
            for (const auto &t : slot->latest()->tracks)
                for (const uint8_t share : t.busy) busy += share;
            QCOMPARE(busy > 0, !ranges.empty());
        }
    }

    /// Through the importers: every file's tracks are there, each file from its own first event.
    void filesOfAJob() {
        // clang-format off
        const TempFile first(R"json({"traceEvents": [
            {"ph":"M","name":"process_name","pid":10,"args":{"name":"python"}},
            {"ph":"X","cat":"cpu_op","name":"a","pid":10,"tid":1,"ts":1000000,"dur":100},
            {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1000050,"dur":50,"args":{"device":0,"stream":7}}
        ], "distributedInfo": {"rank": 0, "world_size": 2}})json");
        const TempFile second(R"json({"traceEvents": [
            {"ph":"X","cat":"cpu_op","name":"b","pid":10,"tid":1,"ts":9000000,"dur":300}
        ], "distributedInfo": {"rank": 1, "world_size": 2}})json");
        // clang-format on
        OpenOptions options;
        options.preview = std::make_shared<PreviewSlot>();
        Progress progress;
        const auto trace = openTraces({first.path(), second.path()}, progress, options);
        QVERIFY(trace);
        const auto made = options.preview->latest();
        QCOMPARE(made->tracks.size(), size_t(3));
        QCOMPARE(made->tracks[0].process, std::string("python 10"));
        QCOMPARE(made->tracks[1].kind, TrackKind::Stream);
        QCOMPARE(made->tracks[1].device, std::optional<int64_t>(0));
        QCOMPARE(int(made->tracks[1].mostly), int(Kind::Kernel));
        QCOMPARE(made->tracks[2].file, 1u);
        QCOMPARE(made->seen, (TimeRange{0, 300'000}));
        QCOMPARE(onTrace(*made, {0, 100'000}, **trace), (TimeRange{0, 100'000}));
        QVERIFY(progress.fraction() > 0.999);
    }
};

QTEST_GUILESS_MAIN(PreviewTest)
#include "preview_test.moc"
