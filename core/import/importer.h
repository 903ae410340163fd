// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/input_file.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/model/trace_builder.h"

#include <functional>
#include <span>
#include <string>

namespace longpole {

/// One format: a line of the table in importer.cpp.
struct Importer {
    std::string_view id;    ///< "chrome_json"
    std::string_view label; ///< for people
    bool (*sniff)(std::string_view head);
    /// Fills the builder from the whole input; an Error only when nothing useful can be shown.
    Result<bool> (*read)(InputFile &input, TraceBuilder &builder, Progress &progress, unsigned threads);
};

std::span<const Importer> importers();

struct OpenOptions {
    unsigned threads = 0; ///< 0: as many as there are cores
    std::shared_ptr<PreviewSlot> preview = {}; ///< for who wants to see what is read so far
};

/// Reads all files of one job; a list that the recorder wrote (FILE.job) stands for the files it
/// names. On an Error nothing is kept; the message names file, place and way out.
Result<std::shared_ptr<const Trace>> openTraces(const std::vector<std::string> &paths,
                                                Progress &progress, OpenOptions options = {});

} // namespace longpole
