// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/progress.h"

#include <algorithm>
#include <vector>

namespace longpole {

// What takes long with many elements, with looks for a stop on the way: all of these throw Stopped,
// and the order of the elements is undefined then.

/// Makes room for n elements; fresh memory is slow at its first touch.
template <class T>
void growTo(std::vector<T> &column, size_t n, const Progress &progress) {
    column.reserve(n);
    while (column.size() < n) {
        progress.look();
        column.resize(std::min(n, column.size() + Progress::kLook));
    }
}

/// Sorts what is sorted in runs already; `runs` holds their begins, ascending from 0. Stable.
template <class Rows, class Less>
void mergeRuns(Rows &rows, std::vector<size_t> runs, Less less, const Progress &progress) {
    runs.push_back(rows.size());
    if (runs.size() <= 2) return;
    Rows merged;
    merged.reserve(rows.size());
    while (runs.size() > 2) {
        std::vector<size_t> next{0};
        merged.clear();
        for (size_t r = 0; r + 1 < runs.size(); r += 2) {
            size_t a = runs[r], b = runs[r + 1];
            const size_t middle = b, to = r + 2 < runs.size() ? runs[r + 2] : middle;
            while (merged.size() < to) {
                progress.look();
                for (const size_t until = std::min(to, merged.size() + Progress::kLook);
                     merged.size() < until;) {
                    const bool second = a == middle || (b < to && less(rows[b], rows[a]));
                    merged.push_back(rows[second ? b++ : a++]);
                }
            }
            next.push_back(to);
        }
        rows.swap(merged);
        runs.swap(next);
    }
}

template <class Rows, class Less, class Sort>
void sortInPieces(Rows &rows, Less less, const Progress &progress, Sort sort) {
    std::vector<size_t> runs;
    for (size_t from = 0; from < rows.size(); from += Progress::kLook) {
        progress.look();
        const size_t to = std::min(rows.size(), from + Progress::kLook);
        sort(rows.begin() + ptrdiff_t(from), rows.begin() + ptrdiff_t(to));
        runs.push_back(from);
    }
    if (!rows.empty()) mergeRuns(rows, std::move(runs), less, progress);
}

template <class Rows, class Less>
void sortLooking(Rows &rows, Less less, const Progress &progress) {
    sortInPieces(rows, less, progress, [&](auto from, auto to) { std::sort(from, to, less); });
}

template <class Rows, class Less>
void stableSortLooking(Rows &rows, Less less, const Progress &progress) {
    sortInPieces(rows, less, progress,
                 [&](auto from, auto to) { std::stable_sort(from, to, less); });
}

} // namespace longpole
