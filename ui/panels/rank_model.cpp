// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/rank_model.h"

#include "ui/panels/table_order.h"

#include <algorithm>

namespace longpole {

namespace {

const QString kUnknown = QStringLiteral("–");

QString gain(TimeNs time) {
    return time > 0 ? QChar(0x2212) + durationText(time) : durationText(-time);
}

QString speedup(double scale) {
    return QStringLiteral("%1×").arg(1 / std::max(1e-3, scale), 0, 'f', scale > 0.1 ? 2 : 1);
}

int alignment(int column) {
    const bool text = column == RankModel::Label || column == RankModel::Trust;
    return int((text ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
}

} // namespace

QString gainSentence(const Lever &lever) {
    QString text =
        QObject::tr("%1 at 2× (%2), %3 at most")
            .arg(gain(lever.gain2), rangeText(std::max<TimeNs>(0, lever.low), lever.high),
                 gain(lever.gainInf));
    if (lever.knee && *lever.knee > 0.15 && *lever.knee < 0.95)
        text += QObject::tr("; beyond %1 it pays less").arg(speedup(*lever.knee));
    return text + QLatin1Char('.');
}

void RankModel::setLevers(std::vector<Lever> levers, const QString &what) {
    beginResetModel();
    m_levers = std::move(levers);
    m_what = what;
    TimeNs largest = 0;
    for (const Lever &lever : m_levers) largest = std::max(largest, lever.onPath);
    m_unit = unitFor(largest);
    endResetModel();
}

const Lever *RankModel::lever(int row) const {
    return row < 0 || row >= rowCount() ? nullptr : &m_levers[size_t(row)];
}

int RankModel::rowCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : int(m_levers.size());
}

int RankModel::columnCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QString RankModel::cell(const Lever &lever, int column) const {
    switch (column) {
    case Label:
        return QString::fromStdString(lever.label);
    case OnPath:
        return printed(lever.onPath, m_unit);
    case At125:
        return printed(lever.gain125, m_unit);
    case At2:
        return printed(lever.gain2, m_unit);
    case Interval:
        return QStringLiteral("%1 – %2").arg(printed(std::max<TimeNs>(0, lever.low), m_unit),
                                             printed(lever.high, m_unit));
    case AtInfinity:
        return printed(lever.gainInf, m_unit);
    case Knee:
        return lever.knee ? speedup(*lever.knee) : kUnknown;
    default: {
        const std::string_view name = evidenceName(lever.evidence);
        return QString::fromUtf8(name.data(), qsizetype(name.size()));
    }
    }
}

QVariant RankModel::value(const Lever &lever, int column) const {
    switch (column) {
    case OnPath:
        return qlonglong(lever.onPath);
    case At125:
        return qlonglong(lever.gain125);
    case At2:
        return qlonglong(lever.gain2);
    case Interval:
        return qlonglong(std::max<TimeNs>(0, lever.low));
    case AtInfinity:
        return qlonglong(lever.gainInf);
    case Knee: // by speed: none comes after all others
        return 1 / (lever.knee ? std::max(1e-3, *lever.knee) : 1e-9);
    default:
        return {};
    }
}

QVariant RankModel::data(const QModelIndex &index, int role) const {
    const Lever *lever = index.isValid() ? this->lever(index.row()) : nullptr;
    if (!lever) return {};
    switch (role) {
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole:
        return cell(*lever, index.column());
    case kValueRole:
        return value(*lever, index.column());
    case Qt::ToolTipRole:
        return QStringLiteral("<p>%1<br>%2</p>")
            .arg(cell(*lever, Label).toHtmlEscaped(), gainSentence(*lever));
    case Qt::TextAlignmentRole:
        return alignment(index.column());
    default:
        return {};
    }
}

QVariant RankModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) return alignment(section);
    if (role == kValueRole)
        return section == OnPath       ? QStringLiteral("on_path_ns")
               : section == At125      ? QStringLiteral("gain_at_1_25_ns")
               : section == At2        ? QStringLiteral("gain_at_2_ns")
               : section == AtInfinity ? QVariant(QStringLiteral("gain_at_infinity_ns"))
                                       : QVariant();
    const bool tip = role == Qt::ToolTipRole;
    if (role != Qt::DisplayRole && !tip) return {};
    switch (section) {
    case Label:
        return tip ? QVariant() : tr("%1, times in %2").arg(m_what, m_unit.name);
    case OnPath:
        return tip ? tr("Its time on the critical path of the window.") : tr("on path");
    case At125:
        return tip ? tr("The gain: what the window loses when this alone is 1.25 times as fast.")
                   : tr("at 1.25×");
    case At2:
        return tip ? tr("The gain when this alone is twice as fast. Gains of two rows "
                        "do not add.")
                   : tr("at 2×");
    case Interval:
        return tip ? tr("Low and high end of the gain at 2×: how far the trace leaves it open. "
                        "Rows are in the order of the low end.")
                   : tr("interval");
    case AtInfinity:
        return tip ? tr("The gain if this took no time at all.") : tr("at ∞, %1").arg(m_unit.name);
    case Knee:
        return tip ? tr("From this speed on another path takes over. – : it never does.")
                   : tr("knee");
    default:
        return tip ? tr("Of most of its time on the path.") : tr("evidence");
    }
}

} // namespace longpole
