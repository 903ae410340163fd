// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/import/event_batch.h"
#include "core/model/trace_builder.h"

#include <map>
#include <string>
#include <vector>

namespace longpole {

/// Puts parsed events into the builder: gives texts their ids in the file, rows their tracks, and
/// keeps the books. One thread.
class EventSink {
public:
    EventSink(TraceBuilder &builder, uint32_t parsers) : m_builder(builder), m_parsers(parsers) {}

    /// Learns the batch's new texts and rows; needed for every batch, also for one that is not
    /// used.
    void learn(uint32_t parser, const EventBatch &batch);
    void add(uint32_t parser, const EventBatch &batch);
    /// Puts the flows where the events of their rows went, which is known only at the end.
    void finish();

private:
    struct Row { ///< one (pid, tid) as a parser knows it
        uint32_t process = 0;
        std::string pid, tid;
        uint32_t thread = kNone;          ///< track
        uint32_t stream = kNone;          ///< track of the last device operation …
        int64_t device = 0, streamId = 0; ///< … and what it was for
    };
    struct Known {
        std::vector<StringId> texts; ///< by the parser's local id
        std::vector<Row> rows;
    };

    struct Flow {
        uint32_t process;
        std::string tid;
        TimeNs time;
        uint64_t offset;
        StringId category, id;
        char phase;
        bool bindEnclosing;
    };

    struct AsyncGroup { ///< what shares a category and an id
        uint32_t number; ///< from 1
        uint32_t track;
    };

    void addAsync(Known &known, const ParsedEvent &event, const ParsedFacts &facts);
    void addEvent(Known &known, const ParsedEvent &event, const ParsedFacts *facts);
    void addNote(Known &known, const ParsedNote &note);
    void addMetadata(Row &row, const ParsedNote &note);
    void addCounter(Row &row, const ParsedNote &note);
    uint32_t trackOf(Row &row, Place place, const ParsedFacts *facts);
    uint32_t threadOf(Row &row);
    void placeAscend();
    uint32_t streamOf(Row &row, const ParsedFacts *facts);

    TraceBuilder &m_builder;
    std::vector<Known> m_parsers;
    std::map<std::pair<uint32_t, std::string>, uint32_t> m_streamOfRow; ///< process, tid → track
    std::vector<Flow> m_flows;
    std::map<std::pair<uint32_t, std::string>, AsyncGroup> m_asyncGroups; ///< category, id
};

} // namespace longpole
