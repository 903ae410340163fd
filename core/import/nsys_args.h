// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/import/json_args.h"
#include "core/import/sqlite_file.h"

#include <map>
#include <memory>

namespace longpole {

/// Arguments of events that are rows of an Nsight Systems export: every column that holds
/// something. Not shared between threads.
class NsysArgs {
public:
    NsysArgs(std::shared_ptr<const InputFile> input, std::vector<std::string> tables);
    ~NsysArgs();

    /// Integers digit by digit, ids of texts as the texts, and beside the number of an enumeration
    /// its name: "copyKind": 1, "copyKind (name)": "Host-to-Device".
    Result<std::vector<JsonArg>> at(uint64_t offset);

private:
    struct Open;
    std::shared_ptr<const InputFile> m_input;
    std::vector<std::string> m_tables;
    std::unique_ptr<Open> m_open;
};

} // namespace longpole
