// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/analysis/search.h"
#include "ui/job.h"
#include "ui/view_state.h"

#include <QObject>

#include <memory>
#include <optional>
#include <vector>

namespace longpole {

/// What the user searches for in the open trace. Finds on a thread of its own, latest wins, and
/// puts the hits into ViewState; walks from hit to hit. Lives on the GUI thread.
class Search : public QObject {
    Q_OBJECT
public:
    explicit Search(ViewState &state, QObject *parent = nullptr);

    /// Names, categories and tracks; an empty text ends the search.
    void find(const SearchQuery &query);
    /// The same query in the arguments of all events, which are read from the file once more.
    void findInArguments();
    void stopArguments();

    const SearchQuery &query() const { return m_query; }
    bool running() const { return m_job.running(); }
    bool readingArguments() const { return m_argumentsJob.running(); }
    /// Whether hits() are of the arguments too.
    bool knowsArguments() const { return m_knowsArguments; }
    /// Why there are no hits, as a sentence; empty where there is no problem.
    const std::string &problem() const { return m_problem; }
    std::shared_ptr<const SearchHits> hits() const { return m_state.searchHits(); }

    /// Selects the next (1) or previous (-1) hit in time, from the selected interval on, else from
    /// the view; behind the last one comes the first.
    void walk(int by);
    /// The place of the selected interval among the hits, from 1; none where it is no hit.
    std::optional<size_t> place() const;

signals:
    void changed(); ///< query, hits, problem or what is running
    void argumentsProgressed(double fraction);

private:
    void take(Result<std::shared_ptr<const SearchHits>> result);

    ViewState &m_state;
    SearchQuery m_query;
    std::string m_problem;
    bool m_knowsArguments = false;
    Job<std::shared_ptr<const SearchHits>> m_job;
    Job<std::shared_ptr<const SearchHits>> m_argumentsJob;
};

} // namespace longpole
