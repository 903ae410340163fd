// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/import/importer.h"

namespace longpole {

/// The SQLite export of Nsight Systems, schema 2 and 3: whatever of its tables and columns is
/// there.
extern const Importer kNsysSqlite;

} // namespace longpole
