// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/capture/chunk_file.h"
#include "core/capture/cupti_api.h"

#include <array>
#include <set>
#include <vector>

namespace longpole::capture {

/// Turns CUPTI's records into those of the file. The layouts grow at their ends from version to
/// version, so the newest ones serve for all, as long as what older libraries lack is left alone.
class Converter {
public:
    Converter(ChunkFile &file, const CuptiApi &api) : m_file(file), m_api(api) {}

    void add(const CUpti_Activity *record);
    /// What must be taken from CUPTI's times where it could not be given the file's clock.
    void setShift(int64_t shift) { m_shift = shift; }
    /// Kinds that are not understood, and how many records of them came.
    const std::array<uint64_t, CUPTI_ACTIVITY_KIND_COUNT> &unknown() const { return m_unknown; }

private:
    uint64_t time(uint64_t t) const { return t ? uint64_t(int64_t(t) - m_shift) : 0; }
    uint32_t callName(CUpti_CallbackDomain domain, CUpti_CallbackId id);
    void addCall(const CUpti_ActivityAPI &from, bool driver);
    void addKernel(const CUpti_ActivityKernel10 &from);
    void addCopy(const CUpti_ActivityMemcpy6 &from);
    void addPeerCopy(const CUpti_ActivityMemcpyPtoP4 &from);
    void addSet(const CUpti_ActivityMemset4 &from);
    void addWait(const CUpti_ActivitySynchronization2 &from);
    void addEvent(const CUpti_ActivityCudaEvent2 &from);
    void addGraph(const CUpti_ActivityGraphTrace2 &from);
    void addMarker(const CUpti_ActivityMarker2 &from);
    void addMarkerData(const CUpti_ActivityMarkerData2 &from);
    void addOverhead(const CUpti_ActivityOverhead3 &from);
    void addMemory(const CUpti_ActivityMemory4 &from);
    void addDevice(const CUpti_ActivityDevice5 &from);
    void addName(const CUpti_ActivityName &from);

    ChunkFile &m_file;
    const CuptiApi &m_api;
    int64_t m_shift = 0;
    std::vector<uint32_t> m_callNames[2]; ///< by callback id, + 1; of the runtime and of the driver
    std::array<uint64_t, CUPTI_ACTIVITY_KIND_COUNT> m_unknown{};
};

} // namespace longpole::capture
