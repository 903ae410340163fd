// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/what_if_runner.h"

#include <chrono>
#include <utility>

namespace longpole {

namespace {

constexpr std::chrono::milliseconds kRest{25}; ///< a drag sends more often than that

} // namespace

WhatIfRunner::WhatIfRunner(QObject *parent) : QObject(parent) {
    m_thread = std::thread([this] { run(); });
}

WhatIfRunner::~WhatIfRunner() {
    {
        const std::lock_guard lock(m_mutex);
        m_end = true;
        m_next.reset();
        if (m_curveProgress) m_curveProgress->stop();
    }
    m_wake.notify_all();
    m_thread.join();
}

void WhatIfRunner::ask(WhatIfQuestion question) {
    {
        const std::lock_guard lock(m_mutex);
        ++m_asked;
        m_next = std::move(question);
        if (m_curveProgress) m_curveProgress->stop();
    }
    m_wake.notify_all();
}

void WhatIfRunner::forget() {
    {
        const std::lock_guard lock(m_mutex);
        m_next.reset();
        m_forgotten = m_asked;
        m_drop = true;
        if (m_curveProgress) m_curveProgress->stop();
    }
    m_wake.notify_all();
}

void WhatIfRunner::run() {
    for (;;) {
        WhatIfQuestion question;
        uint64_t number = 0;
        {
            std::unique_lock lock(m_mutex);
            m_wake.wait(lock, [this] { return m_end || m_next || m_drop; });
            if (m_end) return;
            if (std::exchange(m_drop, false)) m_curve.reset();
            if (!m_next) continue;
            question = std::move(*m_next);
            m_next.reset();
            number = m_asked;
            m_curveProgress = std::make_shared<Progress>();
        }
        answer(std::move(question), number);
    }
}

void WhatIfRunner::answer(WhatIfQuestion question, uint64_t number) {
    const bool curveFits = m_curve && m_curve->fits(question);
    if (!curveFits) m_curve.reset();
    WhatIfAnswer answer = headlineOf(std::move(question));
    answer.curve = m_curve;
    deliver(answer, number);
    if (!rests()) return;
    try {
        addRest(answer, *m_curveProgress);
    } catch (const Stopped &) {
        return;
    }
    deliver(answer, number);
    if (curveFits || !rests()) return;
    m_curve = lengthCurve(answer.question, *m_curveProgress);
    if (!m_curve) return;
    answer.curve = m_curve;
    deliver(answer, number);
}

bool WhatIfRunner::rests() {
    std::unique_lock lock(m_mutex);
    return !m_wake.wait_for(lock, kRest, [this] { return m_end || m_next; }) &&
           !m_curveProgress->stopped();
}

void WhatIfRunner::deliver(const WhatIfAnswer &answer, uint64_t number) {
    QMetaObject::invokeMethod(
        this,
        [this, answer, number] {
            if (number > m_forgotten) emit answered(answer);
        },
        Qt::QueuedConnection);
}

} // namespace longpole
