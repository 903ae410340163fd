// SPDX-License-Identifier: Apache-2.0
#include "tests/support/text_trace.h"

#include "core/analysis/window.h"
#include "core/model/trace_builder.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <vector>

namespace longpole::test {

namespace {

[[noreturn]] void giveUp(std::string_view what, std::string_view line) {
    std::fprintf(stderr, "text trace: %.*s: \"%.*s\"\n", int(what.size()), what.data(),
                 int(line.size()), line.data());
    std::abort();
}

std::vector<std::string_view> words(std::string_view text) {
    std::vector<std::string_view> found;
    for (size_t at = 0; at < text.size();) {
        const size_t begin = text.find_first_not_of(' ', at);
        if (begin == std::string_view::npos) break;
        at = std::min(text.find(' ', begin), text.size());
        found.push_back(text.substr(begin, at - begin));
    }
    return found;
}

/// Microseconds unless a unit stands there.
std::optional<TimeNs> timeOf(std::string_view text) {
    const bool bare = text.find_first_not_of("-0123456789.") == std::string_view::npos;
    return parseTime(bare ? std::string(text) + "us" : std::string(text));
}

class Reader {
public:
    Reader() : m_builder(SourceFile{}) {}

    void line(std::string_view line) {
        if (const size_t is = line.find(" is "); is != line.npos && line.find(": ") == line.npos) {
            const std::string_view order = line.substr(is + 4);
            m_builder.orderStream(trackOf(line.substr(0, is)), order == "null" ? StreamOrder::Null
                                                               : order == "blocking"
                                                                   ? StreamOrder::Blocking
                                                                   : StreamOrder::NonBlocking);
            return;
        }
        if (line.starts_with("wait: ") || line.starts_with("sync: ")) return syncRecord(line);
        const size_t colon = line.find(": ");
        if (colon == std::string_view::npos) giveUp("no track", line);
        const std::string_view place = line.substr(0, colon);
        const auto parts = words(line.substr(colon + 2));
        size_t times = parts.size();
        while (times > 0 && parts[times - 1].find("..") == std::string_view::npos) --times;
        if (times < 2) giveUp("no name or no times", line);
        --times;
        const char *nameEnd = parts[times - 1].data() + parts[times - 1].size();
        const std::string_view name(parts[0].data(), size_t(nameEnd - parts[0].data()));

        const uint32_t track = trackOf(place);
        IntervalRow row;
        row.name = m_builder.strings().intern(name);
        row.kind = place.starts_with("gpu") ? Kind::Kernel : Kind::CpuOp;
        row.offset = m_offset++;
        const TimeRange range = rangeOf(parts[times], line);
        row.begin = range.begin;
        row.end = range.end;
        SideRow side;
        bool hasSide = false;
        for (size_t i = times + 1; i < parts.size(); ++i)
            hasSide |= attribute(parts[i], row, side, line);
        if (hasSide) row.side = m_builder.addSide(track, side);
        m_builder.addInterval(track, row);
    }

    std::shared_ptr<const Trace> finish() {
        Progress progress;
        m_builder.events.read = m_offset;
        auto trace = m_builder.finish(progress, 1);
        std::vector<Trace> parts;
        parts.push_back(std::move(*trace));
        return joinTraces(std::move(parts));
    }

private:
    static TimeRange rangeOf(std::string_view text, std::string_view line) {
        const size_t dots = text.find("..");
        if (dots == text.npos) giveUp("no times", line);
        const auto begin = timeOf(text.substr(0, dots)), end = timeOf(text.substr(dots + 2));
        if (!begin || !end || *end < *begin) giveUp("bad times", line);
        return {*begin, *end};
    }

    void syncRecord(std::string_view line) {
        const auto parts = words(line.substr(6));
        if (parts.empty()) giveUp("no times", line);
        const TimeRange range = rangeOf(parts[0], line);
        SyncRecord record;
        record.process = m_builder.process("1");
        record.begin = range.begin;
        record.end = range.end;
        record.device = 0;
        record.streamWait = line.starts_with("wait");
        for (size_t i = 1; i < parts.size(); ++i) {
            const size_t equals = parts[i].find('=');
            if (equals == parts[i].npos) giveUp("unknown word", line);
            const std::string_view key = parts[i].substr(0, equals);
            int64_t *const slot = key == "corr"     ? &record.correlation
                                  : key == "device" ? &record.device
                                  : key == "stream" ? &record.stream
                                  : key == "on"     ? &record.waitOnStream
                                  : key == "record" ? &record.waitOnCorrelation
                                                    : nullptr;
            if (!slot) giveUp("unknown attribute", line);
            *slot = std::strtoll(std::string(parts[i].substr(equals + 1)).c_str(), nullptr, 10);
        }
        m_builder.syncs.push_back(record);
    }

    uint32_t trackOf(std::string_view place) {
        const uint32_t process = m_builder.process("1");
        long long device = 0, stream = 0;
        if (std::sscanf(std::string(place).c_str(), "gpu%lld/s%lld", &device, &stream) == 2)
            return m_builder.streamTrack(process, device, stream);
        if (place.starts_with('~'))
            return m_builder.annotationTrack(process, place, place.substr(1));
        m_builder.nameThread(process, place, place);
        return m_builder.threadTrack(process, place);
    }

    /// True when the attribute belongs into the side table.
    bool attribute(std::string_view text, IntervalRow &row, SideRow &side, std::string_view line) {
        if (const auto kind = kindFromName(text)) {
            row.kind = *kind;
            return false;
        }
        const size_t equals = text.find('=');
        if (equals == std::string_view::npos) giveUp("unknown word", line);
        const std::string_view key = text.substr(0, equals);
        const std::string value(text.substr(equals + 1));
        if (key == "cat") {
            row.category = m_builder.strings().intern(value);
            return false;
        }
        int64_t *const slot = key == "corr"    ? &side.correlation
                              : key == "seq"   ? &side.sequence
                              : key == "fwd"   ? &side.forwardThread
                              : key == "bytes" ? &side.bytes
                                               : nullptr;
        if (!slot) giveUp("unknown attribute", line);
        *slot = std::strtoll(value.c_str(), nullptr, 10);
        return true;
    }

    TraceBuilder m_builder;
    uint64_t m_offset = 0;
};

} // namespace

std::shared_ptr<const Trace> traceFromText(std::string_view text) {
    Reader reader;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = text.substr(at, end - at);
        at = end + 1;
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        if (!line.empty() && line.front() != '#') reader.line(line);
    }
    return reader.finish();
}

std::string textOf(const Trace &trace) {
    std::ostringstream out;
    for (const Track &track : trace.tracks) {
        out << trackKindName(track.kind) << ' ' << track.name << '\n';
        for (uint32_t lane = 0; lane < track.table->lanes(); ++lane) {
            for (uint32_t row = track.table->laneBegin[lane];
                 row < track.table->laneBegin[lane + 1]; ++row)
                out << "  " << lane << ' ' << std::string(size_t(track.table->depth[row]) * 2, ' ')
                    << track.nameOf(row) << ' ' << track.begin(row) << ".." << track.end(row) << ' '
                    << kindName(track.table->kind[row]) << '\n';
        }
    }
    return out.str();
}

IntervalId find(const Trace &trace, std::string_view name) {
    for (uint32_t t = 0; t < trace.tracks.size(); ++t)
        for (uint32_t row = 0; row < trace.tracks[t].table->size(); ++row)
            if (trace.tracks[t].nameOf(row) == name) return {t, row};
    giveUp("no interval of that name", name);
}

} // namespace longpole::test
