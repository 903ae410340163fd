// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/hits_model.h"

#include "ui/describe.h"
#include "ui/panels/table_order.h"

#include <QColor>

#include <algorithm>
#include <tuple>

namespace longpole {

namespace {

QString text(std::string_view utf8) {
    return QString::fromUtf8(utf8.data(), qsizetype(utf8.size()));
}

/// As they are walked.
bool before(const Trace &trace, IntervalId a, IntervalId b) {
    return std::tuple(trace.begin(a), a.track, a.row) < std::tuple(trace.begin(b), b.track, b.row);
}

/// All hits, or the first of them, in the order of the walk.
std::vector<IntervalId> walked(const Trace &trace, const SearchHits &hits, Progress &progress) {
    std::vector<IntervalId> ids(hits.count);
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = hits.at(i);
    const auto earlier = [&](IntervalId a, IntervalId b) { return before(trace, a, b); };
    if (ids.size() > HitsModel::kMost) {
        std::nth_element(ids.begin(), ids.begin() + long(HitsModel::kMost), ids.end(), earlier);
        ids.resize(HitsModel::kMost);
        ids.shrink_to_fit();
    }
    if (progress.stopped()) return {};
    std::sort(ids.begin(), ids.end(), earlier);
    return ids;
}

} // namespace

void HitsModel::setHits(std::shared_ptr<const Loaded> loaded,
                        std::shared_ptr<const SearchHits> hits) {
    beginResetModel();
    m_sortJob.cancel();
    m_loaded = std::move(loaded);
    m_hits = m_loaded ? std::move(hits) : nullptr;
    m_order.clear();
    if (m_loaded) {
        m_beginUnit = unitFor(m_loaded->trace->range.end);
        m_lengthUnit = unitFor(std::min<TimeNs>(m_loaded->trace->range.length(), 999'999));
    }
    endResetModel();
    if (!m_hits) return;
    m_sortJob.start(
        [loaded = m_loaded, hits = m_hits](Progress &progress) -> Result<std::vector<IntervalId>> {
            return walked(*loaded->trace, *hits, progress);
        },
        [this](Result<std::vector<IntervalId>> ids) {
            if (!ids) return;
            beginResetModel();
            m_order = std::move(*ids);
            endResetModel();
        });
}

int HitsModel::rowCount(const QModelIndex &parent) const {
    if (parent.isValid() || !m_hits) return 0;
    return int(m_hits->trackNames.size() + m_order.size());
}

int HitsModel::columnCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

IntervalId HitsModel::intervalAt(int row) const {
    const size_t tracks = m_hits ? m_hits->trackNames.size() : 0;
    if (row < 0 || size_t(row) < tracks || size_t(row) - tracks >= m_order.size()) return {};
    return m_order[size_t(row) - tracks];
}

uint32_t HitsModel::trackAt(int row) const {
    if (const IntervalId id = intervalAt(row); id.valid()) return id.track;
    return row >= 0 && row < rowCount() ? m_hits->trackNames[size_t(row)] : kNone;
}

int HitsModel::rowOf(IntervalId id) const {
    if (!m_hits || !m_hits->contains(id)) return -1;
    const auto at = std::find(m_order.begin(), m_order.end(), id);
    return at == m_order.end() ? -1 : int(m_hits->trackNames.size()) + int(at - m_order.begin());
}

QString HitsModel::cell(int row, int column) const {
    const Trace &trace = *m_loaded->trace;
    const IntervalId id = intervalAt(row);
    const uint32_t track = trackAt(row);
    switch (column) {
    case Name:
        return id.valid() ? intervalName(trace, id) : trackTitle(trace, track);
    case Category:
        return id.valid() ? text(trace.track(id).categoryOf(id.row)) : tr("track");
    case TrackName:
        return id.valid() ? trackTitle(trace, track)
                          : tr("%1 intervals").arg(countText(trace.tracks[track].table->size()));
    case Begin:
        return id.valid() ? printed(trace.begin(id), m_beginUnit) : QString();
    default:
        return id.valid() ? printed(trace.end(id) - trace.begin(id), m_lengthUnit) : QString();
    }
}

QVariant HitsModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid() || !m_hits) return {};
    const bool number = index.column() == Begin || index.column() == Length;
    if (role == Qt::DisplayRole) return cell(index.row(), index.column());
    if (const IntervalId id = intervalAt(index.row()); role == kValueRole && number)
        return !id.valid() ? QVariant()
               : index.column() == Begin
                   ? qlonglong(m_loaded->trace->begin(id))
                   : qlonglong(m_loaded->trace->end(id) - m_loaded->trace->begin(id));
    if (role == Qt::ToolTipRole && index.column() <= TrackName)
        return cell(index.row(), index.column());
    if (role == Qt::TextAlignmentRole)
        return int((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == Qt::DecorationRole && index.column() == Name)
        if (const IntervalId id = intervalAt(index.row()); id.valid())
            return intervalColour(*m_loaded, id, ColourBy::Phase);
    return {};
}

QVariant HitsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return int((section >= Begin ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == kValueRole && section >= Begin)
        return section == Begin ? QStringLiteral("begin_ns") : QStringLiteral("length_ns");
    if (role != Qt::DisplayRole) return {};
    switch (section) {
    case Name:
        return tr("Name");
    case Category:
        return tr("Category");
    case TrackName:
        return tr("Track");
    case Begin:
        return tr("Begin, %1").arg(m_beginUnit.name);
    default:
        return tr("Length, %1").arg(m_lengthUnit.name);
    }
}

} // namespace longpole
