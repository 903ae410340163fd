// SPDX-License-Identifier: Apache-2.0
#include "tests/support/capture_file.h"

#include <xxhash.h>

#include <cstddef>
#include <cstring>

namespace longpole::test {

using namespace capture;

namespace {

std::string_view bytesOf(const auto &record) {
    return {reinterpret_cast<const char *>(&record), sizeof record};
}

} // namespace

CaptureFile::CaptureFile() {
    FileHead head{{}, kVersion, 0};
    std::memcpy(head.magic, kFileMagic, sizeof head.magic);
    m_file = bytesOf(head);
}

void CaptureFile::raw(std::string_view record) {
    m_payload += record;
    ++m_records;
}

uint32_t CaptureFile::text(std::string_view text) {
    Text record{};
    const size_t padded = (text.size() + 7) / 8 * 8;
    record.head = {Type::Text, 0, uint32_t(sizeof record + padded)};
    record.id = ++m_texts;
    record.length = uint32_t(text.size());
    std::string all(bytesOf(record));
    all += text;
    all.resize(sizeof record + padded);
    raw(all);
    return record.id;
}

void CaptureFile::chunk(uint64_t dropped) {
    ChunkHead head{kChunkMagic, uint32_t(m_payload.size()), m_records, m_number++, dropped, 0};
    head.checksum = XXH3_64bits_withSeed(m_payload.data(), m_payload.size(),
                                         XXH3_64bits(&head, offsetof(ChunkHead, checksum)));
    m_file += bytesOf(head);
    m_file += m_payload;
    m_payload.clear();
    m_records = 0;
}

void CaptureFile::end() {
    add(End{}, Type::End);
    chunk();
}

std::string smallCapture() {
    CaptureFile file;
    Process process{};
    process.pid = 42;
    process.name = file.text("trainer");
    process.producer = file.text("longpole");
    process.rank = 1;
    process.worldSize = 2;
    process.begin = 500'000;
    process.now = 1'000'000;
    process.realtime = 1'700'000'000'000'000'000;
    process.cupti = 130001;
    process.steps = 1;
    process.warmup = 1;
    process.boundary = uint32_t(BoundaryKind::Synchronise);
    file.add(process, Type::Process);
    Device device{};
    device.name = file.text("A device");
    file.add(device, Type::Device);
    file.add(Context{{}, 1, 0, 7, 0}, Type::Context);
    file.add(Stream{{}, 1, 13, 0, 2}, Type::Stream);
    file.add(Thread{{}, 9, file.text("main")}, Type::Thread, Thread::kGiven);
    file.chunk();
    const uint32_t launch = file.text("cudaLaunchKernel_v7000"),
                   copies = file.text("cudaMemcpyAsync_v3020"),
                   waits = file.text("cudaDeviceSynchronize_v3020"),
                   gemm = file.text("gemm<float>"), step = file.text("step"),
                   domain = file.text("library");
    for (uint32_t s = 0; s < 2; ++s) {
        const uint64_t t = 2'000'000 + s * 1'000'000;
        const uint32_t id = 1 + 10 * s;
        if (s == 1) file.add(Boundary{{}, t - 200, t - 100, 1, 0, 9, 1}, Type::Boundary);
        file.add(Call{{}, t + 1000, t + 6000, 9, id, copies, 0}, Type::Call);
        Copy copy{};
        copy.begin = t + 8000;
        copy.end = t + 58'000;
        copy.bytes = 1 << 20;
        copy.correlation = id;
        copy.context = 1;
        copy.stream = 13;
        copy.direction = 1;
        copy.from = 2;
        copy.to = 3;
        file.add(copy, Type::Copy, Copy::kAsync);
        file.add(EventRecord{{}, t + 58'000, 100 + s, id + 1, 1, 13, 4, 0, 0}, Type::EventRecord);
        file.add(Call{{}, t + 7000, t + 12'000, 9, id + 2, launch, 0}, Type::Call);
        file.add(Wait{{}, t + 6500, t + 6600, 100 + s, id + 3, 1, 7, 4, 2, 0}, Type::Wait);
        Kernel kernel{};
        kernel.begin = t + 59'000;
        kernel.end = t + 459'000;
        kernel.correlation = id + 2;
        kernel.context = 1;
        kernel.stream = 7;
        kernel.name = gemm;
        file.add(kernel, Type::Kernel);
        Set set{};
        set.begin = t + 460'000;
        set.end = t + 462'000;
        set.correlation = id + 4;
        set.context = 1;
        set.stream = 7;
        file.add(set, Type::Set);
        file.add(Graph{{}, t + 463'000, t + 470'000, id + 5, 0, 1, 7, 3, 0}, Type::Graph);
        file.add(Call{{}, t + 20'000, t + 475'000, 9, id + 6, waits, 0}, Type::Call);
        file.add(Wait{{}, t + 20'500, t + 474'000, 0, id + 6, 1, kNoId, kNoId, 4, 0}, Type::Wait);
        file.add(Range{{}, t, t + 480'000, 9, step, domain, s}, Type::Range,
                 uint16_t(Range::kStep | (s == 0 ? Range::kWarmup : 0)));
        if (s == 1)
            file.add(Boundary{{}, t + 480'100, t + 480'200, 1, 0, 9, 1}, Type::Boundary,
                     Boundary::kEnd);
        file.chunk();
    }
    file.add(Marker{{}, 2'100'000, 1, 9, step, 0, 2, 0}, Type::Marker);
    file.add(Marker{{}, 2'200'000, 1, 9, 0, 0, 4, 0}, Type::Marker);
    file.add(MarkerData{{}, 1, 0, 0, 0, 0}, Type::MarkerData);
    file.add(External{{}, 4711, 1, 0}, Type::External);
    file.add(Overhead{{}, 2'300'000, 2'310'000, 9, 0, 1u << 16, 0}, Type::Overhead);
    file.add(Memory{{}, 2'000'100, 4096, 1 << 20, 1, 0, 1, 7, 1, 3}, Type::Memory);
    file.add(Message{{}, 2'000'000, file.text("CUPTI does not do that."), 0}, Type::Message);
    file.add(Dropped{{}, 2'000'000, 3, uint32_t(Loss::Cupti), 0}, Type::Dropped);
    file.chunk(3);
    file.end();
    return file.text();
}

} // namespace longpole::test
