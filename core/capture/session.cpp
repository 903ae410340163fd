// SPDX-License-Identifier: Apache-2.0
#include "core/capture/session.h"

#include "core/capture/clock.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>

namespace longpole::capture {

namespace {

using namespace std::chrono_literals;

constexpr auto kLook = 50ms;
constexpr uint64_t kOldestChunk =
    500'000'000;                ///< ns until what was recorded is on its way to the disk
constexpr size_t kMostSaid = 8; ///< sentences on standard error; the file has all
constexpr auto kPatience = 60s; ///< at the end of the process

std::mutex startMutex;
pid_t tried = 0; ///< the process that a recording was begun in, or not wanted in

std::string firstLine(const std::string &path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

/// When this process began, on the clock of the file; 0 unknown.
uint64_t processBegin() {
    const std::string stat = firstLine("/proc/self/stat");
    const size_t name = stat.rfind(')'); // the name may hold anything
    if (name == stat.npos) return 0;
    const char *at = stat.c_str() + name + 1;
    for (int field = 2; field < 21 && at; ++field) at = std::strchr(at + 1, ' ');
    const uint64_t ticks = at ? std::strtoull(at, nullptr, 10) : 0;
    const uint64_t perSecond = uint64_t(sysconf(_SC_CLK_TCK));
    if (ticks == 0 || perSecond == 0) return 0;
    const uint64_t sinceBoot = ticks * (1'000'000'000 / perSecond);
    const int64_t now = int64_t(nowNs()), asleep = int64_t(clockNs(CLOCK_BOOTTIME)) - now;
    return uint64_t(std::max<int64_t>(0, int64_t(sinceBoot) - asleep));
}

int64_t rankFrom(std::initializer_list<const char *> names) {
    for (const char *name : names)
        if (const char *value = std::getenv(name); value && *value) {
            char *end = nullptr;
            const long long number = std::strtoll(value, &end, 10);
            if (!*end && number >= 0) return number;
        }
    return -1;
}

} // namespace

std::atomic<Session *> Session::s_current{nullptr};

Session *Session::start(Door door) {
    if (Session *session = current()) return session;
    static const bool prepared = [] {
        pthread_atfork([] { startMutex.lock(); }, [] { startMutex.unlock(); },
                       [] {
                           startMutex.unlock();
                           inChild();
                       });
        std::atexit(atExit);
        return true;
    }();
    static_cast<void>(prepared);
    const std::lock_guard lock(startMutex);
    if (Session *session = current()) return session;
    // One recording a process. A worker that was forked has none, unless it uses the device itself.
    if (tried == getpid() || (tried != 0 && door == Door::Ranges)) return nullptr;
    tried = getpid();
    Options options = Options::fromEnvironment();
    if (options.file.empty()) return nullptr;
    // Threads may be inside while the process ends, so it is never taken down.
    auto *session = new Session(std::move(options));
    const std::string wrong = session->m_file.open(session->m_options.file);
    if (!wrong.empty()) {
        std::fprintf(stderr, "longpole: %s Nothing is recorded.\n", wrong.c_str());
        delete session;
        return nullptr;
    }
    session->openControl();
    session->lookAtClock();
    s_current = session;
    sigset_t all, before;
    sigfillset(&all); // signals are the application's
    pthread_sigmask(SIG_BLOCK, &all, &before);
    std::thread([session] { session->run(); }).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return session;
}

Session::Session(Options options)
    : m_options(std::move(options)), m_pool(m_options.memory / 4 * 3), m_began(nowNs()) {
    // an eighth is for ranges, and what is left for names and the chunk that is being filled
    m_file.remember(m_options.memory / 16);
}

void Session::inChild() {
    Session *session = s_current.exchange(nullptr);
    if (session) session->m_file.abandon();
}

void Session::atExit() {
    Session *session = current();
    if (!session) return;
    std::unique_lock lock(session->m_mutex);
    session->m_exit = true;
    session->m_wake.notify_all();
    session->m_over.wait_for(lock, kPatience, [&] { return session->m_finished; });
}

void Session::openControl() {
    if (m_options.control.empty()) return;
    const int fd = ::open(m_options.control.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) return;
    void *page = mmap(nullptr, sizeof(ControlPage), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ::close(fd);
    if (page == MAP_FAILED) return;
    auto *control = static_cast<ControlPage *>(page);
    if (control->magic != ControlPage::kMagic) return;
    m_control = control;
    ++m_control->processes;
}

void Session::say(std::string sentence) {
    {
        const std::lock_guard lock(m_mutex);
        if (!m_said.insert(sentence).second) return; // again, after a pause
        m_messages.push_back(sentence);
        if (m_said.size() > kMostSaid) return;
    }
    std::fprintf(stderr, "longpole: %s\n", sentence.c_str());
    if (m_control) ++m_control->messages;
}

void Session::filled(uint8_t *buffer, size_t size) {
    m_pool.filled(buffer, size);
    wake();
}

void Session::wake() {
    {
        const std::lock_guard lock(m_mutex);
        m_pending = true;
    }
    m_wake.notify_one();
}

// The writer's thread, from here on.

void Session::run() {
    pthread_setname_np(pthread_self(), "longpole-writer");
    bool exit = false;
    while (!m_ended) {
        {
            std::unique_lock lock(m_mutex);
            m_wake.wait_for(lock, kLook, [&] { return m_pending || m_exit; });
            m_pending = false;
            exit = m_exit;
        }
        drain();
        lookAtClock();
        if (m_steps.done())
            finish(EndReason::Steps);
        else if (exit)
            finish(EndReason::Exit);
    }
    {
        const std::lock_guard lock(m_mutex);
        m_finished = true;
    }
    m_over.notify_all();
}

void Session::writeMessages() {
    std::vector<std::string> messages;
    {
        const std::lock_guard lock(m_mutex);
        messages.swap(m_messages);
    }
    for (const std::string &sentence : messages) {
        const uint32_t text = m_file.text(sentence);
        Message &message = m_file.add<Message>(Type::Message);
        message.time = nowNs();
        message.text = text;
    }
}

void Session::drain() {
    bool describe = false;
    {
        const std::lock_guard lock(m_mutex);
        std::swap(describe, m_describe);
    }
    if (describe) writeProcess();
    writeMessages();
    BufferPool::Filled buffer;
    while (m_pool.next(buffer)) {
        if (!m_hasClock) // CUPTI stamped with the other clock: it may have been set meanwhile
            m_converter.setShift(int64_t(clockNs(CLOCK_REALTIME)) - int64_t(nowNs()));
        CUpti_Activity *record = nullptr;
        CUptiResult result;
        while ((result = m_cupti.cuptiActivityGetNextRecord(buffer.data, buffer.size, &record)) ==
               CUPTI_SUCCESS) {
            m_converter.add(record);
            if (m_file.wantsWriting()) m_file.write();
        }
        if (result != CUPTI_ERROR_MAX_LIMIT_REACHED)
            check(result, "hand out the records of a buffer", "what was in it, uncounted");
        m_pool.giveBack(buffer.data);
    }
    m_logs.moveTo(m_file);
    for (const Boundary &stamp : m_steps.takeStamps()) {
        Boundary &to = m_file.add<Boundary>(Type::Boundary, stamp.head.flags);
        to = stamp;
    }
    if (const uint64_t now = nowNs(); now - m_lastWrite > kOldestChunk) {
        m_file.write();
        m_lastWrite = now;
    }
    report();
}

void Session::lookAtClock() {
    const uint64_t now = nowNs();
    const bool begun = now - m_began >= m_options.delayNs;
    const bool over =
        m_options.durationNs > 0 && now - m_began >= m_options.delayNs + m_options.durationNs;
    const uint32_t asked =
        m_control ? m_control->wanted.load(std::memory_order_relaxed) : ControlPage::kRecord;
    const bool wanted = asked == ControlPage::kRecord;
    if (over)
        finish(EndReason::Duration);
    else if (asked == ControlPage::kFinish)
        finish(EndReason::Asked);
    else if ((begun && wanted) != recording())
        setRecording(begun && wanted);
}

void Session::setRecording(bool on) {
    m_recording = on;
    if (m_cuptiReady) enableKinds(on);
}

void Session::report() {
    if (!m_file.failure().empty() && !std::exchange(m_full, true)) say(m_file.failure());
    if (!m_control) return;
    const uint64_t now[] = {m_file.records(), m_file.dropped(), m_file.bytes()};
    std::atomic<uint64_t> *to[] = {&m_control->records, &m_control->dropped, &m_control->bytes};
    for (int i = 0; i < 3; ++i) *to[i] += now[i] - m_reported[i], m_reported[i] = now[i];
    m_control->steps = m_steps.seen();
}

void Session::writeProcess() {
    const uint32_t name = m_file.text(firstLine("/proc/self/comm"));
    const uint32_t producer = m_file.text("longpole " LONGPOLE_VERSION);
    Process &to =
        m_file.add<Process>(Type::Process, m_options.graphNodes ? Process::kGraphNodes : 0);
    to.pid = uint32_t(getpid());
    to.name = name;
    to.producer = producer;
    to.rank = rankFrom({"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"});
    to.worldSize = rankFrom({"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"});
    to.begin = processBegin();
    to.now = nowNs();
    to.realtime = clockNs(CLOCK_REALTIME);
    to.cupti = m_cuptiReady ? m_cupti.version : 0;
    to.driver = m_cuptiReady ? m_contexts.driverVersion() : 0;
    to.warmup = m_options.warmup;
    to.steps = m_options.steps;
    to.boundary = uint32_t(m_options.boundary);
}

void Session::writeThreadNames() {
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks) return;
    while (const dirent *task = readdir(tasks)) {
        const uint32_t id = uint32_t(std::strtoul(task->d_name, nullptr, 10));
        if (id == 0) continue;
        const uint32_t name =
            m_file.text(firstLine(std::string("/proc/self/task/") + task->d_name + "/comm"));
        Thread &to = m_file.add<Thread>(Type::Thread);
        to.id = id;
        to.name = name;
    }
    closedir(tasks);
}

void Session::askDropped() {
    size_t dropped = 0;
    if (!m_cuptiReady) return;
    const CUptiResult result = m_cupti.cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
    check(result, "tell how many records it lost", "that number");
    if (result != CUPTI_SUCCESS || !dropped) return;
    m_file.countDropped(dropped);
    Dropped &to = m_file.add<Dropped>(Type::Dropped);
    to.time = nowNs();
    to.count = dropped;
    to.loss = uint32_t(Loss::Cupti);
}

void Session::writeRest() {
    const auto &unknown = m_converter.unknown();
    for (uint32_t kind = 0; kind < unknown.size(); ++kind) {
        if (unknown[kind] == 0) continue;
        Dropped &to = m_file.add<Dropped>(Type::Dropped);
        to.time = nowNs();
        to.count = unknown[kind];
        to.loss = uint32_t(Loss::Unknown);
        to.kind = kind;
    }
    writeThreadNames();
    writeMessages();
}

void Session::finish(EndReason reason) {
    if (m_ended) return;
    m_ended = true;
    m_recording = false;
    if (m_cuptiReady) {
        // first what is complete, then what the device has not told yet
        m_cupti.cuptiActivityFlushAll(0);
        enableKinds(false);
        check(m_cupti.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "flush at the end",
              "maybe what came last");
    }
    m_logs.closeAll(nowNs());
    askDropped();
    drain();
    writeRest();
    End &end = m_file.add<End>(Type::End);
    end.time = nowNs();
    end.realtime = clockNs(CLOCK_REALTIME);
    end.records = m_file.records();
    end.dropped = m_file.dropped();
    end.reason = uint32_t(reason);
    m_file.close();
    report();
    if (m_control) ++m_control->finished;
}

} // namespace longpole::capture
