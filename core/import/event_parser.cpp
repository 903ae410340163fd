// SPDX-License-Identifier: Apache-2.0
#include "core/import/event_parser.h"

#include "core/base/json_text.h"
#include "core/import/decimal_time.h"
#include "core/model/track_table.h"

#include <charconv>
#include <cstring>

namespace longpole {

using namespace simdjson;

namespace {

/// Stands for bytes that the importer had to blank out, see sanitise() in json_scan.h.
constexpr char kBlanked = '\x7f';

std::string_view trimmed(std::string_view token) {
    while (!token.empty() && uint8_t(token.back()) <= ' ') token.remove_suffix(1);
    return token;
}

/// The token of a scalar without blanks; simdjson's runs to the next one.
std::string_view tokenOf(ondemand::value &value) { return trimmed(value.raw_json_token()); }

/// The same for a field that may be absent, which some tools write as null.
std::string_view fieldOf(ondemand::value &value) {
    const std::string_view token = tokenOf(value);
    return token == "null" ? std::string_view() : token;
}

template <size_t N>
bool is(const char *key, const char (&text)[N]) {
    return std::memcmp(key, text, N - 1) == 0;
}

int64_t integerOf(std::string_view token) {
    const std::string_view text = unquoted(token);
    int64_t value = ParsedFacts::kNoNumber;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size()) return ParsedFacts::kNoNumber;
    if (error == std::errc{}) return value;
    return text == "18446744073709551615" ? -1 : ParsedFacts::kNoNumber; // "none" without a sign
}

int64_t idOf(std::string_view token) {
    const int64_t value = integerOf(token);
    return value == ParsedFacts::kNoNumber ? -1 : value;
}

} // namespace

std::string_view unquoted(std::string_view token) {
    if (token.size() >= 2 && token.front() == '"' && token.back() == '"')
        return token.substr(1, token.size() - 2);
    return token;
}

/// The tokens of one event, as written.
struct EventParser::Fields {
    std::string_view phase, category, name, ts, dur, pid, tid, id, bindPoint, scope, noteArgs;
    ParsedFacts facts;
    bool hasFacts = false;
    bool unfinished = false;

    char phaseChar() const {
        const std::string_view p = unquoted(phase);
        return p.size() == 1 ? p[0] : 0;
    }
};

bool EventParser::readArgs(Value value, Fields &fields) {
    ondemand::object args;
    if (value.get_object().get(args)) return true; // no object: nothing to know
    for (auto item : args) {
        ondemand::field field;
        if (std::move(item).get(field)) return false;
        const char *key = field.key().raw();
        ParsedFacts &f = fields.facts;
        int64_t *id = nullptr, *number = nullptr;
        switch (key[0]) {
        case 'c': if (is(key, "correlation\"")) id = &f.correlation; break;
        case 'S': if (is(key, "Sequence number\"")) id = &f.sequence; break;
        case 'F': if (is(key, "Fwd thread id\"")) id = &f.forwardThread; break;
        case 'b': if (is(key, "bytes\"")) id = &f.bytes; break;
        case 'd': if (is(key, "device\"")) number = &f.device; break;
        case 's':
            if (is(key, "stream\"")) number = &f.stream;
            else if (is(key, "size\"")) id = &f.bytes;
            break;
        case 'w':
            if (is(key, "wait_on_stream\"")) id = &f.waitOnStream;
            else if (is(key, "wait_on_cuda_event_record_corr_id\"")) id = &f.waitOnCorrelation;
            break;
        case 'f':
            if (is(key, "finished\"")) fields.unfinished = tokenOf(field.value()) == "false";
            break;
        default: break;
        }
        if (id) *id = idOf(tokenOf(field.value()));
        if (number) *number = integerOf(tokenOf(field.value()));
        fields.hasFacts |= id || number;
    }
    return true;
}

