// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/steady.h"

#include "core/base/time.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace longpole {

namespace {

constexpr size_t kLeast = 5;          ///< steps that must be left
constexpr size_t kManySteps = 50;     ///< from here on PELT
constexpr size_t kMostValues = 1'000; ///< PELT looks at means of blocks beyond that
constexpr double kSameLevel = 0.02;   ///< of a step: less is noise (analysis.md §9)
constexpr int kPermutations = 1'000;
constexpr double kStartUpShare = 0.01; ///< of a step, so much start-up work sets it aside

TimeNs medianOf(std::vector<TimeNs> values) {
    std::sort(values.begin(), values.end());
    return quantile(values, 0.5);
}

double scaledMad(const std::vector<TimeNs> &values, TimeNs median) {
    std::vector<TimeNs> distances;
    for (const TimeNs v : values) distances.push_back(std::abs(v - median));
    return 1.4826 * double(medianOf(std::move(distances)));
}

bool sameLevel(double a, double b) {
    return std::abs(a - b) <= kSameLevel * std::max(std::abs(a), std::abs(b));
}

/// Ranks, ties sharing their mean rank.
std::vector<double> ranksOf(const std::vector<TimeNs> &values) {
    std::vector<size_t> order(values.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return values[a] < values[b]; });
    std::vector<double> ranks(values.size());
    for (size_t i = 0; i < order.size();) {
        size_t end = i;
        while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
        for (size_t k = i; k < end; ++k) ranks[order[k]] = double(i + end - 1) / 2;
        i = end;
    }
    return ranks;
}

/// The greatest |sum of (rank − mean rank)| over prefixes, in units of its spread there (without
/// that a change near an end, as a warm-up is, would hardly count).
double maxCusum(const std::vector<double> &ranks) {
    const double mean = double(ranks.size() - 1) / 2;
    double sum = 0, most = 0;
    for (size_t i = 0; i + 1 < ranks.size(); ++i) {
        sum += ranks[i] - mean;
        const double left = double(i + 1), right = double(ranks.size()) - left;
        most = std::max(most, std::abs(sum) / std::sqrt(left * right));
    }
    return most;
}

/// Where two levels fit these values best (least squares), after outliers were drawn in: ranks tell
/// that there is a change, but smear its place.
size_t bestSplit(const std::vector<TimeNs> &values) {
    const double median = double(medianOf(values)), reach = 5 * scaledMad(values, TimeNs(median));
    std::vector<double> sums{0};
    for (const TimeNs v : values)
        sums.push_back(sums.back() + std::clamp(double(v), median - reach, median + reach));
    const auto explained = [&](size_t at) {
        const double left = sums[at], right = sums.back() - left;
        return left * left / double(at) + right * right / double(values.size() - at);
    };
    size_t best = 1;
    for (size_t at = 2; at < values.size(); ++at)
        if (explained(at) > explained(best)) best = at;
    return best;
}

/// Where the level of these values changes most, if that is no chance and more than 1 %.
std::optional<size_t> changePoint(const std::vector<TimeNs> &values) {
    std::vector<double> ranks = ranksOf(values);
    const double most = maxCusum(ranks);
    const size_t at = bestSplit(values);
    const auto middle = values.begin() + ptrdiff_t(at);
    if (sameLevel(double(medianOf({values.begin(), middle})),
                  double(medianOf({middle, values.end()}))))
        return std::nullopt;
    std::mt19937_64 random(20240501);
    int asGreat = 0;
    for (int i = 0; i < kPermutations; ++i) {
        for (size_t k = ranks.size() - 1; k > 0; --k)
            std::swap(ranks[k], ranks[random() % (k + 1)]);
        asGreat += maxCusum(ranks) >= most;
    }
    return asGreat < kPermutations / 20 ? std::optional(at) : std::nullopt;
}

std::optional<size_t> settledByRanks(const std::vector<TimeNs> &values) {
    for (size_t from = 0;;) {
        if (values.size() - from < kLeast) return std::nullopt;
        const auto at = changePoint({values.begin() + ptrdiff_t(from), values.end()});
        if (!at) return from;
        from += *at;
    }
}

/// Cost of a stretch as one normal distribution: n log variance, from prefix sums.
class Cost {
public:
    explicit Cost(const std::vector<double> &values) : m_sum{0}, m_squares{0} {
        double all = 0;
        for (const double v : values) all += v / double(values.size());
        for (const double v : values) {
            m_sum.push_back(m_sum.back() + (v - all));
            m_squares.push_back(m_squares.back() + (v - all) * (v - all));
        }
        // values that hardly differ must not look infinitely certain
        m_floor = std::max(1.0, std::pow(all * 0.001, 2));
    }
    double of(size_t from, size_t to) const {
        const double n = double(to - from), sum = m_sum[to] - m_sum[from];
        const double variance = (m_squares[to] - m_squares[from] - sum * sum / n) / n;
        return n * std::log(std::max(variance, m_floor));
    }

private:
    std::vector<double> m_sum, m_squares;
    double m_floor;
};

