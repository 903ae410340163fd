// SPDX-License-Identifier: Apache-2.0
// The parts of phases.h that read rule files.
#include "core/analysis/phases.h"

#include "core/base/pattern.h"

#include <nlohmann/json.hpp>

namespace longpole {

std::string_view defaultPhaseRulesJson(); // default_phases.cpp.in

namespace {

constexpr size_t kMaxRules = 200; ///< a phase is one byte

Error bad(const std::string &what) {
    return {ErrorKind::Usage, "bad_phase_rules", "The phase rules cannot be used: " + what};
}

bool isColour(const std::string &text) {
    return text.size() == 7 && text[0] == '#' &&
           text.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string::npos;
}

Result<PhaseMatch> readMatch(const nlohmann::json &json, const std::string &id) {
    if (!json.is_object()) return bad("a match of \"" + id + "\" is not an object.");
    PhaseMatch match;
    for (const auto &[key, value] : json.items()) {
        if (!value.is_string())
            return bad("\"" + key + "\" in a match of \"" + id + "\" is not a text.");
        const std::string text = value.get<std::string>();
        if (key == "name") {
            match.name = text;
            const auto pattern = Pattern::compile(text);
            if (!pattern) return bad("in \"" + id + "\": " + pattern.error().message);
        } else if (key == "kind") {
            match.kind = kindFromName(text);
            if (!match.kind) return bad("\"" + id + "\" names the unknown kind \"" + text + "\".");
        } else {
            return bad("a match of \"" + id + "\" has the unknown key \"" + key +
                       "\"; use name and kind.");
        }
    }
    if (match.name.empty() && !match.kind)
        return bad("a match of \"" + id +
                   "\" has neither name nor kind, so it would match everything.");
    return match;
}

Result<PhaseRule> readRule(const nlohmann::json &json) {
    if (!json.is_object() || !json.contains("id") || !json["id"].is_string())
        return bad("every phase needs an \"id\" that is a text.");
    PhaseRule rule;
    rule.id = json["id"].get<std::string>();
    if (rule.id.empty()) return bad("a phase has an empty id.");
    rule.label = rule.id;
    for (const char *key : {"label", "colour"}) {
        if (!json.contains(key)) continue;
        if (!json[key].is_string())
            return bad("the " + std::string(key) + " of \"" + rule.id + "\" is not a text.");
        (key[0] == 'l' ? rule.label : rule.colour) = json[key].get<std::string>();
    }
    if (!rule.colour.empty() && !isColour(rule.colour))
        return bad("the colour of \"" + rule.id + "\" is not written like #1a2b3c.");
    if (!json.contains("match")) return rule;
    if (!json["match"].is_array()) return bad("\"match\" of \"" + rule.id + "\" is not a list.");
    for (const auto &entry : json["match"]) {
        auto match = readMatch(entry, rule.id);
        if (!match) return match.error();
        rule.match.push_back(std::move(*match));
    }
    return rule;
}

Result<PhaseRules> readRules(const nlohmann::json &json) {
    if (!json.is_object() || json.value("version", 0) != 1)
        return bad("the file is not an object with \"version\": 1.");
    if (!json.contains("phases") || !json["phases"].is_array())
        return bad("\"phases\" is not a list.");
    PhaseRules rules;
    std::optional<PhaseRule> other;
    for (const auto &entry : json["phases"]) {
        auto rule = readRule(entry);
        if (!rule) return rule.error();
        if (rules.find(rule->id)) return bad("the phase \"" + rule->id + "\" stands there twice.");
        if (rules.rules.size() >= kMaxRules) return bad("there are more than 200 phases.");
        if (rule->id != "other")
            rules.rules.push_back(std::move(*rule));
        else if (!rule->match.empty())
            return bad("\"other\" is what no rule matches; it cannot have a match.");
        else
            other = std::move(*rule);
    }
    rules.rules.push_back(other ? std::move(*other) : PhaseRule{"other", "Other", {}, {}});
    return rules;
}

} // namespace

std::optional<uint8_t> PhaseRules::find(std::string_view id) const {
    for (size_t i = 0; i < rules.size(); ++i)
        if (rules[i].id == id) return uint8_t(i);
    return std::nullopt;
}

Result<PhaseRules> parsePhaseRules(std::string_view json) {
    try {
        return readRules(nlohmann::json::parse(json));
    } catch (const nlohmann::json::exception &e) {
        return bad(std::string("they are not valid JSON (") + e.what() + ").");
    }
}

const PhaseRules &defaultPhaseRules() {
    static const PhaseRules rules = [] {
        auto parsed = parsePhaseRules(defaultPhaseRulesJson());
        assert(parsed);
        return parsed ? std::move(*parsed) : PhaseRules{{{"other", "Other", {}, {}}}};
    }();
    return rules;
}

} // namespace longpole
