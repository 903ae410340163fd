// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/labels.h"
#include "ui/timeline/lane_columns.h"
#include "ui/timeline/rows.h"

#include <QImage>

#include <optional>

namespace longpole {

/// What one frame of the lanes shows.
struct LanesFrame {
    TimelineData &data;
    const std::vector<Row> &rows;
    TimeRange view;
    int scroll = 0;   ///< pixels of rows above the top
    QSize size;       ///< device-independent
    double ratio = 1; ///< device pixels per pixel
    IntervalId selected;
    std::optional<TimeRange> range;  ///< chosen by hand
    std::optional<TimeRange> window; ///< of the chosen step, drawn as two edges
    TimeNs zero = 0;                 ///< of the ruler
};

/// Where an interval is drawn in its row, in device pixels from the left edge of the lanes.
struct DeviceRange {
    int x0, x1;
};
DeviceRange deviceRange(const TimeScale &deviceScale, TimeNs begin, TimeNs end);

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
    };
    enum class Style { Filled, Structural, Hollow };

    // lanes_painter.cpp: pixels
    void prepare();
    void paintBackground();
    void paintHeader(const Row &row);
    void paintRow(const Row &row);
    void gather(const Row &row);
    void paintBars(const Row &row, Span span);
    void paintHollow(const LaneColumns::Wide &wide, Span span, QRgb colour);
    void paintMerged(const Row &row);
    void paintCounter(const Row &row, Span span);
    void paintInstants(uint32_t track, Span span);
    void paintEdge(TimeNs time, QRgb colour, int dash);
    void paintEdges();
    Style styleOf(const Row &row, const LaneColumns::Wide &wide) const;
    QRgb shade(uint8_t group, float covered) const;
    Span spanOf(const Row &row) const;
    int device(double logical) const;
    int line() const; ///< one pixel, snapped
    void fill(int x0, int x1, int y0, int y1, QRgb colour);
    void copyLine(Span span);

    // lanes_texts.cpp: what lies on top
    void addTexts(const Row &row, const LaneColumns::Wide &wide, Span span, Style style);
    void addText(const QString &text, double x, double top, double height, QColor colour,
                 bool onFill = false);
    void addNeighbours(const Row &row, Span span);
    void paintTexts();
    void paintSelection(QPainter &painter);
    void paintCurves(QPainter &painter);
    void paintCurve(QPainter &painter, IntervalId call, IntervalId op);
    QRect markRect(IntervalId id) const; ///< device pixels; null where it is not drawn

    const LanesFrame *m_frame = nullptr;
    TimeScale m_scale; ///< in device pixels
    QImage m_image;
    QRgb *m_pixels = nullptr; ///< of m_image, while bars are painted
    int m_stride = 0;         ///< pixels from line to line
    std::vector<QRgb> m_back, m_line;
    LaneColumns m_columns;
    Labels m_labels;
    std::vector<Text> m_texts;
    std::vector<QColor> m_colours;
    std::vector<std::array<QRgb, 65>> m_shades;
};

/// The interval that the `index`th entry of a drawn lane stands for.
IntervalId intervalOf(const TimelineData &data, const Row &row, uint32_t index);

} // namespace longpole