/// Begins of the segments of least cost (PELT; Killick, Fearnhead and Eckley 2012).
std::vector<size_t> segmentsOf(const std::vector<double> &values) {
    const size_t n = values.size();
    const double penalty = 3 * std::log(double(n));
    const Cost cost(values);
    std::vector<double> best(n + 1, std::numeric_limits<double>::infinity());
    std::vector<size_t> last(n + 1, 0), open{0};
    best[0] = -penalty;
    for (size_t to = kLeast; to <= n; ++to) {
        for (const size_t from : open) {
            if (to - from < kLeast) continue;
            const double total = best[from] + cost.of(from, to) + penalty;
            if (total < best[to]) {
                best[to] = total;
                last[to] = from;
            }
        }
        std::erase_if(open, [&](size_t from) {
            return to - from >= kLeast && best[from] + cost.of(from, to) > best[to];
        });
        if (to >= kLeast && n - to >= kLeast) open.push_back(to);
    }
    std::vector<size_t> begins;
    for (size_t at = n; at > 0; at = last[at]) begins.push_back(last[at]);
    std::reverse(begins.begin(), begins.end());
    return begins;
}

double meanOf(const std::vector<double> &values, size_t from, size_t to) {
    return std::accumulate(values.begin() + ptrdiff_t(from), values.begin() + ptrdiff_t(to), 0.0) /
           double(to - from);
}

size_t settledBySegments(const std::vector<TimeNs> &values) {
    const TimeNs median = medianOf(values);
    const double reach = std::max(5 * scaledMad(values, median), kSameLevel * double(median));
    const size_t block = (values.size() + kMostValues - 1) / kMostValues;
    std::vector<double> means;
    for (size_t i = 0; i < values.size(); i += block) {
        const size_t end = std::min(values.size(), i + block);
        double sum = 0;
        for (size_t k = i; k < end; ++k)
            sum += std::clamp(double(values[k]), double(median) - reach, double(median) + reach);
        means.push_back(sum / double(end - i));
    }
    const std::vector<size_t> begins = segmentsOf(means);
    size_t settled = begins.size() - 1;
    const double level = meanOf(means, begins[settled], means.size());
    while (settled > 0 && sameLevel(meanOf(means, begins[settled - 1], begins[settled]), level))
        --settled;
    return begins[settled] * block;
}

/// Names of intervals that belong to a start: compiling, loading modules, the profiler's buffers.
bool isStartUpWork(Kind kind, std::string_view name) {
    constexpr std::string_view calls[] = {"cuModuleLoad",  "cuLibraryLoad", "cudaLibraryLoad",
                                          "hipModuleLoad", "nvrtcCompile",  "hiprtcCompile",
                                          "compile_fx",    "convert_frame"};
    constexpr std::string_view overheads[] = {"Buffer Flush", "Driver Compiler", "Lazy Function",
                                              "Module Loading"};
    const auto in = [&](const auto &list) {
        return std::any_of(std::begin(list), std::end(list),
                           [&](std::string_view part) { return name.find(part) != name.npos; });
    };
    return kind == Kind::Overhead ? in(overheads) : in(calls);
}

/// The longest start-up work of each step, where it takes more than 1 % of it.
std::vector<IntervalId> startUpWork(const Steps &steps, const Trace &trace) {
    std::vector<IntervalId> longest(steps.steps.size());
    const uint32_t file = trace.processes[trace.tracks[steps.thread].process].file;
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        const Track &track = trace.tracks[t];
        const TrackTable &table = *track.table;
        if (trace.processes[track.process].file != file || table.size() == 0 ||
            track.kind == TrackKind::Stream || track.kind == TrackKind::Counter)
            continue;
        std::vector<int8_t> known(table.strings->size(), -1); // by name: asked once
        for (uint32_t row = 0; row < table.size(); ++row) {
            int8_t &is = known[table.name[row].index];
            if (is < 0) is = isStartUpWork(table.kind[row], track.nameOf(row));
            if (!is) continue;
            const TimeNs begin = track.begin(row);
            auto it = std::upper_bound(steps.steps.begin(), steps.steps.end(), begin,
                                       [](TimeNs at, const Step &s) { return at < s.begin; });
            if (it == steps.steps.begin() || begin >= (--it)->end ||
                double(table.duration[row]) < kStartUpShare * double(it->end - it->begin))
                continue;
            IntervalId &known = longest[size_t(it - steps.steps.begin())];
            if (!known.valid() || trace.end(known) - trace.begin(known) < table.duration[row])
                known = {t, row};
        }
    }
    return longest;
}

void leaveOut(Step &step, std::string reason) {
    if (step.leftOut) return;
    step.leftOut = true;
    step.reason = std::move(reason);
}