bool EventParser::readFields(Object object, Fields &fields) {
    for (auto item : object) {
        ondemand::field field;
        if (std::move(item).get(field)) return false;
        const char *key = field.key().raw();
        ondemand::value &value = field.value();
        switch (key[0]) {
        case 'p':
            if (is(key, "ph\"")) fields.phase = tokenOf(value);
            else if (is(key, "pid\"")) fields.pid = fieldOf(value);
            break;
        case 'c': if (is(key, "cat\"")) fields.category = fieldOf(value); break;
        case 'n': if (is(key, "name\"")) fields.name = fieldOf(value); break;
        case 't':
            if (is(key, "ts\"")) fields.ts = tokenOf(value);
            else if (is(key, "tid\"")) fields.tid = fieldOf(value);
            break;
        case 'd': if (is(key, "dur\"")) fields.dur = tokenOf(value); break;
        case 'i':
            if (is(key, "id\"")) fields.id = fieldOf(value);
            else if (is(key, "id2\"")) {
                ondemand::object scoped;
                if (value.get_object().get(scoped)) break;
                if (scoped.raw_json().get(fields.id)) return false;
            }
            break;
        case 'b': if (is(key, "bp\"")) fields.bindPoint = tokenOf(value); break;
        case 's': if (is(key, "s\"")) fields.scope = tokenOf(value); break;
        case 'a':
            if (!is(key, "args\"")) break;
            switch (fields.phaseChar()) {
            case 'X': case 'B': case 'i': case 'I':
                if (!readArgs(value, fields)) return false;
                break;
            case 's': case 't': case 'f': case 'E': break;
            default: {
                // metadata, a counter, or the phase is still to come: looked at later
                ondemand::object args;
                if (value.get_object().get(args)) break;
                if (args.raw_json().get(fields.noteArgs)) return false;
            }
            }
            break;
        default: break;
        }
    }
    return true;
}

uint32_t EventParser::textId(std::string_view token, uint64_t offset, EventBatch &batch) {
    std::string_view text = unquoted(token);
    if (text.find('\\') != text.npos || text.find(kBlanked) != text.npos) {
        m_scratch.clear();
        if (!appendUnescaped(m_scratch, text)) batch.diagnostics.add(Reason::BadEscape, offset);
        for (size_t at; (at = m_scratch.find(kBlanked)) != m_scratch.npos;)
            m_scratch.replace(at, 1, "\xEF\xBF\xBD");
        text = m_scratch;
    }
    return m_texts.intern(text).index;
}

uint32_t EventParser::rowId(std::string_view pid, std::string_view tid, EventBatch &batch) {
    m_rowKey.assign(pid);
    m_rowKey += '\0';
    m_rowKey += tid;
    const uint32_t id = m_rows.intern(m_rowKey).index;
    if (id >= m_rowsGiven) {
        std::string pidText, tidText;
        appendUnescaped(pidText, unquoted(pid));
        appendUnescaped(tidText, unquoted(tid));
        // id 0 is the pool's empty text and names no row
        while (m_rowsGiven <= id) {
            batch.newRows.emplace_back(pidText, tidText);
            ++m_rowsGiven;
        }
    }
    return id;
}

EventKind EventParser::kindOf(uint32_t category, uint32_t name) {
    if (name >= m_kinds.size()) m_kinds.resize(m_texts.size() + 64);
    KnownKind &known = m_kinds[name];
    if (known.category != category)
        known = {category, eventKind(m_texts[{category}], m_texts[{name}])};
    return known.kind;
}

void EventParser::addInterval(const Fields &fields, ParsedEvent event, EventBatch &batch) {
    const DecimalTime begin = parseMicroseconds(unquoted(fields.ts));
    DecimalTime dur{0, 0, DecimalTime::Good};
    if (event.phase == 'X') dur = parseMicroseconds(unquoted(fields.dur));
    if (begin.status != DecimalTime::Good || dur.status != DecimalTime::Good) {
        const bool range = begin.status == DecimalTime::OutOfRange ||
                           (begin.status == DecimalTime::Good && dur.status == DecimalTime::OutOfRange);
        batch.diagnostics.add(range ? Reason::TimeOutOfRange : Reason::BadTime, event.offset);
        ++batch.counts.setAside;
        return;
    }
    if (begin.rest || dur.rest) batch.diagnostics.add(Reason::SubNanosecond, event.offset);
    event.begin = roundToNs(begin);
    event.end = roundSumToNs(begin, dur);
    if (event.end < event.begin) {
        batch.diagnostics.add(Reason::NegativeDuration, event.offset);
        event.end = event.begin;
        event.flags |= kClamped;
    }
    if (fields.unfinished) event.flags |= kUnfinished;
    const EventKind kind = kindOf(event.category, event.name);
    event.kind = kind.kind;
    event.place = kind.place;
    if (fields.hasFacts) {
        event.facts = uint32_t(batch.facts.size());
        batch.facts.push_back(fields.facts);
    }
    batch.events.push_back(event);
}

