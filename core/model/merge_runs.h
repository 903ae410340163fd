// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/progress.h"

#include <algorithm>
#include <vector>

namespace longpole {

/// Sorts what is sorted in runs already; `runs` holds their begins, ascending from 0. When stopped
/// the order is undefined.
template <class T, class Less>
void mergeRuns(std::vector<T> &rows, std::vector<size_t> runs, Less less,
               const Progress &progress) {
    runs.push_back(rows.size());
    if (runs.size() == 2) return;
    std::vector<T> merged(rows.size());
    while (runs.size() > 2) {
        std::vector<size_t> next{0};
        for (size_t r = 0; r + 1 < runs.size(); r += 2) {
            if (progress.stopped()) return;
            const size_t from = runs[r], middle = runs[r + 1];
            const size_t to = r + 2 < runs.size() ? runs[r + 2] : middle;
            std::merge(rows.begin() + long(from), rows.begin() + long(middle),
                       rows.begin() + long(middle), rows.begin() + long(to),
                       merged.begin() + long(from), less);
            next.push_back(to);
        }
        rows.swap(merged);
        runs.swap(next);
    }
}

/// Sorts in pieces, so that a stop is never far away. When stopped the order is undefined.
template <class T, class Less>
void sortUntilStopped(std::vector<T> &rows, Less less, const Progress &progress) {
    std::vector<size_t> runs;
    for (size_t from = 0; from < rows.size() && !progress.stopped(); from += Progress::kLook) {
        const size_t to = std::min(rows.size(), from + Progress::kLook);
        std::sort(rows.begin() + long(from), rows.begin() + long(to), less);
        runs.push_back(from);
    }
    if (!rows.empty() && !progress.stopped()) mergeRuns(rows, std::move(runs), less, progress);
}

} // namespace longpole
