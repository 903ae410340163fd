// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/window.h"

#include "core/analysis/excerpt.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace longpole {

namespace {

constexpr uint32_t kPeriodSteps = 5;

Window allOf(const Trace &trace, std::string policy) {
    return {trace.range, Window::Kind::All, std::nullopt, std::move(policy)};
}

Window stepWindow(const Steps &steps, uint32_t index, std::string policy) {
    const Step &step = steps.steps[index];
    return {{step.begin, step.drainedEnd},
            Window::Kind::Drained,
            std::pair(index, index),
            std::move(policy)};
}

/// From the begin of `first` to the begin of the step after `last`, or to the drained end of the
/// last.
Window stepsWindow(const Steps &steps, uint32_t first, uint32_t last, std::string policy) {
    const bool toEnd = last + 1 == steps.steps.size();
    const TimeNs end = toEnd ? steps.steps[last].drainedEnd : steps.steps[last + 1].begin;
    return {{steps.steps[first].begin, end},
            toEnd ? Window::Kind::Drained : Window::Kind::Period,
            std::pair(first, last),
            std::move(policy)};
}

std::optional<uint32_t> findStep(const Steps &steps, std::string_view text) {
    for (uint32_t i = 0; i < steps.steps.size(); ++i)
        if (steps.steps[i].name == text) return i;
    uint32_t index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return index < steps.steps.size() ? std::optional(index) : std::nullopt;
}

Error noSuchStep(const Steps &steps, const std::string &text) {
    std::string message = "There is no step \"" + text + "\"";
    if (steps.steps.empty())
        message += ": no steps were found in this trace. Choose a range with --range, or --all.";
    else
        message += ". The steps are " + steps.steps.front().name + " to " +
                   steps.steps.back().name + ", or indices 0 to " +
                   std::to_string(steps.steps.size() - 1) + ".";
    return {ErrorKind::Usage, "no_such_step", std::move(message)};
}

TimeNs lowerMedian(std::vector<TimeNs> lengths) {
    const auto middle = lengths.begin() + ptrdiff_t((lengths.size() - 1) / 2);
    std::nth_element(lengths.begin(), middle, lengths.end());
    return *middle;
}

/// Of the steps of a steady window that are not left out; of all where there is no such window.
std::vector<TimeNs> lengthsOf(const Steps &steps, uint32_t first, uint32_t last) {
    std::vector<TimeNs> lengths;
    for (uint32_t i = first; i <= last; ++i)
        if (!steps.steady || !steps.steps[i].leftOut) lengths.push_back(steps.steps[i].length());
    return lengths;
}

/// The steps between the recorder's two waits for the device. Where the host runs ahead of it the
/// begins of steps tell how fast work is enqueued, and only the whole run how long it takes.
std::optional<Window> measuredWindow(const Steps &steps) {
    if (!steps.measured || !steps.measured->synchronised || !steps.pipelined) return std::nullopt;
    const TimeRange range = steps.measured->range;
    std::optional<std::pair<uint32_t, uint32_t>> inside;
    for (uint32_t i = 0; i < steps.steps.size(); ++i) {
        const Step &step = steps.steps[i];
        if (step.begin < range.begin || step.begin >= range.end) continue;
        if (!inside) inside = std::pair(i, i);
        inside->second = i;
    }
    if (!inside) return std::nullopt;
    return Window{range, Window::Kind::Drained, inside,
                  "The measured steps, from one wait for the device to the other: its work runs on "
                  "from step to step."};
}

Window defaultWindow(const Trace &trace, const Steps &steps) {
    if (auto kept = excerptWindow(trace)) return std::move(*kept);
    const uint32_t n = uint32_t(steps.steps.size());
    if (n == 0) return allOf(trace, "The whole capture: no steps were found.");
    if (auto measured = measuredWindow(steps)) return std::move(*measured);
    if (n == 1) return stepWindow(steps, 0, "The only step, until its device work has ended.");
    const uint32_t first = steps.steady ? steps.steady->first : 0;
    const uint32_t last = steps.steady ? steps.steady->last : n - 1;
    const TimeNs median = lowerMedian(lengthsOf(steps, first, last));
    if (steps.pipelined) {
        const uint32_t count =
            std::min(kPeriodSteps, uint32_t(lengthsOf(steps, first, last).size()));
        uint32_t best = first;
        std::pair<size_t, TimeNs> least{count, 0}; // steps left out inside, distance of the median
        for (uint32_t from = first; from + count <= last + 1; ++from) {
            const std::vector<TimeNs> lengths = lengthsOf(steps, from, from + count - 1);
            if (lengths.empty()) continue;
            const std::pair here(count - lengths.size(), std::abs(lowerMedian(lengths) - median));
            if (here < least) {
                best = from;
                least = here;
            }
        }
        return stepsWindow(steps, best, best + count - 1,
                           "The period over " + std::to_string(count) +
                               " steps near the median: the device runs on into the next step.");
    }
    uint32_t chosen = first;
    while (steps.steps[chosen].length() != median || (steps.steady && steps.steps[chosen].leftOut))
        ++chosen;
    return stepWindow(steps, chosen, "The step of median length, until its device work has ended.");
}

} // namespace

std::string_view windowKindName(Window::Kind kind) {
    switch (kind) {
    case Window::Kind::Drained:
        return "drained";
    case Window::Kind::Period:
        return "period";
    case Window::Kind::Range:
        return "range";
    case Window::Kind::All:
        return "all";
    }
    return {};
}

Result<Window> resolveWindow(const Trace &trace, const Steps &steps, const WindowRequest &request) {
    if (request.all) return allOf(trace, "The whole capture, as asked for.");
    if (request.range)
        return Window{*request.range, Window::Kind::Range, std::nullopt,
                      "The range that was asked for."};
    if (request.step) {
        const auto index = findStep(steps, *request.step);
        if (!index) return noSuchStep(steps, *request.step);
        return stepWindow(steps, *index,
                          "The step that was asked for, until its device work has ended.");
    }
    if (request.steps) {
        const auto first = findStep(steps, request.steps->first);
        if (!first) return noSuchStep(steps, request.steps->first);
        const auto last = findStep(steps, request.steps->second);
        if (!last) return noSuchStep(steps, request.steps->second);
        if (*last < *first)
            return Error{ErrorKind::Usage, "steps_out_of_order",
                         "Step \"" + request.steps->second + "\" comes before \"" +
                             request.steps->first + "\": write the earlier one first."};
        return stepsWindow(steps, *first, *last, "The steps that were asked for.");
    }
    return defaultWindow(trace, steps);
}

} // namespace longpole
