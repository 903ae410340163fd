// SPDX-License-Identifier: Apache-2.0
#include "core/import/event_sink.h"

#include <charconv>

namespace longpole {

namespace {

/// The number in "7" or "stream 7"; `otherwise` when there is none.
int64_t numberIn(std::string_view text, int64_t otherwise) {
    const size_t at = text.find_first_of("0123456789");
    if (at == text.npos) return otherwise;
    const size_t from = at > 0 && text[at - 1] == '-' ? at - 1 : at;
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + from, text.data() + text.size(), value);
    return error == std::errc{} ? value : otherwise;
}

int64_t deviceOf(std::string_view pid, const ParsedFacts *facts) {
    return facts && facts->device != ParsedFacts::kNoNumber ? facts->device : numberIn(pid, 0);
}

int64_t streamNumber(std::string_view tid, const ParsedFacts *facts) {
    const int64_t stream =
        facts && facts->stream != ParsedFacts::kNoNumber ? facts->stream : numberIn(tid, 0);
    return stream == 0xFFFFFFFF ? -1 : stream; // "no stream", written as an unsigned number
}

} // namespace

void EventSink::learn(uint32_t parser, const EventBatch &batch) {
    Known &known = m_parsers[parser];
    for (std::string_view text : batch.newTexts)
        known.texts.push_back(m_builder.strings().intern(text));
    for (const auto &[pid, tid] : batch.newRows) {
        Row row;
        row.process = m_builder.process(pid);
        row.pid = pid;
        row.tid = tid;
        known.rows.push_back(std::move(row));
    }
}

void EventSink::add(uint32_t parser, const EventBatch &batch) {
    Known &known = m_parsers[parser];
    for (const ParsedEvent &event : batch.events)
        addEvent(known, event, event.facts == kNone ? nullptr : &batch.facts[event.facts]);
    for (const ParsedNote &note : batch.notes) addNote(known, note);
    m_builder.events.add(batch.counts);
    m_builder.diagnostics.merge(batch.diagnostics, 0);
}

uint32_t EventSink::threadOf(Row &row) {
    if (row.thread == kNone) {
        // rows that PyTorch's profiler writes about itself: no thread ran there
        const bool own = row.pid == "Spans" || row.pid == "Traces";
        row.thread = own ? m_builder.annotationTrack(row.process, row.tid,
                                                     row.tid.empty() ? row.pid : row.tid)
                         : m_builder.threadTrack(row.process, row.tid);
    }
    return row.thread;
}

uint32_t EventSink::streamOf(Row &row, const ParsedFacts *facts) {
    const int64_t device = deviceOf(row.pid, facts), stream = streamNumber(row.tid, facts);
    if (row.stream == kNone || row.device != device || row.streamId != stream) {
        row.stream = m_builder.streamTrack(row.process, device, stream);
        row.device = device;
        row.streamId = stream;
        m_streamOfRow[{row.process, row.tid}] = row.stream;
    }
    return row.stream;
}

/// The profiler of Ascend writes a process for what ran on the device, without categories; others
/// of its processes repeat the time of that one.
void EventSink::placeAscend() {
    int64_t device = 0;
    for (uint32_t p = 0; p < m_builder.processCount(); ++p) {
        const std::string &name = m_builder.processAt(p).name;
        if (name == "Ascend Hardware") m_builder.makeStreams(p, device++, ascendKind);
        if (name == "Overlap Analysis" || name == "HCCL") m_builder.makeAnnotations(p);
    }
}

void EventSink::finish() {
    for (const Flow &flow : m_flows) {
        const auto stream = m_streamOfRow.find({flow.process, flow.tid});
        const uint32_t track = stream == m_streamOfRow.end()
                                   ? m_builder.threadTrack(flow.process, flow.tid)
                                   : stream->second;
        m_builder.addFlow(track, flow.time, flow.phase, flow.category, flow.id, flow.bindEnclosing,
                          flow.offset);
    }
    m_flows.clear();
    placeAscend();
}

uint32_t EventSink::trackOf(Row &row, Place place, const ParsedFacts *facts) {
    switch (place) {
    case Place::Thread:
        return threadOf(row);
    case Place::Stream:
        return streamOf(row, facts);
    case Place::GpuAnnotation: {
        const int64_t device = deviceOf(row.pid, facts), stream = streamNumber(row.tid, facts);
        const std::string number = std::to_string(stream);
        return m_builder.annotationTrack(row.process,
                                         "gpu " + std::to_string(device) + ' ' + number,
                                         "annotations of stream " + number, device, stream);
    }
    case Place::DeviceRecords: {
        const int64_t device = deviceOf(row.pid, facts);
        return m_builder.annotationTrack(row.process, "records " + std::to_string(device),
                                         "sync and event records", device);
    }
    case Place::Annotation:
        break;
    }
    return m_builder.annotationTrack(row.process, row.tid, row.pid == "-1" ? "overhead" : row.tid);
}

