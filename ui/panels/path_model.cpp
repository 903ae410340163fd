// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/path_model.h"

#include "core/analysis/work_names.h"
#include "ui/describe.h"
#include "ui/panels/table_order.h"
#include "ui/theme.h"

#include <QPixmap>

#include <algorithm>
#include <map>
#include <numeric>

namespace longpole {

namespace {

QString qt(std::string_view text) {
    return QString::fromUtf8(text.data(), qsizetype(text.size()));
}

bool isWork(const PathSegment &s) {
    return (s.type == PathSegment::Type::Activity || s.type == PathSegment::Type::Untraced) &&
           s.track != kNone;
}

bool isNumber(int column) {
    return column == PathModel::Begin || column == PathModel::Length;
}

QVariant swatch(const QColor &colour) {
    QPixmap square(9, 9);
    square.fill(colour);
    return square;
}

int alignment(bool number) {
    return int((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}

} // namespace

uint32_t PathKeys::of(const Loaded &loaded, const PathSegment &segment, PathBy by) {
    if (by == PathBy::Trust) return uint32_t(trustOf(segment));
    if (!isWork(segment))
        return segment.type == PathSegment::Type::Unexplained ? kUnexplained : kLatency;
    if (by == PathBy::Phase) return segment.phase;
    const bool untraced = segment.type == PathSegment::Type::Untraced;
    return uint32_t(untraced ? Kind::Untraced : loaded.trace->kind(segment.interval));
}

QString PathKeys::label(const Loaded &loaded, uint32_t key, PathBy by) {
    if (key == kAll) return QObject::tr("window");
    if (key == kLatency) return QObject::tr("latency");
    if (key == kUnexplained) return QObject::tr("unexplained");
    if (by == PathBy::Trust) return qt(pathTrustName(PathTrust(key)));
    if (by == PathBy::Kind) return qt(kindName(Kind(key)));
    const PhaseRule &rule = loaded.phases.rules.rules[key];
    return qt(rule.label.empty() ? rule.id : rule.label);
}

void PathTotals::setPath(std::shared_ptr<const Loaded> loaded,
                         std::shared_ptr<const WindowPath> path, PathBy by) {
    beginResetModel();
    m_loaded = std::move(loaded);
    m_by = by;
    m_rows.clear();
    if (m_loaded && path) {
        std::map<uint32_t, Row> sums;
        Row all;
        for (const PathSegment &s : path->path.segments) {
            Row &row = sums[PathKeys::of(*m_loaded, s, by)];
            ++row.segments;
            row.time += s.end - s.begin;
        }
        for (auto &[key, row] : sums) {
            row.key = key;
            m_rows.push_back(row);
            all.segments += row.segments;
            all.time += row.time;
        }
        std::stable_sort(m_rows.begin(), m_rows.end(),
                         [](const Row &a, const Row &b) { return a.time > b.time; });
        m_unit = unitFor(all.time);
        std::vector<TimeNs> times;
        for (const Row &row : m_rows) times.push_back(row.time);
        const auto printed = roundedColumn(times, all.time, m_unit);
        for (size_t i = 0; i < m_rows.size(); ++i) m_rows[i].printed = printed[i];
        all.printed = std::accumulate(printed.begin(), printed.end(), int64_t(0));
        m_rows.push_back(all);
    }
    endResetModel();
}

uint32_t PathTotals::keyAt(int row) const {
    return row < 0 || row >= rowCount() ? PathKeys::kAll : m_rows[size_t(row)].key;
}

int PathTotals::rowOf(uint32_t key) const {
    const auto it =
        std::find_if(m_rows.begin(), m_rows.end(), [&](const Row &row) { return row.key == key; });
    return it == m_rows.end() ? -1 : int(it - m_rows.begin());
}

int PathTotals::rowCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : int(m_rows.size());
}

int PathTotals::columnCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QString PathTotals::cell(const Row &row, int column) const {
    switch (column) {
    case Label:
        return PathKeys::label(*m_loaded, row.key, m_by);
    case Segments:
        return countText(int64_t(row.segments));
    case Time:
        return printed(row.printed, row.time, m_unit);
    default: {
        const double share = double(row.time) / std::max<double>(1, double(m_rows.back().time));
        return share > 0 && share < 0.0005 ? QStringLiteral("< 0.1")
                                           : QString::number(100 * share, 'f', 1);
    }
    }
}

QVariant PathTotals::data(const QModelIndex &index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const Row &row = m_rows[size_t(index.row())];
    const bool all = row.key == PathKeys::kAll;
    switch (role) {
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole:
        return cell(row, index.column());
    case kValueRole:
        return index.column() == Label      ? QVariant()
               : index.column() == Segments ? QVariant(qlonglong(row.segments))
                                            : QVariant(qlonglong(row.time));
    case Qt::TextAlignmentRole:
        return alignment(index.column() != Label);
    case Qt::FontRole:
        return all ? QVariant(uiFont(11, QFont::Bold)) : QVariant();
    case Qt::DecorationRole:
        if (index.column() != Label || all || m_by == PathBy::Trust) return {};
        if (row.key >= PathKeys::kLatency)
            return swatch(Qt::transparent); // in line with the others
        if (m_by == PathBy::Phase) return swatch(ruleColour(m_loaded->phases.rules.rules[row.key]));
        return swatch(theme().kindColour(Kind(row.key)));
    case Qt::ToolTipRole:
        return all ? tr("The segments tile the window: choose it to list them all.")
                   : tr("Choose it to list its segments alone.");
    default:
        return {};
    }
}

QVariant PathTotals::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) return alignment(section != Label);
    if (role == Qt::ToolTipRole && section == Time)
        return tr("Time this contributes to the critical path. Adds up to the window; making it "
                  "faster saves at most this much before another path takes over.");
    if (role == kValueRole)
        return section == Segments ? QStringLiteral("segments")
               : section == Time   ? QVariant(QStringLiteral("on_path_ns"))
                                   : QVariant();
    if (role != Qt::DisplayRole) return {};
    switch (section) {
    case Label:
        return m_by == PathBy::Phase  ? tr("phase")
               : m_by == PathBy::Kind ? tr("kind")
                                      : tr("known");
    case Segments:
        return tr("segments");
    case Time:
        return tr("on path, %1").arg(m_unit.name);
    default:
        return tr("% of path");
    }
}

