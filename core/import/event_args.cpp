// SPDX-License-Identifier: Apache-2.0
#include "core/import/event_args.h"

#include "core/import/capture_args.h"
#include "core/import/json_scan.h"
#include "core/import/json_args.h"
#include "core/import/longpole_capture.h"
#include "core/import/nsys_args.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr size_t kFirstPiece = 16 << 10, kLargestPiece = 1 << 20;
/// Ends of nested ranges come in the order of their begins, so inner ones lie before outer ones: the
/// text between is kept, because going back in a compressed file means inflating it again.
constexpr size_t kKeptForEnds = 32 << 20;

/// The text of a file around the place that was asked for last.
class EventTexts {
public:
    EventTexts(std::shared_ptr<const InputFile> input, size_t kept)
        : m_input(input), m_reader(input), m_kept(input->compressed() ? kept : kLargestPiece) {}

    Result<std::string_view> at(uint64_t offset) {
        if (m_input->changed())
            return Error{ErrorKind::Unreadable, "file_changed",
                         m_input->path() + " has changed since it was opened. Arguments are read from "
                                           "it: open it again."};
        while (!m_text.empty() && offset > m_begin + m_text.size() &&
               offset - m_begin <= m_kept && more()) {}
        const bool inside = offset >= m_begin && offset <= m_begin + m_text.size();
        if (inside && offset - m_begin > m_kept) {
            const size_t gone = size_t(offset - m_begin) - (m_kept - kLargestPiece) / 2;
            m_text.erase(0, gone);
            m_begin += gone;
        }
        if (!inside) {
            m_reader.seek(offset);
            m_text.clear();
            m_begin = offset;
            m_piece = kFirstPiece;
        }
        for (;;) {
            const std::string_view rest = std::string_view(m_text).substr(size_t(offset - m_begin));
            const ValueScan scan = scanValue(rest);
            if (scan.state == ValueScan::Whole && rest[0] == '{') return rest.substr(0, scan.length);
            // each scan begins anew, so a long event is read in pieces as long as what was scanned
            m_piece = std::max(m_piece, rest.size());
            if (scan.state != ValueScan::Incomplete || !more())
                return Error{ErrorKind::Unreadable, "event_not_found",
                             m_input->path() + " has no whole event at byte " +
                                 formatCount(int64_t(offset)) + "; the file may have changed."};
        }
    }

private:
    bool more() {
        const size_t before = m_text.size();
        m_text.resize(before + m_piece);
        m_text.resize(before + m_reader.read(m_text.data() + before, m_piece));
        m_piece = std::min(2 * m_piece, kLargestPiece);
        return m_text.size() > before;
    }

    std::shared_ptr<const InputFile> m_input;
    TextReader m_reader;
    std::string m_text;
    size_t m_kept;        ///< how much text before the place asked for last may stay
    uint64_t m_begin = 0; ///< offset of m_text[0]; the reader stands behind its last byte
    size_t m_piece = kFirstPiece;
};

/// Puts the end event's arguments behind the begin's; a key that both have says which is which.
void addEndArgs(std::vector<JsonArg> &args, std::vector<JsonArg> endArgs) {
    const size_t begins = args.size();
    for (JsonArg &arg : endArgs) {
        const auto same = std::find_if(args.begin(), args.begin() + long(begins),
                                       [&](const JsonArg &a) { return a.key == arg.key; });
        if (same != args.begin() + long(begins)) {
            if (same->value == arg.value) continue;
            arg.key += " (end)";
        }
        args.push_back(std::move(arg));
    }
}

} // namespace

struct EventArgs::State {
    using Files = std::vector<std::unique_ptr<EventTexts>>;
    std::shared_ptr<const Trace> trace;
    // Begins and ends are far apart but each in order: with a reader for each, neither jumps back.
    Files begins, ends;
    std::vector<std::unique_ptr<NsysArgs>> rows; ///< of files that are databases

    Result<std::vector<JsonArg>> read(Files &files, uint32_t file, uint64_t offset,
                                      size_t kept = kLargestPiece) {
        if (file >= files.size() || !trace->files[file].input) return std::vector<JsonArg>{};
        if (const auto &tables = trace->files[file].tables; !tables.empty()) {
            if (!rows[file])
                rows[file] = std::make_unique<NsysArgs>(trace->files[file].input, tables);
            return rows[file]->at(offset);
        }
        if (trace->files[file].format == kCaptureFormat)
            return captureArgs(trace->files[file].input, offset);
        if (!files[file]) files[file] = std::make_unique<EventTexts>(trace->files[file].input, kept);
        const auto text = files[file]->at(offset);
        if (!text) return text.error();
        return argsOfEvent(*text);
    }

    Result<std::vector<JsonArg>> read(IntervalId id) {
        const Track &track = trace->track(id);
        const uint32_t file = trace->processes[track.process].file;
        auto args = read(begins, file, track.table->offset[id.row]);
        const int64_t end = track.table->sideOf(id.row).endOffset;
        if (!args || end < 0) return args;
        auto endArgs = read(ends, file, uint64_t(end), kKeptForEnds);
        if (!endArgs) return endArgs;
        addEndArgs(*args, std::move(*endArgs));
        return args;
    }
};

EventArgs::EventArgs(std::shared_ptr<const Trace> trace) : m_state(std::make_unique<State>()) {
    m_state->begins.resize(trace->files.size());
    m_state->ends.resize(trace->files.size());
    m_state->rows.resize(trace->files.size());
    m_state->trace = std::move(trace);
}

EventArgs::~EventArgs() = default;

Result<std::string> EventArgs::json(IntervalId id) {
    auto args = m_state->read(id);
    if (!args) return args.error();
    return jsonObject(*args);
}

Result<std::string> EventArgs::json(uint32_t file, uint64_t offset) {
    auto args = m_state->read(m_state->begins, file, offset);
    if (!args) return args.error();
    return jsonObject(*args);
}

Result<std::vector<EventArgs::Entry>> EventArgs::entries(IntervalId id) {
    auto args = m_state->read(id);
    if (!args) return args.error();
    std::vector<Entry> entries;
    for (JsonArg &arg : *args) entries.push_back({std::move(arg.key), plainValue(arg.value)});
    return entries;
}

} // namespace longpole
