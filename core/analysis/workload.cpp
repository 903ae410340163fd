// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/workload.h"

#include <algorithm>
#include <numeric>

namespace longpole {

namespace {

/// Finds the step in which a time lies, of some steps of a trace; all of it is one without any.
class StepsAt {
public:
    StepsAt(const Steps &steps, const std::vector<uint32_t> &chosen) {
        for (const uint32_t i : chosen)
            m_ranges.push_back({steps.steps[i].begin, steps.steps[i].end});
    }
    bool contains(TimeNs t) const {
        if (m_ranges.empty()) return true;
        const auto next =
            std::upper_bound(m_ranges.begin(), m_ranges.end(), t,
                             [](TimeNs at, const TimeRange &range) { return at < range.begin; });
        return next != m_ranges.begin() && std::prev(next)->contains(t);
    }

private:
    std::vector<TimeRange> m_ranges;
};

std::vector<uint32_t> comparedSteps(const Steps &steps) {
    std::vector<uint32_t> chosen = steadySteps(steps);
    if (!chosen.empty()) return chosen;
    chosen.resize(steps.steps.size());
    std::iota(chosen.begin(), chosen.end(), 0u);
    return chosen;
}

bool isKernel(Kind kind) {
    return kind == Kind::Kernel || kind == Kind::Comm || kind == Kind::GraphExec;
}

/// When the host asked for a device operation, or when it began where that is not recorded.
TimeNs askedAt(const Trace &trace, IntervalId op) {
    const IntervalId call = trace.callOf(op);
    return trace.begin(call.valid() ? call : op);
}

void addDeviceWork(Workload &work, const Trace &trace, const StepsAt &steps) {
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        const Track &track = trace.tracks[t];
        if (track.kind != TrackKind::Stream || track.table->size() == 0) continue;
        const TrackTable &table = *track.table;
        std::vector<Workload::Kernel *> known(table.strings->size());
        for (uint32_t row = 0; row < table.size(); ++row) {
            const Kind kind = table.kind[row];
            if (!isDeviceKind(kind) || !steps.contains(askedAt(trace, {t, row}))) continue;
            if (!isKernel(kind)) {
                Workload::Moved &moved = work.moved[size_t(kind)];
                ++moved.count;
                moved.bytes += std::max<int64_t>(0, table.sideOf(row).bytes);
                continue;
            }
            Workload::Kernel *&kernel = known[table.name[row].index];
            if (!kernel) kernel = &work.kernels[std::string(track.nameOf(row))];
            ++kernel->count;
            kernel->time += table.duration[row];
        }
        const SourceFile &file = trace.files[trace.processes[track.process].file];
        const size_t device = size_t(track.device.value_or(0));
        if (device < file.deviceNames.size() && !file.deviceNames[device].empty())
            work.devices.insert(file.deviceNames[device]);
    }
}

} // namespace

std::vector<uint32_t> steadySteps(const Steps &steps) {
    std::vector<uint32_t> chosen;
    if (!steps.steady) return chosen;
    for (uint32_t i = steps.steady->first; i <= steps.steady->last; ++i)
        if (!steps.steps[i].leftOut) chosen.push_back(i);
    return chosen;
}

std::vector<IntervalId> shapesWanted(const Trace &trace, const Steps &steps) {
    std::vector<uint32_t> chosen = comparedSteps(steps);
    std::stable_sort(chosen.begin(), chosen.end(), [&](uint32_t x, uint32_t y) {
        return steps.steps[x].length() < steps.steps[y].length();
    });
    if (!chosen.empty()) chosen = {chosen[(chosen.size() - 1) / 2]};
    const StepsAt step(steps, chosen);
    std::vector<IntervalId> wanted;
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        const Track &track = trace.tracks[t];
        if (!track.isResource()) continue;
        for (uint32_t row = 0; row < track.table->size(); ++row) {
            const Kind kind = track.table->kind[row];
            if (kind == Kind::CpuOp ? step.contains(track.begin(row))
                                    : isKernel(kind) && step.contains(askedAt(trace, {t, row})))
                wanted.push_back({t, row});
        }
    }
    const auto place = [&](IntervalId id) {
        const Track &track = trace.track(id);
        return std::pair(trace.processes[track.process].file, track.table->offset[id.row]);
    };
    std::sort(wanted.begin(), wanted.end(),
              [&](IntervalId x, IntervalId y) { return place(x) < place(y); });
    return wanted;
}

TimeNs Workload::kernelTime() const {
    TimeNs sum = 0;
    for (const auto &[name, kernel] : kernels) sum += kernel.time;
    return sum;
}

Workload workloadOf(const Trace &trace, const Steps &steps,
                    const std::vector<RecordedShape> &shapes) {
    Workload work;
    const std::vector<uint32_t> chosen = comparedSteps(steps);
    work.steps = std::max<uint64_t>(1, chosen.size());
    addDeviceWork(work, trace, StepsAt(steps, chosen));
    for (const RecordedShape &shape : shapes) {
        const std::string name(trace.name(shape.id));
        if (!shape.launch.empty()) ++work.launches[name][shape.launch];
        if (!shape.inputs.empty()) ++work.inputs[name][shape.inputs];
    }
    for (const SourceFile &file : trace.files)
        if (file.worldSize) work.ranks = std::max(work.ranks.value_or(0), *file.worldSize);
    if (!work.ranks && trace.files.size() > 1) work.ranks = int64_t(trace.files.size());
    Steps compared;
    for (const uint32_t i : chosen) compared.steps.push_back(steps.steps[i]);
    compared.measured = steps.measured;
    work.boundary = compared.boundary();
    return work;
}

} // namespace longpole
