// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/verdict.h"

#include "core/analysis/idle.h"

#include <algorithm>
#include <cstdio>

namespace longpole {

namespace {

constexpr double kWeak = 0.2;         ///< assumed or unexplained beyond this share: indicative
constexpr double kWorthSaying = 0.05; ///< of the path
constexpr uint32_t kEnoughSteps = 8;

std::string percent(double share) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f\u00a0%%", 100 * share);
    return text;
}

std::string minus(TimeNs gain) {
    return gain > 0 ? "\u2212" + formatDuration(gain) : formatDuration(-gain);
}

/// "a", "a and b", "a, b and c".
std::string joined(const std::vector<std::string> &parts) {
    std::string text;
    for (size_t i = 0; i < parts.size(); ++i)
        text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
    return text;
}

class Writer {
public:
    Writer(const Trace &trace, const Steps &steps, const Phases &phases,
           const DependencyGraph &graph, const CriticalPath &path)
        : m_trace(trace), m_steps(steps), m_phases(phases), m_graph(graph), m_path(path),
          m_length(path.window.range.length()) {}

    std::string step() const {
        const Window &window = m_path.window;
        const std::string length = formatDuration(m_length);
        std::string text;
        if (!window.steps) {
            text = window.kind == Window::Kind::All ? "The capture takes " : "The range takes ";
            return text + length + ". " + window.policy;
        }
        const auto [first, last] = *window.steps;
        if (first == last)
            return m_steps.steps[first].name + " takes " + length + ". " + window.policy;
        const TimeNs count = last - first + 1;
        return formatCount(count) + " steps, " + m_steps.steps[first].name + " to " +
               m_steps.steps[last].name + ", take " + length + ", " +
               formatDuration(m_length / count) + " each. " + window.policy;
    }

    std::string device(const std::vector<DeviceIdle> &devices) const {
        if (devices.empty())
            return "No device work is recorded: this is a verdict on the host alone.";
        TimeNs least = m_length, most = 0;
        const DeviceIdle *idlest = &devices.front();
        for (const DeviceIdle &d : devices) {
            least = std::min(least, d.busy);
            most = std::max(most, d.busy);
            if (d.idle > idlest->idle) idlest = &d;
        }
        const auto share = [this](TimeNs t) {
            return percent(double(t) / double(std::max<TimeNs>(1, m_length)));
        };
        std::string text = devices.size() == 1
                               ? "The GPU was busy " + share(most)
                               : "The " + formatCount(int64_t(devices.size())) +
                                     " GPUs were busy " + share(least) + " to " + share(most);
        text += " of the time. Busy is not useful: padding and repeated work count too.";
        std::vector<size_t> causes;
        for (size_t c = 0; c < kIdleCauseCount; ++c)
            if (double(idlest->byCause[c]) >= kWorthSaying * double(m_length)) causes.push_back(c);
        std::stable_sort(causes.begin(), causes.end(), [&](size_t a, size_t b) {
            return idlest->byCause[a] > idlest->byCause[b];
        });
        causes.resize(std::min<size_t>(causes.size(), 3));
        std::vector<std::string> parts;
        for (const size_t c : causes)
            parts.push_back(formatDuration(idlest->byCause[c]) + " " +
                            std::string(idleCauseLabel(IdleCause(c))));
        if (parts.empty()) return text;
        return text + (devices.size() == 1 ? " Idle: " : " Idle of the idlest: ") + joined(parts) +
               ".";
    }

    std::string path() const {
        std::vector<TimeNs> phases(m_phases.rules.rules.size()), kinds(kKindCount);
        TimeNs host = 0, device = 0, between = 0;
        for (const PathSegment &s : m_path.segments) {
            const TimeNs length = s.end - s.begin;
            const bool untraced = s.type == PathSegment::Type::Untraced;
            if ((s.type != PathSegment::Type::Activity && !untraced) || s.track == kNone) {
                between += length;
                continue;
            }
            phases[s.phase] += length;
            kinds[size_t(untraced ? Kind::Untraced : m_trace.kind(s.interval))] += length;
            (m_trace.tracks[s.track].kind == TrackKind::Stream ? device : host) += length;
        }
        // where hardly anything belongs to a phase, kinds say more
        const bool byKind = 2 * phases[m_phases.rules.other()] > host + device;
        std::string text = "Nothing that runs lies on its path.";
        if (host + device > 0)
            text = "Its path runs " +
                   most(byKind ? kinds : phases,
                        [&](size_t i) {
                            if (byKind) return std::string(labelOf(Kind(i)));
                            return i == m_phases.rules.other()
                                       ? "outside any phase"
                                       : "in " + m_phases.rules.rules[i].label;
                        }) +
                   ".";
        return text + " Of it " +
               present({{host, " is host work"},
                        {device, " device work"},
                        {between, " latency and waits"}}) +
               ".";
    }

