// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/steps_model.h"

#include "ui/describe.h"
#include "ui/panels/table_order.h"
#include "ui/theme.h"

#include <algorithm>

namespace longpole {

void StepsModel::setLoaded(std::shared_ptr<const Loaded> loaded) {
    beginResetModel();
    m_loaded = std::move(loaded);
    TimeNs longest = 0;
    if (m_loaded)
        for (const Step &step : m_loaded->steps.steps) longest = std::max(longest, step.length());
    m_unit = unitFor(longest);
    endResetModel();
}

int StepsModel::rowCount(const QModelIndex &parent) const {
    return parent.isValid() || !m_loaded ? 0 : int(m_loaded->steps.steps.size());
}

int StepsModel::columnCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

namespace {

/// "first step" of "First step: the profiler and caches warm up in it."; the tooltip says all.
QString briefReason(const Step &step) {
    QString brief = QString::fromStdString(step.reason).section(QLatin1Char(':'), 0, 0);
    if (!brief.isEmpty()) brief[0] = brief[0].toLower();
    return brief;
}

} // namespace

QString StepsModel::cell(const Step &step, int column) const {
    switch (column) {
    case Name:
        return stepNumber(m_loaded->steps, uint32_t(&step - m_loaded->steps.steps.data()));
    case Length:
        return printed(step.length(), m_unit);
    case Period:
        return step.period ? printed(*step.period, m_unit) : QStringLiteral("–");
    default:
        return step.leftOut ? briefReason(step) : QString();
    }
}

QVariant StepsModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const Step &step = m_loaded->steps.steps[size_t(index.row())];
    const bool number = index.column() == Length || index.column() == Period;
    switch (role) {
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole:
        return cell(step, index.column());
    case kValueRole:
        return index.column() == Length                  ? QVariant(qlonglong(step.length()))
               : index.column() == Period && step.period ? QVariant(qlonglong(*step.period))
               : index.column() == Name                  ? QVariant(qlonglong(index.row()))
                                                         : QVariant();
    case Qt::ToolTipRole:
        return QString::fromStdString(index.column() == Reason ? step.reason : step.name);
    case Qt::TextAlignmentRole:
        return int((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        return step.leftOut ? QVariant(theme().text2) : QVariant();
    default:
        return {};
    }
}

QVariant StepsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    const bool number = section == Length || section == Period;
    if (role == Qt::TextAlignmentRole)
        return int((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section == Length)
        return tr("From the step's begin to the end of the device work that it launched.");
    if (role == Qt::ToolTipRole && section == Period)
        return tr("From the step's begin to the begin of the next one.");
    if (role == kValueRole && number)
        return section == Length ? QStringLiteral("length_ns") : QStringLiteral("period_ns");
    if (role != Qt::DisplayRole) return {};
    switch (section) {
    case Name:
        return tr("step");
    case Length:
        return tr("length, %1").arg(m_unit.name);
    case Period:
        return tr("period, %1").arg(m_unit.name);
    default:
        return tr("left out");
    }
}

} // namespace longpole
