// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/files.h"
#include "ui/panels/import_log_model.h"
#include "ui/panels/statistics_model.h"
#include "ui/panels/steps_model.h"

#include <QAbstractItemModelTester>
#include <QTest>

using namespace longpole;

namespace {

/// Three phases that take a third of 100 ms each, so that plain rounding would lose a microsecond.
std::shared_ptr<const Statistics> thirds() {
    auto statistics = std::make_shared<Statistics>();
    statistics->window.range = {0, 100'000'000};
    statistics->total.sum = 100'000'000;
    const std::pair<const char *, TimeNs> parts[] = {
        {"forward", 33'333'333}, {"backward", 33'333'333}, {"other", 33'333'334}};
    uint64_t count = 1;
    for (const auto &[key, sum] : parts) {
        StatRow row;
        row.key = key;
        row.count = count;
        row.sum = row.unionTime = row.exclusive = row.self = sum;
        row.mean = row.p50 = row.p95 = row.max = sum / TimeNs(count);
        statistics->total.count += count++;
        statistics->total.exclusive += sum;
        statistics->rows.push_back(row);
    }
    statistics->total.max = 33'333'333;
    return statistics;
}

QStringList column(const QAbstractItemModel &model, int column) {
    QStringList cells;
    for (int row = 0; row < model.rowCount(); ++row)
        cells << model.index(row, column).data().toString();
    return cells;
}

} // namespace

class ModelsTest : public QObject {
    Q_OBJECT
private slots:
    void statisticsAreAModel() {
        StatisticsModel model;
        QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        StatisticsTotal total(model);
        QAbstractItemModelTester totalTester(&total);
        QCOMPARE(model.rowCount(), 0);
        model.setStatistics(thirds(), GroupBy::Phase, defaultPhaseRules());
        QCOMPARE(model.rowCount(), 3);
        model.setStatistics({}, GroupBy::Phase, {});
        QCOMPARE(model.rowCount(), 0);
    }

    void printedSumsAddUp() {
        StatisticsModel model;
        model.setStatistics(thirds(), GroupBy::Phase, defaultPhaseRules());
        double sum = 0;
        for (const QString &cell : column(model, StatisticsModel::Sum)) sum += cell.toDouble();
        QCOMPARE(QString::number(sum, 'f', 3), QStringLiteral("100.000"));
        QCOMPARE(model.totalCell(StatisticsModel::Sum), QStringLiteral("100.000"));
    }

    void everyTimeColumnNamesItsUnit() {
        StatisticsModel model;
        model.setStatistics(thirds(), GroupBy::Phase, defaultPhaseRules());
        for (int c = StatisticsModel::Sum; c < StatisticsModel::ColumnCount; ++c) {
            const QString title = model.headerData(c, Qt::Horizontal, Qt::DisplayRole).toString();
            QVERIFY2(title.endsWith(QLatin1String(", ms")), qPrintable(title));
            QVERIFY(!model.headerData(c, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty());
        }
    }

    void stepsAreAModel() {
        StepsModel model;
        QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        auto loaded = std::make_shared<Loaded>();
        for (int i = 0; i < 3; ++i) {
            Step step;
            step.name = "ProfilerStep#" + std::to_string(i);
            step.begin = i * 20'000'000;
            step.end = step.drainedEnd = step.begin + 12'345'678;
            if (i < 2) step.period = 20'000'000;
            step.leftOut = i == 0;
            step.reason = i == 0 ? "First step: caches warm up." : "";
            loaded->steps.steps.push_back(step);
        }
        model.setLoaded(loaded);
        QCOMPARE(column(model, StepsModel::Length), (QStringList{"12.346", "12.346", "12.346"}));
        QCOMPARE(column(model, StepsModel::Period), (QStringList{"20.000", "20.000", "–"}));
        QCOMPARE(column(model, StepsModel::Reason), (QStringList{"first step", "", ""}));
        QCOMPARE(model.index(0, StepsModel::Reason).data(Qt::ToolTipRole).toString(),
                 QString("First step: caches warm up."));
    }

    /// A reason leads to the interval that it is about: by its begin, or by the end event of a
    /// pair.
    void importLogLeadsToIntervals() {
        const auto trace = test::openText(R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":10},
{"ph":"X","name":"late","pid":1,"tid":1,"ts":5,"dur":10},{"ph":"?"},
{"ph":"B","name":"pair","pid":1,"tid":2,"ts":0},{"ph":"E","name":"other","pid":1,"tid":2,"ts":7}])");
        QVERIFY(trace);
        ImportLogModel model;
        model.setTrace(*trace);
        QCOMPARE(column(model, ImportLogModel::What),
                 (QStringList{"set aside: unknown phase", "noticed: overlap",
                              "noticed: end name mismatch"}));
        QVERIFY(!model.firstInterval(0).valid());
        QCOMPARE((*trace)->name(model.firstInterval(1)), std::string_view("late"));
        QCOMPARE((*trace)->name(model.firstInterval(2)), std::string_view("pair"));
    }

    void importLogIsAModel() {
        ImportLogModel model;
        QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        auto trace = std::make_shared<Trace>();
        trace->files.emplace_back();
        trace->diagnostics.add(Reason::Overlap, 1'234, 2);
        trace->diagnostics.add(Reason::BadTime, 99, 1'000);
        model.setTrace(trace);
        QCOMPARE(column(model, ImportLogModel::What),
                 (QStringList{"set aside: bad time", "noticed: overlap"}));
        QCOMPARE(column(model, ImportLogModel::CountColumn), (QStringList{"1,000", "2"}));
        QCOMPARE(column(model, ImportLogModel::FirstByte), (QStringList{"99", "1,234"}));
        EventCounts events;
        events.read = 1'010;
        events.intervals = 10;
        events.setAside = 1'000;
        QCOMPARE(balanceText(events),
                 QStringLiteral("1,010 events read = 10 intervals + 1,000 set aside"));
    }
};

QTEST_MAIN(ModelsTest)
#include "models_test.moc"