    std::string lever(const NamedLever &named) const {
        const Lever &l = named.lever;
        std::string text = l.label + ": " + minus(l.gain2) + " at 2× (";
        if (l.low >= l.gain2 / 2)
            text += formatDuration(l.low) + " – " + formatDuration(l.high);
        else
            text += formatDuration(std::max<TimeNs>(0, l.low)) + " – " + formatDuration(l.high) +
                    ": a wait behind it is assumed or unexplained";
        text += "), " + minus(l.gainInf) + " at most";
        const bool bends = 10 * l.gain2 < 9 * (l.onPath / 2) || 10 * l.gainInf < 9 * l.onPath;
        if (bends && l.knee && *l.knee > 0.15 && *l.knee < 0.95) {
            char beyond[64];
            std::snprintf(beyond, sizeof beyond, "; beyond %.1f× it pays less", 1 / *l.knee);
            text += beyond;
        }
        return text + ". " + test(named);
    }

    std::string trust() const {
        const EvidenceSums &e = m_path.byEvidence;
        std::string text = "Trust: of the path " +
                           present({{e.recorded, " is recorded"},
                                    {e.inferred, " inferred"},
                                    {e.assumed, " assumed"},
                                    {e.untraced, " host time without an event"},
                                    {e.unexplained, " unexplained"}}) +
                           ".";
        const double weak =
            double(e.assumed + e.unexplained) / double(std::max<TimeNs>(1, m_length));
        if (weak > kWeak) text += " Indicative: " + percent(weak) + " is assumed or unexplained.";
        return text;
    }

    std::string record() const {
        const EvidenceSums &e = m_path.byEvidence;
        const auto much = [this](TimeNs t) { return double(t) >= kWorthSaying * double(m_length); };
        // old files are a bare list of events: their launches tell
        const bool torch =
            m_graph.counters.launched > 0 ||
            std::any_of(m_trace.files.begin(), m_trace.files.end(),
                        [](const auto &f) { return f.format.find("Kineto") != f.format.npos; });
        std::vector<std::string> advice;
        if (much(e.untraced))
            advice.push_back(
                (torch ? "Python stacks (with_stack)" : "ranges around more of the code") +
                std::string(" to see inside the ") + share(e.untraced) +
                " of host time without an event");
        if (much(e.assumed + e.unexplained) && m_trace.syncs.empty())
            advice.push_back((torch ? "synchronisation events (enable_cuda_sync_events)"
                                    : "flows from what wakes to what waited") +
                             std::string(" to firm up ") + share(e.assumed + e.unexplained));
        if (torch && m_graph.counters.launched > 0 &&
            m_graph.counters.unlinked > m_graph.counters.launched / 2)
            advice.push_back("the launches of " + formatCount(int64_t(m_graph.counters.unlinked)) +
                             " device operations (ProfilerActivity.CPU)");
        if (m_steps.steps.empty())
            advice.push_back(torch ? "the steps (call profiler.step())"
                                   : "a range named ProfilerStep#N around each step");
        else if (m_steps.steps.size() < kEnoughSteps)
            advice.push_back("at least " + std::to_string(kEnoughSteps) + " steps instead of " +
                             std::to_string(m_steps.steps.size()) + ", to know how steps spread");
        if (advice.empty()) return "Change one thing, then record the same steps and compare.";
        return "Record next time: " + joined(advice) + ".";
    }

private:
    static std::string_view labelOf(Kind kind) {
        switch (kind) {
        case Kind::CpuOp:
            return "in operators and ranges";
        case Kind::Python:
            return "in Python";
        case Kind::Annotation:
        case Kind::Phase:
            return "in the own code of ranges";
        case Kind::Launch:
        case Kind::GraphLaunch:
            return "in launch calls";
        case Kind::Untraced:
            return "on the host without an event";
        case Kind::Sync:
            return "in synchronising calls";
        case Kind::Overhead:
            return "in the profiler";
        case Kind::Kernel:
        case Kind::GraphExec:
            return "in kernels";
        case Kind::Comm:
            return "in communication kernels";
        case Kind::Runtime:
        case Kind::EventRecord:
        case Kind::EventWait:
            return "in other device API calls";
        default:
            return "in copies and memsets";
        }
    }

