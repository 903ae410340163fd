// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/model/trace.h"

#include <memory>
#include <string>
#include <string_view>

namespace longpole::test {

/// A file with the given content that lives as long as this object.
class TempFile {
public:
    explicit TempFile(std::string_view content, std::string_view suffix = ".json");
    ~TempFile();
    TempFile(const TempFile &) = delete;
    TempFile &operator=(const TempFile &) = delete;
    const std::string &path() const { return m_path; }

private:
    std::string m_path;
};

/// The text as one gzip stream.
std::string gzip(std::string_view text);

/// Opens a file with this content as a trace; `threads` 0 means as many as there are cores.
Result<std::shared_ptr<const Trace>> openText(std::string_view content, unsigned threads = 0);

/// True when every event that was read is counted exactly once.
bool booksBalance(const Trace &trace);

/// "broken_event 2, overlap 1": the reasons that occurred, in table order.
std::string reasonsOf(const Trace &trace);

} // namespace longpole::test
