// SPDX-License-Identifier: Apache-2.0
#include "core/base/parallel.h"
#include "core/base/progress.h"

#include <QtTest>

#include <mutex>
#include <set>
#include <thread>

using namespace longpole;

class ParallelTest : public QObject {
    Q_OBJECT
private slots:
    void eachIndexOnce_data() {
        QTest::addColumn<int>("count");
        QTest::addColumn<unsigned>("threads");
        QTest::newRow("nothing to do") << 0 << 4u;
        QTest::newRow("one piece, many threads") << 1 << 8u;
        QTest::newRow("fewer pieces than threads") << 3 << 8u;
        QTest::newRow("many pieces") << 10'000 << 4u;
        QTest::newRow("one thread") << 1'000 << 1u;
        QTest::newRow("zero threads: the caller works alone") << 1'000 << 0u;
    }
    void eachIndexOnce() {
        QFETCH(int, count);
        QFETCH(unsigned, threads);
        std::vector<std::atomic<int>> hits(size_t(count) + 1);
        parallelFor(size_t(count), threads, [&](size_t i) { ++hits[i]; });
        for (int i = 0; i < count; ++i) QCOMPARE(hits[size_t(i)].load(), 1);
        QCOMPARE(hits[size_t(count)].load(), 0);
    }

    /// Two pieces that wait for each other finish only when two threads work at a time.
    void worksAtTheSameTime() {
        std::atomic<int> arrived{0};
        const auto giveUp = std::chrono::steady_clock::now() + std::chrono::seconds(4);
        parallelFor(2, 2, [&](size_t) {
            ++arrived;
            while (arrived < 2 && std::chrono::steady_clock::now() < giveUp)
                std::this_thread::yield();
        });
        QCOMPARE(arrived.load(), 2);
        QVERIFY(std::chrono::steady_clock::now() < giveUp);
    }

    void oneThreadIsTheCallers() {
        std::mutex mutex;
        std::set<std::thread::id> seen;
        parallelFor(100, 1, [&](size_t) {
            const std::lock_guard lock(mutex);
            seen.insert(std::this_thread::get_id());
        });
        QVERIFY(seen == std::set{std::this_thread::get_id()});
    }

    void thereIsAlwaysAWorker() { QVERIFY(workerCount() >= 1); }

    /// What one thread asks for is seen by the one that works.
    void stopIsSeenByTheWorker() {
        Progress progress;
        QVERIFY(!progress.stopped());
        std::jthread worker([&] {
            progress.set(0.5);
            while (!progress.stopped()) std::this_thread::yield();
            progress.set(0.75);
        });
        while (progress.fraction() < 0.5) std::this_thread::yield();
        progress.stop();
        worker.join();
        QCOMPARE(progress.fraction(), 0.75);
    }
};

QTEST_APPLESS_MAIN(ParallelTest)
#include "parallel_test.moc"
