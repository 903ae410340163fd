// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "core/base/memory.h"
#include "core/import/importer.h"
#include "tests/support/files.h"
#include "tests/support/nsys_database.h"
#include "tests/support/training_trace.h"

#include <QElapsedTimer>
#include <QFile>

#include <thread>
#include <unistd.h>

using namespace longpole;
using namespace longpole::test;

namespace {

constexpr int kMoments = 20;
constexpr qint64 kLongestMs = 1500; ///< aim: 100 ms, on a machine that does nothing else
#if defined(__SANITIZE_ADDRESS__)
constexpr double kMostLeftMb = 1e9; // freed memory is kept to find those who still use it
#else
constexpr double kMostLeftMb = 40;
#endif

double residentMb() {
    QFile file(QStringLiteral("/proc/self/statm"));
    if (!file.open(QIODevice::ReadOnly)) return 0;
    return file.readAll().split(' ').value(1).toDouble() * double(sysconf(_SC_PAGESIZE)) / 1e6;
}

std::string trainingText() {
    std::string text;
    writeTrainingTrace(shapeOfSize(30'000'000), [&](std::string_view piece) { text += piece; });
    return text;
}

} // namespace

/// Reading is stopped all through a file and its finishing: it ends soon and leaves nothing behind.
class StoppingTest : public QObject {
    Q_OBJECT
private slots:
    void endsSoon_data() {
        QTest::addColumn<QString>("path");
        const std::string text = trainingText();
        m_json = std::make_unique<TempFile>(text);
        m_gzip = std::make_unique<TempFile>(gzip(text), ".json.gz");
        m_sqlite = std::make_unique<TempFile>("", ".sqlite");
        NsysDatabase db;
        const std::string call = std::to_string(db.text("cudaLaunchKernel_v7000"));
        db.call(100, 100, 0, 1, 1, "cudaFree_v3020");
        db.run("WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) "
               "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, "
               "correlationId, nameId, returnValue) SELECT i * 5000, i * 5000 + 3000, 0, " +
               std::to_string(NsysDatabase::global(100, 100)) + ", i, " + call + ", 0 FROM n");
        db.saveAs(m_sqlite->path());
        for (const auto *file : {m_json.get(), m_gzip.get(), m_sqlite.get()})
            QTest::addRow("%s", file->path().substr(file->path().find('.')).c_str())
                << QString::fromStdString(file->path());
    }

    void endsSoon() {
        QFETCH(QString, path);
        const std::vector<std::string> paths{path.toStdString()};
        {
            Progress progress;
            QVERIFY(openTraces(paths, progress));
        }
        giveBackMemory();
        const double before = residentMb();
        int stopped = 0;
        for (int moment = 0; moment < kMoments; ++moment) {
            Progress progress;
            bool opened = false, cancelled = false;
            std::jthread work([&] {
                const auto trace = openTraces(paths, progress);
                opened = bool(trace);
                cancelled = !trace && trace.error().kind == ErrorKind::Cancelled;
            });
            QElapsedTimer timer;
            timer.start();
            while (progress.fraction() < double(moment) / kMoments && timer.elapsed() < 60'000)
                std::this_thread::sleep_for(std::chrono::microseconds(50));
            timer.start();
            progress.stop();
            work.join();
            QVERIFY2(timer.elapsed() < kLongestMs, qPrintable(QString::number(timer.elapsed())));
            QVERIFY(opened || cancelled); // it may have been done before
            stopped += cancelled;
            giveBackMemory();
            const double left = residentMb() - before;
            QVERIFY2(left < kMostLeftMb, qPrintable(QString::number(left)));
        }
        QVERIFY2(stopped > kMoments / 2, qPrintable(QString::number(stopped)));
    }

private:
    std::unique_ptr<TempFile> m_json, m_gzip, m_sqlite;
};

QTEST_GUILESS_MAIN(StoppingTest)
#include "stopping_test.moc"
