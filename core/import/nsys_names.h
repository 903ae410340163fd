// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/import/sqlite_file.h"
#include "core/model/kind.h"

#include <map>
#include <optional>
#include <string>
#include <unordered_map>

namespace longpole {

/// The texts of an Nsight Systems export, looked up one by one: the table also holds what the
/// profiled program's environment was, so it is never read as a whole.
class NsysTexts {
public:
    explicit NsysTexts(const SqliteFile &file);
    /// The bytes of StringIds[id]; none where there is no such row or it holds no text.
    std::optional<std::string> find(int64_t id);

private:
    std::unique_ptr<SqliteQuery> m_query;
    bool m_byRow = false;                        ///< ids are row numbers
    std::unordered_map<int64_t, int64_t> m_rows; ///< else: row by id
};

/// The values of one enumeration, as the file's own ENUM_ table names them, or where it has none as
/// the versions without such tables meant them.
class NsysEnum {
public:
    struct Value {
        std::string name;  ///< "CUDA_MEMCPY_KIND_HTOD"
        std::string label; ///< "Host-to-Device"
    };
    NsysEnum(const SqliteFile &file, const std::string &table);
    const Value *find(int64_t id) const; ///< null for a number without a name

private:
    std::map<int64_t, Value> m_values;
};

/// The enumeration that a column of an event table holds; empty for a plain number.
std::string_view nsysEnumOf(std::string_view column);
/// A column that holds an id of StringIds.
bool isNsysTextId(std::string_view column);
/// A column whose bits are an unsigned number.
bool isNsysUnsigned(std::string_view column);

/// A message of the profiler without the folders in it, which name users and machines.
std::string withoutPaths(std::string_view text);

/// "cudaLaunchKernel" of "cudaLaunchKernel_v7000": the name as Nsight Systems shows it.
std::string_view withoutVersion(std::string_view name);

/// A range that PyTorch's autograd wrote through NVTX: "aten::mul, seq = 45328, op_id = 990354".
struct TorchRange {
    std::string_view name;
    int64_t sequence = -1;
};
std::optional<TorchRange> torchRange(std::string_view text);

/// Direction and name of a copy as PyTorch's profiler would write it: "Memcpy HtoD (Pageable ->
/// Device)".
struct NsysCopy {
    Kind kind;
    std::string name;
};
NsysCopy nsysCopy(const NsysEnum::Value *direction, const NsysEnum::Value *from,
                  const NsysEnum::Value *to);

/// What a row of synchronisation waits for.
enum class NsysSync { Unknown, Event, StreamWait, Stream, Context };
NsysSync nsysSync(std::string_view enumName);
/// What a call of that name waits for; Unknown for names that do not say.
NsysSync nsysSyncOfCall(std::string_view name);

} // namespace longpole