/// Asynchronous work of one category shares an annotation row: it ran on no thread that is known.
void EventSink::addAsync(Known &known, const ParsedEvent &event, const ParsedFacts &facts) {
    const Row &row = known.rows[event.row];
    const StringId category = known.texts[event.category];
    std::string id((m_builder.strings())[known.texts[facts.id]]);
    if (id.find("\"local\"") != id.npos) id += ' ' + row.pid; // counts inside its process only
    const auto number = uint32_t(m_asyncGroups.size()) + 1;
    const auto [group, isNew] = m_asyncGroups.try_emplace({category.index, std::move(id)});
    if (isNew) {
        const std::string name(m_builder.strings()[category]);
        group->second = {number,
                         m_builder.annotationTrack(row.process, "async " + name,
                                                   name.empty() ? "async" : "async " + name)};
    }
    const uint32_t track = group->second.track;
    const StringId name = known.texts[event.name];
    switch (event.phase) {
    case 'b':
    case 'S':
        return m_builder.addBegin(
            track,
            {event.begin, event.end, event.offset, name, category, kNone, event.kind, event.flags},
            group->second.number);
    case 'e':
    case 'F':
        return m_builder.addEnd(track, event.begin, name, event.offset, group->second.number);
    default:
        m_builder.addInstant(track, event.begin, name, event.offset, event.scope);
        ++m_builder.events.instants;
    }
}

void EventSink::addEvent(Known &known, const ParsedEvent &event, const ParsedFacts *facts) {
    Row &row = known.rows[event.row];
    if (event.phase == 's' || event.phase == 't' || event.phase == 'f') {
        m_flows.push_back({row.process, row.tid, event.begin, event.offset,
                           known.texts[event.category], known.texts[facts->id], event.phase,
                           event.bindEnclosing});
        return;
    }
    if (std::string_view("bneSTpF").find(event.phase) != std::string_view::npos)
        return addAsync(known, event, *facts);
    const bool instant = event.phase == 'i' || event.phase == 'I' || event.phase == 'R';
    // marks of the whole capture stand on no process: a thread of that name never ran
    const bool placeless = instant && row.pid.empty() && row.tid.empty();
    const uint32_t track = placeless ? m_builder.annotationTrack(row.process, "marks", "marks")
                                     : trackOf(row, event.place, facts);
    const StringId name = known.texts[event.name];
    if (instant) {
        m_builder.addInstant(track, event.begin, name, event.offset, event.scope);
        ++m_builder.events.instants;
        return;
    }
    if (event.phase == 'E') return m_builder.addEnd(track, event.begin, name, event.offset);

    IntervalRow interval{event.begin, event.end,  event.offset, name, known.texts[event.category],
                         kNone,       event.kind, event.flags};
    if (facts && (facts->correlation >= 0 || facts->sequence >= 0 || facts->bytes >= 0))
        interval.side = m_builder.addSide(
            track, {facts->correlation, facts->sequence, facts->forwardThread, facts->bytes});
    if (event.place == Place::DeviceRecords && event.kind != Kind::EventRecord)
        m_builder.syncs.push_back(
            {row.process, event.begin, event.end, facts ? facts->correlation : -1,
             deviceOf(row.pid, facts),
             facts && facts->stream != ParsedFacts::kNoNumber ? streamNumber(row.tid, facts) : -1,
             facts ? facts->waitOnStream : -1, facts ? facts->waitOnCorrelation : -1,
             event.kind == Kind::EventWait});
    if (event.phase == 'B')
        m_builder.addBegin(track, interval);
    else
        m_builder.addInterval(track, interval);
}

void EventSink::addNote(Known &known, const ParsedNote &note) {
    if (note.phase == 'M')
        addMetadata(known.rows[note.row], note);
    else
        addCounter(known.rows[note.row], note);
}

void EventSink::addMetadata(Row &row, const ParsedNote &note) {
    Process &process = m_builder.processAt(row.process);
    for (const auto &[key, value] : note.args) {
        if (note.name == "process_name" && key == "name") process.name = value;
        if (note.name == "process_labels" && key == "labels") process.labels = value;
        if (note.name == "thread_name" && key == "name")
            m_builder.nameThread(row.process, row.tid, value);
        if (key != "sort_index") continue;
        if (note.name == "process_sort_index") process.sortIndex = numberIn(value, 0);
        if (note.name == "thread_sort_index")
            m_builder.sortThread(row.process, row.tid, numberIn(value, 0));
    }
}

void EventSink::addCounter(Row &row, const ParsedNote &note) {
    uint32_t track = kNone;
    for (const auto &[key, text] : note.args) {
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size()) continue;
        if (track == kNone)
            track = m_builder.counterTrack(row.process,
                                           note.id.empty() ? note.name : note.name + ' ' + note.id);
        m_builder.addCounter(track, key, note.time, value);
    }
    if (track != kNone) {
        ++m_builder.events.counters;
        return;
    }
    m_builder.diagnostics.add(Reason::EmptyCounter, note.offset);
    ++m_builder.events.setAside;
}

} // namespace longpole
