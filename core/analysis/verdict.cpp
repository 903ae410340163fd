// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/verdict.h"

#include "core/analysis/idle.h"
#include "core/analysis/path_gaps.h"
#include "core/analysis/verdict_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>

namespace longpole {

namespace {

constexpr double kWeak = 0.2;            ///< assumed or unexplained beyond this share: indicative
constexpr double kWorthSaying = 0.05;    ///< of the path
constexpr double kWorthRecording = 0.01; ///< of the path, where a recording could show more
constexpr double kHostBound = 0.8;       ///< of the path on the host: the device hardly matters
constexpr uint32_t kEnoughSteps = 8;

/// Time of one kind and its longest stretch.
struct Sum {
    TimeNs time = 0;
    const PathSegment *longest = nullptr;

    void add(const PathSegment &s) {
        time += s.end - s.begin;
        if (!longest || s.end - s.begin > longest->end - longest->begin) longest = &s;
    }
};

VerdictLink linkTo(VerdictLink::To to, size_t index, const PathSegment *segment) {
    VerdictLink link{to, uint8_t(index), {}, {}};
    if (segment) {
        link.range = {segment->begin, segment->end};
        link.interval = segment->interval;
    }
    return link;
}

class Lines {
public:
    Lines(const Trace &trace, const Steps &steps, const Phases &phases,
          const DependencyGraph &graph, const CriticalPath &path,
          const std::vector<DeviceIdle> &devices, const Progress &progress)
        : m_trace(trace), m_steps(steps), m_phases(phases), m_graph(graph), m_path(path),
          m_devices(devices), m_progress(progress), m_length(path.window.range.length()) {}

    VerdictLine window() const {
        const Window &window = m_path.window;
        VerdictWriter w(VerdictLine::About::Window);
        const VerdictLink link{VerdictLink::To::Window, 0, window.range, {}};
        const std::string length = formatDuration(m_length);
        if (!window.steps) {
            w.say(window.kind == Window::Kind::All ? "The capture takes " : "The range takes ");
            w.link(length, link).say(".");
            // "The whole capture: no steps were found."
            const size_t colon = window.policy.find(": ");
            std::string why = colon == std::string::npos ? "" : window.policy.substr(colon + 2);
            if (!why.empty()) why[0] = char(std::toupper(why[0]));
            return std::move(w.detail(why.empty() ? "" : " " + why)).line();
        }
        const auto [first, last] = *window.steps;
        const std::string title = stepTitle(m_steps.steps[first].name);
        if (first == last) {
            w.say(title + " takes ").link(length, link).say(".");
        } else {
            const TimeNs count = last - first + 1;
            w.say(formatCount(count) + " steps");
            w.detail(", " + title + " to " + stepTitle(m_steps.steps[last].name) + ",");
            w.say(" take ").link(length, link);
            w.say(", " + formatDuration(m_length / count) + " each.");
        }
        return std::move(w.detail(" " + window.policy)).line();
    }

    VerdictLine device() const {
        VerdictWriter w(VerdictLine::About::Device);
        if (m_devices.empty())
            return std::move(
                       w.say("No device work is recorded: this is a verdict on the host alone."))
                .line();
        const DeviceIdle &idlest = *std::max_element(
            m_devices.begin(), m_devices.end(),
            [](const DeviceIdle &a, const DeviceIdle &b) { return a.idle < b.idle; });
        TimeNs most = 0;
        for (const DeviceIdle &d : m_devices) most = std::max(most, d.busy);
        const bool one = m_devices.size() == 1;
        w.say(one ? "The GPU was busy "
                  : "The " + formatCount(int64_t(m_devices.size())) + " GPUs were busy ");
        w.link(share(idlest.busy), idleLink(idlest, kIdleCauseCount));
        w.say((one ? "" : " to " + share(most)) + " of the time");
        std::vector<size_t> causes;
        for (size_t c = 0; c < kIdleCauseCount; ++c)
            if (double(idlest.byCause[c]) >= kWorthSaying * double(m_length)) causes.push_back(c);
        std::stable_sort(causes.begin(), causes.end(),
                         [&](size_t a, size_t b) { return idlest.byCause[a] > idlest.byCause[b]; });
        causes.resize(std::min<size_t>(causes.size(), 3));
        const std::string idle = formatDuration(idlest.idle);
        std::vector<std::vector<VerdictPart>> items;
        for (const size_t c : causes)
            items.push_back({{formatDuration(idlest.byCause[c]), idleLink(idlest, c), false},
                             {" " + std::string(idleWords(IdleCause(c))), {}, false}});
        if (!items.empty()) w.say(one ? " and idle for " : "; the idlest one was idle for ");
        if (items.size() == 1 && items[0][0].text == idle)
            w.list(items);
        else if (!items.empty())
            w.say(idle + ": ").list(items);
        w.say(".").detail(" Busy is not useful: padding and repeated work count too.");
        return std::move(w).line();
    }

