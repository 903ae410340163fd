// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/numbers.h"
#include "ui/session.h"

#include <QAbstractTableModel>

#include <memory>
#include <vector>

namespace longpole {

enum class PathBy { Phase, Kind, Trust };

/// What a segment counts as: a phase of the rules, a Kind or a PathTrust; by phase and by kind
/// what is no work comes after those.
struct PathKeys {
    static constexpr uint32_t kLatency = 1000, kUnexplained = 1001, kAll = 1002;
    static uint32_t of(const Loaded &loaded, const PathSegment &segment, PathBy by);
    static QString label(const Loaded &loaded, uint32_t key, PathBy by);
};

/// Sums of the path, longest first; the last row is the window that they add up to.
class PathTotals : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Label, Segments, Time, Share, ColumnCount };
    using QAbstractTableModel::QAbstractTableModel;

    void setPath(std::shared_ptr<const Loaded> loaded, std::shared_ptr<const WindowPath> path,
                 PathBy by);
    uint32_t keyAt(int row) const;
    int rowOf(uint32_t key) const; ///< -1 when the path has none of it

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row {
        uint32_t key = PathKeys::kAll;
        uint64_t segments = 0;
        TimeNs time = 0;
        int64_t printed = 0; ///< multiples of the unit
    };
    QString cell(const Row &row, int column) const;

    std::shared_ptr<const Loaded> m_loaded;
    PathBy m_by = PathBy::Phase;
    std::vector<Row> m_rows;
    TimeUnit m_unit = unitFor(0);
};

/// The segments of the path in order of time, or those of one key: a row each, made when it is
/// painted.
class PathModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Begin, Length, Name, Type, Edge, Trust, Track, ColumnCount };
    using QAbstractTableModel::QAbstractTableModel;

    void setPath(std::shared_ptr<const Loaded> loaded, std::shared_ptr<const WindowPath> path);
    void setOnly(PathBy by, uint32_t key); ///< PathKeys::kAll: every segment
    const PathSegment *segment(int row) const;
    int rowAt(TimeNs time) const; ///< of the segment that holds it; -1 when it is not listed
    int longest() const;          ///< -1 without rows

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void choose();
    QString cell(const PathSegment &segment, int column) const;

    std::shared_ptr<const Loaded> m_loaded;
    std::shared_ptr<const WindowPath> m_path;
    PathBy m_by = PathBy::Phase;
    uint32_t m_only = PathKeys::kAll;
    std::vector<uint32_t> m_rows; ///< segments listed
    TimeUnit m_beginUnit = unitFor(0), m_lengthUnit = unitFor(0);
};

} // namespace longpole
