// SPDX-License-Identifier: Apache-2.0
// The part of idle.h that puts causes into words.
#include "core/analysis/idle.h"

#include "core/analysis/work_names.h"

namespace longpole {

namespace {

struct CauseText {
    std::string_view name, label;
};
constexpr std::array<CauseText, kIdleCauseCount> kCauses = {{
    {"stream_dependency", "stream dependency"},
    {"collective_wait", "collective wait"},
    {"transfer_wait", "transfer wait"},
    {"launch_latency", "launch latency"},
    {"data_wait", "data wait"},
    {"sync_wait", "sync wait"},
    {"transfer_blocking", "transfer blocking"},
    {"allocator", "allocator"},
    {"compile", "compile"},
    {"profiler", "profiler"},
    {"handoff_wait", "hand-off wait"},
    {"host_bound", "host-bound"},
    {"kernel_gap", "kernel-to-kernel gap"},
    {"window_edge", "window edge"},
    {"unexplained", "unexplained"},
}};

std::string_view evidenceSentence(Evidence evidence) {
    switch (evidence) {
    case Evidence::Recorded:
        return " Recorded.";
    case Evidence::Inferred:
        return " Inferred.";
    case Evidence::Assumed:
        break;
    }
    return " Assumed.";
}

std::string hostSentence(const Trace &trace, const IdleInterval &i, const std::string &length) {
    if (!i.subject.valid()) return "No operation for " + length + ".";
    std::string text = "No operation for " + length + ": " + trace.tracks[i.subject.track].name;
    if (i.subject.row == kNone)
        return text + (i.mostly ? " ran mostly" : " ran") +
               " without an event and launched nothing.";
    text += (i.mostly ? " was mostly in " : " was in ") + shortName(trace, i.subject);
    return text + (i.cause == IdleCause::SyncWait ? ", with nothing left to run."
                                                  : " and launched nothing.");
}

} // namespace

std::string_view idleCauseName(IdleCause cause) {
    return kCauses[size_t(cause)].name;
}

std::string_view idleCauseLabel(IdleCause cause) {
    return kCauses[size_t(cause)].label;
}

std::string idleSentence(const Trace &trace, const IdleInterval &i) {
    const std::string length = formatDuration(i.end - i.begin);
    const std::string next =
        i.next.valid() ? shortName(trace, i.next) : std::string("the next operation");
    const bool named = i.subject.valid() && i.subject.row != kNone;
    const auto subjectOn = [&](TrackKind kind) {
        return named && trace.tracks[i.subject.track].kind == kind;
    };
    const bool operation = subjectOn(TrackKind::Stream);
    std::string text;
    if (subjectOn(TrackKind::Annotation))
        return "No operation for " + length + ": the profiler noted " +
               shortName(trace, i.subject) + (i.mostly ? ", mostly." : ".") +
               std::string(evidenceSentence(i.evidence));
    switch (i.cause) {
    case IdleCause::WindowEdge:
        if (i.evidence == Evidence::Assumed)
            return "Nothing is recorded on this device before this, for " + length +
                   " of the window: what was launched earlier may have run. Assumed.";
        return i.next.valid() ? "Nothing is recorded before this, " + length + " of the window."
                              : "No operation follows in the capture, for the last " + length +
                                    " of the window.";
    case IdleCause::Unexplained:
        return "Unexplained for " + length + ": nothing in the trace says why.";
    case IdleCause::LaunchLatency:
        text = next + " began " + length + " after its launch did.";
        break;
    case IdleCause::KernelGap:
        text = length + " between two operations that were both queued.";
        break;
    case IdleCause::HandoffWait:
        text = "No operation for " + length +
               (named ? " until " + trace.tracks[i.subject.track].name + " went on with " +
                            shortName(trace, i.subject) + ": another thread handed over to it."
                      : std::string(": one thread handed over to another."));
        break;
    default:
        text = operation ? next + " waited " + length + " for " + shortName(trace, i.subject) +
                               " on " + trace.tracks[i.subject.track].name + "."
                         : hostSentence(trace, i, length);
    }
    return text + std::string(evidenceSentence(i.evidence));
}

} // namespace longpole
