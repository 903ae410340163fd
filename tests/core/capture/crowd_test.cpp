// SPDX-License-Identifier: Apache-2.0
// Sixteen threads launch at once, and mark ranges. Built with a sanitizer, the program, the capture
// library and the doubles are watched by it: what it reports ends the program with its own status.
#include <QTest>

#include "tests/support/files.h"
#include "tests/support/recording.h"

#include <map>

using namespace longpole;
using namespace longpole::test;

namespace {

constexpr uint64_t kThreads = 16, kLaunches = 500; ///< of each thread of the victim

std::map<std::string, uint64_t> namesOf(const Trace &trace) {
    std::map<std::string, uint64_t> names;
    for (uint32_t t = 0; t < trace.tracks.size(); ++t)
        for (uint32_t row = 0; row < trace.tracks[t].table->size(); ++row)
            ++names[std::string(trace.name({t, row}))];
    return names;
}

} // namespace

class CrowdTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        if (const QString why = whyNotRecording(); !why.isEmpty()) QSKIP(qPrintable(why));
    }

    void nothingIsLostOrTorn_data() {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QStringList>("victim");
        QTest::addColumn<int>("cupti");
        const QStringList crowd{"steps", "40", "every", "threads", "16"};
        QTest::newRow("CUDA 13") << QStringList{"--quiet"} << crowd << 13;
        QTest::newRow("CUDA 12") << QStringList{"--quiet"} << crowd << 12;
        QTest::newRow("with a fork") << QStringList{"--quiet"} << crowd + QStringList{"fork"} << 13;
    }
    void nothingIsLostOrTorn() {
        QFETCH(QStringList, options);
        QFETCH(QStringList, victim);
        QFETCH(int, cupti);
        const Recording made = record({options, victim, {{"FAKE_CUPTI_PERIOD", "2"}}, cupti});
        QVERIFY2(made.status == 0, made.err);
        QCOMPARE(made.err, QByteArray()); // nor anything that a sanitizer says and goes on
        const auto trace = made.trace();
        QVERIFY(trace);
        QVERIFY(booksBalance(*trace));
        QCOMPARE(trace->diagnostics[Reason::RecordsLost].count, uint64_t(0));
        QCOMPARE(trace->diagnostics[Reason::TruncatedFile].count, uint64_t(0));
        const auto names = namesOf(*trace);
        QCOMPARE(names.at("small"), kThreads * kLaunches);
        QCOMPARE(names.at("crowd"), kThreads * kLaunches);
        QCOMPARE(names.at("gemm"), uint64_t(40));
        QCOMPARE(names.at("cuLaunchKernel"), kThreads * kLaunches + 40 * 3);
        QCOMPARE(trace->diagnostics[Reason::OpWithoutLaunch].count, uint64_t(0));
        QCOMPARE(std::count_if(trace->tracks.begin(), trace->tracks.end(),
                               [](const Track &t) { return t.kind == TrackKind::Thread; }),
                 std::ptrdiff_t(kThreads + 1));
    }

    /// The recording ends while the others go on: nothing may be touched that is gone.
    void theEndComesInTheMiddle() {
        const Recording made = record({{"--quiet", "--steps", "5", "--warmup", "2"},
                                       {"steps", "40", "every", "threads", "16"},
                                       {{"FAKE_CUPTI_PERIOD", "2"}}});
        QVERIFY2(made.status == 0, made.err);
        QCOMPARE(made.err, QByteArray());
        const auto trace = made.trace();
        QVERIFY(trace && trace->files[0].measurement && trace->files[0].measurement->whole());
        QVERIFY(booksBalance(*trace));
        QCOMPARE(trace->diagnostics[Reason::TruncatedFile].count, uint64_t(0));
    }

    /// Too little memory for so many: what is lost is counted, to the record.
    void whatDoesNotFitIsCounted() {
        const Recording made =
            record({{"--quiet", "--memory", "4"},
                    {"steps", "1", "threads", "16", "flood", "20000"},
                    {{"FAKE_CUPTI_SHUFFLE", "1"}, {"FAKE_CUPTI_PERIOD", "100000"}}});
        QVERIFY2(made.status == 0, made.err);
        const auto trace = made.trace();
        QVERIFY(trace);
        QVERIFY(booksBalance(*trace));
        const auto names = namesOf(*trace);
        const auto of = [&](const char *name) {
            const auto found = names.find(name);
            return found == names.end() ? uint64_t(0) : found->second;
        };
        const uint64_t lost = trace->diagnostics[Reason::RecordsLost].count;
        const uint64_t there = of("small") + of("flood") + of("cuLaunchKernel") + of("crowd");
        const uint64_t told = 2 * (kThreads * kLaunches + 20'000) + kThreads * kLaunches;
        QVERIFY2(lost > 0, "nothing was lost");
        QVERIFY2(there + lost >= told && there + lost < told + 200,
                 qPrintable(QString("%1 + %2 of %3").arg(there).arg(lost).arg(told)));
    }
};

QTEST_GUILESS_MAIN(CrowdTest)
#include "crowd_test.moc"
