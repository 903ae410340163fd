// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace longpole::test {

/// Lines for traceFromText() of a program that nobody would write: two threads that launch onto
/// four streams of two devices (one stream is the default stream), graphs of many operations,
/// events with and without their records, waits of every kind, blocking copies, memory that is
/// given back, a loader, an engine thread and ranges around it all. Its times are what a machine
/// could have taken; one operation in eight begins late, for no reason that the trace tells.
std::vector<std::string> randomTraceLines(uint64_t seed);

/// How many of them a test tries: LONGPOLE_TRACES, or a part of the 10,000 that the slow run takes.
uint64_t randomTraces();

/// The lines as one text.
std::string joined(const std::vector<std::string> &lines);

} // namespace longpole::test
