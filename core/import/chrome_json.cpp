// SPDX-License-Identifier: Apache-2.0
#include "core/import/chrome_json.h"

#include "core/import/block_pipeline.h"
#include "core/import/element_splitter.h"
#include "core/import/event_sink.h"
#include "core/import/json_scan.h"
#include "core/import/top_level.h"

#include <algorithm>

namespace longpole {

namespace {

/// Follows the document from block to block. Blocks that were parsed whole are taken as they are;
/// where one was not, its text is split element by element until a block begins cleanly again.
class Document {
public:
    Document(TraceBuilder &builder, TopLevel &topLevel, uint32_t parsers)
        : m_builder(builder), m_topLevel(topLevel), m_sink(builder, parsers + 1),
          m_ownParser(parsers) {}

    void take(ParsedBlock &parsed) {
        const TextBlock &block = parsed.buffer.block;
        m_sink.learn(parsed.parser, parsed.batch);
        size_t used = 0;
        if (m_topLevel.eventsBegin() && m_splitter.atBoundary() && parsed.batch.complete) {
            m_sink.add(parsed.parser, parsed.batch);
            if (!parsed.batch.arrayEnd) return;
            used = std::min(block.size, size_t(parsed.batch.arrayEnd - block.text));
            m_topLevel.eventsEnded();
        }
        feed({block.text + used, block.size - used}, block.offset + used);
        if (parsed.buffer.commaFollows) feed(",", block.offset + block.size);
    }

    void finish(uint64_t end) {
        m_sink.finish();
        if (m_topLevel.eventsBegin()) {
            // An array may end without its bracket; an element that ends half-way is a loss.
            if (m_splitter.pending()) m_sinks.broken(m_splitter.pendingOffset());
            if (m_splitter.pending() || !m_topLevel.isArray())
                m_builder.diagnostics.add(Reason::TruncatedFile, end);
        } else if (!m_topLevel.complete()) {
            m_builder.diagnostics.add(Reason::TruncatedFile, end);
        }
    }

private:
    void feed(std::string_view text, uint64_t offset) {
        while (!text.empty()) {
            size_t used = 0;
            if (m_topLevel.eventsBegin()) {
                used = m_splitter.feed(text, offset, m_sinks);
                if (m_splitter.ended()) {
                    const std::string left = m_splitter.takeLeft();
                    const uint64_t leftOffset = m_splitter.pendingOffset();
                    m_splitter.reset();
                    m_topLevel.eventsEnded();
                    feed(left, leftOffset);
                }
            } else {
                used = m_topLevel.feed(text, offset, m_builder.diagnostics);
                if (m_topLevel.listWentOn()) {
                    m_builder.diagnostics.add(Reason::StrayData, offset + used);
                    m_topLevel.backToEvents();
                    m_splitter.skipToBoundary();
                }
            }
            text.remove_prefix(used);
            offset += used;
        }
    }

    void takeElement(std::string_view text, uint64_t offset) {
        m_batch.clear();
        m_element.assign(text);
        sanitise(m_element, offset, m_batch.diagnostics);
        m_parser.parseElement(m_element, offset, m_batch);
        m_sink.learn(m_ownParser, m_batch);
        m_sink.add(m_ownParser, m_batch);
    }

    void setAside(uint64_t offset) {
        ++m_builder.events.read;
        ++m_builder.events.setAside;
        m_builder.diagnostics.add(Reason::BrokenEvent, offset);
    }

