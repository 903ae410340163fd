// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/preview.h"
#include "ui/timeline/rows.h"

#include <vector>

namespace longpole {

/// One row of a preview: a header, or a density of one track or of several.
struct PreviewRow : Row {
    std::vector<const Preview::TrackSoFar *> shown; ///< belong to the preview
};

/// Stacks what is read so far where the finished trace will have it: processes, then devices, then
/// annotations, file by file; the busiest threads of a process have rows of their own.
std::vector<PreviewRow> previewRows(const Preview &preview);

/// How much of each of `columns` pixels of a view is busy, 0…1; less than 0 where nothing is.
std::vector<float> previewColumns(const Preview &preview, const PreviewRow &row, TimeRange view,
                                  int columns);

} // namespace longpole
