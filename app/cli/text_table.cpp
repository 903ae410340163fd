// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text_table.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

namespace longpole::cli {

namespace {

struct Unit {
    const char *name;
    TimeNs ns;
};

struct Scale {
    Unit unit;
    int decimals = 0;
    TimeNs quantum = 1; ///< ns of the last printed digit
};

/// Three decimals of the largest unit that a reader can compare: up to 100 s stay milliseconds.
Scale scaleFor(const std::vector<TimeNs> &values) {
    TimeNs largest = 0;
    for (const TimeNs v : values) largest = std::max(largest, v < 0 ? -v : v);
    if (largest < 1'000) return {{"ns", 1}, 0, 1};
    if (largest < 1'000'000) return {{"µs", 1'000}, 3, 1};
    if (largest < 100'000'000'000) return {{"ms", 1'000'000}, 3, 1'000};
    return {{"s", 1'000'000'000}, 3, 1'000'000};
}

/// `steps` last-digit steps as text; a time that is not zero never looks like one.
std::string cell(int64_t steps, bool isZero, const Scale &scale) {
    if (steps == 0 && !isZero) {
        return scale.decimals ? "< 0." + std::string(size_t(scale.decimals - 1), '0') + "1" : "< 1";
    }
    if (isZero) return "0";
    const bool negative = steps < 0;
    uint64_t whole = uint64_t(negative ? -steps : steps), fraction = 0;
    std::string text;
    if (scale.decimals) {
        uint64_t power = 1;
        for (int i = 0; i < scale.decimals; ++i) power *= 10;
        fraction = whole % power;
        whole /= power;
        text = std::to_string(fraction);
        text.insert(0, size_t(scale.decimals) - text.size(), '0');
        text.insert(0, 1, '.');
    }
    return (negative ? "−" : "") + formatCount(int64_t(whole)) + text;
}

TimeColumn written(const std::vector<TimeNs> &values, const std::vector<int64_t> &steps,
                   const Scale &scale) {
    TimeColumn column{scale.unit.name, {}};
    for (size_t i = 0; i < values.size(); ++i)
        column.cells.push_back(cell(steps[i], values[i] == 0, scale));
    return column;
}

int64_t roundedSteps(TimeNs value, TimeNs quantum) {
    return value / quantum + (value % quantum * 2 >= quantum ? 1 : 0) -
           (value % quantum * 2 < -quantum ? 1 : 0);
}

size_t charLength(unsigned char first) {
    return first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

std::string padded(const std::string &text, size_t width, TextTable::Align align) {
    const std::string gap(width - std::min(width, widthOf(text)), ' ');
    return align == TextTable::Align::Left ? text + gap : gap + text;
}

} // namespace

TimeColumn timeColumn(const std::vector<TimeNs> &values, const std::vector<TimeNs> &alike) {
    const Scale scale = scaleFor(alike.empty() ? values : alike);
    std::vector<int64_t> steps;
    for (const TimeNs v : values) steps.push_back(roundedSteps(v, scale.quantum));
    return written(values, steps, scale);
}

TimeColumn addingColumn(const std::vector<TimeNs> &values, const std::vector<TimeNs> &alike) {
    if (values.empty()) return {};
    const Scale scale = scaleFor(alike.empty() ? values : alike);
    std::vector<int64_t> steps;
    for (const TimeNs v : values) steps.push_back(v / scale.quantum);
    steps.back() = roundedSteps(values.back(), scale.quantum);
    std::vector<size_t> order(values.size() - 1);
    std::iota(order.begin(), order.end(), size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return values[a] % scale.quantum > values[b] % scale.quantum;
    });
    int64_t missing = steps.back() - std::accumulate(steps.begin(), steps.end() - 1, int64_t(0));
    for (size_t i = 0; i < order.size() && missing > 0; ++i, --missing) ++steps[order[i]];
    return written(values, steps, scale);
}

std::string printable(std::string_view text) {
    std::string result;
    for (size_t i = 0; i < text.size();) {
        const size_t length = std::min(charLength(uint8_t(text[i])), text.size() - i);
        const std::string_view character = text.substr(i, length);
        const auto byte = [&](size_t k) { return uint8_t(character[k]); };
        const bool control = byte(0) < 0x20 || byte(0) == 0x7F ||
                             (length == 2 && byte(0) == 0xC2 && byte(1) < 0xA0);
        // U+202A … U+202E and U+2066 … U+2069
        const bool turning = length == 3 && byte(0) == 0xE2 &&
                             ((byte(1) == 0x80 && byte(2) >= 0xAA && byte(2) <= 0xAE) ||
                              (byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9));
        result += control || turning ? "\uFFFD" : character;
        i += length;
    }
    return result;
}

size_t widthOf(std::string_view text) {
    size_t width = 0;
    for (const char c : text) width += (uint8_t(c) & 0xC0) != 0x80;
    return width;
}

std::string elided(std::string_view text, size_t width) {
    if (widthOf(text) <= width) return std::string(text);
    std::vector<std::string_view> chars;
    for (size_t i = 0; i < text.size();) {
        const size_t length = std::min(charLength(uint8_t(text[i])), text.size() - i);
        chars.push_back(text.substr(i, length));
        i += length;
    }
    const size_t keep = width - 1, head = keep - keep / 3;
    std::string result;
    for (size_t i = 0; i < head; ++i) result += chars[i];
    result += "…";
    for (size_t i = chars.size() - (keep - head); i < chars.size(); ++i) result += chars[i];
    return result;
}

void TextTable::column(std::string title, Align align, std::vector<std::string> cells) {
    m_columns.push_back({std::move(title), align, std::move(cells)});
}

void TextTable::column(const std::string &title, TimeColumn times) {
    column(title + " " + times.unit, Align::Right, std::move(times.cells));
}

void TextTable::print(size_t maxWidth) const {
    if (m_columns.empty()) return;
    std::vector<Column> columns = m_columns;
    std::vector<size_t> widths;
    size_t total = 0;
    for (Column &column : columns) {
        size_t width = widthOf(column.title);
        for (std::string &text : column.cells) {
            text = printable(elided(text, maxWidth));
            width = std::max(width, widthOf(text));
        }
        widths.push_back(width);
        total += width + 2;
    }
    const auto printRow = [&](auto textOf) {
        std::string line;
        for (size_t c = 0; c < columns.size(); ++c)
            line += (c ? "  " : "") + padded(textOf(columns[c]), widths[c], columns[c].align);
        line.erase(line.find_last_not_of(' ') + 1);
        std::printf("%s\n", line.c_str());
    };
    printRow([](const Column &c) { return c.title; });
    const size_t rows = columns.front().cells.size();
    for (size_t row = 0; row < rows; ++row) {
        if (m_rule && row + 1 == rows) {
            std::string rule;
            for (size_t i = 0; i + 2 < total; ++i) rule += "─";
            std::printf("%s\n", rule.c_str());
        }
        printRow([row](const Column &c) { return c.cells[row]; });
    }
}

} // namespace longpole::cli
