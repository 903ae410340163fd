// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/string_pool.h"
#include "core/import/event_batch.h"

#include <simdjson.h>

#include <string>
#include <string_view>
#include <vector>

namespace longpole {

/// A stretch of the text of traceEvents: whole elements between two commas. The character before
/// `text` and the byte behind it are the parser's to overwrite, and simdjson's padding follows.
struct TextBlock {
    char *text = nullptr;
    size_t size = 0;
    size_t capacity = 0; ///< readable bytes from `text` on, padding included
    uint64_t offset = 0; ///< of text[0] in the file
};

/// Turns blocks of traceEvents into batches, one block at a time on one thread; several parsers work
/// side by side. Keeps its texts between blocks: ids are local to the parser.
class EventParser {
public:
    /// A clean list of elements, possibly ended by ']' inside; anything else leaves
    /// batch.complete = false, and the caller splits the block exactly.
    void parseBlock(const TextBlock &block, EventBatch &batch);
    /// One element on its own; a broken one is set aside. `text` needs no padding.
    void parseElement(std::string_view text, uint64_t offset, EventBatch &batch);

private:
    struct Fields;
    using Object = simdjson::ondemand::object;
    using Value = simdjson::ondemand::value;

    bool parseElements(simdjson::ondemand::array elements, const TextBlock &block, EventBatch &batch);
    bool parseObject(Object object, uint64_t offset, EventBatch &batch);
    bool readFields(Object object, Fields &fields);
    bool readArgs(Value value, Fields &fields);
    void addEvent(const Fields &fields, uint64_t offset, EventBatch &batch);
    void addInterval(const Fields &fields, ParsedEvent event, EventBatch &batch);
    void addAsync(const Fields &fields, ParsedEvent event, EventBatch &batch);
    void addFlow(const Fields &fields, ParsedEvent event, EventBatch &batch);
    void addNote(const Fields &fields, uint64_t offset, EventBatch &batch);
    std::vector<std::pair<std::string, std::string>> noteArgs(std::string_view object);
    /// Local id of what a token means: a string without its quotes, anything else as written.
    uint32_t textId(std::string_view token, uint64_t offset, EventBatch &batch);
    uint32_t rowId(std::string_view pid, std::string_view tid, EventBatch &batch);
    EventKind kindOf(uint32_t category, uint32_t name);

    struct KnownKind {
        uint32_t category = kNone;
        EventKind kind;
    };
    simdjson::ondemand::parser m_parser, m_noteParser;
    StringPool m_texts, m_rows;
    uint32_t m_textsGiven = 0, m_rowsGiven = 0; ///< how many the batches so far have carried
    std::vector<KnownKind> m_kinds;             ///< by name id
    std::vector<int8_t> m_displayFlow;          ///< by category id; -1 not asked yet
    std::string m_scratch, m_rowKey, m_noteText, m_element;
};

/// The inside of a quoted token, any other token as it is.
std::string_view unquoted(std::string_view token);

} // namespace longpole
