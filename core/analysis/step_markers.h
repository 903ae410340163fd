// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/trace.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace longpole {

/// True for PyTorch's own marker of a step: transparent in sums (R0).
bool isStepMarker(std::string_view name);
/// The same, or of the family of ranges that mark steps (Steps::markers; may be empty).
bool marksStep(std::string_view name, const std::string &markers);
/// A name with every run of digits as "N": "batch 12" and "batch 13" are of one family, "batch N".
std::string nameFamily(std::string_view name);

/// The ranges that mark the steps of one thread.
struct FoundMarkers {
    uint32_t thread = kNone;    ///< track
    std::vector<uint32_t> rows; ///< by begin, none inside another
    std::string family;         ///< empty for ProfilerStep#N
    bool wrap = false; ///< they hold (nearly) the whole loop, and so are no work of their own (R0)
};

/// The ranges named ProfilerStep#N, of the thread that has most of them; of all files or of one.
/// Throws Stopped.
FoundMarkers profilerSteps(const Trace &trace, std::optional<uint32_t> file,
                           const Progress &progress = Progress::never());

/// User ranges of one name, or of one name and a number that grows, that come back at least three
/// times on one thread at even distances (coefficient of variation below 20 %, the first quarter
/// and the longest 2 % apart) while at least half of the device work is launched. Of several, the
/// one that covers most of its thread; names that speak of steps or iterations first. No rows where
/// there is none. (analysis.md §7.1)
/// Throws Stopped.
FoundMarkers repeatedRanges(const Trace &trace, std::optional<uint32_t> file,
                            const Progress &progress = Progress::never());

/// True where these times lie at even distances, as above.
bool areRegular(const std::vector<TimeNs> &begins);

/// Which rows mark a step: asked once per distinct name, not once per interval.
class StepMarkers {
public:
    /// `family`: of the user ranges that were found to mark steps, or empty.
    explicit StepMarkers(std::string family = {}) : m_family(std::move(family)) {}
    /// Turns to the names of one table; has() answers for its rows.
    void use(const TrackTable &table);
    bool any() const { return m_current->any; }
    bool has(uint32_t row) const {
        if (!m_current->any) return false;
        const Mark mark = m_current->marks[m_table->name[row].index];
        return mark == Mark::Always || (mark == Mark::Ranges && isRange(m_table->kind[row]));
    }
    static bool isRange(Kind kind) { return kind == Kind::Annotation || kind == Kind::Phase; }

private:
    enum class Mark : uint8_t { Never, Ranges, Always };
    struct Pool {
        std::vector<Mark> marks;
        bool any = false;
    };
    std::string m_family;
    std::map<const StringPool *, Pool> m_byPool;
    const TrackTable *m_table = nullptr;
    Pool *m_current = nullptr;
};

} // namespace longpole
