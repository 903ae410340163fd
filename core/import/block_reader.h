// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/input_file.h"
#include "core/import/event_parser.h"

#include <string>
#include <vector>

namespace longpole {

/// One block with its memory, reused for block after block.
struct BlockBuffer {
    std::vector<char> memory;
    TextBlock block;
    bool commaFollows = false; ///< a comma between this block and the next was left out
    double fraction = 0;       ///< of the file on disk that was read behind this block
};

/// Cuts the text behind the opening '[' into blocks of about a MiB that most likely end between two
/// events; the parser finds out where that guess was wrong. All text is handed out, in order.
class BlockReader {
public:
    /// `head` is text that was read already and ends where the reader stands.
    BlockReader(TextReader &reader, std::string head);
    bool next(BlockBuffer &buffer); ///< false behind the last block

private:
    TextReader &m_reader;
    std::string m_carry;
    bool m_atEnd = false;
};

} // namespace longpole
