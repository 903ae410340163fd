// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What `longpole-cli doctor` asks the capture library: each thing that recording needs, whether it
/// is there, and a sentence with the way out where it is not.
extern "C" {
typedef void (*LongpoleSays)(void *to, const char *id, int ok, const char *sentence);
typedef void (*LongpoleCheck)(const char *cupti, LongpoleSays says, void *to);
}
inline constexpr char kLongpoleCheckName[] = "LongpoleCheckCapture";
