// SPDX-License-Identifier: Apache-2.0
#include "core/base/parallel.h"
#include "core/import/importer.h"
#include "core/model/trace_builder.h"
#include "ui/main_window.h"
#include "ui/timeline/preview_view.h"
#include "ui/timeline/timeline_view.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QStandardPaths>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

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

double residentMb() {
    QFile file(QStringLiteral("/proc/self/statm"));
    if (!file.open(QIODevice::ReadOnly)) return 0;
    return file.readAll().split(' ').value(1).toDouble() * double(sysconf(_SC_PAGESIZE)) / 1e6;
}

/// Runs the event loop until `done`, or for so long.
template <class Done>
void runUntil(double milliseconds, Done done) {
    QElapsedTimer timer;
    timer.start();
    while (!done() && double(timer.nsecsElapsed()) / 1e6 < milliseconds)
        QCoreApplication::processEvents(QEventLoop::AllEvents, 1);
}

/// From the drop of the file until there is a picture of what is read of it.
void measureFirstPicture(const QString &path) {
    std::vector<double> times;
    for (int round = 0; round < 5; ++round) {
        MainWindow window;
        window.resize(kScreen);
        window.show();
        auto *view = window.findChild<PreviewView *>();
        QElapsedTimer timer;
        timer.start();
        window.openPaths({path});
        runUntil(60'000, [&] {
            return window.state().trace() ||
                   (view->isVisible() && view->preview() && view->preview()->intervals > 0);
        });
        if (window.state().trace()) {
            std::printf("first_picture is the trace itself\n");
            return;
        }
        view->repaint();
        times.push_back(double(timer.nsecsElapsed()) / 1e6);
        QElapsedTimer paint;
        paint.start();
        for (int i = 0; i < 10; ++i) view->repaint();
        if (round == 0) std::printf("preview_frame_ms %.2f\n", double(paint.nsecsElapsed()) / 1e7);
    }
    std::sort(times.begin(), times.end());
    std::printf("first_picture_ms %.0f\nfirst_picture_max_ms %.0f\n", times[2], times.back());
}

/// Gives up at moments all through the opening and the analysis that follows: how long until the
/// window shows it, and until the memory is back.
void measureGivingUp(const QString &path, int moments) {
    MainWindow window;
    window.resize(kScreen);
    window.show();
    QElapsedTimer timer;
    const auto now = [&] { return double(timer.nsecsElapsed()) / 1e6; };
    timer.start();
    window.openPaths({path});
    runUntil(600'000, [&] { return window.state().trace() != nullptr; });
    const double opened = now();
    runUntil(60'000, [&] { return window.session().verdict() != nullptr; });
    const double all = now(); // or as long as one waits
    window.session().close();
    runUntil(3'000, [] { return false; });
    std::fflush(stdout);
    std::printf("opened_ms %.0f\nanalysed_ms %.0f\n", opened, all);
    const double before = residentMb();
    double worst = 0, slowest = 0, most = 0;
    for (int i = 0; i < moments; ++i) {
        const double moment = all * (i + 0.5) / moments;
        timer.start();
        window.openPaths({path});
        runUntil(moment, [] { return false; });
        const bool opening = window.session().opening();
        const double held = residentMb() - before;
        if (opening)
            window.session().cancelOpening();
        else
            window.session().close();
        window.repaint();
        QCoreApplication::processEvents();
        const double answered = now() - moment; // with what kept the event loop before
        runUntil(10'000, [&] { return residentMb() - before < 20; });
        const double back = now() - moment, left = residentMb() - before;
        std::printf(
            "stop_at_ms %.0f %s answer_ms %.1f memory_back_ms %.0f held_mb %.0f left_mb %.0f\n",
            moment, opening ? "opening" : "open", answered, back, held, left);
        std::fflush(stdout);
        worst = std::max(worst, answered);
        slowest = std::max(slowest, back);
        most = std::max(most, left);
    }
    std::printf("answer_max_ms %.1f\nmemory_back_max_ms %.0f\nleft_max_mb %.0f\n", worst, slowest,
                most);
}

} // namespace

/// bench_timeline [TRACE | COUNT [path | window]]: milliseconds per frame at 1920×1080, of a file
/// or of a generated trace with COUNT intervals (330,000 without an argument); of a file also until
/// it is shown; with `window` only what the window does while it reads the file; with `path` under
/// the critical path of the whole trace.
int main(int argc, char **argv) {
    QElapsedTimer sinceStart;
    sinceStart.start();
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    QStandardPaths::setTestModeEnabled(true);
    if (argc > 2 && std::string_view(argv[2]) == "window") {
        const QString path = QString::fromLocal8Bit(argv[1]);
        measureFirstPicture(path);
        measureGivingUp(path, 20);
        return 0;
    }
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
