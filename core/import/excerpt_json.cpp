// SPDX-License-Identifier: Apache-2.0
// The part of top_level.h that reads what a window keeps of its capture.
#include "core/import/top_level.h"

#include <simdjson.h>

namespace longpole {

namespace {

using simdjson::dom::element;

bool readColumn(element array, std::vector<int64_t> &column) {
    simdjson::dom::array values;
    if (array.get(values)) return false;
    column.reserve(values.size());
    for (const element value : values) {
        int64_t number = 0;
        if (value.get(number)) return false;
        column.push_back(number);
    }
    return true;
}

bool readText(element object, const char *key, std::string &text) {
    std::string_view view;
    if (object[key].get(view)) return false;
    text = view;
    return true;
}

bool read(element root, Excerpt &excerpt) {
    int64_t version = 0;
    element window, steps;
    simdjson::dom::object columns;
    simdjson::dom::array names;
    if (root["version"].get(version) || version != 1 || root["window"].get(window) ||
        root["zero_ns"].get(excerpt.zero) || root["columns"].get(columns) ||
        window["begin_ns"].get(excerpt.window.begin) || window["end_ns"].get(excerpt.window.end) ||
        !readText(window, "kind", excerpt.kind) || root["steps"].get(steps) ||
        !readText(steps, "found_by", excerpt.foundBy) ||
        !readText(steps, "markers", excerpt.markers) || steps["names"].get(names))
        return false;
    for (const element name : names) {
        std::string_view text;
        if (name.get(text)) return false;
        excerpt.stepNames.emplace_back(text);
    }
    for (const auto [key, value] : columns)
        if (!readColumn(value, excerpt.columns[std::string(key)])) return false;
    return true;
}

} // namespace

std::optional<Excerpt> readExcerpt(const std::string &text) {
    simdjson::dom::parser parser;
    element root;
    Excerpt excerpt;
    constexpr TimeNs most = TimeNs(1) << 62;
    if (parser.parse(text).get(root) || !read(root, excerpt)) return std::nullopt;
    for (const TimeNs t : {excerpt.zero, excerpt.window.begin, excerpt.window.end})
        if (t < -most || t > most) return std::nullopt;
    return excerpt;
}

} // namespace longpole