    VerdictLine path() const {
        std::vector<Sum> phases(m_phases.rules.rules.size()), kinds(kKindCount);
        Sum host, device, between;
        size_t count = 0;
        for (const PathSegment &s : m_path.segments) {
            m_progress.look(count++);
            const bool untraced = s.type == PathSegment::Type::Untraced;
            if ((s.type != PathSegment::Type::Activity && !untraced) || s.track == kNone) {
                between.add(s);
                continue;
            }
            phases[s.phase].add(s);
            kinds[size_t(untraced ? Kind::Untraced : m_trace.kind(s.interval))].add(s);
            (m_trace.tracks[s.track].kind == TrackKind::Stream ? device : host).add(s);
        }
        VerdictWriter w(VerdictLine::About::Path);
        const TimeNs work = host.time + device.time;
        if (work == 0) return std::move(w.say("Nothing that runs lies on its path.")).line();
        // where hardly anything belongs to a phase, kinds say more
        const bool byKind = 2 * phases[m_phases.rules.other()].time > work;
        const auto place = [&](size_t i) {
            if (byKind) return std::string(placeOfKind(Kind(i)));
            return i == m_phases.rules.other() ? "outside any phase"
                                               : "in " + m_phases.rules.rules[i].label;
        };
        const auto to = byKind ? VerdictLink::To::Kind : VerdictLink::To::Phase;
        const auto items = most(byKind ? kinds : phases, to, place);
        w.say("Its path runs ").list(items);
        constexpr const char *words[] = {" host work", " device work", " latency and waits"};
        const auto shares = percentTexts({host.time, device.time, between.time});
        std::vector<std::vector<VerdictPart>> kindsOfWork;
        for (size_t i = 0; i < shares.size(); ++i)
            if (!shares[i].empty())
                kindsOfWork.push_back({{(shares[i] == percentText(1) ? "all of it" : shares[i]) +
                                            (kindsOfWork.empty() ? " is" : "") + words[i],
                                        {},
                                        false}});
        w.say("; ").list(kindsOfWork).say(".");
        if (double(host.time) >= kHostBound * double(m_length)) {
            // calls that wait for data or start the device up are not what launches cost
            TimeNs launching = host.time - kinds[size_t(Kind::Runtime)].time;
            if (const auto wait = m_phases.rules.find("data_wait")) launching -= phases[*wait].time;
            w.detail(deviceFollows(double(launching) >= kHostBound * double(m_length)));
        }
        return std::move(w).line();
    }

    VerdictLine lever(const NamedLever &named, size_t index) const {
        const Lever &l = named.lever;
        VerdictWriter w(VerdictLine::About::Lever);
        w.say(l.label).say(": ");
        w.link(gainText(l.gain2),
               linkTo(VerdictLink::To::Lever, index, &m_path.segments[named.longest]));
        w.detail(" at 2×").say(" (" + spanText(std::max<TimeNs>(0, l.low), l.high));
        if (l.low < l.gain2 / 2) w.detail(": a wait behind it is assumed or unexplained");
        w.say(")").detail(", " + gainText(l.gainInf) + " at most");
        const bool bends = 10 * l.gain2 < 9 * (l.onPath / 2) || 10 * l.gainInf < 9 * l.onPath;
        if (bends && l.knee && *l.knee > 0.15 && *l.knee < 0.95) {
            char beyond[64];
            std::snprintf(beyond, sizeof beyond, "; beyond %.1f× it pays less", 1 / *l.knee);
            w.detail(beyond);
        }
        return std::move(w.detail(". " + refutation(named, m_path))).line();
    }

    VerdictLine noLever() const {
        return std::move(VerdictWriter(VerdictLine::About::NoLever)
                             .say("No single change gains more than 2\u00a0% of this window at "
                                  "twice the speed")
                             .detail(": the time is spread, or what it waits for is not recorded")
                             .say("."))
            .line();
    }

