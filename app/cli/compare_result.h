// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/json_writer.h"
#include "core/analysis/claim.h"

namespace longpole::cli {

/// What `compare` found, and what it was asked.
struct CompareResult {
    Comparison comparison;
    CompareRequest request;
    std::vector<std::string> filesA, filesB; ///< names for people, one a run
    std::optional<Judgement> judgement;
};

void writeCompare(JsonWriter &json, const CompareResult &result);
void printCompare(const CompareResult &result);

} // namespace longpole::cli
