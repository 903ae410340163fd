// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/import_log_model.h"

#include "ui/icons.h"
#include "ui/numbers.h"
#include "ui/panels/table_order.h"
#include "ui/theme.h"

#include <QApplication>

namespace longpole {

namespace {

QString severityText(Severity severity) {
    switch (severity) {
    case Severity::SetAside:
        return QStringLiteral("set aside");
    case Severity::Repaired:
        return QStringLiteral("repaired");
    case Severity::Noticed:
        break;
    }
    return QStringLiteral("noticed");
}

QString reasonName(Reason reason) {
    QString id =
        QString::fromUtf8(reasonText(reason).id.data(), qsizetype(reasonText(reason).id.size()));
    return id.replace(QLatin1Char('_'), QLatin1Char(' '));
}

} // namespace

void ImportLogModel::setTrace(std::shared_ptr<const Trace> trace) {
    beginResetModel();
    m_trace = std::move(trace);
    m_reasons.clear();
    if (m_trace)
        for (Severity severity : {Severity::SetAside, Severity::Repaired, Severity::Noticed})
            for (Reason reason : m_trace->diagnostics.occurred(severity))
                m_reasons.push_back(reason);
    findIntervals();
    endResetModel();
}

/// One pass over all offsets, most of which a mask of 64 bits tells apart from those looked for.
void ImportLogModel::findIntervals() {
    m_intervals.assign(m_reasons.size(), {});
    const auto bit = [](uint64_t offset) { return 1ull << (offset * 0x9E3779B97F4A7C15u >> 58); };
    uint64_t mask = 0;
    for (Reason reason : m_reasons) mask |= bit(m_trace->diagnostics[reason].firstOffset);
    const auto take = [&](uint64_t offset, IntervalId id) {
        const uint32_t file = m_trace->processes[m_trace->track(id).process].file;
        for (size_t i = 0; i < m_reasons.size(); ++i) {
            const Diagnostics::Entry &entry = m_trace->diagnostics[m_reasons[i]];
            if (entry.firstOffset == offset && entry.file == file) m_intervals[i] = id;
        }
    };
    for (uint32_t t = 0; mask && t < m_trace->tracks.size(); ++t) {
        const TrackTable &table = *m_trace->tracks[t].table;
        for (uint32_t row = 0; row < table.size(); ++row)
            if (mask & bit(table.offset[row])) take(table.offset[row], {t, row});
        for (uint32_t row = 0; row < table.side.size(); ++row) {
            const int64_t end = table.sideOf(row).endOffset;
            if (end >= 0 && (mask & bit(uint64_t(end)))) take(uint64_t(end), {t, row});
        }
    }
}

int ImportLogModel::rowCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : int(m_reasons.size());
}

int ImportLogModel::columnCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QString ImportLogModel::cell(Reason reason, int column) const {
    const Diagnostics::Entry &entry = m_trace->diagnostics[reason];
    const ReasonText &text = reasonText(reason);
    switch (column) {
    case What:
        return QStringLiteral("%1: %2").arg(severityText(text.severity), reasonName(reason));
    case CountColumn:
        return countText(int64_t(entry.count));
    case FirstByte:
        if (!m_trace->files[entry.file].tables.empty())
            return QString::fromStdString(placeText(m_trace->files[entry.file], entry.firstOffset));
        if (m_trace->files.size() > 1)
            return QStringLiteral("%1 in file %2")
                .arg(countText(int64_t(entry.firstOffset)))
                .arg(entry.file + 1);
        return countText(int64_t(entry.firstOffset));
    default:
        return QString::fromUtf8(text.sentence.data(), qsizetype(text.sentence.size()));
    }
}

QVariant ImportLogModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const Reason reason = m_reasons[size_t(index.row())];
    const bool number = index.column() == CountColumn || index.column() == FirstByte;
    switch (role) {
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole:
        return cell(reason, index.column());
    case kValueRole: {
        const Diagnostics::Entry &entry = m_trace->diagnostics[reason];
        if (index.column() == CountColumn) return qlonglong(entry.count);
        return index.column() == FirstByte ? QVariant(qlonglong(entry.firstOffset)) : QVariant();
    }
    case Qt::ToolTipRole:
        if (index.column() == FirstByte && firstInterval(index.row()).valid())
            return tr("Click to see the first one on the timeline");
        return index.column() == Meaning ? QVariant(cell(reason, Meaning)) : QVariant();
    case Qt::TextAlignmentRole:
        return int((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        if (index.column() == FirstByte && firstInterval(index.row()).valid())
            return theme().accent;
        return index.column() == Meaning ? QVariant(theme().text2) : QVariant();
    case Qt::DecorationRole: {
        if (index.column() != What) return {};
        const bool aside = reasonText(reason).severity == Severity::SetAside;
        return iconPixmap(aside ? QStringLiteral("alert-triangle") : QStringLiteral("info-circle"),
                          aside ? theme().warn : theme().text2, 14, qApp->devicePixelRatio());
    }
    default:
        return {};
    }
}

QVariant ImportLogModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    const bool number = section == CountColumn || section == FirstByte;
    if (role == Qt::TextAlignmentRole)
        return int((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == kValueRole && section == CountColumn) return QStringLiteral("count");
    if (role != Qt::DisplayRole) return {};
    switch (section) {
    case What:
        return tr("what");
    case CountColumn:
        return tr("count");
    case FirstByte:
        return tr("first at byte");
    default:
        return tr("what it means");
    }
}

QString balanceText(const EventCounts &events) {
    const std::pair<uint64_t, const char *> parts[] = {
        {events.intervals, "intervals"}, {events.paired, "paired"},
        {events.counters, "counters"},   {events.flows, "flows"},
        {events.instants, "instants"},   {events.metadata, "metadata"},
        {events.setAside, "set aside"}};
    QStringList terms;
    for (const auto &[count, name] : parts)
        if (count || terms.isEmpty())
            terms << QStringLiteral("%1 %2").arg(countText(int64_t(count)), QLatin1String(name));
    return QStringLiteral("%1 events read = %2")
        .arg(countText(int64_t(events.read)), terms.join(QStringLiteral(" + ")));
}

} // namespace longpole
