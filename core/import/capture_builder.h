// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/import/capture_reader.h"
#include "core/model/trace_builder.h"

#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace longpole {

/// Makes a trace of the records of a capture, in whatever order they come. What speaks of others
/// that may come later – waits, events, markers – is kept until finish().
class CaptureBuilder {
public:
    explicit CaptureBuilder(TraceBuilder &builder) : m_builder(builder) {
        for (const auto &[category, name] :
             {std::pair(&m_runtime, "cuda_runtime"), std::pair(&m_driver, "cuda_driver"),
              std::pair(&m_kernel, "kernel"), std::pair(&m_copy, "gpu_memcpy"),
              std::pair(&m_set, "gpu_memset"), std::pair(&m_graph, "cuda_graph"),
              std::pair(&m_nvtx, "nvtx"), std::pair(&m_wait, "cuda_sync"),
              std::pair(&m_event, "cuda_event"), std::pair(&m_overhead, "overhead")})
            *category = builder.strings().intern(name);
        m_texts.emplace_back();
    }

    void add(const CaptureRecord &record);
    void finish(const CaptureReader &reader);

private:
    template <class T>
    struct Kept {
        T record;
        uint64_t offset;
    };

    void text(const CaptureRecord &record);
    void process(const capture::Process &from);
    void call(const capture::Call &from, uint64_t offset);
    void kernel(const capture::Kernel &from, uint64_t offset);
    void copy(const capture::Copy &from, uint64_t offset);
    void set(const capture::Set &from, uint64_t offset);
    void graph(const capture::Graph &from, uint64_t offset);
    void range(const capture::Range &from, uint64_t offset);
    void overhead(const capture::Overhead &from, uint64_t offset);
    void boundary(const capture::Boundary &from);
    void message(const capture::Message &from, uint64_t offset);
    void eventRecords();
    void waits();
    void markers();
    void memory();

    void setAside(Reason reason, uint64_t offset) {
        m_builder.diagnostics.add(reason, offset);
        ++m_builder.events.setAside;
    }
    std::optional<TimeNs> time(uint64_t t) const;
    bool times(uint64_t begin, uint64_t end, uint64_t offset, IntervalRow &row);
    StringId name(uint32_t id) const {
        if (id < m_texts.size()) return m_texts[id];
        const auto found = m_sparse.find(id);
        return found == m_sparse.end() ? StringId{} : found->second;
    }
    static int64_t known(uint32_t id) { return id == capture::kNoId ? -1 : int64_t(id); }
    uint32_t owner();
    uint32_t thread(uint32_t id);
    void addToStream(uint32_t device, uint32_t context, uint32_t stream, uint32_t correlation,
                     int64_t bytes, IntervalRow row);
    void addToRecords(int64_t device, uint32_t correlation, IntervalRow row);
    int64_t deviceOf(uint32_t context) const {
        const auto found = m_deviceOf.find(context);
        return found == m_deviceOf.end() ? 0 : found->second;
    }
    Kind kernelKind(StringId name);

    TraceBuilder &m_builder;
    StringId m_runtime, m_driver, m_kernel, m_copy, m_set, m_graph, m_nvtx, m_wait, m_event,
        m_overhead;
    std::vector<StringId> m_texts; ///< by number in the file
    std::unordered_map<uint32_t, StringId> m_sparse;
    uint32_t m_process = kNone;
    TimeNs m_shift = 0; ///< from the file's clock to that of the day
    bool m_ended = false;
    std::unordered_map<uint32_t, uint32_t> m_threads;              ///< track by thread
    std::unordered_map<uint32_t, int64_t> m_deviceOf;              ///< by context
    std::map<std::pair<uint32_t, uint32_t>, StreamOrder> m_orders; ///< by context, stream
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> m_streams;   ///< track by context, stream
    std::map<uint32_t, bool> m_given; ///< threads with a name: by the program?
    struct CallName {
        StringId name;
        Kind kind;
    };
    std::unordered_map<uint32_t, CallName> m_calls;   ///< by text
    std::unordered_map<uint32_t, Kind> m_kernelKinds; ///< by name
    std::vector<Kept<capture::EventRecord>> m_events;
    std::vector<Kept<capture::Wait>> m_waits;
    std::vector<Kept<capture::Marker>> m_markers;
    std::vector<capture::Memory> m_memory;
    struct Recorded {
        int64_t correlation = -1, stream = -1;
    };
    std::unordered_map<uint64_t, Recorded> m_bySync;
    std::unordered_map<uint32_t, std::vector<Recorded>> m_byHandle;
    Measurement m_measurement;
};

} // namespace longpole
