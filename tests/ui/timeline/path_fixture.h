// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/import/importer.h"
#include "tests/support/text_trace.h"
#include "ui/theme.h"
#include "ui/timeline/lanes_painter.h"
#include "ui/timeline/path_strip.h"
#include <QtTest>

namespace longpole::test {

/// A trace with the path and the idle books of its window.
struct Analysed {
    std::shared_ptr<const Loaded> loaded;
    std::shared_ptr<const WindowPath> path;
    std::shared_ptr<const std::vector<DeviceIdle>> idle;
    const Trace &trace() const { return *loaded->trace; }
};

inline Analysed analysed(std::shared_ptr<const Trace> trace, const WindowRequest &request = {}) {
    auto loaded = std::make_shared<Loaded>();
    loaded->trace = std::move(trace);
    loaded->steps = findSteps(*loaded->trace);
    loaded->phases = phases(*loaded->trace, loaded->steps);
    Progress progress;
    auto graph = buildGraph(*loaded->trace, loaded->steps, loaded->phases, progress);
    if (!graph) qFatal("%s", graph.error().message.c_str());
    const Window window = *resolveWindow(*loaded->trace, loaded->steps, request);
    auto path = std::make_shared<WindowPath>();
    path->graph = std::make_shared<const DependencyGraph>(std::move(*graph));
    path->path = criticalPath(*loaded->trace, loaded->steps, *path->graph, window);
    Analysed result{loaded, path, {}};
    auto idle = idleBooks(*loaded->trace, loaded->phases, *path->graph, window, progress);
    if (idle) result.idle = std::make_shared<const std::vector<DeviceIdle>>(std::move(*idle));
    return result;
}

inline Analysed example(const char *name) {
    Progress progress;
    auto trace =
        openTraces({std::string(LONGPOLE_SOURCE_DIR "/resources/examples/") + name}, progress);
    if (!trace) qFatal("%s", trace.error().message.c_str());
    return analysed(*trace);
}

/// All rows of a trace with its path, one device pixel to `ns` nanoseconds.
struct Painted {
    Painted(const Analysed &of, TimeRange view, int width, double ratio = 1)
        : data(of.loaded), path(of.path, data), idle(of.idle), ratio(ratio) {
        RowChoices choices;
        choices.idle = true;
        choices.height = 4000;
        rows = layoutRows(data, choices);
        LanesFrame frame{data, rows, view,  0,    {width, totalHeight(rows) + 10}, ratio, {}, {},
                         {},   0,    &path, &idle};
        image = painter.paint(frame);
    }
    const Row &row(const QString &label) const {
        const auto it =
            std::find_if(rows.begin(), rows.end(), [&](const Row &r) { return r.label == label; });
        if (it == rows.end()) qFatal("no row %s", qPrintable(label));
        return *it;
    }
    /// Low enough in the bar to miss its text.
    QColor bar(const QString &label, int x) const {
        return image.pixelColor(x, int((row(label).y + row(label).bar - 2) * ratio));
    }
    /// The middle of the gutter under a row.
    QColor gutter(const QString &label, int x) const {
        return image.pixelColor(x, int((row(label).bottom() - 4) * ratio) + 1);
    }
    QColor colour(const char *name) const {
        return data.groupColours()[data.groupOf(test::find(data.trace(), name))];
    }

    TimelineData data;
    PathIndex path;
    IdleIndex idle;
    std::vector<Row> rows;
    LanesPainter painter;
    QImage image;
    double ratio;
};

/// The path goes to the device and comes back: launch at 320 µs, sync at about 690.
inline const char *const kLaunchAndSync = "main: work 0..300\n"
                                          "main: cudaLaunchKernel 300..310 launch corr=1\n"
                                          "main: cudaDeviceSynchronize 320..700 sync\n"
                                          "main: log 700..1000\n"
                                          "gpu0/s7: gemm 320..690 corr=1\n";

} // namespace longpole::test
