// SPDX-License-Identifier: Apache-2.0
// Ranges and marks of NVTX: the program calls these functions, because its NVTX headers load this
// library through NVTX_INJECTION64_PATH.
#include "core/capture/clock.h"
#include "core/capture/session.h"

#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

#include <sys/syscall.h>
#include <unistd.h>

#include <cwchar>
#include <map>

namespace longpole::capture {

namespace {

/// What this thread has to do with the session.
struct PerThread {
    Session *session = nullptr;
    std::shared_ptr<ThreadLog> log;
    uint32_t id = 0;
    ~PerThread() {
        if (log) log->leave();
    }
};
thread_local PerThread perThread;

/// Null where nothing is recorded.
PerThread *here() {
    Session *session = Session::current();
    if (!session) return nullptr;
    if (perThread.session != session) {
        perThread.id = uint32_t(syscall(SYS_gettid));
        perThread.log = session->logs().make(perThread.id);
        perThread.session = session;
    }
    return &perThread;
}

std::string narrow(const wchar_t *wide) {
    std::string text;
    for (; wide && *wide; ++wide) { // UTF-32 to UTF-8
        const uint32_t c = uint32_t(*wide);
        if (c < 0x80) {
            text += char(c);
        } else if (c < 0x800) {
            text += char(0xC0 | c >> 6);
            text += char(0x80 | (c & 0x3F));
        } else if (c < 0x10000) {
            text += char(0xE0 | c >> 12);
            text += char(0x80 | (c >> 6 & 0x3F));
            text += char(0x80 | (c & 0x3F));
        } else {
            text += char(0xF0 | (c >> 18 & 7));
            text += char(0x80 | (c >> 12 & 0x3F));
            text += char(0x80 | (c >> 6 & 0x3F));
            text += char(0x80 | (c & 0x3F));
        }
    }
    return text;
}

// Domains and registered texts live as long as the process: ranges may speak of them at any time.
const std::string *domainOf(nvtxDomainHandle_t domain) {
    return reinterpret_cast<const std::string *>(domain);
}

/// The text of an event; `kept` holds it where it had to be made.
const char *messageOf(const nvtxEventAttributes_t *event, std::string &kept) {
    if (!event) return "";
    switch (event->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
        return event->message.ascii ? event->message.ascii : "";
    case NVTX_MESSAGE_TYPE_UNICODE:
        kept = narrow(event->message.unicode);
        return kept.c_str();
    case NVTX_MESSAGE_TYPE_REGISTERED:
        if (!event->message.registered) return "";
        return reinterpret_cast<const std::string *>(event->message.registered)->c_str();
    default:
        return "";
    }
}

int push(const std::string *domain, const char *name) {
    PerThread *thread = here();
    if (!thread) return -1;
    LoggedRange range{0, 0, domain, 0, 0, 0};
    if (thread->session->options().isStep(name)) {
        const StepProtocol::Begun begun = thread->session->steps().begin(thread->id);
        range.begin = begun.time;
        range.step = begun.step;
        range.flags = begun.flags;
    } else {
        range.begin = nowNs();
    }
    return thread->log->push(range, name);
}

/// After something was left for the writer.
void leave(PerThread &thread) {
    if (thread.log->crowded()) thread.session->wake();
}

int pop(const std::string *domain) {
    const uint64_t now = nowNs();
    PerThread *thread = here();
    LoggedRange closed;
    if (!thread || !thread->log->pop(domain, now, thread->session->recording(), closed)) return -1;
    leave(*thread);
    if (closed.flags & Range::kStep) {
        thread->session->steps().end(thread->id, closed.step);
        if (thread->session->steps().done()) thread->session->wake();
    }
    return 0;
}

void mark(const std::string *domain, const char *name) {
    const uint64_t now = nowNs();
    PerThread *thread = here();
    if (!thread || !thread->session->recording()) return;
    thread->log->add({now, now, domain, 0, Range::kMark, 0}, name);
    leave(*thread);
}

/// Ranges that begin and end by id, maybe on different threads.
struct Across {
    LoggedRange range;
    std::string name;
};
std::mutex acrossMutex;
std::map<nvtxRangeId_t, Across> across;
nvtxRangeId_t nextAcross = 1;

nvtxRangeId_t startAcross(const std::string *domain, const char *name) {
    if (!Session::current()) return 0;
    const std::lock_guard lock(acrossMutex);
    across[nextAcross] = {{nowNs(), 0, domain, 0, Range::kAcross, 0}, name};
    return nextAcross++;
}

void endAcross(nvtxRangeId_t id) {
    const uint64_t now = nowNs();
    PerThread *thread = here();
    if (!thread) return;
    const std::lock_guard lock(acrossMutex);
    const auto found = across.find(id);
    if (found == across.end()) return;
    found->second.range.end = now;
    if (thread->session->recording()) thread->log->add(found->second.range, found->second.name);
    across.erase(found);
}

void nameThread(uint32_t id, const char *name) {
    PerThread *thread = here();
    if (thread && name && (id == thread->id || id == 0)) thread->log->setName(name);
}

const std::string *forEver(std::string text) {
    return new std::string(std::move(text));
}

// The functions of NVTX, in the order of its tables.
void NVTX_API markEx(const nvtxEventAttributes_t *event) {
    std::string kept;
    mark(nullptr, messageOf(event, kept));
}
void NVTX_API markA(const char *name) {
    mark(nullptr, name ? name : "");
}
void NVTX_API markW(const wchar_t *name) {
    mark(nullptr, narrow(name).c_str());
}
nvtxRangeId_t NVTX_API startEx(const nvtxEventAttributes_t *event) {
    std::string kept;
    return startAcross(nullptr, messageOf(event, kept));
}
nvtxRangeId_t NVTX_API startA(const char *name) {
    return startAcross(nullptr, name ? name : "");
}
nvtxRangeId_t NVTX_API startW(const wchar_t *name) {
    return startAcross(nullptr, narrow(name).c_str());
}
void NVTX_API rangeEnd(nvtxRangeId_t id) {
    endAcross(id);
}
int NVTX_API pushEx(const nvtxEventAttributes_t *event) {
    std::string kept;
    return push(nullptr, messageOf(event, kept));
}
int NVTX_API pushA(const char *name) {
    return push(nullptr, name ? name : "");
}
int NVTX_API pushW(const wchar_t *name) {
    return push(nullptr, narrow(name).c_str());
}
int NVTX_API popPlain() {
    return pop(nullptr);
}
void NVTX_API nameThreadA(uint32_t id, const char *name) {
    nameThread(id, name);
}
void NVTX_API nameThreadW(uint32_t id, const wchar_t *name) {
    nameThread(id, narrow(name).c_str());
}

void NVTX_API domainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event) {
    std::string kept;
    mark(domainOf(domain), messageOf(event, kept));
}
nvtxRangeId_t NVTX_API domainStartEx(nvtxDomainHandle_t domain,
                                     const nvtxEventAttributes_t *event) {
    std::string kept;
    return startAcross(domainOf(domain), messageOf(event, kept));
}
void NVTX_API domainRangeEnd(nvtxDomainHandle_t, nvtxRangeId_t id) {
    endAcross(id);
}
int NVTX_API domainPushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event) {
    std::string kept;
    return push(domainOf(domain), messageOf(event, kept));
}
int NVTX_API domainPop(nvtxDomainHandle_t domain) {
    return pop(domainOf(domain));
}
nvtxStringHandle_t NVTX_API registerA(nvtxDomainHandle_t, const char *text) {
    return reinterpret_cast<nvtxStringHandle_t>(
        const_cast<std::string *>(forEver(text ? text : "")));
}
nvtxStringHandle_t NVTX_API registerW(nvtxDomainHandle_t, const wchar_t *text) {
    return reinterpret_cast<nvtxStringHandle_t>(const_cast<std::string *>(forEver(narrow(text))));
}
nvtxDomainHandle_t NVTX_API createA(const char *name) {
    return reinterpret_cast<nvtxDomainHandle_t>(
        const_cast<std::string *>(forEver(name ? name : "")));
}
nvtxDomainHandle_t NVTX_API createW(const wchar_t *name) {
    return reinterpret_cast<nvtxDomainHandle_t>(const_cast<std::string *>(forEver(narrow(name))));
}