    VerdictLine trust() const {
        std::array<Sum, kPathTrustCount> sums;
        for (const PathSegment &s : m_path.segments) sums[size_t(trustOf(s))].add(s);
        constexpr const char *words[] = {" recorded", " inferred", " assumed",
                                         " host time without an event", " unexplained"};
        std::vector<TimeNs> times;
        for (const Sum &sum : sums) times.push_back(sum.time);
        const auto shares = percentTexts(times);
        std::vector<std::vector<VerdictPart>> items;
        for (size_t i = 0; i < sums.size(); ++i) {
            if (shares[i].empty()) continue;
            const VerdictLink link = linkTo(VerdictLink::To::Trust, i, sums[i].longest);
            items.push_back({{shares[i], link, false},
                             {(items.empty() ? " is" : "") + std::string(words[i]), {}, false}});
        }
        VerdictWriter w(VerdictLine::About::Trust);
        w.say("Trust: of the path ").list(items).say(".");
        const EvidenceSums &e = m_path.byEvidence;
        const TimeNs weak = e.assumed + e.unexplained;
        if (double(weak) > kWeak * double(m_length))
            w.say(" Indicative: " + share(weak) + " is assumed or unexplained.");
        return std::move(w).line();
    }

    VerdictLine advice() const {
        const EvidenceSums &e = m_path.byEvidence;
        const auto madeBy = [&](std::string_view maker) {
            return std::any_of(m_trace.files.begin(), m_trace.files.end(), [&](const auto &f) {
                return f.format.find(maker) != f.format.npos;
            });
        };
        const bool nsight = madeBy("Nsight");
        // old files are a bare list of events: their launches tell
        const bool torch = !nsight && (m_graph.counters.launched > 0 || madeBy("Kineto"));
        std::vector<std::string> advice;
        if (double(e.untraced) > kWorthRecording * double(m_length))
            advice.push_back((torch ? "Python stacks (with_stack, which slows the host)"
                              : nsight
                                  ? "ranges and calls into the system (nsys --trace=cuda,nvtx,osrt)"
                                  : "ranges around more of the code") +
                             std::string(", to see inside the ") + share(e.untraced) +
                             " of host time without an event");
        // what is unexplained, by what would explain it
        const PathGaps gaps = pathGaps(m_trace, m_graph, m_path, m_progress);
        if (much(e.assumed + gaps.waits) && m_trace.syncs.empty())
            advice.push_back((torch    ? "synchronisation events (enable_cuda_sync_events)"
                              : nsight ? "waits (nsys --trace=cuda)"
                                       : "flows from what wakes to what waited") +
                             std::string(", to firm up ") + share(e.assumed + gaps.waits) +
                             (much(gaps.beside)
                                  ? ": " + share(gaps.beside) +
                                        " passed beside work of other streams, which may have "
                                        "filled the device, and no event would be recorded then"
                                  : ""));
        if (much(gaps.before))
            advice.push_back("from an idle device (synchronise first), since " +
                             share(gaps.before) +
                             " lies before its first operation, behind work that was launched "
                             "earlier");
        const bool unlinked = m_graph.counters.launched > 0 &&
                              m_graph.counters.unlinked > m_graph.counters.launched / 2;
        if ((torch || nsight) && (unlinked || much(gaps.launches)))
            advice.push_back("the launches of " + formatCount(int64_t(m_graph.counters.unlinked)) +
                             " device operations (" +
                             (torch ? "ProfilerActivity.CPU" : "nsys --trace=cuda") + ")" +
                             (much(gaps.launches) ? ", to explain " + share(gaps.launches) : ""));
        if (m_steps.steps.empty() || m_steps.foundBy.starts_with("period"))
            advice.push_back(torch    ? "the steps (profiler.step() after each)"
                             : nsight ? "an NVTX range around each step"
                                      : "a range named ProfilerStep#N around each step");
        else if (m_steps.steps.size() < kEnoughSteps)
            advice.push_back("at least " + std::to_string(kEnoughSteps) + " steps instead of " +
                             std::to_string(m_steps.steps.size()) + ", to see how they spread");
        std::string text;
        for (const std::string &item : advice) text += (text.empty() ? "" : "; ") + item;
        return std::move(VerdictWriter(VerdictLine::About::Advice)
                             .say(text.empty()
                                      ? "Change one thing, then record the same steps and compare."
                                      : "Record next time: " + text + "."))
            .line();
    }

private:
    std::string deviceFollows(bool launching) const {
        TimeNs busy = 0;
        for (const DeviceIdle &d : m_devices) busy = std::max(busy, d.busy);
        if (busy == 0 || 2 * busy > m_length) return {};
        return " The device follows the host: its own work is " + formatDuration(busy) +
               (launching ? ", which fewer launches (compile, CUDA graph) or more work in each "
                            "could come near to."
                          : ".");
    }

