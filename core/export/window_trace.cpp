// SPDX-License-Identifier: Apache-2.0
#include "core/export/window_trace.h"

#include "core/base/gzip_writer.h"
#include "core/base/json_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

namespace longpole {

namespace {

constexpr size_t kPiece = 256 << 10;
constexpr TimeNs kLatestBase = TimeNs(1) << 61; ///< later clocks are not read back

/// An id as the source wrote it: a number where it is one, else a text.
void appendId(std::string &to, const std::string &id) {
    const size_t sign = id.starts_with('-');
    const bool number = id.size() > sign && id.size() < 18 &&
                        id.find_first_not_of("0123456789", sign) == id.npos &&
                        (id[sign] != '0' || id.size() == 1);
    if (number)
        to += id;
    else
        appendQuoted(to, id);
}

/// Categories that a reader puts on a row of its own, not on a thread.
bool isDerived(std::string_view category) {
    constexpr std::string_view derived[] = {"gpu_user_annotation",
                                            "cuda_profiler_range",
                                            "cuda_event",
                                            "cuda_sync",
                                            "overhead",
                                            "Trace",
                                            "nvtx-kernel"};
    return std::find(std::begin(derived), std::end(derived), category) != std::end(derived);
}

/// The category by which a reader knows the kind again.
std::string_view categoryOfKind(Kind kind) {
    switch (kind) {
    case Kind::CpuOp:
    case Kind::Untraced:
        return "cpu_op";
    case Kind::Kernel:
    case Kind::Comm:
        return "kernel";
    case Kind::GraphExec:
        return "cuda_graph";
    case Kind::Memset:
        return "gpu_memset";
    case Kind::Annotation:
    case Kind::Phase:
        return "user_annotation";
    case Kind::Python:
        return "python_function";
    case Kind::Overhead:
        return "overhead";
    default:
        return isCopyKind(kind) ? "gpu_memcpy" : "cuda_runtime";
    }
}

class Writer {
public:
    Writer(const Trace &trace, const Excerpt &excerpt, const EventArguments &arguments,
           const std::string &fileName)
        : m_trace(trace), m_excerpt(excerpt), m_arguments(arguments), m_file(fileName),
          m_hasText(trace.files.front().input && trace.files.front().tables.empty()),
          m_based(trace.origin >= 0 && trace.origin < kLatestBase),
          m_shift(m_based ? 0 : trace.origin) {}

    Result<bool> run(const std::string &fileName) {
        head();
        names();
        for (const IntervalId id : m_excerpt.intervals) {
            const auto args = m_arguments.ofInterval(id);
            if (!args) return args.error();
            interval(id, *args);
            flush();
        }
        for (const Instant &i : m_trace.instants) {
            if (!isInside(i.time)) continue;
            const uint32_t file = m_trace.processes[m_trace.tracks[i.track].process].file;
            const auto args = m_arguments.ofEvent(file, i.offset);
            if (!args) return args.error();
            instant(i, *args);
            flush();
        }
        for (const CounterSeries &c : m_trace.counters) counter(c);
        flows();
        m_text += "\n],\n";
        excerpt();
        m_text += "}\n";
        m_file.write(m_text);
        if (m_file.finish()) return true;
        return Error{ErrorKind::Impossible, "not_written",
                     "The window cannot be written to " + fileName +
                         ". Check the folder and the space that is left."};
    }

private:
    bool isInside(TimeNs t) const {
        return m_excerpt.window.begin <= t && t <= m_excerpt.window.end;
    }

    void flush() {
        if (m_text.size() < kPiece) return;
        m_file.write(m_text);
        m_text.clear();
    }

    /// A key and a number, with a comma before it unless an object begins.
    void field(std::string_view key, int64_t value) {
        if (m_text.back() != '{') m_text += ',';
        m_text += '"';
        m_text += key;
        m_text += "\":" + std::to_string(value);
    }
    void field(std::string_view key, std::string_view value) {
        if (m_text.back() != '{') m_text += ',';
        m_text += '"';
        m_text += key;
        m_text += "\":";
        appendQuoted(m_text, value);
    }

    void head() {
        const SourceFile &source = m_trace.files.front();
        m_text = kWindowTraceHead;
        if (source.format != "Chrome JSON") field("schemaVersion", 1);
        if (!source.deviceNames.empty()) {
            m_text += ",\"deviceProperties\":[";
            for (size_t i = 0; i < source.deviceNames.size(); ++i) {
                m_text += i ? ",{" : "{";
                field("id", int64_t(i));
                field("name", source.deviceNames[i]);
                m_text += '}';
            }
            m_text += ']';
        }
        if (source.rank || source.worldSize) {
            m_text += ",\"distributedInfo\":{";
            if (source.rank) field("rank", *source.rank);
            if (source.worldSize) field("world_size", *source.worldSize);
            m_text += '}';
        }
        if (m_based) field("baseTimeNanoseconds", m_trace.origin);
        m_text += ",\"displayTimeUnit\":\"ns\",\n\"traceEvents\":[";
    }