void PathModel::setPath(std::shared_ptr<const Loaded> loaded,
                        std::shared_ptr<const WindowPath> path) {
    beginResetModel();
    m_loaded = std::move(loaded);
    m_path = m_loaded ? std::move(path) : nullptr;
    choose();
    endResetModel();
}

void PathModel::setOnly(PathBy by, uint32_t key) {
    if (by == m_by && key == m_only) return;
    beginResetModel();
    m_by = by;
    m_only = key;
    choose();
    endResetModel();
}

void PathModel::choose() {
    m_rows.clear();
    if (!m_path) return;
    TimeNs longest = 0;
    const auto &segments = m_path->path.segments;
    for (uint32_t i = 0; i < segments.size(); ++i) {
        const PathSegment &s = segments[i];
        if (m_only != PathKeys::kAll && PathKeys::of(*m_loaded, s, m_by) != m_only) continue;
        m_rows.push_back(i);
        longest = std::max(longest, s.end - s.begin);
    }
    m_beginUnit = unitFor(m_path->path.window.range.length());
    m_lengthUnit = unitFor(longest);
}

const PathSegment *PathModel::segment(int row) const {
    return row < 0 || row >= rowCount() ? nullptr : &m_path->path.segments[m_rows[size_t(row)]];
}

int PathModel::rowAt(TimeNs time) const {
    if (!m_path) return -1;
    const auto &segments = m_path->path.segments;
    const auto after =
        std::upper_bound(m_rows.begin(), m_rows.end(), time,
                         [&](TimeNs t, uint32_t i) { return t < segments[i].begin; });
    if (after == m_rows.begin() || segments[*(after - 1)].end <= time) return -1;
    return int(after - m_rows.begin()) - 1;
}

