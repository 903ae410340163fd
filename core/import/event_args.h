// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/model/trace.h"

#include <memory>
#include <string>
#include <vector>

namespace longpole {

/// Arguments of single events, read from the source file on demand. Cheapest when offsets ascend:
/// then a compressed file is inflated once. Not shared between threads.
class EventArgs {
public:
    explicit EventArgs(std::shared_ptr<const Trace> trace);
    ~EventArgs();

    /// The args of an interval (of both its events where it is a B and an E) as one JSON object in
    /// valid UTF-8: integers digit by digit, NaN and infinities as texts, bad bytes as U+FFFD; "{}"
    /// without any. Fails when the file cannot be read or has changed since it was opened.
    Result<std::string> json(IntervalId id);
    /// The same for any event of a file (an instant, say) by its place in the file.
    Result<std::string> json(uint32_t file, uint64_t offset);

    /// One key and its value for people, in source order; nested values as compact JSON.
    struct Entry {
        std::string key;
        std::string value;
    };
    Result<std::vector<Entry>> entries(IntervalId id);

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace longpole
