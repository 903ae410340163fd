// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/time.h"

#include <string>
#include <string_view>
#include <vector>

namespace longpole::cli {

/// A column of lengths in one unit with fixed decimals, chosen by the largest of them, or of
/// `alike`: columns that a reader compares share a unit.
struct TimeColumn {
    std::string unit;
    std::vector<std::string> cells;
};
TimeColumn timeColumn(const std::vector<TimeNs> &values, const std::vector<TimeNs> &alike = {});
/// The same, rounded by largest remainder so that the printed column adds up to its printed last
/// value, which is the total.
TimeColumn addingColumn(const std::vector<TimeNs> &values, const std::vector<TimeNs> &alike = {});

/// Text in aligned columns for a terminal: words left, numbers right, two spaces between.
class TextTable {
public:
    enum class Align { Left, Right };
    void column(std::string title, Align align, std::vector<std::string> cells);
    /// A column of times: its title carries the unit.
    void column(const std::string &title, TimeColumn times);
    void ruleBeforeLast() { m_rule = true; } ///< a line above the last row, the total
    void print(size_t maxWidth = 60) const;  ///< longer words are elided in the middle

private:
    struct Column {
        std::string title;
        Align align;
        std::vector<std::string> cells;
    };
    std::vector<Column> m_columns;
    bool m_rule = false;
};

/// `text` for a terminal: control characters, which could act on it, and marks that turn the
/// direction of writing become U+FFFD. Names in traces may hold both.
std::string printable(std::string_view text);
/// Characters (code points) of a text; what a terminal needs to align.
size_t widthOf(std::string_view text);
/// `text` with its middle replaced by "…" when it has more than `width` characters.
std::string elided(std::string_view text, size_t width);

} // namespace longpole::cli
