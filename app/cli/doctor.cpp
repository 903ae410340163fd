// SPDX-License-Identifier: Apache-2.0
#include "app/cli/capture_library.h"
#include "app/cli/session.h"
#include "app/cli/text_table.h"

#include "core/capture/check.h"

#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace longpole::cli {

namespace {

struct Answer {
    std::string id;
    bool ok;
    std::string says;
};
using Answers = std::vector<Answer>;

void askLibrary(const Options &options, Answers &answers) {
    const std::string path = captureLibrary();
    if (path.empty()) {
        answers.push_back({"library", false, withoutCaptureLibrary()});
        return;
    }
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    const auto check =
        library ? reinterpret_cast<LongpoleCheck>(dlsym(library, kLongpoleCheckName)) : nullptr;
    if (!check) {
        answers.push_back(
            {"library", false,
             "The capture library cannot be loaded: " + std::string(dlerror()) + "."});
        return;
    }
    answers.push_back({"library", true, "The capture library is there: " + path + "."});
    check(
        options.cupti.c_str(),
        [](void *to, const char *id, int ok, const char *sentence) {
            static_cast<Answers *>(to)->push_back({id, ok != 0, sentence});
        },
        &answers);
}

void askContainer(Answers &answers) {
    std::error_code failed;
    namespace fs = std::filesystem;
    const bool container =
        fs::exists("/.dockerenv", failed) || fs::exists("/run/.containerenv", failed);
    const bool device = fs::exists("/dev/nvidiactl", failed);
    if (!container)
        answers.push_back({"container", true, "Not in a container."});
    else
        answers.push_back({"container", true,
                           device ? "In a container that sees the devices."
                                  : "In a container without devices (/dev/nvidiactl): it was not "
                                    "started with --gpus."});
}

void askDisk(Answers &answers) {
    constexpr uint64_t kLeast = uint64_t(2) << 30;
    std::error_code failed;
    const auto space = std::filesystem::space(".", failed);
    const bool writable = access(".", W_OK) == 0;
    const std::string free =
        failed ? "unknown" : formatCount(int64_t(space.available >> 20)) + " MB";
    if (!writable)
        answers.push_back({"disk", false,
                           "This folder cannot be written to. Go to another one, or name a file "
                           "with record -o."});
    else if (!failed && space.available < kLeast)
        answers.push_back({"disk", false,
                           "Only " + free +
                               " are free here, and a busy minute takes about 1,000 MB. Record to "
                               "another disk with -o."});
    else
        answers.push_back({"disk", true, free + " are free here."});
}

} // namespace

void setupDoctor(CLI::App &app, Options &options) {
    app.add_option("--cupti", options.cupti, "the libcupti to look at")->type_name("FILE");
    app.footer("Exit status 1 where something is missing.");
}

int runDoctor(const Options &options) {
    if (!options.command.empty())
        return fail(options, {ErrorKind::Usage, "no_arguments", "doctor takes no arguments."});
    Answers answers;
    askLibrary(options, answers);
    askContainer(answers);
    askDisk(answers);
    bool ok = true;
    for (const Answer &answer : answers) ok &= answer.ok;
    if (options.json) {
        JsonWriter json;
        json.beginObject();
        json.field("ok", ok);
        json.key("checks");
        json.beginArray();
        for (const Answer &answer : answers) {
            json.line();
            json.beginObject();
            json.field("id", answer.id);
            json.field("ok", answer.ok);
            json.field("says", answer.says);
            json.endObject();
        }
        json.endArray();
        json.endObject();
        finish(json);
    } else {
        for (const Answer &answer : answers)
            std::printf("%-4s %-11s %s\n", answer.ok ? "ok" : "no", answer.id.c_str(),
                        printable(answer.says).c_str());
        std::printf("%s\n", ok ? "This machine can record." : "This machine cannot record yet.");
    }
    return ok ? kDone : kImpossible;
}

} // namespace longpole::cli
