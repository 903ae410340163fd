// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/import/event_kind.h"
#include "core/model/diagnostics.h"

#include <string>
#include <string_view>
#include <vector>

namespace longpole {

/// An interval, begin, end, instant or kept flow of a block. Ids are local to the parser that made it.
struct ParsedEvent {
    TimeNs begin = 0, end = 0; ///< ns on the file's clock
    uint64_t offset = 0;
    uint32_t name = 0, category = 0, row = 0;
    uint32_t facts = kNone; ///< index into EventBatch::facts
    Kind kind = Kind::CpuOp;
    Place place = Place::Thread;
    char phase = 'X';
    char scope = 't';
    bool bindEnclosing = false;
    uint8_t flags = 0; ///< IntervalFlag
};

/// Numbers found in args; -1 (or kNoNumber for ids that may be -1) where absent.
struct ParsedFacts {
    static constexpr int64_t kNoNumber = INT64_MIN;
    int64_t correlation = -1, sequence = -1, forwardThread = -1, bytes = -1;
    int64_t device = kNoNumber, stream = kNoNumber;
    int64_t waitOnStream = -1, waitOnCorrelation = -1; ///< of cuda_sync rows
    uint32_t id = 0; ///< of a flow or an asynchronous event: local text id
};

/// Metadata (M) or a counter value (C): rare, so with texts of its own.
struct ParsedNote {
    char phase = 'M';
    uint64_t offset = 0;
    TimeNs time = 0;
    uint32_t row = 0;
    std::string name;
    std::string id;
    std::vector<std::pair<std::string, std::string>> args; ///< key and value as text, unquoted
};

/// What one parser made of one block. Batches of a parser are used in the order they were made.
struct EventBatch {
    std::vector<ParsedEvent> events;
    std::vector<ParsedFacts> facts;
    std::vector<ParsedNote> notes;
    std::vector<std::string_view> newTexts;                      ///< local ids continue from before
    std::vector<std::pair<std::string, std::string>> newRows;    ///< pid, tid
    Diagnostics diagnostics;
    EventCounts counts; ///< read, flows, metadata, counters, instants, set aside
    bool complete = true; ///< false: the block is no clean list of elements, use nothing of it
    const char *arrayEnd = nullptr; ///< behind the ']' when the list ended inside the block

    /// A state to go back to when an element turns out to be broken half-way. New texts and rows are
    /// never taken back: the parser knows them already.
    struct Mark {
        size_t events, facts, notes;
        Diagnostics diagnostics;
        EventCounts counts;
    };
    Mark mark() const { return {events.size(), facts.size(), notes.size(), diagnostics, counts}; }
    void rewind(const Mark &m) {
        events.resize(m.events);
        facts.resize(m.facts);
        notes.resize(m.notes);
        diagnostics = m.diagnostics;
        counts = m.counts;
    }

    void clear() { ///< keeps the memory
        events.clear();
        facts.clear();
        notes.clear();
        newTexts.clear();
        newRows.clear();
        diagnostics = {};
        counts = {};
        complete = true;
        arrayEnd = nullptr;
    }
};

} // namespace longpole
