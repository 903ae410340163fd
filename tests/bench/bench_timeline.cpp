// SPDX-License-Identifier: Apache-2.0
#include "core/base/parallel.h"
#include "core/import/importer.h"
#include "core/model/trace_builder.h"
#include "ui/main_window.h"
#include "ui/timeline/timeline_view.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFile>
#include <QImage>
#include <QProcess>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace longpole;

namespace {

constexpr QSize kScreen(1920, 1080);
constexpr int kFrames = 120;

/// A loop of nested host ranges and kernels on three streams: `count` intervals in all.
std::shared_ptr<const Trace> generated(uint32_t count) {
    SourceFile file;
    file.name = "generated";
    TraceBuilder builder(file);
    const uint32_t process = builder.process("1");
    const uint32_t host = builder.threadTrack(process, "1");
    uint32_t streams[3];
    for (int s = 0; s < 3; ++s) streams[s] = builder.streamTrack(process, 0, 7 + s);
    const StringId names[] = {builder.strings().intern("aten::linear"),
                              builder.strings().intern("aten::addmm"),
                              builder.strings().intern("cudaLaunchKernel"),
                              builder.strings().intern("ampere_sgemm_128x64_tn")};
    const Kind kinds[] = {Kind::CpuOp, Kind::CpuOp, Kind::Launch, Kind::Kernel};
    TimeNs now = 0;
    for (uint32_t i = 0; i < count / 4; ++i, now += 9'000 + i * 7919 % 5'000)
        for (int level = 0; level < 4; ++level) {
            IntervalRow row;
            row.begin = now + level * 700;
            row.end = now + 8'000 - level * 700;
            row.name = names[level];
            row.kind = kinds[level];
            row.offset = i * 4 + uint32_t(level);
            builder.addInterval(level < 3 ? host : streams[i % 3], row);
        }
    Progress progress;
    Result<Trace> trace = builder.finish(progress, workerCount());
    return trace ? std::make_shared<const Trace>(std::move(*trace)) : nullptr;
}

std::shared_ptr<const Trace> opened(const char *what) {
    char *end = nullptr;
    const unsigned long count = std::strtoul(what, &end, 10);
    if (count > 0 && *end == '\0') return generated(uint32_t(count));
    Progress progress;
    auto trace = openTraces({what}, progress);
    if (trace) return *trace;
    std::fprintf(stderr, "%s\n", trace.error().message.c_str());
    return nullptr;
}

class Bench {
public:
    explicit Bench(std::shared_ptr<const Loaded> loaded)
        : m_view(m_state), m_screen(kScreen, QImage::Format_ARGB32_Premultiplied) {
        m_view.resize(kScreen);
        QElapsedTimer timer;
        timer.start();
        m_state.setLoaded(std::move(loaded));
        std::printf("prepare_ms %.2f\n", double(timer.nsecsElapsed()) / 1e6);
    }

