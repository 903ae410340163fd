// SPDX-License-Identifier: Apache-2.0
// Every reason of the import log that a JSON trace can give, with the smallest text that gives it.
#include "core/import/importer.h"
#include "tests/support/files.h"
#include "tests/support/text_trace.h"

#include <QTest>

#include <set>

using namespace longpole;
using namespace longpole::test;

namespace {

struct Case {
    Reason reason;
    uint64_t count;
    std::string text;
    std::string first; ///< the text at the first place; empty for the end of the file
    std::string leadsTo =
        {}; ///< the interval that the place leads to; empty where it is shown nowhere
};

const std::string kKernel =
    R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":20,"dur":5,"args":{"stream":7,"correlation":1}})";
const std::string kLaunch =
    R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":10,"dur":5,"args":{"correlation":1}})";
const std::string kSpan =
    R"json({"ph":"X","cat":"Trace","name":"PyTorch Profiler (0)","pid":"Spans","tid":"PyTorch Profiler","ts":10,"dur":20})json";

std::string list(std::initializer_list<std::string> events) {
    std::string text;
    for (const std::string &event : events) text += (text.empty() ? "[" : ",\n") + event;
    return text + "]";
}

std::string range(const char *name, double ts, double dur) {
    return QString(R"({"ph":"X","cat":"cpu_op","name":"%1","pid":1,"tid":1,"ts":%2,"dur":%3})")
        .arg(name)
        .arg(ts)
        .arg(dur)
        .toStdString();
}

/// A kernel of 2 µs at `ts`, and the call that launched it at `call`.
std::string pair(int correlation, double call, double ts) {
    return QString(
               R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":%2,"dur":1,"args":{"correlation":%1}},
{"ph":"X","cat":"kernel","name":"k%1","pid":0,"tid":7,"ts":%3,"dur":2,"args":{"device":0,"stream":7,"correlation":%1}})")
        .arg(correlation)
        .arg(call)
        .arg(ts)
        .toStdString();
}

/// The name of the interval that begins or ends with the event at this place.
std::string shownAt(const Trace &trace, uint64_t offset) {
    for (const Track &track : trace.tracks)
        for (uint32_t row = 0; row < track.table->size(); ++row)
            if (track.table->offset[row] == offset ||
                track.table->sideOf(row).endOffset == int64_t(offset))
                return std::string(track.nameOf(row));
    return {};
}

std::vector<Case> cases() {
    using enum Reason;
    return {
        {AsyncEvent, 1, list({R"({"ph":"b","name":"a","ts":0})"}), R"({"ph":"b")"},
        {ObjectEvent, 1, list({R"({"ph":"N","name":"a","ts":0})"}), R"({"ph":"N")"},
        {SampleEvent, 1, list({R"({"ph":"P","name":"a","ts":0})"}), R"({"ph":"P")"},
        {UnknownPhase, 1, list({range("a", 0, 1), R"({"ph":"?"})"}), R"({"ph":"?")"},
        {NotAnObject, 1, list({range("a", 0, 1), "7"}), "7]"},
        {BrokenEvent, 1, list({range("a", 0, 1), R"({"ph":"X","name":})"}),
         R"({"ph":"X","name":})"},
        {BadTime, 1, list({R"({"ph":"X","name":"a","ts":1})"}), R"({"ph":"X")"},
        {TimeOutOfRange, 1, list({R"({"ph":"X","name":"a","ts":9e30,"dur":1})"}), R"({"ph":"X")"},
        {EndWithoutBegin, 1, list({R"({"ph":"E","pid":1,"tid":1,"ts":1})"}), R"({"ph":"E")"},
        {EmptyCounter, 1, list({R"({"ph":"C","name":"c","ts":1,"args":{}})"}), R"({"ph":"C")"},
        {NegativeDuration, 1, list({range("a", 5, -2)}), R"({"ph":"X")", "a"},
        {BeginWithoutEnd, 1, list({R"({"ph":"B","name":"a","pid":1,"tid":1,"ts":1})"}),
         R"({"ph":"B")", "a"},
        {InvalidUtf8, 1, "[{\"ph\":\"X\",\"name\":\"a\xff\",\"ts\":0,\"dur\":1}]", R"({"ph":"X")",
         "a\xEF\xBF\xBD"},
        {ControlCharacter, 1, list({range("a\nb", 0, 1)}), R"({"ph":"X")", "a b"},
        {BadEscape, 1, list({range("C:\\work", 0, 1)}), R"({"ph":"X")", "C:\\work"},
        {TruncatedFile, 1, R"({"traceEvents":[)" + range("a", 0, 1), ""},
        {Overlap, 1, list({range("a", 0, 10), range("late", 5, 10)}), range("late", 5, 10), "late"},
        {EndNameMismatch, 1,
         list({R"({"ph":"B","name":"a","pid":1,"tid":1,"ts":1})",
               R"({"ph":"E","name":"z","pid":1,"tid":1,"ts":2})"}),
         R"({"ph":"E")", "a"},
        {SubNanosecond, 1, list({range("a", 0, 0.0004)}), R"({"ph":"X")", "a"},
        {OpWithoutLaunch, 1,
         list({kLaunch, kKernel,
               R"({"ph":"X","cat":"kernel","name":"alone","pid":0,"tid":7,"ts":40,"dur":5})"}),
         R"({"ph":"X","cat":"kernel","name":"alone")", "alone"},
        {DurationOverrun, 1,
         list(
             {kKernel,
              R"({"ph":"X","cat":"kernel","name":"in","pid":0,"tid":7,"ts":21,"dur":1,"args":{"stream":7}})"}),
         kKernel, "k"},
        {ZeroTime, 1,
         list({range("lost", 0, 1), R"({"ph":"X","name":"b","ts":1700000000000000,"dur":1})"}),
         range("lost", 0, 1), "lost"},
        {TrailingData, 1, R"({"traceEvents":[]} more)", "more"},
        {StrayData, 1, "[" + range("a", 0, 1) + "]," + range("b", 2, 1) + "]",
         "," + range("b", 2, 1)},
        {OtherList, 1,
         R"({"messages":["a"],"none":[],"deviceProperties":[{"id":0}],"old":[ {"ph":"X"}],"traceEvents":[]})",
         R"([ {"ph":"X"}])"},
        // the child of 10 µs ends 1 µs late; half a microsecond inside and one outside is no child
        {SticksOut, 1, list({range("outer", 0, 20), range("child", 11, 10)}),
         range("child", 11, 10), "child"},
        {Duplicate, 2, list({kKernel, kLaunch, kKernel, kKernel}), "\n" + kKernel, "k"},
        {OutsideCapture, 3,
         list({kSpan, range("long", 5, 30), range("in", 10, 20.5), range("after", 40, 1),
               range("before", 1, 2)}),
         range("long", 5, 30), "long"},
        {LaunchWithoutOp, 1,
         list(
             {kLaunch, kKernel,
              R"({"ph":"X","cat":"cuda_driver","name":"cuLaunchKernel","pid":1,"tid":1,"ts":11,"dur":2,"args":{"correlation":1}})",
              R"({"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","pid":1,"tid":1,"ts":50,"dur":5,"args":{"correlation":9}})"}),
         R"({"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch")", "cudaGraphLaunch"},
        {ExcerptUnfit, 1, R"({"longpole":{},"traceEvents":[)" + range("a", 0, 1) + "]}",
         R"({"longpole")"},
        {OpBeforeLaunch, 1, list({pair(1, 10, 12), pair(2, 20, 18)}),
         R"({"ph":"X","cat":"kernel","name":"k2")", "k2"},
    };
}

} // namespace

