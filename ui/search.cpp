// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/search.h"

#include "core/base/parallel.h"
#include "core/import/argument_search.h"

#include <algorithm>

namespace longpole {

namespace {

using Hits = std::shared_ptr<const SearchHits>;

unsigned threads() {
    return std::max(1u, workerCount() - 1); // one core stays with the window
}

} // namespace

Search::Search(ViewState &state, QObject *parent) : QObject(parent), m_state(state) {
    connect(&m_state, &ViewState::loadedChanged, this, [this] { find(m_query); });
}

void Search::find(const SearchQuery &query) {
    m_query = query;
    m_argumentsJob.cancel();
    m_knowsArguments = false;
    const auto loaded = m_state.loaded();
    if (!loaded || query.text.empty()) {
        m_job.cancel();
        m_problem.clear();
        m_state.setSearchHits(nullptr);
        emit changed();
        return;
    }
    m_job.start(
        [loaded, query](Progress &progress) -> Result<Hits> {
            auto hits = search(*loaded->trace, query, progress, threads());
            if (!hits) return hits.error();
            return std::make_shared<const SearchHits>(std::move(*hits));
        },
        [this](Result<Hits> result) { take(std::move(result)); });
    emit changed();
}

void Search::findInArguments() {
    const auto loaded = m_state.loaded();
    if (!loaded || m_query.text.empty() || readingArguments()) return;
    m_argumentsJob.start(
        [loaded, query = m_query](Progress &progress) -> Result<Hits> {
            auto names = search(*loaded->trace, query, progress, threads());
            if (!names) return names.error();
            const auto match = TextMatch::compile(query.text);
            auto found = searchArguments(loaded->trace, *match, query.category, progress);
            if (!found) return found.error();
            return std::make_shared<const SearchHits>(joined(*names, hitsOf(std::move(*found))));
        },
        [this](Result<Hits> result) {
            m_job.cancel(); // its hits are among these
            m_knowsArguments = bool(result);
            take(std::move(result));
        },
        [this](double fraction) { emit argumentsProgressed(fraction); });
    emit changed();
}

void Search::stopArguments() {
    if (!readingArguments()) return;
    m_argumentsJob.cancel();
    emit changed();
}

void Search::take(Result<Hits> result) {
    m_problem = result ? std::string() : result.error().message;
    m_state.setSearchHits(result ? std::move(*result) : nullptr);
    emit changed();
}

void Search::walk(int by) {
    const Trace *trace = m_state.trace();
    const auto found = hits();
    if (!trace || !found || found->count == 0) return;
    const IntervalId selected = m_state.selected();
    const TimeRange view = m_state.view(), all = m_state.extent();
    HitPlace from{by > 0 ? view.begin : view.end, {}};
    if (selected.valid()) from = {trace->begin(selected), selected};
    auto next = hitBeside(*trace, *found, from, by);
    if (!next) next = hitBeside(*trace, *found, {by > 0 ? all.begin - 1 : all.end + 1, {}}, by);
    if (next) m_state.reveal(*next);
}

std::optional<size_t> Search::place() const {
    const auto found = hits();
    const IntervalId selected = m_state.selected();
    if (!found || !m_state.trace() || !selected.valid() || !found->contains(selected))
        return std::nullopt;
    return hitsBefore(*m_state.trace(), *found, {m_state.trace()->begin(selected), selected}) + 1;
}

} // namespace longpole
