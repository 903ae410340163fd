// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/labels.h"
#include "ui/timeline/lane_columns.h"
#include "ui/timeline/lanes_frame.h"

#include <QImage>

class QPainter;

namespace longpole {

/// The critical path over finished lanes: a line in the gutter under each track it runs on, never
/// over a bar; verticals where it goes on on another track; the slack of the selection. Costs
/// pixels. Keeps buffers between frames.
class PathPainter {
public:
    /// `background` is a line of the image where nothing is drawn; `scale` is in device pixels.
    void paint(QImage &image, const LanesFrame &frame, const TimeScale &scale,
               const std::vector<QRgb> &background);

    /// The hand-overs of the last picture that a device pixel belongs to: first and last of
    /// PathIndex::handOvers(), or kNone.
    std::pair<uint32_t, uint32_t> handOversAt(QPoint pixel) const;

private:
    /// Hand-overs too close to be told apart.
    struct Cluster {
        uint32_t first, last;    ///< of PathIndex::handOvers(), inclusive
        int x;                   ///< device column of the begin it causes
        int top = 0, bottom = 0; ///< what is drawn of it
    };

    void placeGutters();
    void paintLine(uint32_t track);
    std::vector<Cluster> clusters() const;
    /// Words beside an upright line at `x`, wherever between `top` and `bottom` nothing is drawn.
    struct Label {
        QString text;
        int x, top, bottom; ///< device pixels
        QColor colour;
        int middle = 0;      ///< where it goes over marks when it has to
        bool needed = false; ///< others vanish where they have no room
    };
    void paintCluster(QPainter &painter, Cluster &cluster);
    void paintLabel(QPainter &painter, const Label &label);
    QRect placeOf(const Label &label, QSize size) const; ///< null without room
    void paintSlack();
    bool isFree(const QRect &box) const;
    void fill(int x0, int x1, int y0, int y1, QRgb colour);
    /// The same but for the words in headers, behind which the line passes.
    void fillBehindWords(int x0, int x1, int y0, int y1, QRgb colour);
    int device(double logical) const;
    int gutter(uint32_t track) const; ///< top of the line, device pixels; kHidden without one

    QImage *m_image = nullptr;
    const LanesFrame *m_frame = nullptr;
    TimeScale m_scale;
    int m_reach = 1; ///< device pixels of one pixel
    const std::vector<QRgb> *m_background = nullptr;
    std::vector<int> m_gutters;     ///< by track
    std::vector<QRect> m_words;     ///< of headers, from the top
    std::vector<uint8_t> m_columns; ///< of one line
    std::vector<Cluster> m_clusters;
    std::vector<Label> m_labels;
    std::vector<QRect> m_taken; ///< by labels that are drawn, device pixels
};

} // namespace longpole