    /// The begin of an event, up to where its time stands.
    void event(std::string_view phase, std::string_view name, std::string_view category,
               uint32_t trackIndex) {
        const Track &track = m_trace.tracks[trackIndex];
        begin(phase, name);
        if (!category.empty()) field("cat", category);
        place(track);
    }
    void begin(std::string_view phase, std::string_view name) {
        m_text += m_any ? ",\n{" : "\n{";
        m_any = true;
        field("ph", phase);
        field("name", name);
    }
    void place(const Track &track) {
        const Process &process = m_trace.processes[track.process];
        if (track.kind == TrackKind::Annotation && process.pid.empty() && track.name == "marks")
            return; // marks of the whole capture stand on no process
        m_text += ",\"pid\":";
        appendId(m_text, process.pid);
        if (track.kind == TrackKind::Counter) return;
        m_text += ",\"tid\":";
        appendId(m_text, track.kind == TrackKind::Thread ? track.thread
                         : track.stream                  ? std::to_string(*track.stream)
                         : track.device                  ? std::to_string(*track.device)
                         : process.pid == "-1"           ? "0"
                                                         : track.name);
    }
    void time(std::string_view key, TimeNs ns) {
        m_text += ",\"";
        m_text += key;
        m_text += "\":";
        appendMicroseconds(m_text, ns);
    }

    void names() {
        std::set<uint32_t> processes, tracks;
        for (const IntervalId id : m_excerpt.intervals) tracks.insert(id.track);
        for (const uint32_t t : tracks) processes.insert(m_trace.tracks[t].process);
        for (const uint32_t p : processes) {
            const Process &process = m_trace.processes[p];
            const auto meta = [&](const char *name, const char *key, auto value) {
                begin("M", name);
                m_text += ",\"pid\":";
                appendId(m_text, process.pid);
                m_text += ",\"args\":{";
                field(key, value);
                m_text += "}}";
            };
            if (!process.name.empty()) meta("process_name", "name", std::string_view(process.name));
            if (!process.labels.empty())
                meta("process_labels", "labels", std::string_view(process.labels));
            if (process.sortIndex) meta("process_sort_index", "sort_index", process.sortIndex);
        }
        for (const uint32_t t : tracks) {
            const Track &track = m_trace.tracks[t];
            if (track.kind == TrackKind::Annotation) continue;
            event("M", "thread_name", {}, t);
            m_text += ",\"args\":{";
            field("name", track.name);
            m_text += "}}";
            if (track.kind == TrackKind::Stream || !track.sortIndex) continue;
            event("M", "thread_sort_index", {}, t);
            m_text += ",\"args\":{";
            field("sort_index", track.sortIndex);
            m_text += "}}";
        }
    }

    void interval(IntervalId id, const std::string &args) {
        const Track &track = m_trace.track(id);
        const TimeRange range{m_trace.begin(id), m_trace.end(id)};
        const std::string &pid = m_trace.processes[track.process].pid;
        std::string_view category = track.categoryOf(id.row);
        if (track.kind == TrackKind::Annotation && !isDerived(category) && pid != "Spans" &&
            pid != "Traces")
            return asynchronous(id, range, args);
        if (!m_hasText && track.kind != TrackKind::Annotation)
            category = categoryOfKind(m_trace.kind(id));
        event("X", m_trace.name(id), category, id.track);
        time("ts", range.begin + m_shift);
        time("dur", range.length());
        writeArgs(id, args);
        m_text += '}';
    }

    /// A range of no thread: its begin and its end, under a number of its own.
    void asynchronous(IntervalId id, TimeRange range, const std::string &args) {
        const Track &track = m_trace.track(id);
        const std::string category = asyncCategory(track);
        const std::string number = std::to_string(++m_asynchronous);
        event("b", m_trace.name(id), category, id.track);
        field("id", number);
        time("ts", range.begin + m_shift);
        writeArgs(id, args);
        m_text += '}';
        event("e", m_trace.name(id), category, id.track);
        field("id", number);
        time("ts", range.end + m_shift);
        m_text += '}';
    }

    static std::string asyncCategory(const Track &track) {
        constexpr std::string_view prefix = "async";
        if (!track.name.starts_with(prefix)) return track.name;
        return track.name.size() > prefix.size() ? track.name.substr(prefix.size() + 1) : "";
    }

    /// Where the source's arguments are not those of JSON traces, what links events stands first.
    void writeArgs(IntervalId id, const std::string &args) {
        const Track &track = m_trace.track(id);
        const SideRow &side = track.table->sideOf(id.row);
        m_text += ",\"args\":{";
        if (!m_hasText) {
            const bool device = track.kind != TrackKind::Thread;
            if (side.correlation >= 0) field("correlation", side.correlation);
            if (device && track.device) field("device", *track.device);
            if (device && track.stream) field("stream", *track.stream);
            if (side.bytes >= 0) field("bytes", side.bytes);
            if (side.sequence >= 0) field("Sequence number", side.sequence);
            if (side.forwardThread >= 0) field("Fwd thread id", side.forwardThread);
        }
        if (args.size() > 2) {
            if (m_text.back() != '{') m_text += ',';
            m_text.append(args, 1, args.size() - 2);
        }
        m_text += '}';
    }

