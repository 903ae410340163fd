// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// The layout of a capture file; FORMAT.md says the same in words. Recorder and reader share this
/// and nothing else. Little endian; every record is a multiple of 8 bytes long and grows at its end
/// only.
namespace longpole::capture {

inline constexpr char kFileMagic[8] = {'\x89', 'L', 'P', 'C', 'A', 'P', '\r', '\n'};
inline constexpr uint32_t kVersion = 1;
/// First line of FILE.job: a text that names the files of one recording, a line each.
inline constexpr char kJobHead[] = "# files of one recording; open them together\n";
inline constexpr uint32_t kChunkMagic = 0x4B434C50;  ///< "PLCK"
inline constexpr uint32_t kLargestChunk = 64u << 20; ///< bytes of payload
inline constexpr uint32_t kNoId = 0xFFFFFFFF;

struct FileHead {
    char magic[8];
    uint32_t version;
    uint32_t reserved;
};

/// Before each run of records. The checksum is XXH3-64 of the payload, seeded with XXH3-64 of the
/// head's bytes before it.
struct ChunkHead {
    uint32_t magic;
    uint32_t length;  ///< of the payload
    uint32_t records; ///< in it
    uint32_t number;  ///< from 0
    uint64_t dropped; ///< records lost so far, whoever lost them
    uint64_t checksum;
};

enum class Type : uint16_t {
    Text = 1,
    Process,
    Device,
    Context,
    Stream,
    Thread,
    Call,
    Kernel,
    Copy,
    Set,
    Graph,
    Wait,
    EventRecord,
    Range,
    Marker,
    MarkerData,
    External,
    Overhead,
    Memory,
    Boundary,
    Message,
    Dropped,
    End,
};

struct Record {
    Type type;
    uint16_t flags;
    uint32_t size; ///< with this head
};

/// A text with a number, from 1; 0 is the empty one. `length` bytes follow, and zeros up to a
/// multiple of 8.
struct Text {
    Record head;
    uint32_t id, length;
};

/// First record of a file: who was recorded, by what, and how.
struct Process {
    static constexpr uint16_t kGraphNodes =
        1; ///< flag: the operations of graphs are recorded singly
    Record head;
    uint32_t pid, name;        ///< name: text
    uint32_t producer, device; ///< producer: text
    int64_t rank, worldSize;   ///< -1 unknown
    uint64_t begin;            ///< of the process, 0 unknown
    uint64_t now,
        realtime; ///< one moment on the file's clock, CLOCK_MONOTONIC, and on CLOCK_REALTIME
    uint32_t cupti, driver; ///< versions as they name themselves
    uint32_t warmup, steps; ///< as asked for; steps 0: no protocol
    uint32_t boundary;      ///< BoundaryKind
    uint32_t reserved;
};
enum class BoundaryKind : uint32_t { None = 0, Synchronise = 1 };

struct Device {
    Record head;
    uint32_t id, name;
    uint64_t memory;
    uint32_t major, minor, multiprocessors, reserved;
};
struct Context {
    Record head;
    uint32_t id, device, nullStream, reserved;
};
struct Stream {
    Record head;
    uint32_t context, id, priority,
        order; ///< order: as CUpti_ActivityStreamFlag, 1 blocking, 2 not, 3 null
};
struct Thread {
    static constexpr uint16_t kGiven = 1; ///< flag: named by the program, else by the system
    Record head;
    uint32_t id, name;
};

struct Call {
    static constexpr uint16_t kDriver = 1; ///< flag: of the driver's interface, else the runtime's
    Record head;
    uint64_t begin, end;
    uint32_t thread, correlation, name;
    int32_t result;
};

struct Kernel {
    Record head;
    uint64_t begin, end;
    uint64_t queued, submitted; ///< 0 unknown
    uint32_t correlation, device, context, stream;
    uint32_t name, graph; ///< graph: 0 none
    uint64_t node;        ///< of the graph, 0 none
    int32_t grid[3], block[3];
    int32_t staticShared, dynamicShared;
    uint16_t registers;
    uint8_t launch, channelType;
    uint32_t channel;
};

struct Copy {
    static constexpr uint16_t kAsync = 1; ///< flag: the call did not have to wait for it
    static constexpr uint16_t kPeer = 2;  ///< flag: the devices at both ends are told
    Record head;
    uint64_t begin, end, bytes;
    uint32_t correlation, device, context, stream;
    uint32_t graph, fromDevice, toDevice;
    uint8_t direction, from, to, channelType; ///< as CUpti_ActivityMemcpyKind and …MemoryKind
    uint64_t node;
};

struct Set {
    Record head;
    uint64_t begin, end, bytes;
    uint32_t correlation, device, context, stream;
    uint32_t value, memory; ///< memory: as CUpti_ActivityMemoryKind
    uint64_t node;
    uint32_t graph, reserved;
};

/// A graph whose operations are not recorded singly.
struct Graph {
    Record head;
    uint64_t begin, end;
    uint32_t correlation, device, context, stream;
    uint32_t graph, reserved;
};

/// The host waits, or a stream does. `sync` is the number of the recorded event, 0 unknown.
struct Wait {
    Record head;
    uint64_t begin, end;
    uint64_t sync;
    uint32_t correlation, context, stream, event;
    uint32_t kind; ///< as CUpti_ActivitySynchronizationType: 1 event, 2 stream waits, 3 stream, 4
                   ///< context
    int32_t result;
};

struct EventRecord {
    Record head;
    uint64_t time; ///< on the device, 0 unknown
    uint64_t sync;
    uint32_t correlation, context, stream, event;
    uint32_t device, reserved;
};

/// An NVTX range, written when it ends.
struct Range {
    static constexpr uint16_t kAcross = 1;  ///< flag: started and ended by id, need not nest
    static constexpr uint16_t kMark = 2;    ///< flag: a moment
    static constexpr uint16_t kOpen = 4;    ///< flag: had not ended when the recording did
    static constexpr uint16_t kStep = 8;    ///< flag: marks a step
    static constexpr uint16_t kWarmup = 16; ///< flag: the step is one of the warm-up
    Record head;
    uint64_t begin, end;
    uint32_t thread, name, domain, step; ///< step: its number from 0
};

/// As CUPTI's own NVTX support tells it: begin, end or moment.
struct Marker {
    Record head;
    uint64_t time;
    uint32_t id, thread, name, domain;
    uint32_t kind, reserved; ///< as CUpti_ActivityFlag: 1 moment, 2 begin, 4 end
};
struct MarkerData {
    Record head;
    uint32_t id, category, colour, payloadKind;
    uint64_t payload;
};

struct External {
    Record head;
    uint64_t id;
    uint32_t correlation, kind; ///< as CUpti_ExternalCorrelationKind
};

struct Overhead {
    Record head;
    uint64_t begin, end;
    uint32_t thread, correlation, kind, reserved; ///< kind: as CUpti_ActivityOverheadKind
};

struct Memory {
    Record head;
    uint64_t time, address, bytes;
    uint32_t correlation, device, context, stream;
    uint32_t operation, memory; ///< operation: 1 taken, 2 given back
};

/// Stamps before the first measured step and after the last one.
struct Boundary {
    static constexpr uint16_t kEnd = 1; ///< flag: else the begin
    Record head;
    uint64_t before, after;    ///< the device was waited for
    uint32_t contexts, failed; ///< waited for, and not able to
    uint32_t thread, step;     ///< the number of the step that begins or has ended
};

/// What the recorder could not do, as a sentence.
struct Message {
    Record head;
    uint64_t time;
    uint32_t text, reserved;
};

enum class Loss : uint32_t { Memory = 1, Disk = 2, Cupti = 3, Unknown = 4 };
struct Dropped {
    Record head;
    uint64_t time, count;
    uint32_t loss, kind; ///< kind: of the record where it was not understood
};

enum class EndReason : uint32_t { Exit = 1, Steps = 2, Duration = 3, Asked = 4 };
struct End {
    Record head;
    uint64_t time, realtime; ///< one moment, as in Process
    uint64_t records, dropped;
    uint32_t reason, reserved;
};

static_assert(sizeof(FileHead) == 16 && sizeof(ChunkHead) == 32 && sizeof(Record) == 8);
static_assert(sizeof(Kernel) == 112 && sizeof(Call) == 40 && sizeof(Copy) == 72);
static_assert(sizeof(Wait) == 56 && sizeof(Range) == 40 && sizeof(Process) == 88);

} // namespace longpole::capture
