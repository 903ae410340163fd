// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/statistics.h"
#include "core/base/parallel.h"
#include "core/import/importer.h"
#include "tests/support/lane_model.h"
#include "ui/main_window.h"
#include "ui/timeline/preview_view.h"
#include "ui/timeline/timeline_view.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QScrollBar>
#include <QStandardPaths>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <thread>
#include <unistd.h>

using namespace longpole;

namespace {

constexpr QSize kScreen(1920, 1080);

std::shared_ptr<const Trace> opened(const char *what) {
    char *end = nullptr;
    const unsigned long count = std::strtoul(what, &end, 10);
    if (count > 0 && *end == '\0') return laneModel(uint32_t(count));
    Progress progress;
    auto trace = openTraces({what}, progress);
    if (trace) return *trace;
    std::fprintf(stderr, "%s\n", trace.error().message.c_str());
    return nullptr;
}

double threadMs() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) * 1e3 + double(now.tv_nsec) / 1e6;
}

class Bench {
public:
    explicit Bench(std::shared_ptr<const Loaded> loaded)
        : m_view(m_state), m_screen(kScreen, QImage::Format_RGB32) {
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

    /// Whole trace → ×1.5 a frame down to 1 µs around seeded points → three screens of panning at
    /// each of six scales → back; then every row at whole scale. Of several rounds each frame's
    /// best, since others may share the machine; no round finds in a cache what the last one left.
    void tour() {
        showAllThreads();
        std::printf("pyramid_bytes_per_interval %.2f\n",
                    double(TimelineData::of(m_state.loaded())->summaryBytes()) /
                        double(m_state.trace()->intervalCount()));
        std::printf("rows %zu\nrows_height %d\n", m_view.rows().size(), totalHeight(m_view.rows()));
        std::printf("opening_frame_ms %.2f\n", frame(m_state.view()));
        std::printf("first_whole_frame_ms %.2f\n", frame(m_state.trace()->range));
        for (int i = 0; i < kRounds; ++i) round();
        std::vector<double> all;
        for (const Part &part : m_parts) {
            print(part.name, part.times);
            all.insert(all.end(), part.times.begin(), part.times.end());
        }
        print("tour", all);
    }

    /// What the mouse asks for, at every row and many scales.
    void hits() {
        const TimeRange all = m_state.trace()->range;
        const auto data = TimelineData::of(m_state.loaded());
        std::mt19937_64 random(7);
        std::vector<double> times;
        for (int k = 0; k <= zoomSteps(all); ++k) {
            const TimeNs point = all.begin + TimeNs(random() % uint64_t(all.length()));
            const TimeScale scale{around(all, point, k), double(kScreen.width())};
            for (const Row &row : m_view.rows()) {
                const double before = threadMs();
                hitRow(*data, row, scale, int(random() % uint64_t(kScreen.width())), 2);
                times.push_back(threadMs() - before);
            }
        }
        std::sort(times.begin(), times.end());
        std::printf("hit_p99_ms %.4f\nhit_max_ms %.4f\n", times[times.size() * 99 / 100],
                    times.back());
    }

private:
    static constexpr int kRounds = 3, kPoints = 20, kScales = 6, kPanFrames = 24, kScrollStep = 18;
    static constexpr TimeNs kClosest = 1'000;

    static TimeRange shifted(TimeRange r, TimeNs by) { return {r.begin + by, r.end + by}; }
    static int zoomSteps(TimeRange all) {
        return std::max(1,
                        int(std::ceil(std::log(double(all.length()) / kClosest) / std::log(1.5))));
    }
    static TimeRange around(TimeRange all, TimeNs point, int step) {
        return zoomed(all, point, std::min(std::pow(1.5, step), double(all.length()) / kClosest));
    }

    /// Unfolds every group's quiet threads.
    void showAllThreads() {
        const auto data = TimelineData::of(m_state.loaded());
        for (const TrackGroup &group : data->groups())
            if (!group.helpers.empty()) m_state.reveal({group.helpers.front(), 0});
        m_state.select({});
    }

    /// Time of the painting core alone: others on the machine do not count.
    double frame(TimeRange view) {
        m_state.setView(view, false);
        m_view.update();
        const double before = threadMs();
        m_view.render(&m_screen);
        return threadMs() - before;
    }
    struct Part {
        const char *name;
        std::vector<double> times = {};
        size_t next = 0;

        void take(double time) {
            if (next == times.size()) times.push_back(time);
            times[next] = std::min(times[next], time);
            ++next;
        }
    };

    void round() {
        auto &[in, pan, out, scroll] = m_parts;
        for (Part &part : m_parts) part.next = 0;
        const TimeRange all = m_state.trace()->range;
        const int steps = zoomSteps(all);
        std::mt19937_64 random(6);
        TimeNs point = all.begin;
        for (int i = 0; i < kPoints; ++i) {
            point = all.begin + TimeNs(random() % uint64_t(std::max<TimeNs>(1, all.length())));
            for (int k = 0; k <= steps; ++k) in.take(frame(around(all, point, k)));
        }
        for (int scale = 0; scale < kScales; ++scale) {
            const TimeRange from = around(all, point, steps * scale / (kScales - 1));
            for (int i = 0; i < kPanFrames; ++i)
                pan.take(frame(shifted(from, from.length() / kPanFrames * 3 * i)));
        }
        for (int k = steps; k >= 0; --k) out.take(frame(around(all, point, k)));
        auto *bar = m_view.findChild<QScrollBar *>();
        for (int y = kScrollStep; y < bar->maximum() + kScrollStep; y += kScrollStep) {
            bar->setValue(y);
            scroll.take(frame(all));
        }
        bar->setValue(0);
    }

    static void print(const char *name, std::vector<double> times) {
        if (times.empty()) return; // nothing to scroll
        std::sort(times.begin(), times.end());
        std::printf("%s_frames %zu\n%s_median_ms %.2f\n%s_p99_ms %.2f\n%s_max_ms %.2f\n", name,
                    times.size(), name, times[times.size() / 2], name,
                    times[times.size() * 99 / 100], name, times.back());
    }

    std::array<Part, 4> m_parts{Part{"zoom_in"}, Part{"pan"}, Part{"zoom_out"}, Part{"scroll"}};
    ViewState m_state;
    TimelineView m_view;
    QImage m_screen;
};

/// What a drag over the whole trace asks for, and how soon it ends when nobody wants it any more.
void measureStatistics(const Loaded &loaded) {
    const Window all{loaded.trace->range, Window::Kind::All, {}, {}};
    double took = 0;
    const auto count = [&](GroupBy by, Progress &progress, unsigned threads) {
        return bool(statistics(*loaded.trace, loaded.phases, all, by, progress, threads));
    };
    for (const auto &[name, by] :
         {std::pair("name", GroupBy::Name), std::pair("phase", GroupBy::Phase)})
        for (const unsigned threads : {1u, workerCount()}) {
            std::vector<double> times;
            for (int round = 0; round < 3; ++round) {
                Progress progress;
                QElapsedTimer timer;
                timer.start();
                if (!count(by, progress, threads)) return;
                times.push_back(double(timer.nsecsElapsed()) / 1e6);
            }
            took = *std::min_element(times.begin(), times.end());
            std::printf("statistics_by_%s_%u_threads_ms %.0f\n", name, threads, took);
        }
    Progress progress;
    QElapsedTimer since;
    std::jthread stop([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(int(took / 3)));
        since.start();
        progress.stop();
    });
    const bool finished = count(GroupBy::Phase, progress, workerCount());
    std::printf("statistics_stop_ms %.1f%s\n", double(since.nsecsElapsed()) / 1e6,
                finished ? " (had finished)" : "");
}

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