    /// The three longest, with length and share.
    template <class Label>
    std::string most(const std::vector<TimeNs> &sums, Label label) const {
        std::vector<size_t> order;
        for (size_t i = 0; i < sums.size(); ++i)
            if (1000.0 * double(sums[i]) >= double(m_length) && sums[i] > 0) order.push_back(i);
        std::stable_sort(order.begin(), order.end(),
                         [&](size_t a, size_t b) { return sums[a] > sums[b]; });
        order.resize(std::min<size_t>(order.size(), 3));
        std::vector<std::string> parts;
        for (const size_t i : order)
            parts.push_back(formatDuration(sums[i]) + " (" + share(sums[i]) + ") " + label(i));
        return parts.empty() ? "under " + percent(0.001) + " in all that is recorded"
                             : joined(parts);
    }

    /// Shares and what they are of, without those that round to nothing.
    std::string present(std::initializer_list<std::pair<TimeNs, const char *>> items) const {
        std::vector<std::string> parts;
        for (const auto &[time, what] : items)
            if (2000.0 * double(time) >= double(m_length)) parts.push_back(share(time) + what);
        return joined(parts);
    }

    std::string share(TimeNs t) const {
        return percent(double(t) / double(std::max<TimeNs>(1, m_length)));
    }

    /// The measurement that could show the lever to be none.
    std::string test(const NamedLever &named) const {
        const Lever &l = named.lever;
        const std::string most = formatDuration(std::max<TimeNs>(0, l.gainInf));
        const std::string half = formatDuration(l.low >= l.gain2 / 2 ? l.low : l.gain2);
        const std::string fails = " saves less than " + half + " in 20 synchronised steps.";
        switch (named.nature) {
        case LeverNature::DataWait:
            return "Refuted if the same batch, fed again and again, does not save about " + most +
                   ".";
        case LeverNature::Launches:
            return "Refuted if half as many launches (fused, compiled, a CUDA graph)" + fails;
        case LeverNature::Collective:
            return "Refuted if 20 steps without this collective do not save about " + most + ".";
        case LeverNature::Copies:
            return "Refuted if 20 steps with the data already in place do not save about " + most +
                   ".";
        case LeverNature::Kernels:
            return "Refuted if halving their work (shape, precision)" + fails;
        case LeverNature::Code:
            break;
        }
        return "Refuted if halving it (fuse, compile, call less)" + fails;
    }

    const Trace &m_trace;
    const Steps &m_steps;
    const Phases &m_phases;
    const DependencyGraph &m_graph;
    const CriticalPath &m_path;
    const TimeNs m_length;
};

} // namespace

Result<Verdict> verdict(const Trace &trace, const Steps &steps, const Phases &phases,
                        const DependencyGraph &graph, const Window &window, Progress &progress) {
    Verdict v;
    v.window = window;
    const CriticalPath path = criticalPath(trace, steps, graph, window);
    v.trust = path.byEvidence;
    const auto devices = idleBooks(trace, phases, graph, window, progress);
    if (!devices && devices.error().kind == ErrorKind::Cancelled) return devices.error();
    auto levers = namedLevers(trace, steps, phases, graph, path, progress);
    if (!levers) return levers.error();
    v.levers = std::move(*levers);

    const Writer writer(trace, steps, phases, graph, path);
    v.lines.push_back(writer.step());
    v.lines.push_back(writer.device(devices ? *devices : std::vector<DeviceIdle>{}));
    v.lines.push_back(writer.path());
    for (const NamedLever &lever : v.levers) v.lines.push_back(writer.lever(lever));
    if (v.levers.empty())
        v.lines.push_back("No single change gains more than 2\u00a0% of this window at twice the "
                          "speed: the time is spread, or what it waits for is not recorded.");
    v.lines.push_back(writer.trust());
    v.lines.push_back(writer.record());
    return v;
}

} // namespace longpole
