// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/track_groups.h"

#include <QRegularExpression>

#include <algorithm>
#include <map>
#include <tuple>

namespace longpole {

namespace {

constexpr size_t kMaxBusyThreads = 4; ///< per process, the others share a row
constexpr double kHelperShare = 0.02; ///< of the busiest thread's time

QString text(std::string_view s) {
    return QString::fromUtf8(s.data(), qsizetype(s.size()));
}

/// "thread 41207 (python)" says the id twice once the id stands beside it.
QString threadLabel(const Track &track) {
    static const QRegularExpression pattern(QStringLiteral("^[Tt]hread -?\\d+(?: \\((.+)\\))?$"));
    const QString name = QString::fromStdString(track.name);
    const auto match = pattern.match(name);
    if (match.hasMatch() && !match.captured(1).isEmpty()) return match.captured(1);
    bool isNumber = false;
    const QString id = QString::fromStdString(track.thread);
    name.toLongLong(&isNumber);
    if (name == QStringLiteral("thread ") + id) return id; // a name made of an id in words
    if (match.hasMatch() || name.isEmpty() || isNumber) return QStringLiteral("thread");
    return name;
}

void describeStream(const Track &track, TrackFacts &facts) {
    const TrackTable &table = *track.table;
    const uint32_t step = std::max(1u, table.size() / 4096);
    uint32_t kernels = 0, copies = 0, comm = 0;
    for (uint32_t row = 0; row < table.size(); row += step) {
        const Kind kind = table.kind[row];
        if (kind == Kind::Comm)
            ++comm;
        else if (isCopyKind(kind))
            ++copies;
        else if (kind != Kind::Memset)
            ++kernels;
    }
    if (comm > kernels)
        facts.rank = 2, facts.detail = QStringLiteral("communication");
    else if (copies > 0 && kernels == 0)
        facts.rank = 1, facts.detail = QStringLiteral("copy");
    else
        facts.detail = QStringLiteral("compute");
}

QString rankSuffix(const Trace &trace, uint32_t file) {
    const auto &rank = trace.files[file].rank;
    return rank ? QStringLiteral("rank %1").arg(*rank) : QString();
}

QString joined(std::initializer_list<QString> parts) {
    QStringList list;
    for (const QString &part : parts)
        if (!part.isEmpty()) list << part;
    return list.join(QStringLiteral(" · "));
}

/// Moves threads that hardly work behind one row; never the first one.
void splitHelpers(TrackGroup &group, const std::vector<TrackFacts> &facts) {
    TimeNs most = 0;
    for (uint32_t t : group.tracks) most = std::max(most, facts[t].busy);
    const std::vector<uint32_t> all = std::exchange(group.tracks, {});
    for (uint32_t t : all) {
        const bool works =
            facts[t].launches > 0 || double(facts[t].busy) > kHelperShare * double(most);
        if (group.tracks.empty() || (works && group.tracks.size() < kMaxBusyThreads))
            group.tracks.push_back(t);
        else
            group.helpers.push_back(t);
    }
    if (group.helpers.size() == 1 && facts[group.helpers[0]].busy > 0) {
        group.tracks.push_back(group.helpers[0]); // a row of its own is as short and says more
        group.helpers.clear();
    }
}

class Grouping {
public:
    Grouping(const Loaded &loaded, const std::vector<TrackFacts> &facts,
             const std::vector<TransferRow> &transfers,
             const std::vector<CounterSeries> &queueDepths)
        : m_loaded(loaded), m_trace(*loaded.trace), m_facts(facts), m_transfers(transfers),
          m_queueDepths(queueDepths) {}

    std::vector<TrackGroup> run() {
        for (uint32_t t = 0; t < m_trace.tracks.size(); ++t) place(t);
        uint32_t item = 0; // of TimelineData::counter()
        for (const auto *all : {&m_trace.counters, &m_queueDepths})
            for (const CounterSeries &series : *all)
                group(fileOf(series.track), TrackGroup::Type::Counters, 0).items.push_back(item++);
        for (uint32_t r = 0; r < m_transfers.size(); ++r)
            group(m_transfers[r].file, TrackGroup::Type::Transfers, 0).items.push_back(r);
        std::vector<std::pair<Key, TrackGroup>> all(m_groups.begin(), m_groups.end());
        for (auto &[key, group] : all) sortTracks(group);
        std::stable_sort(all.begin(), all.end(), [&](const auto &a, const auto &b) {
            return std::tuple(std::get<0>(a.first), a.second.type, -weight(a.second)) <
                   std::tuple(std::get<0>(b.first), b.second.type, -weight(b.second));
        });
        std::vector<TrackGroup> result;
        for (auto &[key, group] : all) {
            if (group.type == TrackGroup::Type::Cpu) {
                if (isIdle(group) && !result.empty() && result.back().type == group.type) {
                    auto &helpers = result.back().helpers;
                    helpers.insert(helpers.end(), group.tracks.begin(), group.tracks.end());
                    continue;
                }
                splitHelpers(group, m_facts);
            }
            result.push_back(std::move(group));
        }
        return result;
    }

private:
    using Key = std::tuple<uint32_t, TrackGroup::Type, int64_t>; ///< file, type, process or device

    uint32_t fileOf(uint32_t track) const {
        return m_trace.processes[m_trace.tracks[track].process].file;
    }
    bool isUsed(uint32_t track) const { return m_trace.tracks[track].table->size() > 0; }
    bool isStepThread(uint32_t track) const { return track == m_loaded.steps.thread; }

