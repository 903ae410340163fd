// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "tests/support/text_trace.h"
#include "ui/panels/path_model.h"

#include <QAbstractItemModelTester>
#include <QElapsedTimer>

using namespace longpole;

namespace {

struct Analysed {
    std::shared_ptr<const Loaded> loaded;
    std::shared_ptr<const WindowPath> path;
};

Analysed analyse(std::string_view text) {
    auto loaded = std::make_shared<Loaded>();
    loaded->trace = test::traceFromText(text);
    loaded->steps = findSteps(*loaded->trace);
    loaded->phases = phases(*loaded->trace, loaded->steps);
    Progress progress;
    auto graph = std::make_shared<const DependencyGraph>(
        *buildGraph(*loaded->trace, loaded->steps, loaded->phases, progress));
    const Window window = *resolveWindow(*loaded->trace, loaded->steps, {});
    auto path = std::make_shared<WindowPath>();
    path->graph = graph;
    path->path = criticalPath(*loaded->trace, loaded->steps, *graph, window);
    return {loaded, path};
}

const char *const kLaunches = "main: ## forward ## 0..400 annotation\n"
                              "main: cudaLaunchKernel 10..12 launch corr=1\n"
                              "gpu0/s7: k1 20..200 corr=1\n"
                              "main: cudaDeviceSynchronize 30..210 sync\n"
                              "main: a name with\ttabs 250..300\n";

} // namespace

class PathTest : public QObject {
    Q_OBJECT
private slots:
    void areModels() {
        PathModel model;
        PathTotals totals;
        const auto mode = QAbstractItemModelTester::FailureReportingMode::QtTest;
        QAbstractItemModelTester tester(&model, mode), totalsTester(&totals, mode);
        QCOMPARE(model.rowCount(), 0);
        QCOMPARE(model.longest(), -1);
        QCOMPARE(totals.rowOf(0), -1);
        const Analysed a = analyse(kLaunches);
        model.setPath(a.loaded, a.path);
        QCOMPARE(model.rowCount(), int(a.path->path.segments.size()));
        for (const PathBy by : {PathBy::Phase, PathBy::Kind, PathBy::Trust}) {
            totals.setPath(a.loaded, a.path, by);
            int listed = 0;
            for (int row = 0; row + 1 < totals.rowCount(); ++row) {
                model.setOnly(by, totals.keyAt(row));
                QVERIFY(model.rowCount() > 0);
                listed += model.rowCount();
            }
            QCOMPARE(listed, int(a.path->path.segments.size()));
            QCOMPARE(totals.keyAt(totals.rowCount() - 1), PathKeys::kAll);
        }
        model.setPath({}, {});
        totals.setPath({}, {}, PathBy::Phase);
        QCOMPARE(model.rowCount(), 0);
    }

    void rowsTileTheWindow() {
        const Analysed a = analyse(kLaunches);
        PathModel model;
        model.setPath(a.loaded, a.path);
        TimeNs at = a.path->path.window.range.begin;
        for (int row = 0; row < model.rowCount(); ++row) {
            const PathSegment *s = model.segment(row);
            QCOMPARE(s->begin, at);
            at = s->end;
            QCOMPARE(model.rowAt(s->begin), row);
            QCOMPARE(model.rowAt(s->end - 1), row);
            for (int c = 0; c < model.columnCount(); ++c)
                QVERIFY(c == PathModel::Track || !model.index(row, c).data().toString().isEmpty());
        }
        QCOMPARE(at, a.path->path.window.range.end);
        QCOMPARE(model.rowAt(at), -1);
        const PathSegment *longest = model.segment(model.longest());
        for (const PathSegment &s : a.path->path.segments)
            QVERIFY(s.end - s.begin <= longest->end - longest->begin);
    }

    /// A million segments are listed and filtered while a person waits.
    void millions() {
        const Analysed a = analyse("main: w 0..10\n");
        auto path = std::make_shared<WindowPath>(*a.path);
        path->path.segments.clear();
        constexpr int kCount = 1'000'000;
        for (int i = 0; i < kCount; ++i) {
            PathSegment s;
            s.begin = i * 10;
            s.end = s.begin + 10;
            s.type = i % 2 ? PathSegment::Type::Lag : PathSegment::Type::Untraced;
            s.track = 0;
            path->path.segments.push_back(s);
        }
        path->path.window.range = {0, TimeNs(kCount) * 10};
        QElapsedTimer timer;
        timer.start();
        PathModel model;
        PathTotals totals;
        totals.setPath(a.loaded, path, PathBy::Phase);
        model.setPath(a.loaded, path);
        QCOMPARE(model.rowCount(), kCount);
        model.setOnly(PathBy::Phase, PathKeys::kLatency);
        QCOMPARE(model.rowCount(), kCount / 2);
        QCOMPARE(model.rowAt(10), 0);
        QVERIFY2(timer.elapsed() < 3000, qPrintable(QString::number(timer.elapsed())));
        qInfo("%lld ms", timer.elapsed());
    }
};

QTEST_MAIN(PathTest)
#include "path_test.moc"
