// SPDX-License-Identifier: Apache-2.0
#include "core/import/nsys_context.h"

#include "core/base/json_text.h"

#include <algorithm>

namespace longpole {

namespace {

int64_t firstNumber(const SqliteFile &file, const std::string &sql) {
    const auto query = file.query(sql);
    return query && query->step() ? query->integer(0) : 0;
}

} // namespace

NsysContext::NsysContext(const SqliteFile &f, TraceBuilder &b, Progress &p)
    : file(f), builder(b), progress(p), m_texts(f), m_known(f.tables().size()) {
    for (const char *table :
         {"StringIds", "ThreadNames", "META_DATA_EXPORT", "EXPORT_META_DATA", "META_DATA_CAPTURE",
          "NVTX_EVENTS", "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME"})
        isNsys |= exists(table);
    for (size_t i = 0; i < f.tables().size(); ++i) {
        const std::string &table = f.tables()[i];
        for (const char *facts :
             {"ENUM_", "TARGET_INFO_", "ANALYSIS_", "NVTX_PAYLOAD", "StringIds", "META_DATA",
              "EXPORT_META_DATA", "PROCESSES", "ProcessStreams", "UnwindMethodType", "sqlite_"})
            if (table.starts_with(facts)) m_known[i] = true;
        m_rowsExpected += double(firstNumber(f, "SELECT max(rowid) FROM " + quotedName(table)));
    }
}

bool NsysContext::exists(std::string_view table) const {
    return std::binary_search(file.tables().begin(), file.tables().end(), table, std::less<>());
}

void NsysContext::knows(std::string_view table) {
    const auto &tables = file.tables();
    const auto at = std::lower_bound(tables.begin(), tables.end(), table, std::less<>());
    if (at != tables.end() && *at == table) m_known[size_t(at - tables.begin())] = true;
}

EventTable NsysContext::open(std::string_view table, std::span<const WantedColumn> columns) {
    knows(table);
    return EventTable(file, builder, table, columns, [this](uint64_t rows) {
        m_rowsRead += double(rows);
        progress.set(std::min(1.0, m_rowsRead / std::max(1.0, m_rowsExpected)));
        builder.look();
        return !progress.stopped();
    });
}

void NsysContext::setAsideAll(std::string_view table) {
    knows(table);
    if (!exists(table)) return;
    const auto rows = uint64_t(firstNumber(file, "SELECT count(*) FROM " + quotedName(table)));
    if (!rows) return;
    const auto &tables = file.tables();
    const size_t index = size_t(std::find(tables.begin(), tables.end(), table) - tables.begin());
    builder.events.read += rows;
    builder.events.setAside += rows;
    builder.diagnostics.add(Reason::RowNotShown, placeOfRow(index, 1), rows);
}

std::vector<std::string> NsysContext::unknownTables() const {
    std::vector<std::string> unknown;
    for (size_t i = 0; i < m_known.size(); ++i) {
        if (m_known[i]) continue;
        const auto row = file.query("SELECT 1 FROM " + quotedName(file.tables()[i]) + " LIMIT 1");
        if (row && row->step()) unknown.push_back(file.tables()[i]);
    }
    return unknown;
}

uint32_t NsysContext::processOf(int64_t globalId) {
    const uint64_t key = uint64_t(globalId) >> 24;
    const auto [it, made] = m_processes.try_emplace(key, 0);
    if (!made) return it->second;
    // Numbers of processes repeat on other hosts and in other machines: the bits above tell them
    // apart.
    std::string pid = std::to_string(key & 0xFFFFFF);
    for (const auto &[other, index] : m_processes)
        if (other != key && (other & 0xFFFFFF) == (key & 0xFFFFFF))
            pid = std::to_string(key & 0xFFFFFF) + " on " + std::to_string(key >> 24);
    it->second = builder.process(pid);
    builder.processAt(it->second).ownIds = true;
    return it->second;
}

uint32_t NsysContext::deviceProcess(int64_t globalPid) {
    if (globalPid != EventTable::kAbsent) return processOf(globalPid);
    return m_processes.size() == 1 ? m_processes.begin()->second : processOf(0);
}

int64_t NsysContext::pidOfProcess(uint32_t process) const {
    for (const auto &[key, index] : m_processes)
        if (index == process) return int64_t(key & 0xFFFFFF);
    return -1;
}

uint32_t NsysContext::processOfThread(int64_t globalTid) const {
    const auto found = m_processes.find(uint64_t(globalTid) >> 24);
    return found == m_processes.end() ? kNone : found->second;
}

NsysContext::Thread NsysContext::threadOf(int64_t globalTid) {
    const auto [it, made] = m_threads.try_emplace(globalTid, Thread{});
    if (made) {
        const uint32_t process = processOf(globalTid);
        it->second = {process, builder.threadTrack(process, std::to_string(tidOf(globalTid)))};
    }
    return it->second;
}

uint32_t NsysContext::streamOf(uint32_t process, int64_t device, int64_t stream) {
    const StreamKey key{process, device, stream};
    if (key == m_lastStream) return m_lastStreamTrack;
    const auto [it, made] = m_streams.try_emplace(key, 0);
    if (made) it->second = builder.streamTrack(process, device, stream);
    m_lastStream = key;
    return m_lastStreamTrack = it->second;
}

StringId NsysContext::intern(std::string_view text, uint64_t offset) {
    size_t at = 0;
    while (at < text.size()) {
        const size_t length = uint8_t(text[at]) < 0x80 ? 1 : utf8Length(text.substr(at));
        if (!length) {
            builder.diagnostics.add(Reason::InvalidUtf8, offset);
            return builder.strings().intern(toValidUtf8(text));
        }
        at += length;
    }
    return builder.strings().intern(text);
}

StringId NsysContext::text(int64_t id, uint64_t offset) {
    const auto [it, made] = m_plain.try_emplace(id);
    if (made) it->second = intern(m_texts.find(id).value_or(""), offset);
    return it->second;
}

StringId NsysContext::callName(int64_t id, uint64_t offset) {
    const auto [it, made] = m_calls.try_emplace(id);
    if (made) it->second = intern(withoutVersion(m_texts.find(id).value_or("")), offset);
    return it->second;
}

} // namespace longpole
