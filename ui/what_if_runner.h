// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/what_if_answer.h"

#include <QObject>

#include <condition_variable>
#include <mutex>
#include <thread>

namespace longpole {

/// Answers what-ifs on a thread of its own, `interactive`, and hands them to
/// the GUI thread. Every question that is begun gets its headline, so that the
/// numbers move while a slider does; of the questions that wait only the latest
/// is kept. Interval and curve follow when nothing more comes.
class WhatIfRunner : public QObject {
    Q_OBJECT
public:
    explicit WhatIfRunner(QObject *parent = nullptr);
    ~WhatIfRunner() override;

    void ask(WhatIfQuestion question);
    /// Nothing that was asked so far is answered any more, and nothing of it is held for long.
    void forget();

signals:
    /// First the headline alone, then with the interval, then with the curve.
    void answered(const longpole::WhatIfAnswer &answer);

private:
    void run();
    void answer(WhatIfQuestion question, uint64_t number);
    bool rests(); ///< waits a moment; false when something else was asked
    void deliver(const WhatIfAnswer &answer, uint64_t number);

    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::optional<WhatIfQuestion> m_next; ///< guarded by m_mutex, as are the next four
    std::shared_ptr<Progress> m_curveProgress;
    uint64_t m_asked = 0;
    bool m_end = false, m_drop = false;         ///< drop: the curve belongs to what was forgotten
    uint64_t m_forgotten = 0;                   ///< GUI thread: answers up to this one are dropped
    std::shared_ptr<const LengthCurve> m_curve; ///< worker: the last one, good for a whole drag
    std::thread m_thread;
};

} // namespace longpole
