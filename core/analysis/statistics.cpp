// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/statistics.h"

#include "core/analysis/tally.h"

#include <map>
#include <unordered_map>

namespace longpole {

namespace {

/// Names of tracks, with as much of their place as tells them from others of that name.
class TrackLabels {
public:
    explicit TrackLabels(const Trace &trace) : m_trace(trace) {
        for (const Track &track : trace.tracks) {
            ++m_byName[track.name];
            ++m_byFile[{trace.processes[track.process].file, track.name}];
        }
    }

    std::string of(uint32_t index) const {
        const Track &track = m_trace.tracks[index];
        if (m_byName.at(track.name) == 1) return track.name;
        const Process &process = m_trace.processes[track.process];
        const SourceFile &file = m_trace.files[process.file];
        std::string label = track.name;
        if (m_byFile.at({process.file, track.name}) > 1)
            label += track.device ? " of device " + std::to_string(*track.device)
                                  : " of process " + process.pid;
        if (m_trace.files.size() > 1)
            label += file.rank ? " of rank " + std::to_string(*file.rank) : " in " + file.name;
        return label;
    }

private:
    const Trace &m_trace;
    std::unordered_map<std::string_view, uint32_t> m_byName;
    std::map<std::pair<uint32_t, std::string_view>, uint32_t> m_byFile;
};

/// The rows of all tallies together, and the lengths of each.
class Rows {
public:
    Rows(const Keys &keys, const std::vector<std::unique_ptr<Tally>> &parts) : m_keys(keys) {
        for (const auto &part : parts)
            for (uint32_t g = 0; g < part->groups.size(); ++g) {
                const Group &group = part->groups[g];
                const uint32_t r = rowOf(group);
                StatRow &row = rows[r];
                row.self += group.self;
                row.unionTime += group.unionTime;
                row.exclusive += group.exclusive;
                row.device += group.device;
                lengths[r].push_back(&part->lengths[g]);
            }
    }

    std::vector<StatRow> rows;
    std::vector<std::vector<const Lengths *>> lengths;

private:
    uint32_t rowOf(const Group &group) {
        if (group.pool) {
            const std::string_view name = (*group.pool)[StringId{group.index}];
            const auto [at, isNew] = m_byName.try_emplace(name, uint32_t(rows.size()));
            if (isNew) add(std::string(name), kNone);
            return at->second;
        }
        const auto [at, isNew] = m_byIndex.try_emplace(group.index, uint32_t(rows.size()));
        if (isNew) add(keyOf(group.index), group.index);
        return at->second;
    }
    void add(std::string key, uint32_t index) {
        rows.emplace_back();
        rows.back().key = std::move(key);
        rows.back().index = index;
        lengths.emplace_back();
    }
    std::string keyOf(uint32_t index) {
        if (m_keys.attribution) return m_keys.attribution->owners[index];
        if (m_keys.by == GroupBy::Phase) return m_keys.phases.rules.rules[index].id;
        if (m_keys.by == GroupBy::Kind) return std::string(kindName(Kind(index)));
        if (!m_labels) m_labels.emplace(m_keys.trace);
        return m_labels->of(index);
    }

    const Keys m_keys;
    std::optional<TrackLabels> m_labels;
    std::unordered_map<std::string_view, uint32_t> m_byName;
    std::unordered_map<uint32_t, uint32_t> m_byIndex;
};

void describe(StatRow &row, std::span<const Lengths *const> lengths, const Progress &progress) {
    const LengthFacts facts = LengthFacts::of(lengths, progress);
    row.count = facts.count;
    row.mean = facts.mean;
    row.p50 = facts.p50;
    row.p95 = facts.p95;
    row.max = facts.max;
}

StatRow totalOf(const Rows &counted, const Progress &progress) {
    StatRow total;
    total.key = "total";
    std::vector<const Lengths *> lengths;
    for (size_t i = 0; i < counted.rows.size(); ++i) {
        const StatRow &row = counted.rows[i];
        total.sum += row.sum;
        total.device += row.device;
        total.self += row.self;
        total.exclusive += row.exclusive;
        lengths.insert(lengths.end(), counted.lengths[i].begin(), counted.lengths[i].end());
    }
    describe(total, lengths, progress);
    return total;
}

std::vector<Communication> communicationOf(const std::vector<std::unique_ptr<Tally>> &parts) {
    std::map<DeviceKey, Exposure> exposures;
    for (const auto &part : parts)
        for (const auto &[key, exposure] : part->exposures) exposures[key].add(exposure);
    std::vector<Communication> result;
    for (const auto &[key, exposure] : exposures) {
        Communication c{key.first,
                        key.second,
                        exposure.sum,
                        exposure.unionTime,
                        exposure.unionTime - exposure.hidden,
                        std::nullopt};
        if (exposure.unionTime > 0)
            c.hiddenShare = double(exposure.hidden) / double(exposure.unionTime);
        result.push_back(c);
    }
    return result;
}

} // namespace

std::optional<AttributeTo> attributeTo(GroupBy by) {
    switch (by) {
    case GroupBy::Op:
        return AttributeTo::Op;
    case GroupBy::Module:
        return AttributeTo::Module;
    case GroupBy::Class:
        return AttributeTo::Class;
    default:
        return std::nullopt;
    }
}

namespace {

Statistics count(const Trace &trace, const Phases &phases, const Window &window, GroupBy by,
                 const Progress &progress, unsigned threads) {
    Statistics result;
    result.window = window;
    if (const auto to = attributeTo(by))
        result.attribution = std::make_shared<const Attribution>(attribute(trace, *to, progress));
    const Keys keys{trace, phases, by, result.attribution.get()};
    const auto parts = tallies(keys, window.range, progress, threads);
    Rows counted(keys, parts);
    for (size_t i = 0; i < counted.rows.size(); ++i) {
        counted.rows[i].sum = counted.rows[i].self;
        describe(counted.rows[i], counted.lengths[i], progress);
    }
    result.total = totalOf(counted, progress);
    for (const auto &part : parts) result.total.unionTime += part->unionTime;
    result.rows = std::move(counted.rows);
    result.communication = communicationOf(parts);
    std::sort(result.rows.begin(), result.rows.end(), [](const StatRow &a, const StatRow &b) {
        return std::tie(b.sum, a.key, a.index) < std::tie(a.sum, b.key, b.index);
    });
    return result;
}

} // namespace

Result<Statistics> statistics(const Trace &trace, const Phases &phases, const Window &window,
                              GroupBy by, Progress &progress, unsigned threads) {
    try {
        return count(trace, phases, window, by, progress, threads);
    } catch (const Stopped &) {
        return Error{ErrorKind::Cancelled, "cancelled", "Stopped."};
    }
}

} // namespace longpole
