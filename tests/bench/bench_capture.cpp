// SPDX-License-Identifier: Apache-2.0
// What recording costs: the writer's thread, the bytes of a record, and what a call of the
// application pays beyond CUPTI's own work. Without CUPTI's headers it says so.
#ifdef LONGPOLE_WITH_CAPTURE
#include "core/capture/buffer_pool.h"
#include "core/capture/clock.h"
#include "core/capture/convert.h"
#include "core/capture/thread_log.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

using namespace longpole::capture;

namespace {

double seconds(clockid_t clock) {
    return double(clockNs(clock)) * 1e-9;
}

size_t sizeOf(const CUpti_Activity *record) {
    return record->kind == CUPTI_ACTIVITY_KIND_RUNTIME ? sizeof(CUpti_ActivityAPI)
                                                       : sizeof(CUpti_ActivityKernel10);
}

CUptiResult nextRecord(uint8_t *data, size_t size, CUpti_Activity **record) {
    const size_t at =
        *record ? size_t(reinterpret_cast<uint8_t *>(*record) - data) + sizeOf(*record) : 0;
    if (at >= size) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = reinterpret_cast<CUpti_Activity *>(data + at);
    return CUPTI_SUCCESS;
}
CUptiResult callName(CUpti_CallbackDomain, uint32_t, const char **name) {
    *name = "cudaLaunchKernel_v7000";
    return CUPTI_SUCCESS;
}

/// A buffer as CUPTI fills it: launches and kernels of 100 names in turn.
size_t fill(std::vector<uint8_t> &buffer, const std::vector<std::string> &names, size_t &records,
            bool kernelsOnly) {
    size_t at = 0;
    for (records = 0; at + sizeof(CUpti_ActivityKernel10) <= buffer.size(); ++records) {
        if (kernelsOnly || records % 2) {
            CUpti_ActivityKernel10 kernel{};
            kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
            kernel.name = names[records % names.size()].c_str();
            kernel.start = 1000 * records;
            kernel.end = kernel.start + 500;
            kernel.correlationId = uint32_t(records);
            std::memcpy(buffer.data() + at, &kernel, sizeof kernel);
            at += sizeof kernel;
        } else {
            CUpti_ActivityAPI call{};
            call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
            call.cbid = 211;
            call.start = 1000 * records;
            call.end = call.start + 100;
            std::memcpy(buffer.data() + at, &call, sizeof call);
            at += sizeof call;
        }
    }
    return at;
}

void writer(bool kernelsOnly) {
    const std::string path =
        (std::filesystem::temp_directory_path() / ("bench_capture." + std::to_string(getpid())))
            .string();
    std::vector<std::string> names;
    for (int i = 0; i < 100; ++i)
        names.push_back(
            "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "
            "std::array<char*, 1ul> >(int, at::native::FillFunctor<float>, number " +
            std::to_string(i) + ")");
    CuptiApi api;
    api.version = CUPTI_API_VERSION;
    api.cuptiActivityGetNextRecord = nextRecord;
    api.cuptiGetCallbackName = callName;
    std::vector<uint8_t> buffer(BufferPool::kBufferBytes);
    size_t records = 0;
    const size_t size = fill(buffer, names, records, kernelsOnly);
    ChunkFile file;
    if (const std::string wrong = file.open(path); !wrong.empty()) {
        std::fprintf(stderr, "%s\n", wrong.c_str());
        std::exit(1);
    }
    Converter converter(file, api);
    constexpr uint64_t kRecords = 4'000'000;
    const double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_THREAD_CPUTIME_ID);
    uint64_t done = 0;
    while (done < kRecords) {
        CUpti_Activity *record = nullptr;
        while (api.cuptiActivityGetNextRecord(buffer.data(), size, &record) == CUPTI_SUCCESS) {
            converter.add(record);
            if (file.wantsWriting()) file.write();
        }
        done += records;
    }
    file.write();
    const double spentCpu = seconds(CLOCK_THREAD_CPUTIME_ID) - cpu,
                 spent = seconds(CLOCK_MONOTONIC) - wall;
    const char *what = kernelsOnly ? "kernels" : "kernels and launches";
    std::printf("writer, %s: %.2f M records/s of one core's time, %.2f M records/s by the clock\n",
                what, double(done) / spentCpu * 1e-6, double(done) / spent * 1e-6);
    std::printf("file, %s: %.1f bytes a record\n", what, double(file.bytes()) / double(done));
    std::filesystem::remove(path);
}

