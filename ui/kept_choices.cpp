// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kept_choices.h"

#include "core/model/trace.h"

#include <nlohmann/json.hpp>

#include <map>

namespace longpole {

using nlohmann::json;

namespace {

/// What a track is called from one opening to the next, when its number may be another.
std::string keyOf(const Trace &trace, uint32_t index) {
    const Track &track = trace.tracks[index];
    const Process &process = trace.processes[track.process];
    const auto number = [](const std::optional<int64_t> &value) {
        return value ? std::to_string(*value) : std::string("-");
    };
    return std::to_string(process.file) + "/" + process.pid + "/" +
           std::string(trackKindName(track.kind)) + "/" + track.thread + "/" +
           number(track.device) + "/" + number(track.stream) + "/" + track.name;
}

json keysOf(const Trace &trace, const std::vector<uint32_t> &tracks) {
    json keys = json::array();
    for (const uint32_t track : tracks) keys.push_back(keyOf(trace, track));
    return keys;
}

std::vector<uint32_t> tracksOf(const std::map<std::string, uint32_t> &byKey, const json &tracks,
                               const char *list) {
    std::vector<uint32_t> found;
    if (!tracks.is_object() || !tracks.contains(list) || !tracks[list].is_array()) return found;
    for (const json &key : tracks[list]) {
        const auto at = key.is_string() ? byKey.find(key.get<std::string>()) : byKey.end();
        if (at != byKey.end()) found.push_back(at->second);
    }
    return found;
}

std::optional<TimeMark> markOf(const json &item) {
    const auto whole = [&](const char *key) {
        return item.contains(key) && item[key].is_number_integer();
    };
    if (!item.is_object() || !whole("begin_ns") || !whole("end_ns")) return std::nullopt;
    if (!item.contains("id") || !item["id"].is_string()) return std::nullopt;
    const TimeRange range{item["begin_ns"].get<TimeNs>(), item["end_ns"].get<TimeNs>()};
    if (range.end < range.begin) return std::nullopt;
    const bool text = item.contains("text") && item["text"].is_string();
    return TimeMark{QString::fromStdString(item["id"].get<std::string>()), range,
                    text ? QString::fromStdString(item["text"].get<std::string>()) : QString()};
}

} // namespace

KeptChoices keptOf(const json &state, const Trace &trace) {
    KeptChoices kept;
    if (!state.is_object()) return kept;
    if (state.contains("marks") && state["marks"].is_array())
        for (const json &item : state["marks"])
            if (const auto mark = markOf(item)) kept.marks.push_back(*mark);
    std::map<std::string, uint32_t> byKey;
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) byKey.emplace(keyOf(trace, t), t);
    const json tracks = state.contains("tracks") ? state["tracks"] : json();
    const bool filtered =
        tracks.is_object() && tracks.contains("filter") && tracks["filter"].is_string();
    kept.tracks = {tracksOf(byKey, tracks, "hidden"), tracksOf(byKey, tracks, "pinned"),
                   tracksOf(byKey, tracks, "order"),
                   filtered ? QString::fromStdString(tracks["filter"].get<std::string>())
                            : QString()};
    return kept;
}

void putKept(const KeptChoices &kept, const Trace &trace, json &state) {
    state["marks"] = json::array();
    for (const TimeMark &mark : kept.marks)
        state["marks"].push_back({{"id", mark.id.toStdString()},
                                  {"begin_ns", mark.range.begin},
                                  {"end_ns", mark.range.end},
                                  {"text", mark.text.toStdString()}});
    state["tracks"] = {{"hidden", keysOf(trace, kept.tracks.hidden)},
                       {"pinned", keysOf(trace, kept.tracks.pinned)},
                       {"order", keysOf(trace, kept.tracks.order)},
                       {"filter", kept.tracks.filter.toStdString()}};
}

} // namespace longpole
