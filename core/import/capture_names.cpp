// SPDX-License-Identifier: Apache-2.0
#include "core/import/capture_names.h"

#include <array>
#include <utility>

namespace longpole {

Kind copyKindOf(uint32_t direction) {
    switch (direction) {
    case 1: // host to device, host to array
    case 3:
        return Kind::H2D;
    case 2: // device to host, array to host
    case 4:
        return Kind::D2H;
    case 9:
        return Kind::H2H;
    case 10:
        return Kind::P2P;
    default:
        return Kind::D2D;
    }
}

std::string copyName(uint32_t direction, uint32_t from, uint32_t to) {
    constexpr std::array<std::string_view, 11> routes = {"",      " HtoD", " DtoH", " HtoA",
                                                         " AtoH", " AtoA", " AtoD", " DtoA",
                                                         " DtoD", " HtoH", " PtoP"};
    std::string name = "Memcpy";
    if (direction < routes.size()) name += routes[direction];
    return name + " (" + std::string(memoryName(from)) + " -> " + std::string(memoryName(to)) + ")";
}

std::string_view memoryName(uint32_t memory) {
    constexpr std::array<std::string_view, 8> names = {"Unknown",       "Pageable",      "Pinned",
                                                       "Device",        "Array",         "Managed",
                                                       "Device Static", "Managed Static"};
    return memory < names.size() ? names[memory] : names[0];
}

std::string_view waitName(uint32_t kind) {
    constexpr std::array<std::string_view, 5> names = {"Sync", "Event Sync", "Stream Wait Event",
                                                       "Stream Sync", "Context Sync"};
    return kind < names.size() ? names[kind] : names[0];
}

std::string overheadName(uint32_t kind) {
    if (kind == 1) return "Driver Compiler";
    constexpr std::array<std::string_view, 9> names = {"Overhead",
                                                       "Buffer Flush",
                                                       "Instrumentation",
                                                       "Resource",
                                                       "Runtime Triggered Module Loading",
                                                       "Lazy Function Loading",
                                                       "Command Buffer Full",
                                                       "Activity Buffer Request",
                                                       "Unified Memory"};
    const uint32_t family = kind >> 16;
    return std::string(family < names.size() ? names[family] : names[0]);
}

std::string cuptiVersionText(uint32_t version) {
    if (version >= 10'000)
        return std::to_string(version / 10'000) + '.' + std::to_string(version / 100 % 100);
    constexpr std::array<std::pair<uint32_t, std::string_view>, 9> before = {{{19, "12.0"},
                                                                              {20, "12.2"},
                                                                              {21, "12.3"},
                                                                              {22, "12.4"},
                                                                              {23, "12.5"},
                                                                              {24, "12.6"},
                                                                              {26, "12.8"},
                                                                              {27, "12.9"},
                                                                              {28, "12.9"}}};
    for (const auto &[number, text] : before)
        if (number == version) return std::string(text);
    return "version " + std::to_string(version);
}

std::string cudaVersionText(uint32_t version) {
    return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}

} // namespace longpole
