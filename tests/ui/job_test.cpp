// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job.h"

#include <QTest>
#include <QThread>

#include <atomic>
#include <latch>

using namespace longpole;

namespace {

/// Works until it is told to stop.
Result<int> endless(Progress &progress) {
    while (!progress.stopped()) QThread::usleep(200);
    return Error{ErrorKind::Cancelled, "cancelled", {}};
}

} // namespace

class JobTest : public QObject {
    Q_OBJECT
private slots:
    void deliversOnTheCallersThread() {
        Job<int> job;
        int got = 0;
        QThread *worked = nullptr, *delivered = nullptr;
        job.start(
            [&](Progress &) -> Result<int> {
                worked = QThread::currentThread();
                return 7;
            },
            [&](Result<int> result) {
                delivered = QThread::currentThread();
                got = *result;
            });
        QVERIFY(job.running());
        QTRY_COMPARE(got, 7);
        QVERIFY(!job.running());
        QCOMPARE(delivered, QThread::currentThread());
        QVERIFY(worked != delivered);
    }

    void watchesProgress() {
        Job<int> job;
        double seen = 0;
        job.start(
            [](Progress &progress) {
                progress.set(0.5);
                return endless(progress);
            },
            [](Result<int>) {}, [&](double fraction) { seen = fraction; });
        QTRY_COMPARE(seen, 0.5);
    }

    void theLatestRequestWins() {
        Job<int> job;
        QList<int> got;
        job.start(endless, [&](Result<int>) { got << -1; });
        for (int i = 1; i <= 20; ++i)
            job.start([i](Progress &) -> Result<int> { return i; },
                      [&](Result<int> result) { got << *result; });
        QTRY_VERIFY(!job.running());
        QTest::qWait(20);
        QCOMPARE(got, QList<int>{20});
    }

    void aResultOnItsWayIsDroppedWhenCancelled() {
        Job<int> job;
        std::latch ready(1);
        bool called = false;
        job.start(
            [&](Progress &) -> Result<int> {
                ready.count_down();
                return 1;
            },
            [&](Result<int>) { called = true; });
        ready.wait();
        QThread::msleep(20); // the call is in this thread's queue now
        job.cancel();
        QTest::qWait(50);
        QVERIFY(!called);
        QVERIFY(!job.running());
    }

    void oneWorksAtATime() {
        Job<int> job;
        std::atomic<int> working{0}, most{0};
        const auto work = [&](Progress &progress) -> Result<int> {
            most = std::max(most.load(), ++working);
            QThread::msleep(2);
            --working;
            return progress.stopped() ? 0 : 1;
        };
        bool done = false;
        for (int i = 0; i < 10; ++i) {
            job.start(work, [&](Result<int>) { done = true; });
            QThread::msleep(1);
        }
        QTRY_VERIFY(done);
        QCOMPARE(most.load(), 1);
    }

    void destructionStopsAndWaits() {
        std::atomic<bool> left{false};
        {
            Job<int> job;
            job.start(
                [&](Progress &progress) {
                    auto result = endless(progress);
                    left = true;
                    return result;
                },
                [](Result<int>) { QFAIL("delivered after its job was gone"); });
            QThread::msleep(5);
        }
        // Work that had not begun when it was cancelled never begins.
        const bool begun = left;
        QTest::qWait(30);
        QCOMPARE(left.load(), begun);
    }

    void lackOfMemoryIsAnError() {
        Job<int> job;
        QString reason;
        job.start(
            [](Progress &) -> Result<int> { throw std::bad_alloc(); },
            [&](Result<int> result) { reason = QString::fromStdString(result.error().reason); });
        QTRY_COMPARE(reason, QStringLiteral("out_of_memory"));
    }
};

QTEST_GUILESS_MAIN(JobTest)
#include "job_test.moc"
