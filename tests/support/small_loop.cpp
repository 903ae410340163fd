// SPDX-License-Identifier: Apache-2.0
#include "tests/support/small_loop.h"

#include "tests/support/kineto_writer.h"

#include <algorithm>

namespace longpole::test {

std::string textOf(const SmallLoop &loop) {
    std::string text;
    KinetoWriter out([&](std::string_view piece) { text += piece; });
    out.raw(R"({"deviceProperties":[{"id":0,"name":")" + loop.device + R"("}],"traceEvents":[)");
    const std::string batch = std::to_string(loop.batch);
    uint64_t random = loop.seed;
    int correlation = 0;
    TimeNs host = 1'000'000, device = host;
    const auto launch = [&](const char *call, const char *category, const std::string &name,
                            TimeNs length, const std::string &args) {
        const std::string id = "\"correlation\":" + std::to_string(++correlation);
        out.interval("cuda_runtime", call, 1, 1, host, host + 5'000, id);
        device = std::max(device, host + 10'000);
        out.interval(category, name, 0, 7, device, device + length,
                     id + ",\"device\":0,\"stream\":7," + args);
        device += length;
        host += 6'000;
    };
    for (int step = 0; step < loop.steps; ++step) {
        const TimeNs begin = host;
        random = random * 6364136223846793005u + 1442695040888963407u;
        const TimeNs late = loop.jitter > 0 ? TimeNs((random >> 33) % uint64_t(loop.jitter)) : 0;
        launch("cudaMemcpyAsync", "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 100'000,
               "\"bytes\":" + std::to_string(loop.batch * 4096));
        const TimeNs op = host;
        for (int i = 0; i < loop.gemms; ++i)
            launch("cudaLaunchKernel", "kernel", loop.kernel, (loop.gemm + late) / loop.gemms,
                   "\"grid\":[" + batch + ",4,1],\"block\":[256,1,1]");
        out.interval("cpu_op", "aten::linear", 1, 1, op - 500, host - 500,
                     "\"Input Dims\":[[" + batch + ",1024],[1024,1024]]");
        launch("cudaLaunchKernel", "kernel", "add_float", loop.add,
               "\"grid\":[" + batch + ",1,1],\"block\":[128,1,1]");
        if (loop.waits) {
            out.interval("cuda_runtime", "cudaDeviceSynchronize", 1, 1, host, device + 8'000, "");
            host = device + 8'000;
        }
        host += 20'000;
        out.interval("user_annotation", "ProfilerStep#" + std::to_string(step), 1, 1, begin, host,
                     "");
    }
    out.raw("]}");
    out.flush();
    return text;
}

} // namespace longpole::test
