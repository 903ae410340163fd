// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/preview_rows.h"

#include "ui/numbers.h"
#include "ui/timeline/time_scale.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <tuple>

namespace longpole {

namespace {

constexpr int kHeader = 18, kGutter = 6, kWorks = 34, kDescribes = 18;
constexpr size_t kMostThreads = 4, kMostNotes = 3;

using Track = Preview::TrackSoFar;

enum class Section { Process, Device, Notes, Others };

struct Group {
    std::vector<const Track *> tracks, notes;
};

using Key = std::tuple<uint32_t, Section, int64_t, std::string>; ///< file, section, device, process

Key keyOf(const Track &track) {
    if (track.kind == TrackKind::Thread) return {track.file, Section::Process, 0, track.process};
    if (track.kind == TrackKind::Stream || track.device)
        return {track.file, Section::Device, track.device.value_or(0), {}};
    return {track.file, Section::Notes, 0, {}};
}

/// Roughly how busy, so that rows keep their places while they grow.
int busyClass(const Track *track) {
    const auto sum = std::accumulate(track->busy.begin(), track->busy.end(), uint64_t(0));
    return std::bit_width(sum);
}

void busiestFirst(std::vector<const Track *> &tracks) {
    std::stable_sort(tracks.begin(), tracks.end(),
                     [](const Track *a, const Track *b) { return busyClass(a) > busyClass(b); });
}

QString text(const std::string &s) {
    return QString::fromStdString(s);
}

class Stacking {
public:
    explicit Stacking(const Preview &preview) : m_preview(preview) {}

    std::vector<PreviewRow> run() {
        std::map<Key, Group> groups;
        for (const Track &track : m_preview.tracks) {
            Group &group = groups[keyOf(track)];
            const bool works = track.kind == TrackKind::Thread || track.kind == TrackKind::Stream;
            (works ? group.tracks : group.notes).push_back(&track);
        }
        for (auto &[key, group] : groups) {
            header(key);
            busiestFirst(group.tracks);
            busiestFirst(group.notes);
            const bool threads = std::get<1>(key) == Section::Process;
            rows(group.tracks, threads ? kMostThreads : group.tracks.size(), kWorks,
                 QObject::tr("%1 more threads"));
            rows(group.notes, kMostNotes, kDescribes, QObject::tr("%1 more rows"));
        }
        if (m_preview.otherTracks > 0) {
            header({0, Section::Others, 0, {}});
            density({&m_preview.others}, kWorks,
                    QObject::tr("%1 tracks").arg(countText(int64_t(m_preview.otherTracks))));
        }
        return std::move(m_rows);
    }

private:
    PreviewRow &push(Row::Type type, int bar, int gutter) {
        PreviewRow row;
        row.type = type;
        row.y = m_y;
        row.bar = bar;
        row.height = bar + gutter;
        row.endsTrack = gutter > 0;
        m_y += row.height;
        m_rows.push_back(std::move(row));
        return m_rows.back();
    }

    void header(const Key &key) {
        const auto &[file, section, device, process] = key;
        PreviewRow &row = push(Row::Type::Group, kHeader, 0);
        row.open = true;
        row.label = section == Section::Process  ? QStringLiteral("CPU")
                    : section == Section::Device ? QStringLiteral("GPU %1").arg(device)
                    : section == Section::Notes  ? QStringLiteral("Annotations")
                                                 : QObject::tr("Further tracks");
        row.detail = text(process);
        if (m_preview.tracks.back().file > 0 && section != Section::Others) {
            const QString number = QObject::tr("file %1").arg(file + 1);
            row.detail += (row.detail.isEmpty() ? QString() : QStringLiteral(" · ")) + number;
        }
    }

    void rows(const std::vector<const Track *> &tracks, size_t most, int bar, const QString &more) {
        const size_t alone = tracks.size() == most + 1 ? most + 1 : most;
        for (size_t i = 0; i < std::min(alone, tracks.size()); ++i)
            density({tracks[i]}, bar, text(tracks[i]->name));
        if (tracks.size() <= alone) return;
        density({tracks.begin() + long(alone), tracks.end()}, kDescribes,
                more.arg(countText(int64_t(tracks.size() - alone))));
    }

    void density(std::vector<const Track *> tracks, int bar, const QString &label) {
        PreviewRow &row = push(Row::Type::Density, bar, kGutter);
        uint64_t intervals = 0;
        for (const Track *track : tracks) intervals += track->intervals;
        row.label = label;
        row.detail = countText(int64_t(intervals));
        row.isAside = bar == kDescribes;
        row.shown = std::move(tracks);
    }

    const Preview &m_preview;
    std::vector<PreviewRow> m_rows;
    int m_y = 0;
};

} // namespace

std::vector<PreviewRow> previewRows(const Preview &preview) {
    return Stacking(preview).run();
}

std::vector<float> previewColumns(const Preview &preview, const PreviewRow &row, TimeRange view,
                                  int columns) {
    std::vector<float> shares(size_t(std::max(0, columns)), -1.F);
    const TimeScale scale{view, double(std::max(1, columns))};
    const double bin = double(preview.binLength());
    const auto binAt = [&](double x) {
        const double at = (double(view.begin - preview.range.begin) + x * scale.nsPerPixel()) / bin;
        return int64_t(std::floor(std::clamp(at, -1.0, double(Preview::kBins))));
    };
    for (int x = 0; x < columns; ++x) {
        const int64_t from = std::max<int64_t>(0, binAt(x));
        const int64_t to = std::clamp<int64_t>(binAt(x + 1), from + 1, int64_t(Preview::kBins));
        if (binAt(x) < 0 || from >= int64_t(Preview::kBins)) continue;
        uint32_t most = 0;
        for (const Preview::TrackSoFar *track : row.shown)
            most = std::max(most, std::accumulate(track->busy.begin() + from,
                                                  track->busy.begin() + to, uint32_t(0)));
        if (most > 0) shares[size_t(x)] = float(most) / float(255 * (to - from));
    }
    return shares;
}

} // namespace longpole