    /// The longest idle interval of a cause; of any for kIdleCauseCount.
    static VerdictLink idleLink(const DeviceIdle &device, size_t cause) {
        VerdictLink link{VerdictLink::To::Idle, uint8_t(cause), {}, {}};
        for (const IdleInterval &i : device.intervals) {
            if (cause != kIdleCauseCount && size_t(i.cause) != cause) continue;
            if (i.end - i.begin <= link.range.length()) continue;
            link.range = {i.begin, i.end};
            const bool known = i.subject.valid() && i.subject.row != kNone;
            link.interval = known ? i.subject : i.next;
        }
        return link;
    }

    /// The three longest, with length and share.
    template <class Label>
    std::vector<std::vector<VerdictPart>> most(const std::vector<Sum> &sums, VerdictLink::To to,
                                               Label label) const {
        std::vector<size_t> order;
        for (size_t i = 0; i < sums.size(); ++i)
            if (1000.0 * double(sums[i].time) >= double(m_length) && sums[i].time > 0)
                order.push_back(i);
        std::stable_sort(order.begin(), order.end(),
                         [&](size_t a, size_t b) { return sums[a].time > sums[b].time; });
        order.resize(std::min<size_t>(order.size(), 3));
        std::vector<std::vector<VerdictPart>> items;
        for (const size_t i : order)
            items.push_back({{formatDuration(sums[i].time), linkTo(to, i, sums[i].longest), false},
                             {" (" + share(sums[i].time) + ")", {}, true},
                             {" " + label(i), {}, false}});
        if (items.empty())
            items.push_back(
                {{"under " + percentText(0.001) + " in all that is recorded", {}, false}});
        return items;
    }

    std::string share(TimeNs t) const {
        return percentText(double(t) / double(std::max<TimeNs>(1, m_length)));
    }
    bool much(TimeNs t) const { return double(t) >= kWorthSaying * double(m_length); }

    const Trace &m_trace;
    const Steps &m_steps;
    const Phases &m_phases;
    const DependencyGraph &m_graph;
    const CriticalPath &m_path;
    const std::vector<DeviceIdle> &m_devices;
    const Progress &m_progress;
    const TimeNs m_length;
};

} // namespace

namespace {

/// Throws Stopped.
Result<Verdict> judge(const Trace &trace, const Steps &steps, const Phases &phases,
                      const DependencyGraph &graph, const Window &window, Progress &progress) {
    Verdict v;
    v.window = window;
    const CriticalPath path = criticalPath(trace, steps, graph, window, progress);
    v.trust = path.byEvidence;
    auto books = idleBooks(trace, phases, graph, window, progress);
    if (!books && books.error().kind == ErrorKind::Cancelled) return books.error();
    const std::vector<DeviceIdle> devices =
        books ? std::move(*books) : std::vector<DeviceIdle>{}; // no device: the host alone
    auto levers = namedLevers(trace, steps, phases, graph, path, progress);
    if (!levers) return levers.error();
    v.levers = std::move(*levers);

    const Lines lines(trace, steps, phases, graph, path, devices, progress);
    v.lines = {lines.window(), lines.device(), lines.path()};
    for (size_t i = 0; i < v.levers.size(); ++i) v.lines.push_back(lines.lever(v.levers[i], i));
    if (v.levers.empty()) v.lines.push_back(lines.noLever());
    v.lines.push_back(lines.trust());
    v.lines.push_back(lines.advice());
    return v;
}

} // namespace

Result<Verdict> verdict(const Trace &trace, const Steps &steps, const Phases &phases,
                        const DependencyGraph &graph, const Window &window, Progress &progress) {
    try {
        return judge(trace, steps, phases, graph, window, progress);
    } catch (const Stopped &) {
        return Error{ErrorKind::Cancelled, "cancelled", "Stopped."};
    }
}

} // namespace longpole
