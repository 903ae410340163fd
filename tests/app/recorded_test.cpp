// SPDX-License-Identifier: Apache-2.0
// What is known of recorded traces, counted from the files by other programs, agrees with `info`,
// `steps` and `stats`. Needs the folder of recorded traces that LONGPOLE_TRACES names.
#include <QTest>

#include "tests/app/command_line.h"

#include <QFile>
#include <QJsonArray>

#include <algorithm>
#include <cmath>
#include <vector>

using longpole::test::run;

namespace {

constexpr double kUnknown = -1;

/// Busy: union of kernels, copies and memsets in exact arithmetic. Hidden: the share of
/// communication behind compute as HTA computes it, in per cent; it rounds decimal times down to
/// microseconds.
struct Facts {
    const char *file;
    qint64 read, intervals;
    const char *ranks;
    const char *steps; ///< numbers of the ProfilerSteps in order of time
    qint64 syncs, kernels, copies, memsets;
    qint64 busyNs;
    double hidden = kUnknown;
    qint64 exposedNs = -1; ///< communication that no other kernel hides; exact
};

constexpr Facts kFacts[] = {
    {"ascend_npu_level0_rank0.json.gz", 7969, 5353, "0", "50", 0, 0, 0, 0, 0},
    {"hta_amd_mi250_minitoy.json.gz", 220, 113, "", "1 2", 0, 14, 2, 0, 149'042},
    {"hta_cpu_only_callstacks.json.gz", 2467, 2467, "0", "1009", 0, 0, 0, 0, 0},
    {"hta_cuda_event_sync.json.gz", 92, 33, "0", "100", 4, 4, 1, 0, 51'000},
    {"hta_cupti_range_profiler.json.gz", 4222, 2324, "0", "", 0, 0, 0, 0, 0},
    {"hta_dlrm_a100_rank3_oldcat.json.gz", 109123, 74937, "3", "1009 1010 1011 1012 1013 1014", 0,
     8568, 228, 654, 388'587'000, 46.24, 87'921'000},
    {"hta_gpu_user_annotation.json.gz", 1344, 984, "0", "", 0, 130, 10, 0, 291'000},
    {"hta_memory_events_big.json.gz", 216092, 123379, "1", "2 3 4 5 6", 0, 19370, 2040, 880,
     1'000'613'000, 0, 357'343'000},
    {"hta_oldest_cats_rank1.json.gz", 54, 13, "1", "", 0, 4, 0, 0, 30'000},
    {"hta_resnet_nccl_rank0.json.gz", 40573, 26933, "0", "4 5 6", 0, 2700, 960, 114, 157'500'014,
     15.14, 39'559'468},
    {"hta_sampled_128ranks_rank0.json.gz", 4855, 4811, "0", "551 552", 0, 1154, 40, 10, 547'656'000,
     14.95, 336'983'000},
    {"hta_simple_add.json.gz", 1348, 838, "0", "", 41, 79, 16, 3, 49'758'000},
    {"hta_triton_kernel.json.gz", 71, 8, "", "1", 0, 1, 0, 0, 1'760},
    {"kineto_resnet50_v100_array.json.gz", 82276, 63166, "", "5 6 7 8 9 10", 0, 9538, 12, 377,
     649'472'000},
    {"kineto_stream_wait_out_of_order.json", 75, 9, "", "", 2, 1, 0, 0, 20},
    {"megatron_tp8_a100_rank0.json.gz", 14245, 9816, "0", "3", 0, 690, 6, 81, 372'727'000, 0,
     241'191'000},
    {"megatron_tp8_a100_rank1.json.gz", 15457, 10422, "1", "3", 0, 690, 6, 81, 613'407'000, 0,
     481'306'000},
    {"nsys_t4_power_iteration_chrome.json.gz", 12590, 12590, "", "", 0, 3689, 0, 0, 1'131'742'684},
    {"tracelens_b200_eager_nccl.json.gz", 24656, 22355, "0", "", 0, 768, 161, 0, 11'596'482, 0,
     21'953},
    {"tracelens_mi300_ddp_resnet18.json.gz", 29746, 20802, "", "", 0, 2360, 5, 10, 358'940'397},
    {"tracelens_mi300_vllm_graph.json.gz", 1993, 1539, "0", "", 0, 425, 9, 0, 10'717'708},
    {"hta_large_integer.json.gz", 2, 2, "", "", 0, 1, 0, 0, 50'000, 0, 50'000},
    {"hta_simple_add_overlaid_golden.json.gz", 1732, 838, "0", "", 41, 79, 16, 3, 49'758'000},
    {"hta_trace_compare_base.json.gz", 33, 33, "1", "1009 1010", 0, 6, 6, 6, 1'694'000},
    {"nsys_a100_saxpy_schema2.sqlite", 3399, 153, "", "", 0, 5, 15, 0, 373'273'080},
    {"nsys_h100x2_train_before.sqlite", 32479, 32255, "", "", 366, 4010, 1020, 269, 541'093'703, 0,
     25'401'752},
    {"nsys_t4_power_iteration.sqlite", 14064, 13504, "", "", 90, 3689, 89, 0, 1'132'064'724},
    {"ctef_async_begin_end.json", 35, 15, "", "", 0, 0, 0, 0, 0},
    {"ctef_flow_simple.json", 10, 5, "", "", 0, 0, 0, 0, 0},
    {"ctef_flow_v1.json", 10, 5, "", "", 0, 0, 0, 0, 0},
    {"ctef_instance_counters.json", 12, 2, "", "", 0, 0, 0, 0, 0},
    {"ctef_instant_events.json", 5, 0, "", "", 0, 0, 0, 0, 0},
    {"ctef_nanoseconds.json", 16, 8, "", "", 0, 0, 0, 0, 0},
    {"ctef_nestable_async.json", 20, 9, "", "", 0, 0, 0, 0, 0},
    {"ctef_simple_trace.json", 37, 12, "", "", 0, 0, 0, 0, 0},
    {"ctef_x_events_objects.json.gz", 4027, 3294, "", "", 0, 0, 0, 0, 0},
    {"ctef_unclosed_slices.json.gz", 3386, 1684, "", "", 0, 0, 0, 0, 0},
    {"ctef_fuchsia_float_ts.json.gz", 137093, 66675, "", "", 0, 0, 0, 0, 0},
};

QString joined(const QJsonArray &numbers) {
    QStringList texts;
    for (const QJsonValue &number : numbers) texts << QString::number(number.toInteger());
    return texts.join(' ');
}

} // namespace

class RecordedTest : public QObject {
    Q_OBJECT
private slots:
    void factsAgree_data() {
        QTest::addColumn<int>("index");
        for (size_t i = 0; i < std::size(kFacts); ++i) QTest::newRow(kFacts[i].file) << int(i);
    }

    void factsAgree() {
        QFETCH(int, index);
        const Facts &facts = kFacts[index];
        const QString path = qEnvironmentVariable("LONGPOLE_TRACES") + '/' + facts.file;
        if (qEnvironmentVariableIsEmpty("LONGPOLE_TRACES") || !QFile::exists(path) ||
            qEnvironmentVariableIsEmpty("LONGPOLE_CLI"))
            QSKIP("LONGPOLE_TRACES names no folder with this trace");
        const QJsonObject info = run({"info", path, "--json"}).json();
        QCOMPARE(info["events"]["read"].toInteger(), facts.read);
        QCOMPARE(info["events"]["intervals"].toInteger(), facts.intervals);
        QCOMPARE(joined(info["job"]["ranks"].toArray()), facts.ranks);
        QCOMPARE(info["sync_records"].toInteger(), facts.syncs);
        qint64 kernels = 0, copies = 0, memsets = 0, busy = 0;
        for (const QJsonValue &device : info["devices"].toArray()) {
            kernels += device["kernels"].toInteger();
            copies += device["copies"].toInteger();
            memsets += device["memsets"].toInteger();
            busy += device["busy_union_ns"].toInteger();
        }
        QCOMPARE(kernels, facts.kernels);
        QCOMPARE(copies, facts.copies);
        QCOMPARE(memsets, facts.memsets);
        QCOMPARE(busy, facts.busyNs);

        QStringList steps;
        for (const QJsonValue &step : run({"steps", path, "--json"}).json()["steps"].toArray())
            if (step["name"].toString().startsWith("ProfilerStep#")) // others are inferred
                steps << step["name"].toString().section('#', 1);
        QCOMPARE(steps.join(' '), facts.steps);

        const QJsonObject stats = run({"stats", path, "--all", "--json"}).json();
        QVERIFY(stats.contains("rows"));
        if (facts.exposedNs < 0) return;
        qint64 all = 0, exposed = 0;
        for (const QJsonValue &device : stats["communication"].toArray()) {
            all += device["union_ns"].toInteger();
            exposed += device["exposed_ns"].toInteger();
        }
        QCOMPARE(exposed, facts.exposedNs);
        const double hidden = 100 - 100 * double(exposed) / double(all);
        QVERIFY2(std::abs(hidden - facts.hidden) < 0.5, qPrintable(QString::number(hidden)));
        for (const QJsonValue &device : stats["communication"].toArray())
            if (device["union_ns"].toInteger())
                QCOMPARE(device["exposed_ns"].toInteger(),
                         qRound64((1 - device["hidden_share"].toDouble()) *
                                  double(device["union_ns"].toInteger())));
    }

    /// Where waits are recorded, time of the host without an event on the path is no wait that was
    /// overlooked: it would end where device work does, but it does so no oftener than chance has
    /// it. (A thread comes back from a wait within 12 us.)
    void untracedTimeIsNoWait_data() {
        QTest::addColumn<QString>("file");
        for (const Facts &facts : kFacts)
            if (facts.syncs > 0) QTest::newRow(facts.file) << QString(facts.file);
    }
    void untracedTimeIsNoWait() {
        QFETCH(QString, file);
        const QString path = qEnvironmentVariable("LONGPOLE_TRACES") + '/' + file;
        if (qEnvironmentVariableIsEmpty("LONGPOLE_TRACES") || !QFile::exists(path) ||
            qEnvironmentVariableIsEmpty("LONGPOLE_CLI"))
            QSKIP("LONGPOLE_TRACES names no folder with this trace");
        constexpr qint64 kReturn = 12'000;
        std::vector<qint64> ends;
        const QJsonObject all = run({"list", path, "--limit", "1000000", "--json"}).json();
        for (const QJsonValue &interval : all["intervals"].toArray())
            if (QStringList{"kernel", "memset", "h2d", "d2h", "d2d", "p2p", "comm"}.contains(
                    interval["kind"].toString()))
                ends.push_back(interval["end_ns"].toInteger());
        std::sort(ends.begin(), ends.end());
        QVERIFY(!ends.empty());
        for (const QStringList &window : {QStringList{}, QStringList{"--all"}}) {
            const QJsonObject answer = run(QStringList{"path", path, "--json"} + window).json();
            if (window.isEmpty()) // a capture may begin on another thread
                QVERIFY(answer["by_evidence"]["unexplained"].toInteger() <=
                        answer["window"]["elapsed_ns"].toInteger() / 100);
            int stretches = 0, hits = 0;
            double chance = 0;
            for (const QJsonValue &segment : answer["segments"].toArray()) {
                const qint64 begin = segment["begin_ns"].toInteger(),
                             end = segment["end_ns"].toInteger();
                if (segment["type"] != "untraced" || end - begin <= kReturn) continue;
                ++stretches;
                qint64 close = 0, seen = begin; // time of it that lies so close behind an end
                auto it = std::upper_bound(ends.begin(), ends.end(), begin);
                for (; it != ends.end() && *it <= end; ++it) {
                    close +=
                        std::max<qint64>(0, std::min(*it + kReturn, end) - std::max(*it, seen));
                    seen = std::max(seen, *it + kReturn);
                }
                hits += it != ends.begin() && *(it - 1) > begin && end - *(it - 1) <= kReturn;
                chance += double(close) / double(end - begin);
            }
            std::printf("%s %s: %d stretches without an event, %d end behind device work, %.1f by "
                        "chance\n",
                        qPrintable(file), qPrintable(window.join(' ')), stretches, hits, chance);
            std::fflush(stdout);
            QVERIFY(hits <= chance + 3 * std::sqrt(chance) + 1);
        }
    }

    /// Two ranks are one job, on clocks that nobody has aligned.
    void ranksOfAJob() {
        const QString folder = qEnvironmentVariable("LONGPOLE_TRACES");
        const QStringList files = {folder + "/megatron_tp8_a100_rank0.json.gz",
                                   folder + "/megatron_tp8_a100_rank1.json.gz"};
        if (folder.isEmpty() || !QFile::exists(files[0]) || !QFile::exists(files[1]) ||
            qEnvironmentVariableIsEmpty("LONGPOLE_CLI"))
            QSKIP("LONGPOLE_TRACES names no folder with these traces");
        const QJsonObject info = run(QStringList{"info"} + files + QStringList{"--json"}).json();
        QCOMPARE(joined(info["job"]["ranks"].toArray()), QString("0 1"));
        QCOMPARE(info["job"]["world_size"].toInteger(), qint64(8));
        QCOMPARE(info["events"]["read"].toInteger(), qint64(14245 + 15457));
        bool said = false;
        for (const QJsonValue &reason : info["noticed"].toArray())
            said |= reason["reason"].toString() == "clocks_not_aligned" && reason["count"] == 1;
        QVERIFY(said);
        qint64 busy = 0;
        for (const QJsonValue &device : info["devices"].toArray()) {
            QCOMPARE(device["rank"].toInteger(), device["device"].toInteger());
            busy += device["busy_union_ns"].toInteger();
        }
        QCOMPARE(busy, qint64(372'727'000 + 613'407'000));
    }
};

QTEST_APPLESS_MAIN(RecordedTest)
#include "recorded_test.moc"
