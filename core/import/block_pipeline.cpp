// SPDX-License-Identifier: Apache-2.0
#include "core/import/block_pipeline.h"

namespace longpole {

BlockPipeline::BlockPipeline(BlockReader &reader, unsigned threads)
    : m_reader(reader), m_limit(2 * threads + 1) {
    for (unsigned i = 0; i < std::max(1u, threads); ++i)
        m_parsers.push_back(std::make_unique<EventParser>());
}

ParsedBlock *BlockPipeline::take() {
    std::lock_guard reading(m_readMutex);
    std::unique_ptr<ParsedBlock> block;
    {
        std::lock_guard lock(m_mutex);
        if (!mayTake() || m_stop) return nullptr;
        if (m_free.empty()) m_free.push_back(std::make_unique<ParsedBlock>());
        block = std::move(m_free.back());
        m_free.pop_back();
    }
    const bool more = m_reader.next(block->buffer);
    std::lock_guard lock(m_mutex);
    if (!more) {
        m_atEnd = true;
        m_changed.notify_all();
        return nullptr;
    }
    block->done = false;
    m_queue.push_back(std::move(block));
    return m_queue.back().get();
}

void BlockPipeline::parse(ParsedBlock &block, uint32_t parser) {
    block.parser = parser;
    m_parsers[parser]->parseBlock(block.buffer.block, block.batch);
    std::lock_guard lock(m_mutex);
    block.done = true;
    m_changed.notify_all();
}

void BlockPipeline::help(uint32_t parser, Progress &progress) {
    while (!progress.stopped()) {
        {
            std::unique_lock lock(m_mutex);
            m_changed.wait(lock, [&] { return m_stop || m_atEnd || mayTake(); });
            if (m_stop || m_atEnd) return;
        }
        if (ParsedBlock *block = take()) parse(*block, parser);
    }
}

void BlockPipeline::run(Progress &progress, const std::function<void(ParsedBlock &)> &consume) {
    std::vector<std::jthread> helpers;
    for (uint32_t i = 1; i < m_parsers.size(); ++i)
        helpers.emplace_back([this, i, &progress] { help(i, progress); });
    while (!progress.stopped()) {
        std::unique_ptr<ParsedBlock> ready;
        bool read = false;
        {
            std::unique_lock lock(m_mutex);
            m_changed.wait(lock, [&] {
                return (!m_queue.empty() && m_queue.front()->done) || mayTake() ||
                       (m_atEnd && m_queue.empty());
            });
            if (!m_queue.empty() && m_queue.front()->done) {
                ready = std::move(m_queue.front());
                m_queue.pop_front();
                m_changed.notify_all();
            } else if (m_atEnd && m_queue.empty()) {
                break;
            } else {
                read = true;
            }
        }
        if (read) {
            if (ParsedBlock *block = take()) parse(*block, 0);
            continue;
        }
        consume(*ready);
        std::lock_guard lock(m_mutex);
        m_free.push_back(std::move(ready));
    }
    std::lock_guard lock(m_mutex);
    m_stop = true;
    m_changed.notify_all();
}

} // namespace longpole