int PathModel::longest() const {
    if (m_rows.empty()) return -1;
    const auto length = [this](uint32_t i) {
        return m_path->path.segments[i].end - m_path->path.segments[i].begin;
    };
    return int(std::max_element(m_rows.begin(), m_rows.end(),
                                [&](uint32_t a, uint32_t b) { return length(a) < length(b); }) -
               m_rows.begin());
}

int PathModel::rowCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : int(m_rows.size());
}

int PathModel::columnCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QString PathModel::cell(const PathSegment &s, int column) const {
    switch (column) {
    case Begin:
        return printed(s.begin - m_path->path.window.range.begin, m_beginUnit);
    case Length:
        return printed(s.end - s.begin, m_lengthUnit);
    case Name:
        if (s.type == PathSegment::Type::Untraced) return tr("host time without an event");
        if (s.type == PathSegment::Type::Unexplained) return tr("unexplained");
        if (s.type == PathSegment::Type::Lag)
            return tr("latency: %1").arg(qt(edgeTypeName(s.edge)).replace(QLatin1Char('_'), ' '));
        return s.interval.row == kNone
                   ? QString()
                   : QString::fromStdString(shortName(*m_loaded->trace, s.interval));
    case Type:
        return qt(segmentTypeName(s.type));
    case Edge:
        return qt(edgeTypeName(s.edge)).replace(QLatin1Char('_'), QLatin1Char(' '));
    case Trust:
        return qt(pathTrustName(trustOf(s)));
    default:
        return s.track == kNone ? QString() : trackTitle(*m_loaded->trace, s.track);
    }
}

QVariant PathModel::data(const QModelIndex &index, int role) const {
    const PathSegment *s = index.isValid() ? segment(index.row()) : nullptr;
    if (!s) return {};
    const bool named = s->type == PathSegment::Type::Activity && s->interval.row != kNone;
    switch (role) {
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole:
        return cell(*s, index.column());
    case Qt::ToolTipRole: {
        QStringList lines{named ? intervalName(*m_loaded->trace, s->interval) : cell(*s, Name),
                          cell(*s, Track)};
        lines << tr("%1, by %2, %3").arg(cell(*s, Type), cell(*s, Edge), cell(*s, Trust));
        lines.removeAll({});
        return QStringLiteral("<p>%1</p>")
            .arg(lines.join(QLatin1Char('\n')).toHtmlEscaped().replace('\n', "<br>"));
    }
    case kValueRole:
        return index.column() == Begin    ? qlonglong(s->begin - m_path->path.window.range.begin)
               : index.column() == Length ? QVariant(qlonglong(s->end - s->begin))
                                          : QVariant();
    case Qt::TextAlignmentRole:
        return alignment(isNumber(index.column()));
    case Qt::DecorationRole:
        if (index.column() != Name || !isWork(*s)) return {};
        return swatch(ruleColour(m_loaded->phases.rules.rules[s->phase]));
    case Qt::ForegroundRole:
        return named ? QVariant() : QVariant(theme().text2);
    default:
        return {};
    }
}

QVariant PathModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) return alignment(isNumber(section));
    if (role == Qt::ToolTipRole)
        return section == Begin  ? tr("From the begin of the window.")
               : section == Edge ? tr("What the path follows here: what had to be there first.")
                                 : QVariant();
    if (role == kValueRole)
        return section == Begin    ? QStringLiteral("time_ns")
               : section == Length ? QVariant(QStringLiteral("length_ns"))
                                   : QVariant();
    if (role != Qt::DisplayRole) return {};
    switch (section) {
    case Begin:
        return tr("time, %1").arg(m_beginUnit.name);
    case Length:
        return tr("length, %1").arg(m_lengthUnit.name);
    case Name:
        return tr("name");
    case Type:
        return tr("type");
    case Edge:
        return tr("edge");
    case Trust:
        return tr("known");
    default:
        return tr("track");
    }
}

} // namespace longpole
