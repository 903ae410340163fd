// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/statistics.h"
#include "core/base/input_file.h"
#include "core/import/importer.h"
#include "tests/support/training_trace.h"

#include <QTest>

#include <algorithm>

using namespace longpole;

namespace {

std::string example(const std::string &name) {
    return LONGPOLE_SOURCE_DIR "/resources/examples/" + name;
}

std::string textOfFile(const std::string &path) {
    auto file = InputFile::open(path);
    if (!file) return {};
    TextReader reader{std::shared_ptr<const InputFile>(*file)};
    std::string text;
    std::vector<char> block(1 << 16);
    while (const size_t size = reader.read(block.data(), block.size()))
        text.append(block.data(), size);
    return text;
}

} // namespace

class ExamplesTest : public QObject {
    Q_OBJECT
private slots:
    void trainingExampleIsWhatTheGeneratorWrites() {
        std::string made;
        test::writeTrainingTrace({}, [&](std::string_view text) { made += text; });
        const std::string shipped = textOfFile(example("training.json.gz"));
        QVERIFY(!shipped.empty());
        // QCOMPARE would print megabytes
        QVERIFY2(shipped == made,
                 "make_training_trace | gzip -9n > resources/examples/training.json.gz");
    }

    void trainingExampleReadsWell() {
        Progress progress;
        const auto opened = openTraces({example("training.json.gz")}, progress);
        QVERIFY2(opened, opened ? "" : opened.error().message.c_str());
        const Trace &trace = **opened;
        QCOMPARE(trace.events.setAside, uint64_t(0));
        for (const Severity severity : {Severity::Repaired, Severity::Noticed})
            QVERIFY(trace.diagnostics.occurred(severity).empty());
        QCOMPARE(trace.files[0].rank, int64_t(0));
        const Steps steps = findSteps(trace);
        QCOMPARE(steps.steps.size(), size_t(20));
        QVERIFY(!steps.pipelined);
        QVERIFY(steps.startup);
        QVERIFY(steps.steps[0].length() > 5 * steps.steady->median);
        QVERIFY(steps.steps[1].length() > 2 * steps.steady->median);
        const auto window = resolveWindow(trace, steps, {});
        const auto result =
            statistics(trace, phases(trace, steps), *window, GroupBy::Phase, progress);
        TimeNs other = 0, device = 0;
        for (const char *id : {"data_wait", "transfer", "forward", "backward", "communication",
                               "synchronisation", "update"}) {
            const auto row = std::find_if(result->rows.begin(), result->rows.end(),
                                          [&](const StatRow &r) { return r.key == id; });
            QVERIFY2(row != result->rows.end() && row->exclusive > 0, id);
            device += row->sum;
        }
        for (const StatRow &row : result->rows)
            if (row.key == "other") other = row.sum;
        QVERIFY(other < device / 20);
    }

    void everyExampleBalances_data() {
        QTest::addColumn<QString>("name");
        for (const char *name :
             {"serial_step.json", "overlapping_timeline.json", "training.json.gz"})
            QTest::newRow(name) << name;
    }
    void everyExampleBalances() {
        QFETCH(QString, name);
        Progress progress;
        const auto opened = openTraces({example(name.toStdString())}, progress);
        QVERIFY(opened);
        const EventCounts &e = (*opened)->events;
        QCOMPARE(e.read, e.intervals + e.paired + e.counters + e.flows + e.instants + e.metadata +
                             e.setAside);
        QCOMPARE(e.setAside, uint64_t(0));
    }

    void sizesAreMet() {
        uint64_t size = 0;
        test::writeTrainingTrace(test::shapeOfSize(5'000'000),
                                 [&](std::string_view text) { size += text.size(); });
        QVERIFY(size > 4'500'000 && size < 5'500'000);
    }
};

QTEST_APPLESS_MAIN(ExamplesTest)
#include "examples_test.moc"