template <class F>
NvtxFunctionPointer plain(F *function) {
    return reinterpret_cast<NvtxFunctionPointer>(function);
}

struct Entry {
    unsigned id;
    NvtxFunctionPointer function;
};

void fill(const NvtxExportTableCallbacks &callbacks, NvtxCallbackModule module,
          std::initializer_list<Entry> entries) {
    NvtxFunctionTable table = nullptr;
    unsigned size = 0;
    if (!callbacks.GetModuleFunctionTable(module, &table, &size) || !table) return;
    for (const Entry &entry : entries)
        if (entry.id < size && table[entry.id]) *table[entry.id] = entry.function;
}

} // namespace

/// For programs without NVTX: longpole_steps.py calls these.
extern "C" {
__attribute__((visibility("default"))) int LongpoleRangePush(const char *name) {
    try {
        return Session::start(Session::Door::Ranges) ? push(nullptr, name ? name : "") : -1;
    } catch (...) {
        return -1;
    }
}
__attribute__((visibility("default"))) int LongpoleRangePop() {
    return pop(nullptr);
}
}

/// Puts our functions in the place of those of the NVTX that asks.
int attachNvtx(NvtxGetExportTableFunc_t getTable) {
    const auto *callbacks =
        static_cast<const NvtxExportTableCallbacks *>(getTable(NVTX_ETID_CALLBACKS));
    if (!callbacks || !Session::start(Session::Door::Ranges)) return 0;
    fill(*callbacks, NVTX_CB_MODULE_CORE,
         {{NVTX_CBID_CORE_MarkEx, plain(markEx)},
          {NVTX_CBID_CORE_MarkA, plain(markA)},
          {NVTX_CBID_CORE_MarkW, plain(markW)},
          {NVTX_CBID_CORE_RangeStartEx, plain(startEx)},
          {NVTX_CBID_CORE_RangeStartA, plain(startA)},
          {NVTX_CBID_CORE_RangeStartW, plain(startW)},
          {NVTX_CBID_CORE_RangeEnd, plain(rangeEnd)},
          {NVTX_CBID_CORE_RangePushEx, plain(pushEx)},
          {NVTX_CBID_CORE_RangePushA, plain(pushA)},
          {NVTX_CBID_CORE_RangePushW, plain(pushW)},
          {NVTX_CBID_CORE_RangePop, plain(popPlain)},
          {NVTX_CBID_CORE_NameOsThreadA, plain(nameThreadA)},
          {NVTX_CBID_CORE_NameOsThreadW, plain(nameThreadW)}});
    fill(*callbacks, NVTX_CB_MODULE_CORE2,
         {{NVTX_CBID_CORE2_DomainMarkEx, plain(domainMarkEx)},
          {NVTX_CBID_CORE2_DomainRangeStartEx, plain(domainStartEx)},
          {NVTX_CBID_CORE2_DomainRangeEnd, plain(domainRangeEnd)},
          {NVTX_CBID_CORE2_DomainRangePushEx, plain(domainPushEx)},
          {NVTX_CBID_CORE2_DomainRangePop, plain(domainPop)},
          {NVTX_CBID_CORE2_DomainRegisterStringA, plain(registerA)},
          {NVTX_CBID_CORE2_DomainRegisterStringW, plain(registerW)},
          {NVTX_CBID_CORE2_DomainCreateA, plain(createA)},
          {NVTX_CBID_CORE2_DomainCreateW, plain(createW)}});
    return 1;
}

} // namespace longpole::capture