class ImportLogTest : public QObject {
    Q_OBJECT
private slots:
    void everyReason_data() {
        QTest::addColumn<int>("index");
        const auto all = cases();
        for (size_t i = 0; i < all.size(); ++i)
            QTest::newRow(std::string(reasonText(all[i].reason).id).c_str()) << int(i);
    }
    void everyReason() {
        QFETCH(int, index);
        const Case wanted = cases()[size_t(index)];
        const auto trace = openText(wanted.text);
        if (!trace) QFAIL(trace.error().message.c_str());
        QVERIFY(booksBalance(**trace));
        const Diagnostics::Entry &entry = (*trace)->diagnostics[wanted.reason];
        QVERIFY2(entry.count == wanted.count, reasonsOf(**trace).c_str());
        const size_t first = wanted.first.empty() ? wanted.text.size()
                                                  : wanted.text.find(wanted.first) +
                                                        size_t(wanted.first.starts_with('\n'));
        QCOMPARE(entry.firstOffset, uint64_t(first));
        QCOMPARE(shownAt(**trace, first), wanted.leadsTo);
    }

    /// Databases have reasons of their own (core.import.nsys_sqlite, nsys_damage), and so have
    /// jobs and captures (core.capture.recording); nothing else may be a dead line of the table.
    void noneIsMissing() {
        std::set<Reason> covered = {Reason::WrongType,        Reason::RowNotShown,
                                    Reason::TableNotRead,     Reason::LogBeside,
                                    Reason::ClocksNotAligned, Reason::UnknownRecord,
                                    Reason::RecordsLost,      Reason::RecorderMessage};
        for (const Case &c : cases()) covered.insert(c.reason);
        for (size_t i = 0; i < kReasonCount; ++i)
            QVERIFY2(covered.contains(Reason(i)), reasonText(Reason(i)).id.data());
    }