    TraceBuilder &m_builder;
    TopLevel &m_topLevel;
    EventSink m_sink;
    uint32_t m_ownParser;
    EventParser m_parser; ///< for single elements
    EventBatch m_batch;
    std::string m_element;
    ElementSplitter m_splitter;
    const ElementSplitter::Sink m_sinks = {
        [this](std::string_view text, uint64_t offset) { takeElement(text, offset); },
        [this](uint64_t offset) { setAside(offset); }};
};

bool sniff(std::string_view head) {
    if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
    const size_t at = head.find_first_not_of(" \n\r\t");
    return at != head.npos && (head[at] == '{' || head[at] == '[');
}

/// Reads up to the '[' of the events; what was read behind it goes to `rest`.
bool findEvents(TextReader &reader, TopLevel &topLevel, TraceBuilder &builder, std::string &rest,
                const Progress &progress) {
    std::string piece(64 << 10, '\0');
    for (;;) {
        const uint64_t offset = reader.offset();
        const size_t got = reader.read(piece.data(), piece.size());
        const size_t used = topLevel.feed({piece.data(), got}, offset, builder.diagnostics);
        if (topLevel.eventsBegin()) {
            rest = piece.substr(used, got - used);
            return true;
        }
        if (got < piece.size() || progress.stopped()) return false;
    }
}

Error noEvents(const TopLevel &topLevel, uint64_t end) {
    if (!topLevel.complete())
        return {ErrorKind::Unreadable, "truncated_file",
                "ends before its first event (after byte " + formatCount(int64_t(end)) +
                    "): it is cut short, or still being written. Copy the file again."};
    if (topLevel.values().contains("ph"))
        return {ErrorKind::Unreadable, "no_trace_events",
                "holds trace events, but no list of them. Put them into one: jq -s . FILE > "
                "NAME.json (and open NAME.json)."};
    if (topLevel.values().contains("schema") && topLevel.values().contains("nodes"))
        return {ErrorKind::Unreadable, "execution_trace",
                "is an execution trace of PyTorch: operators and their order, without a timeline. "
                "Open the "
                "trace that torch.profiler's export_chrome_trace writes of the same run."};
    for (const char *key : {"CudaEvent", "NvtxEvent", "TraceProcessEvent", "GlobalVmId"})
        if (topLevel.values().contains(key))
            return {ErrorKind::Unreadable, "nsys_json_lines",
                    "is an export of Nsight Systems as lines of JSON. Export the report as SQLite "
                    "instead: nsys export --type sqlite --output NAME.sqlite NAME.nsys-rep."};
    std::string keys;
    for (const auto &[key, value] : topLevel.values())
        if (keys.size() < 80) keys += (keys.empty() ? "" : ", ") + key.substr(0, 40);
    return {ErrorKind::Unreadable, "no_trace_events",
            "is JSON without a list traceEvents" + (keys.empty() ? "" : " (it has " + keys + ")") +
                ", so it is no Chrome or PyTorch trace. Export one with "
                "torch.profiler's export_chrome_trace."};
}

Result<bool> read(InputFile &input, TraceBuilder &builder, Progress &progress, unsigned threads) {
    TextReader reader(input);
    TopLevel topLevel;
    std::string rest;
    const auto cancelled = [] {
        return Error{ErrorKind::Cancelled, "cancelled", "was not read to its end."};
    };
    if (!findEvents(reader, topLevel, builder, rest, progress)) {
        if (progress.stopped()) return cancelled();
        if (reader.state() == TextReader::State::Good) return noEvents(topLevel, reader.offset());
        return Error{
            ErrorKind::Unreadable, "truncated_stream",
            "is damaged before its first event (byte " + formatCount(int64_t(reader.offset())) +
                " of the decompressed text). Copy the file again; gzip -t says if it is whole."};
    }
    BlockReader blocks(reader, std::move(rest));
    BlockPipeline pipeline(blocks, threads);
    Document document(builder, topLevel, pipeline.parsers());
    pipeline.run(progress, [&](ParsedBlock &block) {
        document.take(block);
        progress.set(block.buffer.fraction);
        builder.look();
    });
    if (progress.stopped()) return cancelled();
    document.finish(reader.offset());
    const bool damaged = reader.state() != TextReader::State::Good;
    if (damaged && builder.diagnostics[Reason::TruncatedFile].count == 0) // one cut is told once
        builder.diagnostics.add(Reason::TruncatedFile, reader.offset());
    if (reader.foreignTail()) builder.diagnostics.add(Reason::TrailingData, reader.offset());
    builder.file.textBytes = reader.offset();
    applyTopLevel(topLevel.values(), builder.file);
    if (const auto kept = topLevel.values().find(std::string(kExcerptKey));
        kept != topLevel.values().end()) {
        builder.excerpt = readExcerpt(kept->second);
        if (!builder.excerpt) builder.diagnostics.add(Reason::ExcerptUnfit, 0);
    }
    const Diagnostics &d = builder.diagnostics;
    const uint64_t foreign = d[Reason::NotAnObject].count + d[Reason::UnknownPhase].count +
                             (topLevel.isArray() ? d[Reason::BrokenEvent].count : 0);
    if (builder.events.read && foreign == builder.events.read && !d[Reason::TruncatedFile].count)
        return Error{ErrorKind::Unreadable, "no_trace_events",
                     "is a JSON list, but none of its " + formatCount(int64_t(foreign)) +
                         " elements is a trace event (an object with a key ph)."};
    return true;
}

} // namespace

const Importer kChromeJson = {"chrome_json", "Chrome or PyTorch (Kineto) JSON", sniff, read};

} // namespace longpole
