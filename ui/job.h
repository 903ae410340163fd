// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/result.h"

#include <QMetaObject>
#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>
#include <new>
#include <thread>
#include <utility>

namespace longpole {

/// Runs one piece of work at a time on a thread of its own and hands the result to the thread that
/// owns the Job (the GUI thread), by a queued call. A new request stops the one before, waits for
/// it on the new thread, and makes its result void; the destructor stops and waits.
template <class T>
class Job {
public:
    using Work = std::function<Result<T>(Progress &)>;
    using Done = std::function<void(Result<T>)>;
    using Watch = std::function<void(double)>;

    /// `large`: what the work leaves behind when it is stopped is worth giving back to the system.
    explicit Job(bool large = false) : m_large(large) {
        m_poll.setInterval(50);
        QObject::connect(&m_poll, &QTimer::timeout, &m_receiver, [this] {
            if (m_watch && m_progress) m_watch(m_progress->fraction());
        });
    }
    ~Job() {
        cancel();
        if (m_thread.joinable())
            m_thread.join(); // before the receiver goes, so that a late call finds none
    }
    Job(const Job &) = delete;
    Job &operator=(const Job &) = delete;

    bool running() const { return m_progress != nullptr; }

    /// `work` runs elsewhere and must hold what it reads by value or shared_ptr; it may throw
    /// Stopped. `done` is called
    /// once, unless the job is cancelled or replaced; `watch` sees the fraction 20 times a second.
    void start(Work work, Done done, Watch watch = {}) {
        cancel();
        m_progress = std::make_shared<Progress>();
        m_done = std::move(done);
        m_watch = std::move(watch);
        if (m_watch) m_poll.start();
        m_thread = std::thread([this, progress = m_progress, work = std::move(work),
                                before = std::move(m_thread)]() mutable {
            if (before.joinable()) before.join();
            run(progress, std::exchange(work, nullptr));
        });
    }

    /// Returns at once; the work stops soon after and its result is dropped where it was made.
    void cancel() {
        if (m_progress) m_progress->stop();
        m_progress.reset();
        m_done = nullptr;
        m_poll.stop();
    }

private:
    void run(const std::shared_ptr<Progress> &progress, Work work) {
        if (progress->stopped()) return;
        std::shared_ptr<Result<T>> result;
        try {
            result = std::make_shared<Result<T>>(work(*progress));
        } catch (const std::bad_alloc &) {
            result = std::make_shared<Result<T>>(
                Error{ErrorKind::Unreadable, "out_of_memory",
                      "There is not enough memory for this. Close other programs, or open a "
                      "smaller part of the trace."});
        } catch (const Stopped &) {
            result = std::make_shared<Result<T>>(Error{ErrorKind::Cancelled, "cancelled", {}});
        }
        work = nullptr; // what it held is released here, not on the GUI thread
        if (progress->stopped()) return drop(std::move(result));
        QMetaObject::invokeMethod(
            &m_receiver,
            [this, progress, result = std::move(result)]() mutable {
                deliver(progress, std::move(result));
            },
            Qt::QueuedConnection);
    }

    void drop(std::shared_ptr<Result<T>> result) const {
        result.reset();
        if (m_large) giveBackMemory();
    }

    void deliver(const std::shared_ptr<Progress> &progress, std::shared_ptr<Result<T>> result) {
        if (progress != m_progress) { // replaced while the call was on its way
            m_thread = std::thread(
                [this, before = std::move(m_thread), result = std::move(result)]() mutable {
                    if (before.joinable()) before.join();
                    drop(std::move(result));
                });
            return;
        }
        const Done done = std::exchange(m_done, nullptr);
        m_progress.reset();
        m_poll.stop();
        if (done) done(std::move(*result));
    }

    const bool m_large;
    QObject m_receiver;
    QTimer m_poll;
    std::shared_ptr<Progress> m_progress; ///< of the latest request; null when idle
    Done m_done;
    Watch m_watch;
    std::thread m_thread;
};

} // namespace longpole