std::vector<uint32_t> kept(const Steps &steps) {
    std::vector<uint32_t> indices;
    for (uint32_t i = 0; i < steps.steps.size(); ++i)
        if (!steps.steps[i].leftOut) indices.push_back(i);
    return indices;
}

void leaveOutStartUpWork(Steps &steps, const Trace &trace) {
    const std::vector<IntervalId> work = startUpWork(steps, trace);
    const std::vector<uint32_t> whole = kept(steps);
    const auto clean = [&](uint32_t i) { return !work[i].valid(); };
    // Where nearly every step holds such work it is a part of the loop.
    if (size_t(std::count_if(whole.begin(), whole.end(), clean)) * 2 < whole.size()) return;
    for (const uint32_t i : whole)
        if (work[i].valid())
            leaveOut(steps.steps[i],
                     "It holds start-up work: " + std::string(trace.name(work[i])) + ", " +
                         formatDuration(trace.end(work[i]) - trace.begin(work[i])) + ".");
}

std::string number(size_t n) {
    return std::to_string(n);
}

/// What the test for change points found, and what follows from it.
std::string testSteady(Steps &steps, const std::vector<uint32_t> &whole,
                       const std::vector<TimeNs> &values) {
    if (whole.size() < kLeast)
        return "That they are steady is not established: " + number(whole.size()) +
               (whole.size() == 1 ? " is left" : " are left") + ", and a test needs 5.";
    const auto settled = settledFrom(values);
    if (!settled)
        return "That they are steady is not established: their lengths keep changing to the end.";
    if (*settled == 0) return "Their lengths show no change of level.";
    const auto middle = values.begin() + ptrdiff_t(*settled);
    const TimeNs before = medianOf({values.begin(), middle}),
                 after = medianOf({middle, values.end()});
    const bool slower = after > before;
    const auto percent =
        std::to_string(std::lround(100 * std::abs(double(after) / double(before) - 1)));
    for (size_t i = 0; i < *settled; ++i)
        leaveOut(steps.steps[whole[i]],
                 slower ? "Before the lengths change level: later steps are slower."
                        : "Warm-up: before the lengths settle.");
    return "The lengths change level before step " + number(whole[*settled]) +
           ": after it they are " + percent + " % " +
           (slower ? "longer, so the run slows down." : "shorter.");
}

} // namespace

std::optional<size_t> settledFrom(const std::vector<TimeNs> &values) {
    if (values.size() < kManySteps) return settledByRanks(values);
    const size_t from = settledBySegments(values);
    return values.size() - from < kLeast ? std::nullopt : std::optional(from);
}

std::vector<size_t> outliersOf(const std::vector<TimeNs> &values) {
    std::vector<size_t> outliers;
    if (values.empty()) return outliers;
    const TimeNs median = medianOf(values);
    const double reach = 5 * scaledMad(values, median);
    for (size_t i = 0; i < values.size(); ++i)
        if (std::abs(double(values[i] - median)) > reach) outliers.push_back(i);
    return outliers;
}

void findSteady(Steps &result, const Trace &trace) {
    auto &steps = result.steps;
    if (steps.empty()) {
        result.steadyReason = "The trace has no steps.";
        return;
    }
    if (steps.size() < 3) {
        result.steadyReason =
            "A steady window needs three steps: the first and the last are left out.";
        return;
    }
    // What the recorder measured begins behind a warm-up and ends where it was told to.
    if (!result.measured || result.measured->warmup == 0)
        leaveOut(steps.front(), "First step: the profiler and caches warm up in it.");
    if (!result.measured || result.pipelined)
        leaveOut(steps.back(), "Last step: the end of the capture may cut it.");
    leaveOutStartUpWork(result, trace);
    const std::vector<uint32_t> whole = kept(result);
    if (whole.empty()) {
        result.steadyReason = "No step is left: all are warm-up, first or last ones.";
        return;
    }
    std::vector<TimeNs> values;
    for (const uint32_t i : whole)
        values.push_back(result.pipelined ? *steps[i].period : steps[i].length());
    const std::string tested = testSteady(result, whole, values);
    const std::vector<uint32_t> chosen = kept(result);
    SteadyWindow steady;
    steady.first = chosen.front();
    steady.last = chosen.back();
    std::vector<TimeNs> lengths, compared;
    for (const uint32_t i : chosen) {
        lengths.push_back(steps[i].length());
        compared.push_back(result.pipelined ? *steps[i].period : steps[i].length());
    }
    describe(steady, {lengths});
    if (chosen.size() >= kLeast)
        for (const size_t i : outliersOf(compared)) steady.outliers.push_back(chosen[i]);
    result.steady = steady;
    const bool all = chosen.size() + 2 == steps.size();
    result.steadyReason =
        (all ? "All steps but the first and the last. " : "Without the steps left out below. ") +
        tested;
}

} // namespace longpole