    /// The path of the window over all frames that follow.
    void showPath() {
        const auto loaded = m_state.loaded();
        Progress progress;
        auto graph = buildGraph(*loaded->trace, loaded->steps, loaded->phases, progress);
        if (!graph) return;
        auto path = std::make_shared<WindowPath>();
        path->graph = std::make_shared<const DependencyGraph>(std::move(*graph));
        const Window all{loaded->trace->range, Window::Kind::All, {}, {}};
        path->path = criticalPath(*loaded->trace, loaded->steps, *path->graph, all);
        std::printf("path_segments %zu\n", path->path.segments.size());
        auto idle = idleBooks(*loaded->trace, loaded->phases, *path->graph, all, progress);
        QElapsedTimer timer;
        timer.start();
        m_view.setPath(path);
        std::printf("path_blocks_ms %.2f\n", double(timer.nsecsElapsed()) / 1e6);
        while (!m_view.hasPath()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        if (idle) m_view.setIdle(std::make_shared<const std::vector<DeviceIdle>>(std::move(*idle)));
        std::printf("path_prepare_ms %.2f\n", double(timer.nsecsElapsed()) / 1e6);
    }

    void run() {
        const TimeRange all = m_state.trace()->range;
        const TimeRange opening = m_state.view();
        std::printf("opening_frame_ms %.2f\n", frame(opening));
        std::printf("first_whole_frame_ms %.2f\n", frame(all));
        series("pan_whole", [&](int i) { return shifted(all, i * all.length() / 2000); });
        const TimeRange tenth{all.begin, all.begin + all.length() / 10 + 1};
        series("pan_tenth", [&](int i) { return shifted(tenth, i * all.length() / 200); });
        series("pan_opening", [&](int i) { return shifted(opening, i * opening.length() / 100); });
        const TimeNs middle = all.begin + all.length() / 2;
        series("zoom", [&](int i) { return zoomed(all, middle, std::pow(1.12, i)); });
    }

private:
    static TimeRange shifted(TimeRange r, TimeNs by) { return {r.begin + by, r.end + by}; }

    double frame(TimeRange view) {
        m_state.setView(view, false);
        QElapsedTimer timer;
        timer.start();
        m_view.render(&m_screen);
        return double(timer.nsecsElapsed()) / 1e6;
    }

    template <class ViewOf>
    void series(const char *name, ViewOf viewOf) {
        std::vector<double> times;
        for (int i = 0; i < kFrames; ++i) times.push_back(frame(viewOf(i)));
        std::sort(times.begin(), times.end());
        std::printf("%s_median_ms %.2f\n%s_p99_ms %.2f\n", name, times[times.size() / 2], name,
                    times[times.size() * 99 / 100]);
    }

    ViewState m_state;
    TimelineView m_view;
    QImage m_screen;
};

/// Time from the begin of this program until a window shows the file, and how much later that is
/// than `longpole-cli info` ends.
void measureOpening(const QString &path, const QElapsedTimer &sinceStart) {
    MainWindow window;
    window.resize(kScreen);
    window.show();
    QEventLoop loop;
    QObject::connect(&window.session(), &Session::opened, &loop, &QEventLoop::quit);
    QObject::connect(&window.session(), &Session::openFailed, &loop, &QEventLoop::quit);
    window.openPaths({path});
    loop.exec();
    window.timeline().repaint();
    const double shown = double(sinceStart.nsecsElapsed()) / 1e6;
    std::vector<double> info;
    for (int round = 0; round < 5; ++round) {
        QElapsedTimer timer;
        timer.start();
        QProcess cli;
        cli.start(LONGPOLE_BINARY_DIR "/app/longpole-cli", {"info", path, "--json"});
        cli.waitForFinished(-1);
        info.push_back(double(timer.nsecsElapsed()) / 1e6);
    }
    std::sort(info.begin(), info.end());
    std::printf("window_shown_ms %.0f\ninfo_ms %.0f\nwindow_later_ms %.0f\n", shown, info[2],
                shown - info[2]);
}

} // namespace

/// bench_timeline [TRACE | COUNT [path]]: milliseconds per frame at 1920×1080, of a file or of a
/// generated trace with COUNT intervals (330,000 without an argument); of a file also until it is
/// shown; with `path` under the critical path of the whole trace.
int main(int argc, char **argv) {
    QElapsedTimer sinceStart;
    sinceStart.start();
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    if (argc > 1 && QFile::exists(argv[1])) measureOpening(argv[1], sinceStart);
    const auto trace = opened(argc > 1 ? argv[1] : "330000");
    if (!trace) return 3;
    auto loaded = std::make_shared<Loaded>();
    loaded->trace = trace;
    loaded->steps = findSteps(*trace);
    loaded->phases = phases(*trace, loaded->steps);
    std::printf("intervals %llu\n", static_cast<unsigned long long>(trace->intervalCount()));
    Bench bench(loaded);
    if (argc > 2 && std::string_view(argv[2]) == "path") bench.showPath();
    bench.run();
    return 0;
}