    void instant(const Instant &i, const std::string &args) {
        const Track &track = m_trace.tracks[i.track];
        const bool onThread = track.kind != TrackKind::Annotation || track.name == "marks";
        event(onThread ? "i" : "n", i.name, onThread ? std::string() : asyncCategory(track),
              i.track);
        if (!onThread) field("id", std::to_string(++m_asynchronous));
        time("ts", i.time + m_shift);
        field("s", std::string_view(&i.scope, 1));
        if (args.size() > 2) m_text += ",\"args\":" + args;
        m_text += '}';
    }

    /// The values inside the window, and the one that it begins with.
    void counter(const CounterSeries &c) {
        size_t i = size_t(std::lower_bound(c.time.begin(), c.time.end(), m_excerpt.window.begin) -
                          c.time.begin());
        for (i = i > 0 ? i - 1 : 0; i < c.time.size() && c.time[i] <= m_excerpt.window.end; ++i) {
            event("C", c.name, {}, c.track);
            const TimeNs at = c.time[i] + m_shift; // other viewers drop what is before zero
            time("ts", at < 0 ? std::max(at, m_excerpt.window.begin + m_shift) : at);
            m_text += ",\"args\":{";
            appendQuoted(m_text, c.series);
            char digits[32];
            const auto [end, error] = std::to_chars(digits, digits + sizeof digits, c.value[i]);
            const std::string_view text(digits, size_t(end - digits));
            m_text += ':';
            if (std::isfinite(c.value[i]))
                m_text += text;
            else
                appendQuoted(m_text, text);
            m_text += "}}";
            flush();
        }
    }

    void flows() {
        for (const FlowPoint &flow : m_trace.flows) {
            if (!isInside(flow.time)) continue;
            const StringPool &texts = *m_trace.strings[flow.file];
            const std::string_view category = texts[flow.category];
            flowPoint(flow.phase, category, flow.track, flow.time, flow.bindEnclosing);
            field("id", texts[flow.id]);
            m_text += '}';
            flush();
        }
        const std::set<IntervalId> kept(m_excerpt.intervals.begin(), m_excerpt.intervals.end());
        for (const Launch &launch : m_trace.launches) {
            const int64_t id = m_trace.track(launch.op).table->sideOf(launch.op.row).correlation;
            if (!kept.contains(launch.op) || !kept.contains(launch.call)) continue;
            for (const bool start : {true, false}) {
                const IntervalId at = start ? launch.call : launch.op;
                flowPoint(start ? 's' : 'f', "ac2g", at.track, m_trace.begin(at), !start);
                field("id", id);
                m_text += '}';
            }
            flush();
        }
    }

    void flowPoint(char phase, std::string_view category, uint32_t track, TimeNs at,
                   bool bindEnclosing) {
        event(std::string_view(&phase, 1), category.empty() ? "flow" : category, category, track);
        time("ts", at + m_shift);
        if (bindEnclosing) field("bp", "e");
    }

    void excerpt() {
        m_text += "\"longpole\":{\"version\":1,\"zero_ns\":" +
                  std::to_string(m_based ? 0 : m_trace.origin) + ",\"window\":{";
        field("begin_ns", m_excerpt.window.begin);
        field("end_ns", m_excerpt.window.end);
        field("kind", m_excerpt.kind);
        m_text += "},\"steps\":{";
        field("found_by", m_excerpt.foundBy);
        field("markers", m_excerpt.markers);
        m_text += ",\"names\":[";
        for (size_t i = 0; i < m_excerpt.stepNames.size(); ++i) {
            if (i) m_text += ',';
            appendQuoted(m_text, m_excerpt.stepNames[i]);
        }
        m_text += "]},\"columns\":{";
        bool any = false;
        for (const auto &[key, values] : m_excerpt.columns) {
            m_text += any ? ",\n\"" : "\n\"";
            any = true;
            m_text += key + "\":[";
            for (size_t i = 0; i < values.size(); ++i) {
                if (i) m_text += ',';
                m_text += std::to_string(values[i]);
                flush();
            }
            m_text += ']';
        }
        m_text += "}}";
    }

    const Trace &m_trace;
    const Excerpt &m_excerpt;
    const EventArguments &m_arguments;
    GzipWriter m_file;
    const bool m_hasText; ///< the source is JSON: categories and arguments are what is read back
    const bool m_based;   ///< times count from baseTimeNanoseconds
    const TimeNs m_shift; ///< else from zero
    std::string m_text;
    uint64_t m_asynchronous = 0;
    bool m_any = false;
};

} // namespace

Result<bool> writeWindowTrace(const Trace &trace, const Excerpt &excerpt,
                              const EventArguments &arguments, const std::string &fileName) {
    return Writer(trace, excerpt, arguments, fileName).run(fileName);
}

} // namespace longpole
