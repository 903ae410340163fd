// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/text_table.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <unistd.h>

using namespace longpole::cli;

namespace {

constexpr std::array<Command, 13> kCommands = {{
    {"why", "the verdict in at most eight lines; also without this word", true, setupWhy, runWhy},
    {"info", "what the files hold, what was set aside and why", false, setupInfo, runInfo},
    {"list", "intervals with all their arguments, and counters", true, setupList, runList},
    {"steps", "the steps, their distribution, the steady window, start-up", false, setupSteps,
     runSteps},
    {"stats", "where the time of a window goes", true, setupStats, runStats},
    {"path", "what the window was really waiting for", true, setupPath, runPath},
    {"idle", "why the device had nothing to do", true, setupIdle, runIdle},
    {"whatif", "what a change would be worth", true, setupWhatif, runWhatif},
    {"rank", "which changes would be worth most", true, setupRank, runRank},
    {"compare", "two runs: differences of work first, then of time", false, setupCompare,
     runCompare},
    {"convert", "the window as a small trace with the same path, or as a table", true, setupConvert,
     runConvert},
    {"record", "run a program on a CUDA machine and record it", false, setupRecord, runRecord,
     false},
    {"doctor", "can this machine record? says what is missing", false, setupDoctor, runDoctor,
     false},
}};

std::string namesOfCommands() {
    std::string names;
    for (size_t i = 0; i < kCommands.size(); ++i)
        names += (i == 0                      ? ""
                  : i + 1 == kCommands.size() ? " and "
                                              : ", ") +
                 std::string(kCommands[i].name);
    return names;
}

void addCommon(CLI::App &app, const Command &command, Options &options) {
    if (command.takesTraces)
        app.add_option("TRACE", options.files,
                       "trace files; all files of one command are one job, - is standard input")
            ->required();
    app.add_flag("--json", options.json, "print the result as JSON");
    app.add_flag("-q,--quiet", options.quiet, "no progress on standard error");
    if (!command.takesTraces) return;
    app.add_option("--phases", options.phasesFile,
                   "phase rules to use instead of the built-in ones")
        ->type_name("FILE");
    if (!command.takesWindow) return;
    const char *group = "Window (at most one)";
    app.add_option("--step", options.step, "one step, by name or by index from 0")
        ->type_name("NAME|INDEX")
        ->group(group);
    app.add_option("--steps", options.steps, "steps A to B, inclusive")
        ->type_name("A..B")
        ->group(group);
    app.add_option("--range", options.range, "from .. to, as in 12.5ms..80ms; bare numbers are ns")
        ->type_name("FROM..TO")
        ->group(group);
    app.add_flag("--all", options.all, "first begin to last end over threads and streams")
        ->group(group);
}

int usageError(const std::string &message) {
    std::fprintf(stderr, "longpole-cli: %s\n", printable(message).c_str());
    return kUsage;
}

bool isCommandOrOption(const std::string &word) {
    return (word.starts_with('-') && word != "-") ||
           std::any_of(kCommands.begin(), kCommands.end(),
                       [&](const Command &c) { return word == c.name; });
}

/// A trace in place of a command asks why; a typing error gets a sentence of its own.
bool looksLikeTrace(const std::string &word) {
    return word == "-" || word.find_first_of("./\\") != word.npos ||
           access(word.c_str(), F_OK) == 0;
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 2)
        return usageError("no command. The commands are " + namesOfCommands() + "; see --help.");
    std::vector<char *> arguments(argv, argv + argc);
    std::string why = "why";
    if (!isCommandOrOption(argv[1]) && looksLikeTrace(argv[1]))
        arguments.insert(arguments.begin() + 1, why.data());
    else if (!isCommandOrOption(argv[1]))
        return usageError("there is no command \"" + std::string(argv[1]) +
                          "\". The commands are " + namesOfCommands() + "; see --help.");
    // Behind -- stands a command of its own, whatever its words look like.
    std::vector<std::string> command;
    if (std::string_view(arguments[1]) == "record")
        if (const auto dashes =
                std::find_if(arguments.begin() + 2, arguments.end(),
                             [](const char *word) { return std::string_view(word) == "--"; });
            dashes != arguments.end()) {
            command.assign(dashes + 1, arguments.end());
            arguments.erase(dashes, arguments.end());
        }
    CLI::App app("Longpole shows what a GPU training step was waiting for.", "longpole-cli");
    app.set_version_flag("--version", "longpole-cli " LONGPOLE_VERSION);
    app.require_subcommand(1);
    app.footer(
        "Exit status: 0 done, 1 the analysis is impossible on this trace, 2 wrong usage,\n"
        "3 the input cannot be read. Results go to standard output, messages to standard error.");
    std::array<Options, kCommands.size()> options;
    std::array<CLI::App *, kCommands.size()> subcommands{};
    for (size_t i = 0; i < kCommands.size(); ++i) {
        subcommands[i] = app.add_subcommand(kCommands[i].name, kCommands[i].help);
        addCommon(*subcommands[i], kCommands[i], options[i]);
        kCommands[i].setup(*subcommands[i], options[i]);
    }
    try {
        app.parse(int(arguments.size()), arguments.data());
    } catch (const CLI::Success &help) {
        return app.exit(help);
    } catch (const CLI::ParseError &error) {
        return usageError(std::string(error.what()) + "; see --help.");
    }
    for (size_t i = 0; i < kCommands.size(); ++i) {
        if (!subcommands[i]->parsed()) continue;
        if (!kCommands[i].takesTraces) {
            options[i].command = subcommands[i]->remaining();
            if (!options[i].command.empty() && !command.empty()) // then the dashes are its own
                options[i].command.emplace_back("--");
            options[i].command.insert(options[i].command.end(), command.begin(), command.end());
        }
        return kCommands[i].run(options[i]);
    }
    return kUsage;
}
