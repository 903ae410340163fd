// SPDX-License-Identifier: Apache-2.0
#include "app/cli/capture_library.h"

#include <cstdlib>
#include <filesystem>

namespace longpole::cli {

std::string captureLibrary() {
    namespace fs = std::filesystem;
    std::error_code failed;
    if (const char *named = std::getenv("LONGPOLE_CAPTURE_LIBRARY"))
        return fs::exists(named, failed) ? fs::absolute(named, failed).string() : std::string();
    const fs::path program = fs::read_symlink("/proc/self/exe", failed).parent_path();
    for (const char *place : {"liblongpole-capture.so", "../lib/longpole/liblongpole-capture.so"})
        if (fs::exists(program / place, failed))
            return fs::canonical(program / place, failed).string();
    return {};
}

std::string withoutCaptureLibrary() {
    return "The capture library is missing: it is built where the headers of CUPTI are. Install "
           "them "
           "(CUDA Toolkit 13.0 or newer, package cuda-cupti-dev), build Longpole again, or name "
           "the "
           "library with LONGPOLE_CAPTURE_LIBRARY=FILE.";
}

} // namespace longpole::cli
