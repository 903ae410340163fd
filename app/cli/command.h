// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace longpole::cli {

enum ExitCode : int { kDone = 0, kImpossible = 1, kUsage = 2, kUnreadable = 3 };

/// What stands on the command line, of all commands together.
struct Options {
    std::vector<std::string> files;
    bool json = false, quiet = false;
    std::string phasesFile;
    std::optional<std::string> step, steps, range;
    bool all = false;

    bool sha256 = false;                    // info
    std::optional<std::string> track, name; // list
    std::optional<uint64_t> limit;          // list
    bool edges = false;                     // list
    std::string overlay;                    // path
    std::string by = "phase";               // stats, rank
    std::vector<std::string> speed, edit;   // whatif
    std::string claim;                      // whatif, compare
    std::vector<std::string> against;       // compare
    std::optional<uint64_t> runSteps;       // compare
    std::optional<std::string> startupA;    // compare
    std::optional<std::string> startupB;    // compare
    std::string reused;                     // compare

    std::vector<std::string> command;      // record
    std::string output, cupti, stepName;   // record; cupti also doctor
    std::string boundary = "sync";         // record
    uint32_t measured = 0, warmup = 0;     // record
    std::string delay, duration;           // record
    std::string graphs = "node";           // record
    uint64_t memory = 256;                 // record: MB
    bool allocations = false, paused = false; // record
    std::string progress;                     // record
};

/// One command: a line of the table in main.cpp.
struct Command {
    const char *name;
    const char *help;
    bool takesWindow;
    void (*setup)(CLI::App &app, Options &options); ///< adds what only this command knows
    int (*run)(const Options &options);             ///< returns an ExitCode
    bool takesTraces = true;
};

void setupInfo(CLI::App &app, Options &options);
int runInfo(const Options &options);
void setupList(CLI::App &app, Options &options);
int runList(const Options &options);
void setupSteps(CLI::App &app, Options &options);
int runSteps(const Options &options);
void setupStats(CLI::App &app, Options &options);
int runStats(const Options &options);
void setupPath(CLI::App &app, Options &options);
int runPath(const Options &options);
void setupIdle(CLI::App &app, Options &options);
int runIdle(const Options &options);
void setupRank(CLI::App &app, Options &options);
int runRank(const Options &options);
void setupWhy(CLI::App &app, Options &options);
int runWhy(const Options &options);
void setupWhatif(CLI::App &app, Options &options);
int runWhatif(const Options &options);
void setupCompare(CLI::App &app, Options &options);
int runCompare(const Options &options);
void setupConvert(CLI::App &app, Options &options);
int runConvert(const Options &options);
void setupRecord(CLI::App &app, Options &options);
int runRecord(const Options &options);
void setupDoctor(CLI::App &app, Options &options);
int runDoctor(const Options &options);

} // namespace longpole::cli
