// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/labels.h"
#include "ui/timeline/lane_columns.h"
#include "ui/timeline/path_index.h"

#include <QImage>
#include <QPainter>

namespace longpole {

/// The strip under the ruler: the path alone, tiling its window in the colours of its phases with
/// the length of each stretch. Costs pixels. Keeps buffers and label widths between frames.
class PathStrip {
public:
    static constexpr int kHeight = 26, kGhost = 20; ///< device-independent

    PathStrip();
    /// `width` is device-independent. Valid until the next call.
    const QImage &paint(const TimelineData &data, const PathIndex &path, TimeRange view, int width,
                        double ratio);
    /// What was measured, in outlines, for below the strip of a prediction; kGhost pixels high.
    const QImage &paintGhost(const TimelineData &data, const PathIndex &path, TimeRange view,
                             int width, double ratio);
    void clear() { m_labels.clear(); }

private:
    /// Columns of one colour: several segments, or one that is wide enough.
    struct Stretch {
        int x0, x1; ///< device columns
        uint8_t group;
        uint32_t segment; ///< the only one; kNone for several
    };

    void draw(const TimelineData &data, const PathIndex &path, TimeRange view, QSize size,
              double ratio);
    void gather(const PathIndex &path);
    void paintStretch(const TimelineData &data, const PathIndex &path, const Stretch &stretch);
    QString labelOf(const TimelineData &data, const PathIndex &path, const Stretch &stretch,
                    double room);
    TimeNs lengthOf(const PathIndex &path, const Stretch &stretch) const;
    void fill(int x0, int x1, int y0, int y1, QRgb colour);
    int device(double logical) const { return int(std::lround(logical * m_ratio)); }

    TimeScale m_scale; ///< in device pixels
    double m_ratio = 1;
    bool m_ghost = false;
    LaneColumns m_columns;
    std::vector<Stretch> m_stretches;
    std::vector<QColor> m_colours;
    QImage m_image;
    Labels m_labels;
};

/// "data wait", "xfer": what a phase or kind is called on a mark, and in little room.
QString phaseWord(const TimelineData &data, uint8_t group);
QString shortPhaseWord(const TimelineData &data, uint8_t group);

} // namespace longpole
