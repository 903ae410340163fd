// SPDX-License-Identifier: Apache-2.0
// Prints the time of reading each trace given, and what it cost in memory, one figure a line:
//   bench_import FILE… [--threads N]
#include "core/import/importer.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <sys/resource.h>

using namespace longpole;

int main(int argc, char **argv) {
    OpenOptions options;
    std::vector<std::string> files;
    for (int i = 1; i < argc; ++i) {
        if (!std::strcmp(argv[i], "--threads") && i + 1 < argc)
            options.threads = unsigned(std::atoi(argv[++i]));
        else
            files.push_back(argv[i]);
    }
    if (files.empty()) {
        std::fprintf(stderr, "usage: bench_import FILE… [--threads N]\n");
        return 2;
    }
    for (const std::string &file : files) {
        double best = 1e9;
        uint64_t events = 0, bytes = 0;
        for (int round = 0; round < 5; ++round) {
            Progress progress;
            const auto begin = std::chrono::steady_clock::now();
            const auto trace = openTraces({file}, progress, options);
            const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
            if (!trace) {
                std::fprintf(stderr, "%s\n", trace.error().message.c_str());
                return 3;
            }
            best = std::min(best, seconds);
            events = (*trace)->events.read;
            bytes = (*trace)->files[0].textBytes;
        }
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        const std::string name = file.substr(file.rfind('/') + 1);
        std::printf("%s events %llu\n", name.c_str(), static_cast<unsigned long long>(events));
        std::printf("%s read_s %.4f\n", name.c_str(), best);
        std::printf("%s mb_per_s %.0f\n", name.c_str(), double(bytes) / 1e6 / best);
        std::printf("%s ns_per_event %.0f\n", name.c_str(), best * 1e9 / double(events ? events : 1));
        std::printf("%s peak_rss_share_of_text %.2f\n", name.c_str(), double(usage.ru_maxrss) * 1024 / double(bytes));
    }
}
