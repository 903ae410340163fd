// SPDX-License-Identifier: Apache-2.0
#include "core/capture/options.h"

#include "core/capture/control.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

namespace longpole::capture {

namespace {

std::string text(const char *name) {
    const char *value = std::getenv(name);
    return value ? value : "";
}

uint64_t number(const char *name, uint64_t otherwise) {
    const char *value = std::getenv(name);
    if (!value || !*value) return otherwise;
    char *end = nullptr;
    const unsigned long long read = std::strtoull(value, &end, 10);
    return *end ? otherwise : uint64_t(read);
}

} // namespace

Options Options::fromEnvironment() {
    Options options;
    options.file = text(kEnvFile);
    options.control = text(kEnvControl);
    options.cupti = text(kEnvCupti);
    options.stepName = text(kEnvStepName);
    options.steps = uint32_t(number(kEnvSteps, 0));
    options.warmup = uint32_t(number(kEnvWarmup, 0));
    if (text(kEnvBoundary) == "none") options.boundary = BoundaryKind::None;
    options.delayNs = number(kEnvDelay, 0) * 1'000'000;
    options.durationNs = number(kEnvDuration, 0) * 1'000'000;
    options.memory = std::clamp<uint64_t>(number(kEnvMemory, 256), 4, 1 << 16) << 20;
    options.graphNodes = text(kEnvGraphs) != "whole";
    options.allocations = text(kEnvAllocations) == "1";
    return options;
}

bool Options::isStep(const char *name) const {
    if (!stepName.empty()) return std::strncmp(name, stepName.c_str(), stepName.size()) == 0;
    // the word, and behind it nothing but a number: "ProfilerStep#7", "step 7", "iteration_7",
    // "step"
    for (const char *word : {"ProfilerStep", "train_step", "training_step", "step", "iteration"}) {
        const size_t length = std::strlen(word);
        if (strncasecmp(name, word, length) != 0) continue;
        const char *rest = name + length;
        while (*rest == ' ' || *rest == '#' || *rest == '_' || *rest == ':') ++rest;
        while (std::isdigit(uint8_t(*rest))) ++rest;
        if (!*rest) return true;
    }
    return false;
}

} // namespace longpole::capture
