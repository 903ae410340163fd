// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/verdict_words.h"

#include <algorithm>
#include <cstdio>

namespace longpole {

std::string percentText(double share) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f\u00a0%%", 100 * share);
    return text;
}

std::vector<std::string> percentTexts(const std::vector<TimeNs> &parts) {
    TimeNs whole = 0;
    for (const TimeNs part : parts) whole += part;
    if (whole <= 0) return std::vector<std::string>(parts.size());
    // tenths by largest remainder
    std::vector<int> tenths;
    std::vector<size_t> order;
    std::vector<double> rest;
    int left = 1000;
    for (size_t i = 0; i < parts.size(); ++i) {
        const double exact = 1000 * (double(parts[i]) / double(whole));
        tenths.push_back(int(exact));
        rest.push_back(exact - tenths[i]);
        order.push_back(i);
        left -= tenths[i];
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return rest[a] > rest[b]; });
    for (int i = 0; i < left && i < int(order.size()); ++i) ++tenths[order[size_t(i)]];
    std::vector<std::string> texts;
    for (const int t : tenths) texts.push_back(t > 0 ? percentText(t / 1000.0) : std::string());
    return texts;
}

std::string gainText(TimeNs gain) {
    return gain > 0 ? "\u2212" + formatDuration(gain) : formatDuration(-gain);
}

std::string spanText(TimeNs from, TimeNs to) {
    const std::string_view gap = "\u00a0";
    std::string low = formatDuration(from);
    const std::string high = formatDuration(to);
    const size_t unit = low.find(gap), same = high.find(gap);
    if (unit != low.npos && same != high.npos && low.substr(unit) == high.substr(same))
        low.resize(unit);
    return low + " – " + high;
}

std::string stepTitle(const std::string &name) {
    constexpr std::string_view prefix = "ProfilerStep#";
    return name.starts_with(prefix) ? "Step " + name.substr(prefix.size()) : name;
}

std::string_view placeOfKind(Kind kind) {
    switch (kind) {
    case Kind::CpuOp:
        return "in operators and ranges";
    case Kind::Python:
        return "in Python";
    case Kind::Annotation:
    case Kind::Phase:
        return "in ranges, outside what they call";
    case Kind::Launch:
        return "in launch calls";
    case Kind::GraphLaunch:
        return "in graph launches";
    case Kind::Untraced:
        return "on the host without an event";
    case Kind::Sync:
        return "in synchronising calls";
    case Kind::Overhead:
        return "in the profiler";
    case Kind::Kernel:
        return "in kernels";
    case Kind::GraphExec:
        return "in device graphs";
    case Kind::Comm:
        return "in communication kernels";
    case Kind::Runtime:
        return "in device API calls that launch nothing";
    case Kind::EventRecord:
    case Kind::EventWait:
        return "in event calls";
    case Kind::Memset:
        return "in memsets";
    case Kind::H2D:
        return "in host-to-device copies";
    case Kind::D2H:
        return "in device-to-host copies";
    case Kind::D2D:
        return "in copies on the device";
    case Kind::P2P:
        return "in copies between devices";
    case Kind::H2H:
        return "in copies on the host";
    }
    return {};
}

std::string_view idleWords(IdleCause cause) {
    if (cause == IdleCause::WindowEdge) return "at the edge of the window";
    if (cause == IdleCause::Allocator) return "in the allocator";
    if (cause == IdleCause::Compile) return "for compilation";
    if (cause == IdleCause::Profiler) return "for the profiler";
    return idleCauseLabel(cause);
}

namespace {

/// One call of many that took most of the time, where start-up is not cut off: it will not come
/// back.
bool isStartup(const NamedLever &named, const CriticalPath &path) {
    const PathSegment &longest = path.segments[named.longest];
    return !path.window.steps && named.lever.count > 1 &&
           2 * (longest.end - longest.begin) > named.lever.onPath;
}

} // namespace

std::string refutation(const NamedLever &named, const CriticalPath &path) {
    const Lever &l = named.lever;
    const Window &window = path.window;
    const std::string most = formatDuration(std::max<TimeNs>(0, l.gainInf));
    const std::string half = formatDuration(l.low >= l.gain2 / 2 ? l.low : l.gain2);
    const bool step = window.steps && window.steps->first == window.steps->second;
    const std::string where = step           ? " a step, over 20 synchronised steps."
                              : window.steps ? " over as many synchronised steps."
                                             : " when this is recorded again.";
    const std::string fails = " saves less than " + half + where;
    const std::string saves = " does not save about " + most + where;
    switch (named.nature) {
    case LeverNature::DataWait:
        return "Refuted if the same batch, fed again and again," + saves;
    case LeverNature::Launches:
        return "Refuted if half as many launches (fused, compiled, a CUDA graph)" + fails;
    case LeverNature::Calls:
        return (isStartup(named, path) ? "Most of it is one call, as at start-up: refuted"
                                       : std::string("Refuted")) +
               " if making it before the window" + saves;
    case LeverNature::Collective:
        return "Refuted if leaving this collective out" + saves;
    case LeverNature::Copies:
        return "Refuted if data that is already in place" + saves;
    case LeverNature::Kernels:
        return "Refuted if halving its work (shape, precision)" + fails;
    case LeverNature::Code:
        break;
    }
    if (isStartup(named, path))
        return "Most of it is one call, as at start-up: refuted if a warm-up before the window" +
               saves;
    return "Refuted if halving its time (fuse, compile, call it less)" + fails;
}

VerdictWriter &VerdictWriter::add(VerdictPart part) {
    if (!part.text.empty()) m_line.parts.push_back(std::move(part));
    return *this;
}

VerdictWriter &VerdictWriter::list(const std::vector<std::vector<VerdictPart>> &items) {
    for (size_t i = 0; i < items.size(); ++i) {
        if (i > 0) say(i + 1 == items.size() ? " and " : ", ");
        for (const VerdictPart &part : items[i]) add(part);
    }
    return *this;
}

std::string VerdictLine::text() const {
    std::string text;
    for (const VerdictPart &part : parts) text += part.text;
    return text;
}

} // namespace longpole
