// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/progress.h"
#include "core/import/block_reader.h"
#include "core/import/event_batch.h"
#include "core/import/event_parser.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace longpole {

/// A block, the batch that was made of it, and by which parser.
struct ParsedBlock {
    BlockBuffer buffer;
    EventBatch batch;
    uint32_t parser = 0;
    bool done = false;
};

/// Reads and parses blocks on several threads and hands them over in the order of the file, on the
/// thread that called run(); that thread parses too while nothing is ready for it.
class BlockPipeline {
public:
    BlockPipeline(BlockReader &reader, unsigned threads);

    /// Calls `consume` once for each block, in order; ends early when the progress is stopped.
    void run(Progress &progress, const std::function<void(ParsedBlock &)> &consume);
    uint32_t parsers() const { return uint32_t(m_parsers.size()); }

private:
    void help(uint32_t parser, Progress &progress);
    ParsedBlock *take();               ///< the next block, read and queued; null at the end or when full
    void parse(ParsedBlock &block, uint32_t parser);
    bool mayTake() const { return !m_atEnd && m_queue.size() < m_limit; }

    BlockReader &m_reader;
    std::vector<std::unique_ptr<EventParser>> m_parsers;
    size_t m_limit;
    std::mutex m_readMutex; ///< held while reading; taken before m_mutex
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<std::unique_ptr<ParsedBlock>> m_queue; ///< in file order
    std::vector<std::unique_ptr<ParsedBlock>> m_free;
    bool m_atEnd = false, m_stop = false;
};

} // namespace longpole
