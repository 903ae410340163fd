// SPDX-License-Identifier: Apache-2.0
#include "core/base/spool.h"

#include <zstd.h>

#include <vector>

namespace longpole {

bool isZstd(const unsigned char *head, size_t size) {
    return size >= 4 && head[0] == 0x28 && head[1] == 0xb5 && head[2] == 0x2f && head[3] == 0xfd;
}

std::shared_ptr<Spool> spoolZstd(int fd, uint64_t bytes) {
    return Spool::start([fd, bytes](const Spool::Put &put) {
        const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx *)> context(ZSTD_createDCtx(),
                                                                          ZSTD_freeDCtx);
        std::vector<char> input(ZSTD_DStreamInSize()), output(1 << 20);
        ZSTD_inBuffer in{input.data(), 0, 0};
        uint64_t taken = 0;
        size_t wanted = 1; // of a frame that has begun; 0 behind the end of one
        for (bool more = true;;) {
            if (more && in.pos == in.size) {
                in = {input.data(), readAll(fd, input.data(), input.size(), taken), 0};
                taken += in.size;
                more = in.size > 0;
            }
            const bool between = wanted == 0;
            if (!more && between) return Spool::End::Good;
            ZSTD_outBuffer out{output.data(), output.size(), 0};
            wanted = ZSTD_decompressStream(context.get(), &out, &in);
            if (ZSTD_isError(wanted)) return Spool::End::Corrupt;
            if (out.pos && !put(output.data(), out.pos, double(taken) / double(bytes)))
                return Spool::End::Truncated;
            if (!more && out.pos == 0) return Spool::End::Truncated;
        }
    });
}

} // namespace longpole