/// Shows an empty window, paints it, and leaves: for a stopwatch around this program.
void showEmpty() {
    MainWindow window;
    window.resize(kScreen);
    window.show();
    QCoreApplication::processEvents();
    window.grab();
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

/// bench_timeline [TRACE | COUNT [path | window | statistics]]: milliseconds per frame at
/// 1920×1080, of a file or of a generated trace with COUNT intervals (330,000 without an argument);
/// of a file also until it is shown; with `window` only what the window does while it reads the
/// file; with `path` under the critical path of the whole trace.
int main(int argc, char **argv) {
    QElapsedTimer sinceStart;
    sinceStart.start();
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    QStandardPaths::setTestModeEnabled(true);
    if (argc > 1 && std::string_view(argv[1]) == "empty") {
        showEmpty();
        return 0;
    }
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
    if (argc > 1 && QFile::exists(argv[1])) loaded->steps = findSteps(*trace);
    loaded->phases = phases(*trace, loaded->steps);
    QElapsedTimer timer;
    timer.start();
    loaded->timeline = timelineFacts(*loaded, Progress());
    std::printf("timeline_facts_ms %.0f\n", double(timer.nsecsElapsed()) / 1e6);
    std::printf("intervals %llu\n", static_cast<unsigned long long>(trace->intervalCount()));
    Bench bench(loaded);
    if (argc > 2 && std::string_view(argv[2]) == "path") bench.showPath();
    if (argc <= 2 || std::string_view(argv[2]) != "statistics") {
        bench.tour();
        bench.hits();
    }
    measureStatistics(*loaded);
    return 0;
}