    void place(uint32_t t) {
        const Track &track = m_trace.tracks[t];
        const uint32_t file = fileOf(t);
        const int64_t device = track.device.value_or(0);
        switch (track.kind) {
        case TrackKind::Thread:
            group(file, TrackGroup::Type::Cpu, track.process).tracks.push_back(t);
            break;
        case TrackKind::Stream:
            group(file, TrackGroup::Type::Gpu, device).tracks.push_back(t);
            break;
        case TrackKind::Annotation:
            if (track.device)
                group(file, TrackGroup::Type::Gpu, device).notes.push_back(t);
            else
                group(file, TrackGroup::Type::Annotations, 0).notes.push_back(t);
            break;
        case TrackKind::Counter:
            break; // drawn by series
        }
    }

    TrackGroup &group(uint32_t file, TrackGroup::Type type, int64_t id) {
        auto [it, isNew] = m_groups.try_emplace(Key{file, type, id});
        if (isNew) name(it->second, file, type, id);
        return it->second;
    }

    void name(TrackGroup &group, uint32_t file, TrackGroup::Type type, int64_t id) const {
        group.type = type;
        group.key = QStringLiteral("%1/%2/%3").arg(file).arg(int(type)).arg(id);
        const QString rank = rankSuffix(m_trace, file);
        switch (type) {
        case TrackGroup::Type::Cpu: {
            const Process &p = m_trace.processes[size_t(id)];
            const QString pid = QString::fromStdString(p.pid),
                          name = QString::fromStdString(p.name);
            group.title = QStringLiteral("CPU");
            group.detail = joined({name == pid ? pid : QString(name + ' ' + pid).trimmed(), rank});
            break;
        }
        case TrackGroup::Type::Transfers:
            group.title = QStringLiteral("Transfers");
            group.detail = joined({QStringLiteral("views of copies on their streams"), rank});
            break;
        case TrackGroup::Type::Gpu: {
            const auto &names = m_trace.files[file].deviceNames;
            group.title = QStringLiteral("GPU %1").arg(id);
            if (id >= 0 && size_t(id) < names.size())
                group.detail = QString::fromStdString(names[size_t(id)]);
            group.detail = joined({group.detail, rank});
            break;
        }
        case TrackGroup::Type::Annotations:
            group.title = QStringLiteral("Annotations");
            group.detail = joined({QStringLiteral("derived: no busy time of their own"), rank});
            break;
        case TrackGroup::Type::Counters:
            group.title = QStringLiteral("Counters");
            group.detail = rank;
            break;
        }
    }

    void sortTracks(TrackGroup &group) const {
        std::stable_sort(group.tracks.begin(), group.tracks.end(), [&](uint32_t a, uint32_t b) {
            const TrackFacts &x = m_facts[a], &y = m_facts[b];
            return std::tuple(!isStepThread(a), x.rank, x.launches == 0, -x.busy) <
                   std::tuple(!isStepThread(b), y.rank, y.launches == 0, -y.busy);
        });
        std::stable_sort(group.notes.begin(), group.notes.end(), [&](uint32_t a, uint32_t b) {
            return isUsed(a) > isUsed(b); // rows of mere instants come last
        });
        if (group.type != TrackGroup::Type::Gpu || group.tracks.empty()) return;
        const size_t count = group.tracks.size();
        const QString streams =
            count == 1 ? QStringLiteral("1 stream") : QStringLiteral("%1 streams").arg(count);
        group.detail = joined({group.detail, streams});
    }

    /// A process that did nothing needs no section of its own.
    bool isIdle(const TrackGroup &group) const {
        return std::all_of(group.tracks.begin(), group.tracks.end(), [&](uint32_t t) {
            return m_facts[t].busy == 0 && m_facts[t].launches == 0;
        });
    }

    TimeNs weight(const TrackGroup &group) const {
        if (group.type == TrackGroup::Type::Gpu) return 0; // devices keep their numbers' order
        TimeNs busy = 0;
        for (uint32_t t : group.tracks) {
            if (isStepThread(t)) return INT64_MAX;
            busy = std::max(busy, m_facts[t].busy);
        }
        return busy;
    }

    const Loaded &m_loaded;
    const Trace &m_trace;
    const std::vector<TrackFacts> &m_facts;
    const std::vector<TransferRow> &m_transfers;
    const std::vector<CounterSeries> &m_queueDepths;
    std::map<Key, TrackGroup> m_groups;
};

} // namespace

std::vector<TrackFacts> trackFacts(const Trace &trace) {
    std::vector<TrackFacts> facts(trace.tracks.size());
    for (const Launch &launch : trace.launches)
        if (launch.call.valid()) ++facts[launch.call.track].launches;
    for (size_t t = 0; t < facts.size(); ++t) {
        const Track &track = trace.tracks[t];
        const TrackTable &table = *track.table;
        for (uint32_t row = 0; row < table.size(); ++row)
            if (table.depth[row] == 0) facts[t].busy += table.duration[row];
        facts[t].quiet = double(facts[t].busy) < 0.02 * double(trace.range.length());
        if (track.kind == TrackKind::Thread) {
            facts[t].label = threadLabel(track);
            facts[t].detail = QString::fromStdString(track.thread);
            if (facts[t].detail == facts[t].label) facts[t].detail.clear();
        } else {
            facts[t].label = text(track.name);
            if (track.kind == TrackKind::Annotation && track.device && track.stream) {
                facts[t].label = QStringLiteral("annotations");
                facts[t].detail = QStringLiteral("stream %1").arg(*track.stream);
            }
            if (track.kind == TrackKind::Stream) describeStream(track, facts[t]);
        }
    }
    return facts;
}

std::vector<TrackGroup> trackGroups(const Loaded &loaded, const std::vector<TrackFacts> &facts,
                                    const std::vector<TransferRow> &transfers,
                                    const std::vector<CounterSeries> &queueDepths) {
    return Grouping(loaded, facts, transfers, queueDepths).run();
}

} // namespace longpole
