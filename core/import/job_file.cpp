// SPDX-License-Identifier: Apache-2.0
#include "core/import/job_file.h"

#include "core/capture/format.h"

#include <filesystem>
#include <fstream>
#include <string_view>

namespace longpole {

namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFiles = 65'536, kLongestName = 4096;

/// Nothing where `path` is no such list.
Result<std::vector<std::string>> filesOf(const std::string &path) {
    std::vector<std::string> files;
    std::error_code failed;
    if (!fs::is_regular_file(path, failed)) return files; // nor standard input
    std::ifstream list(path, std::ios::binary);
    std::string line(sizeof capture::kJobHead - 1, '\0');
    list.read(line.data(), std::streamsize(line.size()));
    if (!list || line != capture::kJobHead) return files;
    while (std::getline(list, line)) {
        if (line.ends_with('\r')) line.pop_back();
        if (line.empty() || line.starts_with('#')) continue;
        // a name, nothing else: a list that comes from elsewhere opens no other folder's files
        const bool plain = line.size() <= kLongestName && line.find('/') == line.npos &&
                           line.find('\0') == line.npos && line != ".." && line != ".";
        if (!plain || files.size() == kMostFiles)
            return Error{ErrorKind::Unreadable, "damaged_job",
                         path + " is a list of recordings, but holds what is no name of a file "
                                "beside it. Open the .lpcap files themselves."};
        const fs::path file = fs::path(path).parent_path() / line;
        if (!fs::exists(file, failed))
            return Error{ErrorKind::Unreadable, "incomplete_job",
                         path + " names " + line +
                             ", which is not beside it. Copy all files of the recording into one "
                             "folder, or open those that are there without the list."};
        files.push_back(file.string());
    }
    if (files.empty())
        return Error{ErrorKind::Unreadable, "empty_job",
                     path + " is a list of recordings, but names none. Open the .lpcap files "
                            "themselves."};
    return files;
}

} // namespace

Result<std::vector<std::string>> withoutJobFiles(const std::vector<std::string> &paths) {
    std::vector<std::string> all;
    for (const std::string &path : paths) {
        auto files = filesOf(path);
        if (!files) return files.error();
        if (files->empty())
            all.push_back(path);
        else
            all.insert(all.end(), files->begin(), files->end());
    }
    return all;
}

} // namespace longpole
