// SPDX-License-Identifier: Apache-2.0
// Why a device is idle, from a file on disk to printed JSON: one run per cause. All of them use the
// device half of the time, so that utilisation tells none from another.
#include "tests/app/command_line.h"
#include "tests/support/files.h"
#include "tests/support/kineto_writer.h"

#include <QJsonArray>
#include <QTest>

#include <functional>

using namespace longpole;
using namespace longpole::test;

namespace {

constexpr TimeNs us = 1'000;
constexpr uint32_t kMain = 1, kOther = 2;
constexpr TimeNs kCycle = 2'000, kIdle = 1'000; ///< us: each cycle is idle first, then busy
constexpr TimeNs kCycles = 40;

/// A run as PyTorch's profiler writes it, in microseconds.
class Run {
public:
    void host(const std::string &name, TimeNs begin, TimeNs end,
              const std::string &category = "cpu_op", uint32_t thread = kMain,
              const std::string &args = "") {
        m_writer.interval(category, name, 100, thread, begin * us, end * us, args);
    }
    int call(const std::string &name, TimeNs begin, TimeNs end, uint32_t thread = kMain) {
        host(name, begin, end, "cuda_runtime", thread,
             "\"correlation\":" + std::to_string(++m_correlation));
        return m_correlation;
    }
    void op(int correlation, TimeNs begin, TimeNs end, const std::string &name = "gemm",
            const std::string &category = "kernel", uint32_t device = 0, uint32_t stream = 7) {
        m_writer.interval(category, name, device, stream, begin * us, end * us,
                          "\"device\":" + std::to_string(device) + ",\"context\":" +
                              std::to_string(device + 1) + ",\"stream\":" + std::to_string(stream) +
                              ",\"correlation\":" + std::to_string(correlation));
    }
    /// A kernel with the call that launches it 10 us before.
    void kernel(TimeNs begin, TimeNs end, uint32_t thread = kMain) {
        op(call("cudaLaunchKernel", begin - 10, begin - 4, thread), begin, end);
    }
    std::string text() {
        m_writer.flush();
        return "{\"schemaVersion\":1,\"traceEvents\":[" + m_text + "]}";
    }

private:
    std::string m_text;
    KinetoWriter m_writer{[this](std::string_view part) { m_text += part; }};
    int m_correlation = 0;
};

using Cycle = std::function<void(Run &, TimeNs at)>; ///< `at`: when the device runs dry

/// Each cycle keeps the device busy for its second half; what delays it is the cycle's own.
std::string cycles(const Cycle &cycle) {
    Run run;
    for (TimeNs i = 0; i < kCycles; ++i) cycle(run, i * kCycle);
    return run.text();
}
/// The host is in something until it launches.
std::string hostIn(const std::string &name, const std::string &category = "cpu_op") {
    return cycles([=](Run &run, TimeNs at) {
        run.host(name, at, at + kIdle - 12, category);
        run.kernel(at + kIdle, at + kCycle);
    });
}
/// The host is in a call of the API until it launches.
std::string hostCalls(const std::string &name) {
    return cycles([=](Run &run, TimeNs at) {
        run.call(name, at, at + kIdle - 12);
        run.kernel(at + kIdle, at + kCycle);
    });
}
/// The profiler notes something on a row of its own while the host launches.
std::string overhead(const std::string &name, bool insideCall) {
    return cycles([=](Run &run, TimeNs at) {
        const TimeNs from = insideCall ? at + 1 : at + kIdle - 10;
        const int launch = run.call("cudaLaunchKernel", from, at + kIdle - 4);
        if (!insideCall) run.host("aten::mm", at, at + kIdle - 12);
        run.host(name, at + 2, at + kIdle - 14, "overhead", 0);
        run.op(launch, at + kIdle, at + kCycle);
    });
}
/// A stream of the device waits for an operation of another one.
std::string awaits(const std::string &name, const std::string &category) {
    return cycles([=](Run &run, TimeNs at) {
        run.op(run.call("cudaLaunchKernel", at + 2, at + 4), at + 6, at + kIdle - 3, name, category,
               1, 20);
        run.call("cudaEventRecord", at + 5, at + 6);
        run.call("cudaStreamWaitEvent", at + 7, at + 8);
        run.op(run.call("cudaLaunchKernel", at + 9, at + 11), at + kIdle, at + kCycle);
    });
}

std::string lateReturn(const std::string &call) {
    return cycles([=](Run &run, TimeNs at) {
        run.kernel(at + kIdle, at + kCycle);
        if (call == "cudaEventSynchronize") run.call("cudaEventRecord", at + kIdle, at + kIdle + 1);
        const bool last = at == (kCycles - 1) * kCycle;
        if (!last) run.call(call, at + kIdle + 4, at + kCycle + kIdle - 12);
        if (at == 0) run.host("set up", 0, 20);
    });
}

std::string blockingCopy(bool toHost) {
    return cycles([=](Run &run, TimeNs at) {
        const int copy = run.call("cudaMemcpyAsync", at ? at - 99 : 0, at + kIdle - 12);
        if (toHost)
            run.op(copy, at + 5, at + 105, "Memcpy DtoH (Device -> Pageable)", "gpu_memcpy");
        else
            run.op(copy, at + 890, at + kIdle - 10, "Memcpy HtoD (Pageable -> Device)",
                   "gpu_memcpy");
        run.kernel(at + kIdle, at + kCycle - 100);
    });
}

std::string spin() {
    return cycles([](Run &run, TimeNs at) {
        const TimeNs resumes = at + kIdle - 12;
        run.op(run.call("cudaLaunchKernel", at, at + 2), at + 8, resumes - 4, "gemm", "kernel", 1);
        run.call("cudaEventRecord", at + 3, at + 4);
        for (TimeNs t = at + 5; t + 8 < resumes; t += 8) run.call("cudaEventQuery", t, t + 2);
        run.call("cudaEventQuery", resumes - 2, resumes);
        run.kernel(at + kIdle, at + kCycle);
    });
}

std::string otherDevice() {
    return cycles([](Run &run, TimeNs at) {
        run.op(run.call("cudaLaunchKernel", at, at + 2), at + 8, at + kIdle - 20, "gemm", "kernel",
               1);
        run.call("cudaDeviceSynchronize", at + 3, at + kIdle - 12);
        run.kernel(at + kIdle, at + kCycle);
    });
}

std::string loader(bool traced) {
    return cycles([=](Run &run, TimeNs at) {
        run.host("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", at,
                 at + kIdle - 12);
        if (traced) run.host("collate", at - (at ? kIdle : 0), at + kIdle - 25, "cpu_op", kOther);
        run.kernel(at + kIdle, at + kCycle);
    });
}

/// The engine's thread takes its time to wake up; the main one stands still meanwhile.
std::string lateWakeUp() {
    return cycles([](Run &run, TimeNs at) {
        run.host("loss.backward", at + 1, at + kCycle - 2, "user_annotation");
        run.host("autograd::engine::evaluate_function: MmBackward0", at + kIdle - 20,
                 at + kCycle - 10, "cpu_op", kOther);
        run.kernel(at + kIdle, at + kCycle, kOther);
    });
}

std::string launchedLate() {
    return cycles([](Run &run, TimeNs at) {
        run.host("aten::mm", at ? at - 900 : 0, at + 1);
        run.op(run.call("cudaLaunchKernel", at + 2, at + 8), at + kIdle, at + kCycle);
    });
}

std::string queued() {
    Run run;
    for (TimeNs i = 0; i < 500; ++i)
        run.op(run.call("cudaLaunchKernel", i, i + 1), 5 + i * 10, 10 + i * 10, "add");
    return run.text();
}

std::string hostRunsOn() {
    Run run;
    run.kernel(10, 10'000);
    run.host("write checkpoint", 10, 20'000);
    return run.text();
}

std::string beforeTheRecords() {
    Run run;
    run.host("aten::mm", 0, 20'000);
    run.op(9'999, 10'000, 20'000); // its launch is not in the file
    return run.text();
}

std::string launchedBefore() {
    Run run;
    run.op(run.call("cudaLaunchKernel", 0, 5), 10'000, 20'000);
    run.host("aten::mm", 5, 20'000);
    return run.text();
}

std::string unseen() {
    return cycles([](Run &run, TimeNs at) {
        // enqueued long ago, behind an operation that ended long ago
        run.op(run.call("cudaLaunchKernel", at ? at - 600 : 0, at ? at - 590 : 5),
               at + kIdle + (at / kCycle * 37) % 90 - 45, at + kCycle);
        run.host("aten::mm", at ? at - 580 : 6, at + 900);
    });
}

} // namespace

class IdleTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        if (qEnvironmentVariable("LONGPOLE_CLI").isEmpty())
            QSKIP("LONGPOLE_CLI does not name the program");
    }

    void cause_data() {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<QString>("cause");
        QTest::addColumn<QString>("responsible");
        const auto row = [](const char *name, const std::string &text, const char *cause,
                            const char *responsible) {
            QTest::newRow(name) << text << QString(cause) << QString(responsible);
        };
        row("an operation of another device", awaits("softmax", "kernel"), "stream_dependency",
            "softmax");
        row("a collective of another device", awaits("ncclDevKernel_AllReduce", "kernel"),
            "collective_wait", "ncclDevKernel_AllReduce");
        row("a barrier of the host", hostIn("c10d::barrier"), "collective_wait", "c10d::barrier");
        row("a copy of another device", awaits("Memcpy PtoP", "gpu_memcpy"), "transfer_wait",
            "Memcpy PtoP");
        row("a launch that takes effect late", launchedLate(), "launch_latency",
            "cudaLaunchKernel");
        row("a loader in the loop",
            hostIn("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"), "data_wait",
            "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
        row("workers nobody recorded", loader(false), "data_wait",
            "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__");
        row("a worker that was recorded", loader(true), "data_wait",
            "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__");
        row("a range named so", hostIn("load batch", "user_annotation"), "data_wait", "load batch");
        row("a stream awaited, late return", lateReturn("cudaStreamSynchronize"), "sync_wait",
            "cudaStreamSynchronize");
        row("a device awaited, late return", lateReturn("cudaDeviceSynchronize"), "sync_wait",
            "cudaDeviceSynchronize");
        row("an event awaited, late return", lateReturn("cudaEventSynchronize"), "sync_wait",
            "cudaEventSynchronize");
        row("another device awaited", otherDevice(), "sync_wait", "cudaDeviceSynchronize");
        row("asking again and again", spin(), "sync_wait", "cudaEventQuery");
        row("a copy that returns when it is done", hostCalls("cudaMemcpy"), "transfer_blocking",
            "cudaMemcpy");
        row("from the device to pageable memory", blockingCopy(true), "transfer_blocking",
            "cudaMemcpyAsync");
        row("staging pageable memory", blockingCopy(false), "transfer_blocking", "cudaMemcpyAsync");
        row("memory of the device", hostCalls("cudaMalloc"), "allocator", "cudaMalloc");
        row("memory given back", hostCalls("hipFree"), "allocator", "hipFree");
        row("memory mapped", hostCalls("cuMemMap"), "allocator", "cuMemMap");
        row("a module is loaded", hostCalls("cuModuleLoadData"), "compile", "cuModuleLoadData");
        row("a graph is compiled",
            hostIn("torch/_inductor/compile_fx.py(12): compile_fx", "python_function"), "compile",
            "torch/_inductor/compile_fx.py(12): compile_fx");
        row("code loaded by the first launch", overhead("Lazy Function Loading", true), "compile",
            "Lazy Function Loading");
        row("the profiler writes", overhead("Buffer Flush", false), "profiler", "Buffer Flush");
        row("a thread that wakes up late", lateWakeUp(), "handoff_wait",
            "autograd::engine::evaluate_function: MmBackward0");
        row("operators", hostIn("aten::mm"), "host_bound", "aten::mm");
        row("Python", hostIn("model.py(7): forward", "python_function"), "host_bound",
            "model.py(7): forward");
        row("no event", cycles([](Run &run, TimeNs at) {
                run.host("aten::mm", at + kIdle - 14, at + kIdle - 12);
                if (at == 0) run.host("aten::mm", 0, 1);
                run.kernel(at + kIdle, at + kCycle);
            }),
            "host_bound", "");
        row("between queued kernels", queued(), "kernel_gap", "add");
        row("behind the last operation", hostRunsOn(), "window_edge", "");
        row("before the records begin", beforeTheRecords(), "window_edge", "");
        row("behind what was launched before the records begin", launchedBefore(), "window_edge",
            "");
        row("nothing says why", unseen(), "unexplained", "");
    }

    void cause() {
        QFETCH(std::string, text);
        QFETCH(QString, cause);
        QFETCH(QString, responsible);
        const TempFile file(text, "run.json");
        const Answer answer = run({"idle", QString::fromStdString(file.path()), "--all", "--json"});
        QCOMPARE(answer.status, 0);
        const QJsonArray devices = answer.json()["devices"].toArray();
        QVERIFY(!devices.isEmpty());
        const QJsonObject device = devices[0].toObject();
        const double busy = device["busy_ns"].toDouble(), idle = device["idle_ns"].toDouble(),
                     window = device["window_ns"].toDouble();
        QCOMPARE(busy + idle, window);
        QVERIFY2(std::abs(busy / window - 0.5) < 0.01, qPrintable(QString::number(busy / window)));
        const QJsonObject causes = device["by_cause"].toObject();
        const QByteArray found = QJsonDocument(causes).toJson(QJsonDocument::Compact);
        QVERIFY2(causes[cause].toDouble() >= 0.95 * idle, found);
        // each piece of it says what the host was in, or what was waited for
        for (const QJsonValue &value : device["intervals"].toArray()) {
            const QJsonObject piece = value.toObject();
            if (piece["cause"] != cause) continue;
            QVERIFY(piece["evidence"].toString().endsWith('.'));
            if (cause == "kernel_gap" || cause == "unexplained")
                QVERIFY(piece["queued"].toInt() > 0);
            if (cause == "host_bound" || cause == "data_wait") QCOMPARE(piece["queued"].toInt(), 0);
            QCOMPARE(piece["responsible"].toObject()["name"].toString(), responsible);
        }
    }

    /// A copy keeps its device busy; that kernels waited for it is told apart.
    void kernelsWaitForCopies() {
        const TempFile file(cycles([](Run &run, TimeNs at) {
            run.op(run.call("cudaMemcpyAsync", at, at + 4), at + 10, at + kIdle - 2,
                   "Memcpy HtoD (Pinned -> Device)", "gpu_memcpy");
            run.op(run.call("cudaLaunchKernel", at + 5, at + 8), at + kIdle, at + kCycle);
        }));
        const Answer answer = run({"idle", QString::fromStdString(file.path()), "--all", "--json"});
        QCOMPARE(answer.status, 0);
        const QJsonObject device = answer.json()["devices"][0].toObject();
        const QJsonObject kernels = device["kernels"].toObject();
        QVERIFY(device["busy_ns"].toDouble() > 0.99 * device["window_ns"].toDouble());
        QCOMPARE(kernels["busy_ns"].toDouble(), kCycles * kIdle * 1e3);
        QCOMPARE(kernels["busy_ns"].toDouble() + kernels["idle_ns"].toDouble(),
                 device["window_ns"].toDouble());
        QVERIFY(kernels["by_cause"].toObject()["transfer_wait"].toDouble() >
                0.95 * kernels["idle_ns"].toDouble());
    }
};

QTEST_GUILESS_MAIN(IdleTest)
#include "idle_test.moc"
