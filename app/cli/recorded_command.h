// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/capture/control.h"

#include <string>
#include <vector>

namespace longpole::cli {

/// The page that the recorded processes count on, in a file that is gone when this is.
class Control {
public:
    Control();
    ~Control();
    Control(const Control &) = delete;
    Control &operator=(const Control &) = delete;

    const std::string &path() const { return m_path; }
    capture::ControlPage *page() const { return m_page; } ///< null where it could not be made

private:
    std::string m_path;
    capture::ControlPage *m_page = nullptr;
};

/// A program to run while it is recorded.
struct RecordedCommand {
    std::vector<std::string> words, environment;
    capture::ControlPage *page;
    bool liveLine = false; ///< on standard error, while that is a terminal
    std::string progress;  ///< file that gets a line of JSON twice a second; empty: none
};
/// Runs it to its end; its status as a shell would give it. Once a process. A signal is passed on
/// when the recordings are whole, or after two seconds; one that a terminal sends to all is the
/// program's own. SIGUSR1 pauses and resumes.
Result<int> runRecorded(const RecordedCommand &command);

} // namespace longpole::cli