    /// Ranks keep their clocks, and that is said of every file behind the first.
    void clocksOfAJob() {
        const TempFile a(list({kLaunch, kKernel})), b(list({kLaunch, kKernel})),
            c(list({kLaunch, kKernel}));
        Progress progress;
        const auto one = openTraces({a.path()}, progress),
                   job = openTraces({a.path(), b.path(), c.path()}, progress);
        QVERIFY(one && job);
        QCOMPARE(reasonsOf(**one), std::string());
        QCOMPARE(reasonsOf(**job), std::string("clocks_not_aligned 2"));
        const Diagnostics::Entry &entry = (*job)->diagnostics[Reason::ClocksNotAligned];
        QCOMPARE(entry.file, uint32_t(1));
        QVERIFY(reasonText(Reason::ClocksNotAligned).severity == Severity::Noticed);
    }

    /// On a stream the same operation cannot run twice at once, whatever its id.
    void duplicatesWithoutAnId() {
        const std::string op =
            R"({"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":0,"dur":10})";
        const auto stream = openText(list({op, op})),
                   thread = openText(list({range("a", 0, 10), range("a", 0, 10)}));
        QVERIFY(stream && thread);
        QCOMPARE((*stream)->diagnostics[Reason::Duplicate].count, uint64_t(1));
        QCOMPARE((*stream)->events.intervals, uint64_t(2));
        QCOMPARE((*thread)->diagnostics[Reason::Duplicate].count,
                 uint64_t(0)); // may be a recursion
    }

    /// A training trace as profilers write it gives no reason at all.
    void nothingOdd() {
        const auto trace = openText(list({kSpan, range("in", 10, 20), kLaunch, kKernel}));
        QVERIFY(trace);
        QCOMPARE(reasonsOf(**trace), std::string());
    }

    void whatSticksOutKeepsItsTimes() {
        const auto trace = openText(
            list({range("outer", 0, 20), range("child", 11, 10), range("grandchild", 12, 8.9),
                  range("next", 20.5, 3), range("own", 23.1, 0.9)}));
        QVERIFY(trace);
        QCOMPARE(reasonsOf(**trace), std::string("overlap 1, sticks_out 2"));
        const auto parent = [&](const char *name) {
            const IntervalId id = find(**trace, name);
            return (*trace)->track(id).table->parent[id.row];
        };
        QCOMPARE(parent("child"), find(**trace, "outer").row);
        QCOMPARE(parent("grandchild"), find(**trace, "child").row);
        QCOMPARE(parent("next"), kNone);
        QCOMPARE(parent("own"), kNone); // most of it is outside
        QCOMPARE((*trace)->end(find(**trace, "child")), TimeNs(21'000));
        QCOMPARE((*trace)->end(find(**trace, "grandchild")), TimeNs(20'900));
    }

    /// On a stream an operation that ends late is no rounding: it has a lane of its own.
    void streamsAreNotRounded() {
        const auto trace = openText(
            list({R"({"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":0,"dur":10})",
                  R"({"ph":"X","cat":"kernel","name":"b","pid":0,"tid":7,"ts":5,"dur":5.5})"}));
        QVERIFY(trace);
        QCOMPARE(reasonsOf(**trace), std::string("overlap 1"));
    }

    /// Without the profiler's span, recording ended where it says so.
    void theCaptureEndsWithTheRecord() {
        const auto trace = openText(
            list({range("in", 0, 10), range("after", 20, 5),
                  R"({"ph":"i","s":"g","name":"Record Window End","pid":"","tid":"","ts":20})"}));
        QVERIFY(trace);
        QCOMPARE(reasonsOf(**trace), std::string("outside_capture 1"));
    }
};

QTEST_APPLESS_MAIN(ImportLogTest)
#include "import_log_test.moc"
