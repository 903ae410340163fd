// SPDX-License-Identifier: Apache-2.0
// How long `longpole-cli info` takes, as a whole process, and what it takes in memory, beside a
// program that only parses. Every file is measured as it lies there, packed or not, with --compact
// also with its white space removed; a database with its rows. One figure a line:
//   bench_import [--cli PROGRAM] [--floor PROGRAM MODE]… [--rounds N] [--compact] FILE…
//   bench_import --beside [--rounds N] FILE…
// measures what goes on beside reading, inside this process: previews, arguments, stopping.
// A floor is run as `PROGRAM MODE FILE`, in turn with the command line, and must print
// "work_s":SECONDS. Sizes and shares are of the text, unpacked. Where other programs run, compare
// the processor's time.
#include "core/base/input_file.h"
#include "core/base/memory.h"
#include "core/import/event_args.h"
#include "core/import/importer.h"
#include "tests/support/files.h"
#include "tests/support/looks.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace longpole;
using namespace longpole::test;

namespace {

struct Floor {
    std::string program, mode;
};

struct Run {
    double seconds = 0; ///< of the process, or what it printed as "work_s"
    double cpu = 0;     ///< of the process, all threads, in seconds
    double megabytes = 0;
};

/// Runs a program to its end with its output in a temporary file.
Run run(std::vector<std::string> words) {
    const TempFile output("");
    const auto begin = std::chrono::steady_clock::now();
    const pid_t child = fork();
    if (child == 0) {
        const int fd = open(output.path().c_str(), O_WRONLY | O_TRUNC);
        dup2(fd, STDOUT_FILENO);
        std::vector<char *> argv;
        for (std::string &word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        execv(argv[0], argv.data());
        _exit(127);
    }
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    Run result;
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const auto inSeconds = [](const timeval &t) {
        return double(t.tv_sec) + double(t.tv_usec) / 1e6;
    };
    result.cpu = inSeconds(usage.ru_utime) + inSeconds(usage.ru_stime);
    result.megabytes = double(usage.ru_maxrss) * 1024 / 1e6;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        std::fprintf(stderr, "%s ended with status %d\n", words[0].c_str(), WEXITSTATUS(status));
        std::exit(1);
    }
    char text[4096] = {};
    if (std::FILE *file = std::fopen(output.path().c_str(), "r")) {
        if (std::fread(text, 1, sizeof text - 1, file) > 0)
            if (const char *work = std::strstr(text, "\"work_s\":"))
                result.seconds = std::atof(work + 9);
        std::fclose(file);
    }
    return result;
}

/// Hands on the text of a file, unpacked, piece by piece.
template <class Take>
void readText(const std::string &path, Take take) {
    auto input = InputFile::open(path);
    if (!input) {
        std::fprintf(stderr, "%s\n", input.error().message.c_str());
        std::exit(3);
    }
    TextReader reader(**input);
    std::string piece(1 << 20, '\0');
    for (size_t got; (got = reader.read(piece.data(), piece.size())) > 0;)
        take(std::string_view(piece).substr(0, got));
}

std::unique_ptr<TempFile> compacted(const std::string &path) {
    std::string text;
    bool inText = false, escaped = false;
    readText(path, [&](std::string_view piece) {
        for (const char c : piece) {
            if (!inText && (c == ' ' || c == '\n' || c == '\r' || c == '\t')) continue;
            text += c;
            if (c == '"' && !escaped) inText = !inText;
            escaped = inText && c == '\\' && !escaped;
        }
    });
    return std::make_unique<TempFile>(text);
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void measure(const std::string &name, const std::string &path, const std::string &cli,
             const std::vector<Floor> &floors, int rounds) {
    size_t bytes = 0;
    readText(path, [&](std::string_view piece) { bytes += piece.size(); });
    giveBackMemory(); // a child's peak counts what its parent held when it was born
    std::vector<double> info, cpu;
    std::vector<std::vector<double>> floor(floors.size()), ratio(floors.size()),
        cpuRatio(floors.size());
    double megabytes = 0;
    for (int round = 0; round < rounds; ++round) {
        const Run own = run({cli, "info", path, "--json"});
        info.push_back(own.seconds);
        cpu.push_back(own.cpu);
        megabytes = std::max(megabytes, own.megabytes);
        for (size_t i = 0; i < floors.size(); ++i) {
            const Run least = run({floors[i].program, floors[i].mode, path});
            floor[i].push_back(least.seconds);
            ratio[i].push_back(own.seconds / least.seconds);
            cpuRatio[i].push_back(own.cpu / least.cpu);
        }
    }
    const char *n = name.c_str();
    std::printf("%s bytes %zu\n", n, bytes);
    std::printf("%s info_s %.3f\n", n, median(info));
    std::printf("%s info_cpu_s %.3f\n", n, median(cpu));
    std::printf("%s info_mb_per_s %.0f\n", n, double(bytes) / 1e6 / median(info));
    std::printf("%s peak_rss_mb %.1f\n", n, megabytes);
    std::printf("%s peak_rss_share %.2f\n", n, megabytes * 1e6 / double(bytes));
    for (size_t i = 0; i < floors.size(); ++i) {
        std::printf("%s floor_%s_s %.3f\n", n, floors[i].mode.c_str(), median(floor[i]));
        std::printf("%s ratio_to_%s %.2f\n", n, floors[i].mode.c_str(), median(ratio[i]));
        std::printf("%s cpu_ratio_to_%s %.2f\n", n, floors[i].mode.c_str(), median(cpuRatio[i]));
    }
    std::fflush(stdout);
}

/// A database is read as it lies there; what counts is its rows.
void measureRows(const std::string &name, const std::string &path, const std::string &cli,
                 int rounds) {
    std::vector<double> seconds;
    double megabytes = 0;
    for (int round = 0; round < rounds; ++round) {
        const Run own = run({cli, "info", path, "--json"});
        seconds.push_back(own.seconds);
        megabytes = std::max(megabytes, own.megabytes);
    }
    Progress progress;
    const auto trace = openTraces({path}, progress);
    if (!trace) {
        std::fprintf(stderr, "%s\n", trace.error().message.c_str());
        std::exit(3);
    }
    const double rows = double((*trace)->events.read);
    const char *n = name.c_str();
    std::printf("%s bytes %ju\n", n, std::uintmax_t((*trace)->files[0].bytes));
    std::printf("%s rows %.0f\n", n, rows);
    std::printf("%s info_s %.3f\n", n, median(seconds));
    std::printf("%s rows_per_s %.0f\n", n, rows / median(seconds));
    std::printf("%s peak_rss_mb %.1f\n", n, megabytes);
}

double secondsSince(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Memory of this process, in MB.
double residentMb() {
    long pages = 0;
    if (std::FILE *file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%*s %ld", &pages) != 1) pages = 0;
        std::fclose(file);
    }
    return double(pages) * double(sysconf(_SC_PAGESIZE)) / 1e6;
}

/// Reading with and without previews, in turn, and when the first one is there.
void measurePreview(const char *name, const std::string &path, int rounds) {
    std::vector<double> without, with, ratio, first;
    size_t bytes = 0;
    for (int round = 0; round < 2 * rounds; ++round) {
        OpenOptions options;
        if (round % 2) options.preview = std::make_shared<PreviewSlot>();
        Progress progress;
        double seen = 0;
        const auto begin = std::chrono::steady_clock::now();
        std::jthread watcher([&](std::stop_token stop) {
            while (options.preview && !stop.stop_requested()) {
                if (const auto preview = options.preview->latest(); preview && preview->intervals) {
                    seen = secondsSince(begin);
                    return;
                }
                std::this_thread::sleep_for(std::chrono::microseconds(200));
            }
        });
        const auto trace = openTraces({path}, progress, options);
        const double seconds = secondsSince(begin);
        if (!trace) std::exit(3);
        watcher.request_stop();
        watcher.join();
        (options.preview ? with : without).push_back(seconds);
        if (!options.preview) continue;
        ratio.push_back(with.back() / without.back());
        first.push_back(seen);
        bytes = std::max(bytes, options.preview->latest()->bytes());
    }
    std::printf("%s preview_first_ms %.1f\n", name, 1e3 * median(first));
    std::printf("%s preview_mb %.2f\n", name, double(bytes) / 1e6);
    std::printf("%s open_s %.3f\n", name, median(without));
    std::printf("%s open_with_preview_s %.3f\n", name, median(with));
    std::printf("%s preview_ratio %.3f\n", name, median(ratio));
}

/// Arguments of 200 events in no order, as one asks for them by clicking here and there.
void measureArguments(const char *name, const std::string &path) {
    Progress progress;
    const auto trace = openTraces({path}, progress);
    if (!trace) std::exit(3);
    std::vector<uint64_t> rows{0};
    for (const Track &track : (*trace)->tracks) rows.push_back(rows.back() + track.table->size());
    std::mt19937_64 random(200);
    EventArgs arguments(*trace);
    std::vector<double> times;
    for (int i = 0; i < 200; ++i) {
        const uint64_t at = random() % rows.back();
        const auto track = std::upper_bound(rows.begin(), rows.end(), at) - rows.begin() - 1;
        const auto begin = std::chrono::steady_clock::now();
        const auto entries =
            arguments.entries({uint32_t(track), uint32_t(at - rows[size_t(track)])});
        times.push_back(1e3 * secondsSince(begin));
        if (!entries) {
            std::fprintf(stderr, "%s\n", entries.error().message.c_str());
            std::exit(3);
        }
    }
    std::sort(times.begin(), times.end());
    std::printf("%s arguments_median_ms %.2f\n", name, times[times.size() / 2]);
    std::printf("%s arguments_p99_ms %.2f\n", name, times[times.size() * 99 / 100]);
    std::printf("%s arguments_max_ms %.2f\n", name, times.back());
}

/// Stops the reading at 20 moments: how long it takes to end, and what memory it leaves behind.
void measureStopping(const char *name, const std::string &path) {
    const auto open = [&](Progress &progress) {
        const auto trace = openTraces({path}, progress); // and away with it
    };
    const auto begin = std::chrono::steady_clock::now();
    {
        Progress progress;
        open(progress);
    }
    const double whole = secondsSince(begin);
    giveBackMemory();
    const double before = residentMb();
    std::vector<double> times;
    double left = 0, worstAt = 0;
    for (int i = 0; i < 20; ++i) {
        Progress progress;
        std::jthread work([&] {
            open(progress);
            giveBackMemory();
        });
        std::this_thread::sleep_for(std::chrono::duration<double>(whole * (i + 0.5) / 20));
        const auto asked = std::chrono::steady_clock::now();
        const double fraction = progress.fraction();
        progress.stop();
        work.join();
        times.push_back(1e3 * secondsSince(asked));
        if (times.back() == *std::max_element(times.begin(), times.end())) worstAt = fraction;
        left = std::max(left, residentMb() - before);
    }
    std::sort(times.begin(), times.end());
    std::printf("%s stop_median_ms %.1f\n", name, times[times.size() / 2]);
    std::printf("%s stop_max_ms %.1f\n", name, times.back());
    std::printf("%s stop_max_at %.2f\n", name, worstAt);
    std::printf("%s stop_leaves_mb %.1f\n", name, left);
    Looks looks; // what no choice of moments can miss
    open(looks.progress());
    looks.end();
    std::printf("%s look_longest_ms %.1f\n", name, looks.longestMs());
    std::printf("%s look_longest_at %.3f\n", name, looks.longestAt());
    std::fflush(stdout);
}

bool isDatabase(const std::string &path) {
    char head[16] = {};
    if (std::FILE *file = std::fopen(path.c_str(), "rb")) {
        if (std::fread(head, 1, sizeof head, file) != sizeof head) head[0] = 0;
        std::fclose(file);
    }
    return !std::memcmp(head, "SQLite format 3", 16);
}

} // namespace

int main(int argc, char **argv) {
    std::string cli = LONGPOLE_BINARY_DIR "/app/longpole-cli";
    std::vector<Floor> floors;
    std::vector<std::string> files;
    int rounds = 7;
    bool compact = false, beside = false;
    for (int i = 1; i < argc; ++i) {
        const auto is = [&](const char *option, int values) {
            return !std::strcmp(argv[i], option) && i + values < argc;
        };
        if (is("--cli", 1))
            cli = argv[++i];
        else if (is("--rounds", 1))
            rounds = std::max(1, std::atoi(argv[++i]));
        else if (is("--compact", 0))
            compact = true;
        else if (is("--beside", 0))
            beside = true;
        else if (is("--floor", 2))
            floors.push_back({argv[i + 1], argv[i + 2]}), i += 2;
        else
            files.push_back(argv[i]);
    }
    if (files.empty()) {
        std::fprintf(stderr, "usage: bench_import [--cli PROGRAM] [--floor PROGRAM MODE]… "
                             "[--rounds N] [--compact] FILE…\n"
                             "       bench_import --beside [--rounds N] FILE…\n");
        return 2;
    }
    for (const std::string &path : files) {
        const std::string name = path.substr(path.rfind('/') + 1);
        if (beside) {
            measurePreview(name.c_str(), path, rounds);
            measureArguments(name.c_str(), path);
            measureStopping(name.c_str(), path);
            continue;
        }
        if (isDatabase(path)) {
            measureRows(name, path, cli, rounds);
            continue;
        }
        measure(name, path, cli, floors, rounds);
        if (!compact) continue;
        const auto file = compacted(path);
        measure(name + "/compact", file->path(), cli, floors, rounds);
    }
}
