// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/labels.h"
#include "ui/timeline/lane_columns.h"
#include "ui/timeline/lanes_frame.h"
#include "ui/timeline/line_cache.h"
#include "ui/timeline/path_painter.h"

#include <QImage>

namespace longpole {

/// Paints lanes into an image of device pixels: bars straight into scan lines, so that a frame
/// costs its pixels and not its events, then texts and frames on top. Keeps buffers and label
/// widths between frames; one per widget or picture, on the thread that paints.
class LanesPainter {
public:
    LanesPainter();

    /// The finished picture; its size is `size` × `ratio`. Valid until the next call.
    const QImage &paint(const LanesFrame &frame);
    /// Forgets cached names; needed when another trace is opened.
    void clear() { m_labels.clear(); }
    const PathPainter &path() const { return m_pathPainter; }

private:
    /// Device rows [top, bottom) of a bar; the fill functions clip them to the image.
    struct Span {
        int top, bottom;
    };
    struct Text {
        QPointF at; ///< left end of the baseline, device-independent
        QString text;
        QColor colour;
        bool onFill;
        QColor dimColour = {};           ///< where the mark below is dimmed
        std::vector<DeviceRange> dimmed; ///< columns of it
    };
    enum class Style { Filled, Structural, Hollow };
    enum Light : uint8_t { Plain, OnPath, Dimmed }; ///< of a column

    // lanes_painter.cpp: pixels
    void prepare();
    void paintBackground();
    void paintHeader(const Row &row);
    void paintRow(const Row &row);
    void gather(const Row &row);
    void gatherPath(const Row &row);
    bool lit(const LaneColumns::Wide &wide) const; ///< any of it is not dimmed
    void paintBars(const Row &row, Span span);
    bool isMerged() const; ///< marks in the gathered row, and none that is itself
    void paintHollow(const LaneColumns::Wide &wide, Span span, QRgb colour);
    void paintMerged(const Row &row);
    void paintCounter(const Row &row, Span span);
    void paintInstants(uint32_t track, Span span);
    void paintEdge(TimeNs time, QRgb colour, int dash);
    void paintEdges();
    Style styleOf(const Row &row, const LaneColumns::Wide &wide) const;
    QRgb shade(uint8_t group, float covered, Light light) const;
    QRgb dimmed(QRgb colour) const;
    Span spanOf(const Row &row) const;
    int device(double logical) const;
    int line() const; ///< one pixel, snapped
    void fill(int x0, int x1, int y0, int y1, QRgb colour);
    void copyLine(Span span);
    void copyBack(Span span);

    // lanes_idle.cpp: why a device had nothing to do
    void paintIdle(const Row &row, Span span);
    void stackShares(int x, Span span);
    QRgb columnColour(IdleCause cause) const;
    void addIdleText(const Row &row, const LaneColumns::Wide &wide, const IdleInterval &interval,
                     const Surface &surface);

    // lanes_prediction.cpp: what was measured, under a prediction
    void paintGhost(const Row &row);
    void paintOutlines(const Row &row, const std::vector<QColor> &colours);
    void paintEnds();

    // lanes_texts.cpp: what lies on top
    void addTexts(const Row &row, const LaneColumns::Wide &wide, Span span, Style style);
    void addText(const QString &text, double x, double top, double height, QColor colour,
                 bool onFill = false, QColor dimColour = {});
    double calmStart(double left, double right, double width) const;
    void addGaps(const Row &row, Span span);
    void addNeighbours(const Row &row, Span span);
    void paintTexts();
    void drawSplit(QPainter &painter, const Text &text);
    void paintSelection(QPainter &painter);
    void paintCurves(QPainter &painter);
    void paintCurve(QPainter &painter, IntervalId call, IntervalId op);
    void paintLink(QPainter &painter, IntervalId from, IntervalId to);
    QRect markRect(IntervalId id) const; ///< device pixels; null where it is not drawn

    const LanesFrame *m_frame = nullptr;
    TimeScale m_scale; ///< in device pixels
    QImage m_image;
    QRgb *m_pixels = nullptr; ///< of m_image, while bars are painted
    int m_stride = 0;         ///< pixels from line to line
    std::vector<QRgb> m_back, m_line;
    LaneColumns m_columns, m_pathColumns;
    std::vector<uint8_t> m_light; ///< Light, by column of the row that is painted
    uint32_t m_lightOf = kNone;   ///< the thread whose rows all have it
    PathPainter m_pathPainter;
    LineCache m_lines;
    Labels m_labels;
    std::vector<Text> m_texts;
    std::vector<QColor> m_colours;
    std::vector<std::array<QRgb, 65>> m_shades, m_dimShades; ///< by group, by share covered
};

/// The interval that the `index`th entry of a drawn lane stands for.
IntervalId intervalOf(const TimelineData &data, const Row &row, uint32_t index);

} // namespace longpole
