// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session.h"

#include "ui/timeline/timeline_facts.h"

#include "core/analysis/on_path_shares.h"
#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/import/importer.h"
#include "ui/recent_files.h"

#include <QFile>

#include <chrono>

namespace longpole {

namespace {

/// Below this a trace is freed faster than a thread is started.
constexpr uint64_t kLargeTrace = 100'000;

/// Waits until nobody else holds it, or not for longer than `stop` allows: whoever lets go last
/// frees it, and that must not be a view, on the GUI thread.
template <class T>
void letGo(std::shared_ptr<T> &held, const std::stop_token &stop) {
    for (int i = 0; held.use_count() > 1 && i < 2'000 && !stop.stop_requested(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    held.reset();
}

Result<std::shared_ptr<const Loaded>> load(const std::vector<std::string> &paths,
                                           const std::shared_ptr<PreviewSlot> &preview,
                                           Progress &progress) {
    OpenOptions options;
    options.preview = preview;
    options.threads = std::max(1u, workerCount() - 1); // one core stays with the window
    auto trace = openTraces(paths, progress, options);
    if (!trace) return trace.error();
    auto loaded = std::make_shared<Loaded>();
    loaded->trace = std::move(*trace);
    loaded->steps = findSteps(*loaded->trace, progress);
    loaded->phases = phases(*loaded->trace, loaded->steps, defaultPhaseRules(), progress);
    loaded->timeline = timelineFacts(*loaded, progress);
    progress.look();
    return std::shared_ptr<const Loaded>(std::move(loaded));
}

} // namespace

Session::Session(ViewState &state, QObject *parent) : QObject(parent), m_state(state) {
    m_windowTimer.setSingleShot(true);
    m_windowTimer.setInterval(30);
    connect(&m_windowTimer, &QTimer::timeout, this, &Session::startStatistics);
    connect(&m_windowTimer, &QTimer::timeout, this, &Session::startPath);
    m_graphTimer.setSingleShot(true);
    m_graphTimer.setInterval(50);
    connect(&m_graphTimer, &QTimer::timeout, this, &Session::startGraph);
    connect(&m_state, &ViewState::windowChanged, &m_windowTimer, qOverload<>(&QTimer::start));
}

Session::~Session() = default;

void Session::open(const QStringList &paths) {
    if (paths.isEmpty()) return;
    m_openingPaths = paths;
    std::vector<std::string> names;
    for (const QString &path : paths) names.push_back(QFile::encodeName(path).toStdString());
    m_preview.reset();
    const auto slot = std::make_shared<PreviewSlot>();
    m_openJob.start([names, slot](Progress &progress) { return load(names, slot, progress); },
                    [this, slot](Result<std::shared_ptr<const Loaded>> result) {
                        const QStringList asked = std::exchange(m_openingPaths, {});
                        if (!result) {
                            m_preview.reset();
                            if (result.error().kind == ErrorKind::Cancelled)
                                emit openingCancelled();
                            else
                                emit openFailed({asked, result.error()});
                            return;
                        }
                        m_paths = asked;
                        rememberRecent(asked);
                        takePreview(*slot); // the last one knows where the trace's zero is
                        show(std::move(*result));
                        emit opened();
                        m_preview.reset();
                    },
                    [this, slot](double fraction) {
                        takePreview(*slot);
                        emit openingProgressed(fraction);
                    });
    emit openingStarted();
}

void Session::takePreview(const PreviewSlot &slot) {
    auto latest = slot.latest();
    if (latest == m_preview) return;
    m_preview = std::move(latest);
    emit previewChanged();
}

void Session::cancelOpening() {
    if (!m_openJob.running()) return;
    m_openJob.cancel();
    m_openingPaths.clear();
    m_preview.reset();
    emit openingCancelled();
}

void Session::close() {
    cancelOpening();
    m_paths.clear();
    show({});
}

void Session::show(std::shared_ptr<const Loaded> loaded) {
    m_statisticsJob.cancel();
    m_argumentsJob.cancel();
    m_graphJob.cancel();
    m_graphTimer.stop();
    m_pathJob.cancel();
    m_idleJob.cancel();
    m_verdictJob.cancel();
    m_predictionJob.cancel();
    m_graphProblem.clear();
    m_verdict.reset();
    auto statistics = std::exchange(m_statistics, nullptr);
    auto idle = std::exchange(m_idle, nullptr);
    auto path = std::exchange(m_path, nullptr);
    auto prediction = std::exchange(m_prediction, nullptr);
    auto graph = std::exchange(m_graph, nullptr);
    auto arguments = std::exchange(m_arguments, nullptr);
    auto old = m_state.loaded();
    m_state.setLoaded(std::move(loaded));
    emit statisticsChanged();
    emit graphChanged();
    emit pathChanged();
    emit idleChanged();
    emit verdictChanged();
    emit predictionChanged();
    if (m_state.trace()) m_graphTimer.start();
    if (!old || old->trace->intervalCount() < kLargeTrace) return;
    m_release = std::jthread(
        [before = std::move(m_release), old = std::move(old), arguments = std::move(arguments),
         graph = std::move(graph), path = std::move(path), idle = std::move(idle),
         statistics = std::move(statistics),
         prediction = std::move(prediction)](const std::stop_token &stop) mutable {
            letGo(prediction, stop);
            letGo(statistics, stop);
            letGo(idle, stop);
            letGo(path, stop);
            letGo(graph, stop);
            letGo(arguments, stop);
            letGo(old, stop);
            giveBackMemory();
            if (!before.joinable()) return;
            if (stop.stop_requested()) before.request_stop();
            before.join();
        });
}

void Session::setGroupBy(GroupBy by) {
    if (by == m_groupBy) return;
    m_groupBy = by;
    startStatistics();
}

void Session::startStatistics() {
    const auto loaded = m_state.loaded();
    if (!loaded) return;
    const Window &window = m_state.window();
    const auto path = m_path && m_path->path.window.range == window.range ? m_path : nullptr;
    m_statisticsJob.start(
        [loaded, path, window,
         by = m_groupBy](Progress &progress) -> Result<std::shared_ptr<const Statistics>> {
            auto result =
                longpole::statistics(*loaded->trace, loaded->phases, window, by, progress,
                                     workerCount()); // half a second of ten million intervals
            if (!result) return result.error();
            if (path) addOnPath(*result, *loaded->trace, loaded->phases, path->path, by, progress);
            return std::make_shared<const Statistics>(std::move(*result));
        },
        [this](Result<std::shared_ptr<const Statistics>> result) {
            if (!result) return; // fails only when it was stopped
            m_statistics = std::move(*result);
            emit statisticsChanged();
        });
}

void Session::startGraph() {
    const auto loaded = m_state.loaded();
    if (!loaded) return;
    m_graphJob.start(
        [loaded](Progress &progress) -> Result<std::shared_ptr<const DependencyGraph>> {
            auto graph = buildGraph(*loaded->trace, loaded->steps, loaded->phases, progress);
            if (!graph) return graph.error();
            return std::make_shared<const DependencyGraph>(std::move(*graph));
        },
        [this](Result<std::shared_ptr<const DependencyGraph>> result) {
            if (result)
                m_graph = std::move(*result);
            else
                m_graphProblem = result.error().message;
            emit graphChanged();
            startPath();
        });
}

void Session::startPath() {
    const auto loaded = m_state.loaded();
    if (!loaded || !m_graph) return;
    const Window &window = m_state.window();
    if (m_path && m_path->path.window.range == window.range &&
        m_path->path.window.kind == window.kind)
        return;
    m_verdictJob.cancel();
    m_idleJob.cancel();
    if (std::exchange(m_path, nullptr)) emit pathChanged();
    if (std::exchange(m_idle, nullptr)) emit idleChanged();
    if (std::exchange(m_verdict, nullptr)) emit verdictChanged();
    m_pathJob.start(
        [loaded, graph = m_graph,
         window](Progress &progress) -> Result<std::shared_ptr<const WindowPath>> {
            return std::make_shared<const WindowPath>(WindowPath{
                graph, criticalPath(*loaded->trace, loaded->steps, *graph, window, progress)});
        },
        [this](Result<std::shared_ptr<const WindowPath>> result) {
            if (!result) return;
            m_path = std::move(*result);
            emit pathChanged();
            startStatistics(); // they tell what of each row is on it
            startIdle();
            startVerdict();
        });
}

void Session::startIdle() {
    const auto loaded = m_state.loaded();
    m_idleJob.start(
        [loaded, path = m_path](
            Progress &progress) -> Result<std::shared_ptr<const std::vector<DeviceIdle>>> {
            auto books = idleBooks(*loaded->trace, loaded->phases, *path->graph, path->path.window,
                                   progress);
            if (!books) return books.error();
            return std::make_shared<const std::vector<DeviceIdle>>(std::move(*books));
        },
        [this](Result<std::shared_ptr<const std::vector<DeviceIdle>>> result) {
            if (!result) return; // stopped, or no device
            m_idle = std::move(*result);
            emit idleChanged();
        });
}

void Session::startVerdict() {
    const auto loaded = m_state.loaded();
    m_verdictJob.start(
        [loaded, path = m_path](Progress &progress) -> Result<std::shared_ptr<const Verdict>> {
            auto result = longpole::verdict(*loaded->trace, loaded->steps, loaded->phases,
                                            *path->graph, path->path.window, progress);
            if (!result) return result.error();
            return std::make_shared<const Verdict>(std::move(*result));
        },
        [this](Result<std::shared_ptr<const Verdict>> result) {
            if (!result) return; // fails only when it was stopped
            m_verdict = std::move(*result);
            emit verdictChanged();
        });
}

void Session::predict(const Scaling &scaling, const QString &edits,
                      std::shared_ptr<const EditedGraph> edited) {
    const auto loaded = m_state.loaded();
    if (!loaded || !m_graph || (scaling.empty() && !edited)) {
        m_predictionJob.cancel();
        if (std::exchange(m_prediction, nullptr)) emit predictionChanged();
        return;
    }
    m_predictionJob.start(
        [loaded, graph = m_graph, edited, window = m_state.window(), scaling,
         edits](Progress &progress) {
            return longpole::predict(loaded, *graph, edited.get(), window, scaling, edits,
                                     progress);
        },
        [this](Result<std::shared_ptr<const Prediction>> result) {
            if (!result) return; // fails only when it was stopped
            m_prediction = std::move(*result);
            emit predictionChanged();
        });
}

void Session::readArguments(IntervalId id) {
    const auto loaded = m_state.loaded();
    if (!loaded || !id.valid()) {
        m_argumentsJob.cancel();
        return;
    }
    if (!m_arguments) m_arguments = std::make_shared<EventArgs>(loaded->trace);
    m_argumentsJob.start(
        [id, reader = m_arguments](Progress &) -> Result<Arguments> {
            auto entries = reader->entries(id);
            if (!entries) return Arguments{id, {}, entries.error().message};
            return Arguments{id, std::move(*entries), {}};
        },
        [this](Result<Arguments> result) {
            if (result) emit argumentsRead(*result);
        });
}

} // namespace longpole