/// What a call of the application pays: two stamps, and its share of handing over buffers.
void call() {
    constexpr int kCalls = 5'000'000;
    BufferPool pool(BufferPool::kBufferBytes * 4);
    constexpr int kPerBuffer = int(BufferPool::kBufferBytes /
                                   (sizeof(CUpti_ActivityAPI) + sizeof(CUpti_ActivityKernel10)));
    uint8_t *buffer = pool.take();
    uint64_t sum = 0;
    const double cpu = seconds(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < kCalls; ++i) {
        sum += nowNs();
        sum += nowNs();
        if (i % kPerBuffer) continue;
        pool.filled(buffer, BufferPool::kBufferBytes);
        BufferPool::Filled filled{};
        if (pool.next(filled)) pool.giveBack(filled.data);
        buffer = pool.take();
    }
    const double spent = seconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
    std::printf("API call: %.1f ns (stamps and buffers; %llu)\n", spent / kCalls * 1e9,
                (unsigned long long)(sum & 1));
}

void range() {
    constexpr int kRanges = 2'000'000;
    ThreadLogs logs(64 << 20);
    const auto log = logs.make(1);
    ChunkFile nowhere;
    double spent = 0;
    for (int i = 0; i < kRanges; i += 1000) {
        const double cpu = seconds(CLOCK_THREAD_CPUTIME_ID);
        for (int k = 0; k < 1000; ++k) {
            log->push({nowNs(), 0, nullptr, 0, 0, 0}, "forward of a layer");
            LoggedRange closed;
            log->pop(nullptr, nowNs(), true, closed);
        }
        spent += seconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
        log->moveTo(nowhere);
        nowhere.write();
    }
    std::printf("NVTX range: %.1f ns for push and pop\n", spent / kRanges * 1e9);
}

double residentMb() {
    unsigned long long pages = 0, resident = 0;
    if (std::FILE *file = std::fopen("/proc/self/statm", "re")) {
        if (std::fscanf(file, "%llu %llu", &pages, &resident) != 2) resident = 0;
        std::fclose(file);
    }
    return double(resident) * double(sysconf(_SC_PAGESIZE)) / 1048576;
}

/// As much as a program can throw at it while the writer does not come: what is kept in memory, as
/// the system counts it.
void memory() {
    constexpr uint64_t kAllowed = 256u << 20;
    const double before = residentMb();
    BufferPool pool(kAllowed / 4 * 3);
    while (uint8_t *buffer = pool.take()) std::memset(buffer, 1, BufferPool::kBufferBytes);
    const double buffers = residentMb();
    ThreadLogs logs(kAllowed / 8);
    std::vector<std::shared_ptr<ThreadLog>> all;
    for (uint32_t t = 0; t < 64; ++t) all.push_back(logs.make(t));
    ChunkFile nowhere;
    nowhere.remember(kAllowed / 16);
    for (int visit = 0; visit < 2; ++visit) {
        for (const auto &log : all)
            for (int i = 0; i < 200'000; ++i)
                log->add({1, 2, nullptr, 0, 0, 0}, "forward of a layer");
        if (visit == 0) logs.moveTo(nowhere);
    }
    const double ranges = residentMb();
    // and two million different names
    for (int i = 0; i < 2'000'000; ++i) {
        nowhere.text("step number " + std::to_string(i));
        if (nowhere.wantsWriting()) nowhere.write();
    }
    std::printf(
        "memory: %.0f MB of buffers, %.0f MB of ranges and %.0f MB of names at most, of %llu "
        "MB\n",
        buffers - before, ranges - buffers, residentMb() - ranges,
        (unsigned long long)(kAllowed >> 20));
}

} // namespace

int main() {
    writer(false);
    writer(true);
    call();
    range();
    memory();
}
#else
#include <cstdio>

int main() {
    std::puts("CUPTI's headers are not here, so there is no capture library to measure.");
}
#endif
