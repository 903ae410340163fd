// SPDX-License-Identifier: Apache-2.0
#include "core/capture/thread_log.h"

#include <algorithm>
#include <cstring>

namespace longpole::capture {

void ThreadLog::keep(const LoggedRange &range, const char *name) {
    const size_t at = m_data.size(), most = m_largest;
    if (at + sizeof range + range.length > most) {
        ++m_lost;
        return;
    }
    if (at > most / 4 && !m_called) m_called = m_crowded = true;
    m_data.resize(at + sizeof range + range.length);
    std::memcpy(m_data.data() + at, &range, sizeof range);
    std::memcpy(m_data.data() + at + sizeof range, name, range.length);
}

void ThreadLog::add(LoggedRange range, std::string_view name) {
    range.length = uint32_t(name.size());
    const std::lock_guard lock(m_mutex);
    keep(range, name.data());
}

int ThreadLog::push(LoggedRange range, std::string_view name) {
    range.length = uint32_t(name.size());
    const std::lock_guard lock(m_mutex);
    const auto depth = std::count_if(m_open.begin(), m_open.end(),
                                     [&](const auto &open) { return open.domain == range.domain; });
    m_open.push_back(range);
    m_openNames.insert(m_openNames.end(), name.begin(), name.end());
    return int(depth);
}

bool ThreadLog::pop(const std::string *domain, uint64_t end, bool wanted, LoggedRange &closed) {
    const std::lock_guard lock(m_mutex);
    size_t nameEnd = m_openNames.size();
    for (size_t i = m_open.size(); i-- > 0; nameEnd -= m_open[i].length) {
        if (m_open[i].domain != domain) continue;
        closed = m_open[i];
        closed.end = end;
        const auto name = m_openNames.begin() + long(nameEnd - closed.length);
        if (wanted) keep(closed, &*m_openNames.begin() + (nameEnd - closed.length));
        m_openNames.erase(name, name + closed.length);
        m_open.erase(m_open.begin() + long(i));
        return true;
    }
    return false;
}

void ThreadLog::closeAll(uint64_t now) {
    const std::lock_guard lock(m_mutex);
    size_t name = 0;
    for (LoggedRange range : m_open) {
        range.end = now;
        range.flags |= Range::kOpen;
        keep(range, m_openNames.data() + name);
        name += range.length;
    }
    m_open.clear();
    m_openNames.clear();
}

void ThreadLog::setName(std::string_view name) {
    const std::lock_guard lock(m_mutex);
    m_name = name;
}

bool ThreadLog::empty() {
    const std::lock_guard lock(m_mutex);
    return m_data.empty() && m_name.empty() && m_open.empty();
}

void ThreadLog::moveTo(ChunkFile &file) {
    std::string name;
    uint64_t lost = 0;
    {
        const std::lock_guard lock(m_mutex);
        m_data.swap(m_spare);
        name.swap(m_name);
        std::swap(lost, m_lost);
        m_called = false;
    }
    file.countDropped(lost);
    if (!name.empty()) {
        const uint32_t text = file.text(name);
        Thread &to = file.add<Thread>(Type::Thread, Thread::kGiven);
        to.id = m_thread;
        to.name = text;
    }
    for (size_t at = 0; at < m_spare.size();) {
        LoggedRange from;
        std::memcpy(&from, m_spare.data() + at, sizeof from);
        at += sizeof from;
        const uint32_t text = file.text({m_spare.data() + at, from.length});
        const uint32_t domain = from.domain ? file.text(*from.domain) : 0;
        at += from.length;
        Range &to = file.add<Range>(Type::Range, from.flags);
        to.begin = from.begin;
        to.end = from.end;
        to.thread = m_thread;
        to.name = text;
        to.domain = domain;
        to.step = from.step;
        if (file.wantsWriting()) file.write();
    }
    m_spare.clear();
}

std::shared_ptr<ThreadLog> ThreadLogs::make(uint32_t thread) {
    auto log = std::make_shared<ThreadLog>(thread);
    const std::lock_guard lock(m_mutex);
    m_logs.push_back(log);
    share();
    return log;
}

/// Each log is there twice: what the thread fills, and what the writer empties.
void ThreadLogs::share() {
    const size_t each = size_t(m_bytes) / 2 / m_logs.size();
    for (const auto &log : m_logs) log->allow(std::min<size_t>(each, 1 << 20));
}

void ThreadLogs::moveTo(ChunkFile &file) {
    std::vector<std::shared_ptr<ThreadLog>> logs;
    {
        const std::lock_guard lock(m_mutex);
        logs = m_logs;
    }
    for (const auto &log : logs) log->moveTo(file);
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_logs, [](const auto &log) { return log->left() && log->empty(); });
}

void ThreadLogs::closeAll(uint64_t now) {
    const std::lock_guard lock(m_mutex);
    for (const auto &log : m_logs) log->closeAll(now);
}

} // namespace longpole::capture
