// SPDX-License-Identifier: Apache-2.0
// The parts of phases.h and attribution.h that read rule files.
#include "core/analysis/attribution.h"

#include "core/base/pattern.h"

#include <nlohmann/json.hpp>

namespace longpole {

// default_rules.cpp.in
std::string_view defaultPhaseRulesJson();
std::string_view defaultKernelClassesJson();

namespace {

constexpr size_t kMaxRules = 200; ///< a phase or a class is one byte

bool isColour(const std::string &text) {
    return text.size() == 7 && text[0] == '#' &&
           text.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string::npos;
}

/// Reads rules of one form, which name phases or classes.
class RuleReader {
public:
    /// "phase", and the key "phases" of the list
    RuleReader(std::string one, std::string list)
        : m_one(std::move(one)), m_list(std::move(list)) {}

    Result<PhaseRules> read(std::string_view text) const {
        try {
            return readRules(nlohmann::json::parse(text));
        } catch (const nlohmann::json::exception &e) {
            return bad(std::string("they are not valid JSON (") + e.what() + ").");
        }
    }

private:
    Error bad(const std::string &what) const {
        return {ErrorKind::Usage, "bad_" + m_one + "_rules",
                "The " + m_one + " rules cannot be used: " + what};
    }

    Result<PhaseMatch> readMatch(const nlohmann::json &json, const std::string &id) const {
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
                if (!match.kind)
                    return bad("\"" + id + "\" names the unknown kind \"" + text + "\".");
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

    Result<PhaseRule> readRule(const nlohmann::json &json) const {
        if (!json.is_object() || !json.contains("id") || !json["id"].is_string())
            return bad("every " + m_one + " needs an \"id\" that is a text.");
        PhaseRule rule;
        rule.id = json["id"].get<std::string>();
        if (rule.id.empty()) return bad("a " + m_one + " has an empty id.");
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
        if (!json["match"].is_array())
            return bad("\"match\" of \"" + rule.id + "\" is not a list.");
        for (const auto &entry : json["match"]) {
            auto match = readMatch(entry, rule.id);
            if (!match) return match.error();
            rule.match.push_back(std::move(*match));
        }
        return rule;
    }

    Result<PhaseRules> readRules(const nlohmann::json &json) const {
        if (!json.is_object() || json.value("version", 0) != 1)
            return bad("the file is not an object with \"version\": 1.");
        if (!json.contains(m_list) || !json[m_list].is_array())
            return bad("\"" + m_list + "\" is not a list.");
        PhaseRules rules;
        std::optional<PhaseRule> other;
        for (const auto &entry : json[m_list]) {
            auto rule = readRule(entry);
            if (!rule) return rule.error();
            if (rules.find(rule->id))
                return bad("the " + m_one + " \"" + rule->id + "\" stands there twice.");
            if (rules.rules.size() >= kMaxRules) return bad("there are more than 200 of them.");
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

    const std::string m_one, m_list;
};

PhaseRules builtIn(Result<PhaseRules> parsed) {
    assert(parsed);
    return parsed ? std::move(*parsed) : PhaseRules{{{"other", "Other", {}, {}}}};
}

} // namespace

std::optional<uint8_t> PhaseRules::find(std::string_view id) const {
    for (size_t i = 0; i < rules.size(); ++i)
        if (rules[i].id == id) return uint8_t(i);
    return std::nullopt;
}

Result<PhaseRules> parsePhaseRules(std::string_view json) {
    return RuleReader("phase", "phases").read(json);
}

Result<PhaseRules> parseKernelClasses(std::string_view json) {
    return RuleReader("class", "classes").read(json);
}

const PhaseRules &defaultPhaseRules() {
    static const PhaseRules rules = builtIn(parsePhaseRules(defaultPhaseRulesJson()));
    return rules;
}

const PhaseRules &defaultKernelClasses() {
    static const PhaseRules rules = builtIn(parseKernelClasses(defaultKernelClassesJson()));
    return rules;
}

} // namespace longpole
