// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/analysis/idle.h"
#include "core/analysis/statistics.h"
#include "core/analysis/verdict.h"
#include "core/import/event_args.h"
#include "core/model/preview.h"
#include "ui/job.h"
#include "ui/prediction.h"
#include "ui/search.h"
#include "ui/view_state.h"

#include <QStringList>
#include <QTimer>

#include <memory>
#include <thread>

namespace longpole {

struct EditedGraph;

/// Why nothing was opened, with the files that were asked for.
struct OpenFailure {
    QStringList paths;
    Error error;
};

/// The arguments of one interval, or the sentence that says why they cannot be read.
struct Arguments {
    IntervalId id;
    std::vector<EventArgs::Entry> entries;
    std::string problem;
};

/// What the program knows: which files are open or being opened, and the results that are computed
/// for them. Lives on the GUI thread and runs the slow parts as jobs; a trace that is being read
/// replaces the one on screen only when it is complete.
class Session : public QObject {
    Q_OBJECT
public:
    explicit Session(ViewState &state, QObject *parent = nullptr);
    ~Session() override;

    /// Reads all files as one job of ranks. Replaces a reading that is under way.
    void open(const QStringList &paths);
    void cancelOpening();
    void close();
    bool opening() const { return m_openJob.running(); }
    const QStringList &openingPaths() const { return m_openingPaths; }
    const QStringList &paths() const { return m_paths; } ///< of the trace on screen
    /// What is read so far of the files being opened, until opened() has told of the trace.
    std::shared_ptr<const Preview> preview() const { return m_preview; }

    Search &search() { return m_search; }

    GroupBy groupBy() const { return m_groupBy; }
    void setGroupBy(GroupBy by);
    /// Of the window, grouped by groupBy(); null before the first result.
    std::shared_ptr<const Statistics> statistics() const { return m_statistics; }

    /// What waits for what, over the whole capture; null until it is built, which begins once the
    /// trace is on screen, and where graphProblem() says why it cannot be.
    std::shared_ptr<const DependencyGraph> graph() const { return m_graph; }
    const std::string &graphProblem() const { return m_graphProblem; }

    /// Of the window; null until graph and path are there, and while another window is analysed.
    std::shared_ptr<const WindowPath> path() const { return m_path; }
    /// Why each device had nothing to do in the same window; null also without a device.
    std::shared_ptr<const std::vector<DeviceIdle>> idle() const { return m_idle; }
    /// Of the same window; it replays levers, so it comes some time after the path.
    std::shared_ptr<const Verdict> verdict() const { return m_verdict; }

    /// The trace as a what-if makes it; null while nothing is predicted.
    std::shared_ptr<const Prediction> prediction() const { return m_prediction; }
    /// Replays the window's capture for the predicted view; the last one stays until the new one is
    /// there. `edited` is the graph where the program is changed too; nothing scaled and nothing
    /// edited: nothing predicted.
    void predict(const Scaling &scaling, const QString &edits,
                 std::shared_ptr<const EditedGraph> edited = {});

    /// Answers with argumentsRead; only the latest request is answered.
    void readArguments(IntervalId id);

signals:
    void openingStarted();
    void openingProgressed(double fraction);
    void previewChanged();
    void openingCancelled();
    void opened();
    void openFailed(const longpole::OpenFailure &failure);
    void statisticsChanged();
    void graphChanged();
    void pathChanged();
    void idleChanged();
    void verdictChanged();
    void predictionChanged();
    void argumentsRead(const longpole::Arguments &arguments);

private:
    void takePreview(const PreviewSlot &slot);
    void show(std::shared_ptr<const Loaded> loaded);
    void startStatistics();
    void startGraph();
    void startPath();
    void startIdle();
    void startVerdict();

    ViewState &m_state;
    Search m_search{m_state};
    QStringList m_openingPaths, m_paths;
    std::shared_ptr<const Preview> m_preview;
    GroupBy m_groupBy = GroupBy::Phase;
    std::shared_ptr<const Statistics> m_statistics;
    std::shared_ptr<EventArgs> m_arguments; ///< used by m_argumentsJob alone, which is serial
    std::shared_ptr<const DependencyGraph> m_graph;
    std::string m_graphProblem;
    std::shared_ptr<const WindowPath> m_path;
    std::shared_ptr<const std::vector<DeviceIdle>> m_idle;
    std::shared_ptr<const Verdict> m_verdict;
    std::shared_ptr<const Prediction> m_prediction;
    QTimer m_windowTimer;   ///< gathers the changes of one drag
    QTimer m_graphTimer;    ///< leaves the first frame its time
    std::jthread m_release; ///< frees the last trace
    Job<std::shared_ptr<const Loaded>> m_openJob{true};
    Job<std::shared_ptr<const Statistics>> m_statisticsJob;
    Job<std::shared_ptr<const DependencyGraph>> m_graphJob{true};
    Job<std::shared_ptr<const WindowPath>> m_pathJob;
    Job<std::shared_ptr<const std::vector<DeviceIdle>>> m_idleJob;
    Job<std::shared_ptr<const Verdict>> m_verdictJob;
    Job<std::shared_ptr<const Prediction>> m_predictionJob;
    Job<Arguments> m_argumentsJob;
};

} // namespace longpole