void EventParser::addAsync(const Fields &fields, ParsedEvent event, EventBatch &batch) {
    const DecimalTime time = parseMicroseconds(unquoted(fields.ts));
    const bool noId = fields.id.empty();
    if (noId || time.status != DecimalTime::Good) {
        batch.diagnostics.add(noId ? Reason::AsyncEvent : Reason::BadTime, event.offset);
        ++batch.counts.setAside;
        return;
    }
    event.begin = event.end = roundToNs(time);
    event.kind = Kind::Annotation;
    event.facts = uint32_t(batch.facts.size());
    ParsedFacts facts;
    facts.id = textId(fields.id, event.offset, batch);
    batch.facts.push_back(facts);
    batch.events.push_back(event);
}

void EventParser::addFlow(const Fields &fields, ParsedEvent event, EventBatch &batch) {
    if (event.category >= m_displayFlow.size()) m_displayFlow.resize(event.category + 1, -1);
    int8_t &display = m_displayFlow[event.category];
    if (display < 0) display = isDisplayFlow(m_texts[{event.category}]);
    const DecimalTime time = parseMicroseconds(unquoted(fields.ts));
    if (time.status != DecimalTime::Good) {
        batch.diagnostics.add(Reason::BadTime, event.offset);
        ++batch.counts.setAside;
        return;
    }
    ++batch.counts.flows;
    if (display) return;
    event.begin = event.end = roundToNs(time);
    event.bindEnclosing = unquoted(fields.bindPoint) == "e";
    event.facts = uint32_t(batch.facts.size());
    ParsedFacts facts;
    facts.id = textId(fields.id, event.offset, batch);
    batch.facts.push_back(facts);
    batch.events.push_back(event);
}

void EventParser::addNote(const Fields &fields, uint64_t offset, EventBatch &batch) {
    ParsedNote note;
    note.phase = fields.phaseChar();
    note.offset = offset;
    note.row = rowId(fields.pid, fields.tid, batch);
    appendUnescaped(note.name, unquoted(fields.name));
    appendUnescaped(note.id, unquoted(fields.id));
    if (note.phase == 'C') {
        const DecimalTime time = parseMicroseconds(unquoted(fields.ts));
        if (time.status != DecimalTime::Good) {
            batch.diagnostics.add(Reason::BadTime, offset);
            ++batch.counts.setAside;
            return;
        }
        note.time = roundToNs(time);
    }
    note.args = noteArgs(fields.noteArgs);
    if (note.phase == 'M') ++batch.counts.metadata;
    batch.notes.push_back(std::move(note)); // counters are counted when their numbers are read
}

std::vector<std::pair<std::string, std::string>> EventParser::noteArgs(std::string_view object) {
    std::vector<std::pair<std::string, std::string>> args;
    if (object.empty()) return args;
    m_noteText.assign(object);
    m_noteText.append(SIMDJSON_PADDING, ' ');
    ondemand::document document;
    ondemand::object items;
    if (m_noteParser.iterate(m_noteText.data(), object.size(), m_noteText.size()).get(document) ||
        document.get_object().get(items))
        return args;
    for (auto item : items) {
        ondemand::field field;
        std::string_view key;
        if (std::move(item).get(field) || field.unescaped_key().get(key)) break;
        args.emplace_back(std::string(key), std::string());
        appendUnescaped(args.back().second, unquoted(tokenOf(field.value())));
    }
    return args;
}

