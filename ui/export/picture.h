// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/marks.h"
#include "ui/session.h"
#include "ui/track_choices.h"

#include <QImage>

#include <optional>
#include <vector>

namespace longpole {

/// What a picture shows, in the theme in use and the bundled font.
struct PictureSpec {
    std::shared_ptr<const Loaded> loaded;
    TimeRange view;
    Window window;                  ///< of the sums row and the provenance
    std::optional<TimeRange> range; ///< chosen by hand, drawn as such
    IntervalId selected;
    ColourBy colourBy = ColourBy::Phase;
    std::vector<TimeMark> marks;
    TrackChoices::Kept tracks;              ///< hidden, pinned and moved ones
    std::vector<bool> hiddenTracks;         ///< those too, whatever hides them
    std::shared_ptr<const WindowPath> path; ///< of `window`, drawn with the rest dimmed
    std::shared_ptr<const std::vector<DeviceIdle>> idle; ///< beside the path
    std::shared_ptr<const Prediction> prediction;        ///< drawn over what was measured
    QSize size{1600, 900};                               ///< device-independent pixels
    double scale = 1;                                    ///< device pixels per pixel
};

/// The open trace as a picture that explains itself: overview, ruler, lanes, legend of the colours
/// present, the sums of the window, and where it all comes from. Equal specs give equal images.
QImage renderPicture(const PictureSpec &spec);

/// "sum of durations 68.0 ms · union 50.0 ms · elapsed 50.0 ms" of a window.
QString sumsText(const Loaded &loaded, const Window &window);

} // namespace longpole
