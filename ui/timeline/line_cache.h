// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/lanes_frame.h"

#include <QColor>

#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace longpole {

/// The scan lines of rows in which everything is merged, kept as long as frames look at the same
/// time in the same way: scrolling, hovering and selecting then cost no sums over intervals.
class LineCache {
public:
    /// All that such a line depends on, beside its row.
    struct Scene {
        TimeRange view;
        double width = 0, ratio = 0;
        std::vector<QRgb> back;       ///< the line below all marks
        std::vector<QColor> colours;  ///< of the groups
        std::vector<uint8_t> groupOf; ///< by slot
        std::weak_ptr<const Loaded> loaded;
        std::weak_ptr<const WindowPath> path;
    };
    /// Forgets all lines when the scene is another one.
    void turnTo(Scene scene);
    const std::vector<QRgb> *find(const Row &row) const; ///< null when not known
    void keep(const Row &row, const std::vector<QRgb> &line) { m_lines[keyOf(row)] = line; }

private:
    using Key =
        std::tuple<Row::Type, uint32_t, uint32_t, uint32_t, uint32_t, std::vector<uint32_t>>;
    static Key keyOf(const Row &row) {
        return {row.type, row.track, row.firstLane, row.lanes, row.item, row.tracks};
    }

    Scene m_scene;
    std::map<Key, std::vector<QRgb>> m_lines;
};

} // namespace longpole
