// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace longpole {

/// Gives memory that was freed back to the system, which the allocator otherwise keeps for later.
/// To be called where something large went, on the thread that freed it; takes some milliseconds.
void giveBackMemory();

} // namespace longpole