void EventParser::addEvent(const Fields &fields, uint64_t offset, EventBatch &batch) {
    ParsedEvent event;
    event.offset = offset;
    event.phase = fields.phaseChar();
    const auto aside = [&](Reason reason) {
        batch.diagnostics.add(reason, offset);
        ++batch.counts.setAside;
    };
    switch (event.phase) {
    case 'X': case 'B': case 'E': case 'i': case 'I': case 'R':
        event.name = textId(fields.name, offset, batch);
        event.category = textId(fields.category, offset, batch);
        event.row = rowId(fields.pid, fields.tid, batch);
        if (!fields.scope.empty()) event.scope = unquoted(fields.scope).substr(0, 1)[0];
        return addInterval(fields, event, batch);
    case 'b': case 'n': case 'e': case 'S': case 'T': case 'p': case 'F':
        event.name = textId(fields.name, offset, batch);
        event.category = textId(fields.category, offset, batch);
        event.row = rowId(fields.pid, fields.tid, batch);
        return addAsync(fields, event, batch);
    case 's': case 't': case 'f':
        event.category = textId(fields.category, offset, batch);
        event.row = rowId(fields.pid, fields.tid, batch);
        return addFlow(fields, event, batch);
    case 'M': case 'C': return addNote(fields, offset, batch);
    case 'N': case 'O': case 'D': return aside(Reason::ObjectEvent);
    case 'P': return aside(Reason::SampleEvent);
    default: return aside(Reason::UnknownPhase);
    }
}

bool EventParser::parseObject(Object object, uint64_t offset, EventBatch &batch) {
    Fields fields;
    if (!readFields(object, fields)) return false;
    if (!fields.noteArgs.empty()) {
        const char phase = fields.phaseChar();
        if (phase == 'X' || phase == 'B' || phase == 'i' || phase == 'I') {
            // the phase came behind the arguments: read them again, on their own
            m_noteText.assign(fields.noteArgs);
            m_noteText.append(SIMDJSON_PADDING, ' ');
            ondemand::document document;
            ondemand::value value;
            if (!m_noteParser.iterate(m_noteText.data(), fields.noteArgs.size(), m_noteText.size())
                     .get(document) &&
                !document.get_value().get(value))
                readArgs(value, fields);
        }
    }
    ++batch.counts.read;
    addEvent(fields, offset, batch);
    return true;
}

bool EventParser::parseElements(ondemand::array elements, const TextBlock &block, EventBatch &batch) {
    for (auto item : elements) {
        ondemand::value value;
        if (std::move(item).get(value)) return false;
        const uint64_t offset = block.offset + uint64_t(value.raw_json_token().data() - block.text);
        ondemand::json_type type;
        if (value.type().get(type)) return false;
        if (type != ondemand::json_type::object) {
            ++batch.counts.read;
            ++batch.counts.setAside;
            batch.diagnostics.add(Reason::NotAnObject, offset);
            continue;
        }
        ondemand::object object;
        if (value.get_object().get(object) || !parseObject(object, offset, batch)) return false;
    }
    return true;
}

void EventParser::parseBlock(const TextBlock &block, EventBatch &batch) {
    batch.clear();
    const uint32_t texts = m_textsGiven;
    block.text[-1] = '[';
    block.text[block.size] = ']';
    ondemand::document document;
    ondemand::array elements;
    batch.complete =
        !m_parser.iterate(block.text - 1, block.size + 2, block.capacity + 1).get(document) &&
        !document.get_array().get(elements) && parseElements(elements, block, batch);
    if (batch.complete) {
        // past the ']' that was added there is nothing; before it, the list has ended inside
        const char *at = nullptr;
        if (!document.current_location().get(at)) batch.arrayEnd = at;
    }
    for (uint32_t id = texts; id < m_texts.size(); ++id) batch.newTexts.push_back(m_texts[{id}]);
    m_textsGiven = m_texts.size();
}

void EventParser::parseElement(std::string_view text, uint64_t offset, EventBatch &batch) {
    m_element.assign(text);
    m_element.append(SIMDJSON_PADDING, ' ');
    const EventBatch::Mark before = batch.mark();
    ondemand::document document;
    ondemand::value value;
    ondemand::object object;
    const bool good =
        !m_parser.iterate(m_element.data(), text.size(), m_element.size()).get(document) &&
        !document.get_object().get(object) && parseObject(object, offset, batch) &&
        document.current_location().error() == OUT_OF_BOUNDS;
    if (!good) {
        batch.rewind(before);
        ++batch.counts.read;
        ++batch.counts.setAside;
        batch.diagnostics.add(text.starts_with('{') ? Reason::BrokenEvent : Reason::NotAnObject, offset);
    }
    for (uint32_t id = m_textsGiven; id < m_texts.size(); ++id) batch.newTexts.push_back(m_texts[{id}]);
    m_textsGiven = m_texts.size();
}

} // namespace longpole
