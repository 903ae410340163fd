// SPDX-License-Identifier: Apache-2.0
// libFuzzer target for every importer of the table. Build and run it with clang:
//   cmake -S . -B build/fuzz -DCMAKE_CXX_COMPILER=clang++ -DLONGPOLE_FUZZ=ON && ninja -C build/fuzz fuzz_import
//   build/fuzz/tests/fuzz_import -max_total_time=60 CORPUS
#include "core/import/event_args.h"
#include "core/import/importer.h"

#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

using namespace longpole;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const int fd = memfd_create("trace", 0);
    if (fd < 0 || write(fd, data, size) != ssize_t(size)) std::abort();
    Progress progress;
    auto trace = openTraces({"/proc/self/fd/" + std::to_string(fd)}, progress, {1});
    if (trace) {
        const EventCounts &e = (*trace)->events;
        if (e.read != e.intervals + e.paired + e.counters + e.flows + e.instants + e.metadata + e.setAside)
            std::abort();
        EventArgs args(*trace);
        for (uint32_t t = 0; t < (*trace)->tracks.size(); ++t)
            for (uint32_t row = 0; row < (*trace)->tracks[t].table->size(); ++row)
                (void)args.json(IntervalId{t, row});
    }
    close(fd);
    return 0;
}
