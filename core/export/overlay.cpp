// SPDX-License-Identifier: Apache-2.0
#include "core/export/overlay.h"

#include "core/base/gzip_writer.h"
#include "core/base/json_text.h"

#include <set>

namespace longpole {

namespace {

constexpr size_t kPiece = 256 << 10;

class OverlayWriter {
public:
    OverlayWriter(const Trace &trace, const Phases &phases, const CriticalPath &path,
                  const std::string &fileName)
        : m_trace(trace), m_phases(phases), m_path(path), m_file(fileName),
          m_pathProcess(trace.processes.size() + 1) {
        for (const PathSegment &s : path.segments)
            if (s.type == PathSegment::Type::Activity && s.end > s.begin)
                m_critical.insert(s.interval);
    }

    bool run() {
        m_text = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
        name("process_name", m_pathProcess, 0, "Critical path");
        meta("process_sort_index", m_pathProcess, 0, "\"sort_index\":-1");
        name("thread_name", m_pathProcess, 1, "path");
        for (size_t p = 0; p < m_trace.processes.size(); ++p) {
            const Process &process = m_trace.processes[p];
            name("process_name", p + 1, 0,
                 process.name.empty() ? "process " + process.pid : process.name);
        }
        for (const PathSegment &s : m_path.segments) segment(s);
        for (uint32_t t = 0; t < m_trace.tracks.size(); ++t)
            if (m_trace.tracks[t].isResource()) track(t);
        m_text += "]}\n";
        m_file.write(m_text);
        return m_file.finish();
    }

private:
    /// Rows of a viewer: one for a thread, one for each lane of a stream, whose work may overlap.
    uint64_t rowOf(uint32_t track, uint32_t lane) const {
        return uint64_t(track + 1) * 1000 + lane;
    }

    void track(uint32_t t) {
        const Track &track = m_trace.tracks[t];
        const TrackTable &table = *track.table;
        const bool stream = track.kind == TrackKind::Stream;
        std::set<uint64_t> named;
        for (uint32_t row = 0; row < table.size(); ++row) {
            const TimeRange range{track.begin(row), track.end(row)};
            if (!m_path.window.range.touches(range.begin, range.end)) continue;
            const uint64_t tid = rowOf(t, stream ? table.laneOf(row) : 0);
            if (named.insert(tid).second) {
                name("thread_name", track.process + 1, tid, track.name);
                meta("thread_sort_index", track.process + 1, tid,
                     "\"sort_index\":" + std::to_string(tid));
            }
            event(track.nameOf(row), kindName(table.kind[row]), track.process + 1, tid, range);
            m_text += ",\"args\":{\"phase\":";
            appendQuoted(m_text, m_phases.ruleOf({t, row}).id);
            if (track.device) m_text += ",\"device\":" + std::to_string(*track.device);
            if (track.stream) m_text += ",\"stream\":" + std::to_string(*track.stream);
            if (m_critical.contains({t, row})) m_text += ",\"critical\":1";
            m_text += "}}";
            if (m_text.size() < kPiece) continue;
            m_file.write(m_text);
            m_text.clear();
        }
    }

    void segment(const PathSegment &s) {
        if (s.end == s.begin) return;
        const bool work = s.type == PathSegment::Type::Activity;
        const std::string_view what = work                               ? m_trace.name(s.interval)
                                      : s.type == PathSegment::Type::Lag ? edgeTypeName(s.edge)
                                                                         : segmentTypeName(s.type);
        event(what, segmentTypeName(s.type), m_pathProcess, 1, {s.begin, s.end});
        m_text += ",\"args\":{\"critical\":1,\"edge\":";
        appendQuoted(m_text, edgeTypeName(s.edge));
        m_text += ",\"evidence\":";
        appendQuoted(m_text, evidenceName(s.evidence));
        if (s.track != kNone) {
            m_text += ",\"track\":";
            appendQuoted(m_text, m_trace.tracks[s.track].name);
        }
        m_text += "}}";
    }

    /// All but args and the closing bracket.
    void event(std::string_view title, std::string_view category, uint64_t pid, uint64_t tid,
               TimeRange range) {
        m_text += ",\n{\"ph\":\"X\",\"name\":";
        appendQuoted(m_text, title);
        m_text += ",\"cat\":";
        appendQuoted(m_text, category);
        m_text +=
            ",\"pid\":" + std::to_string(pid) + ",\"tid\":" + std::to_string(tid) + ",\"ts\":";
        appendMicroseconds(m_text, range.begin);
        m_text += ",\"dur\":";
        appendMicroseconds(m_text, range.length());
    }

    void name(std::string_view what, uint64_t pid, uint64_t tid, const std::string &text) {
        std::string quoted;
        appendQuoted(quoted, text);
        meta(what, pid, tid, "\"name\":" + quoted);
    }

    void meta(std::string_view what, uint64_t pid, uint64_t tid, const std::string &args) {
        m_text += m_any ? ",\n" : "\n";
        m_any = true;
        m_text += "{\"ph\":\"M\",\"name\":\"" + std::string(what) +
                  "\",\"pid\":" + std::to_string(pid) + ",\"tid\":" + std::to_string(tid) +
                  ",\"args\":{" + args + "}}";
    }

    const Trace &m_trace;
    const Phases &m_phases;
    const CriticalPath &m_path;
    GzipWriter m_file;
    const uint64_t m_pathProcess;
    std::set<IntervalId> m_critical;
    std::string m_text;
    bool m_any = false;
};

} // namespace

bool writeOverlay(const Trace &trace, const Phases &phases, const CriticalPath &path,
                  const std::string &fileName) {
    return OverlayWriter(trace, phases, path, fileName).run();
}

} // namespace longpole
