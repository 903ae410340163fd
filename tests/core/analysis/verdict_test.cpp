// SPDX-License-Identifier: Apache-2.0
// Levers by the names of things that can be edited, and the verdict around them.
#include "core/analysis/verdict.h"
#include "core/analysis/verdict_words.h"
#include "tests/support/files.h"
#include "tests/support/text_trace.h"

#include <QTest>

#include <cmath>
#include <set>

using namespace longpole;
using namespace longpole::test;

namespace {

Verdict verdictOf(const Trace &trace) {
    const Steps steps = findSteps(trace);
    const Phases phased = phases(trace, steps);
    Progress progress;
    const auto window = resolveWindow(trace, steps, {});
    const auto graph = buildGraph(trace, steps, phased, progress);
    if (!window || !graph) return {};
    auto v = verdict(trace, steps, phased, *graph, *window, progress);
    return v ? std::move(*v) : Verdict{};
}

QStringList labelsOf(const Verdict &v) {
    QStringList labels;
    for (const NamedLever &named : v.levers)
        labels.append(QString::fromStdString(named.lever.label));
    return labels;
}

QString text(const std::vector<VerdictLine> &lines) {
    QString all;
    for (const VerdictLine &line : lines) all += QString::fromStdString(line.text()) + "\n";
    return all;
}

/// A host that launches slowly: the device waits for every kernel.
std::string launchBound() {
    std::string text = "main: ## forward ## 0..400 annotation\n";
    for (int i = 0; i < 10; ++i) {
        const std::string at = std::to_string(i * 40), end = std::to_string(i * 40 + 38);
        text += "main: cudaLaunchKernel " + at + ".." + end + " launch corr=" + std::to_string(i) +
                "\ngpu0/s7: k" + std::to_string(i) + " " + end + ".." +
                std::to_string(i * 40 + 39) + " corr=" + std::to_string(i) + "\n";
    }
    return text;
}

} // namespace

class VerdictTest : public QObject {
    Q_OBJECT
private slots:
    /// Each batch has a range of its own, and none of them alone would be worth a change.
    void rangesThatCountAreOne() {
        std::string text;
        for (int i = 0; i < 100; ++i) {
            // at uneven distances: they are no steps
            const auto us = [&](int t) { return std::to_string(100 * i + i / 4 * 100 + t); };
            const std::string corr = " corr=" + std::to_string(i) + "\n";
            text += "main: batch " + std::to_string(i) + " " + us(0) + ".." + us(100) +
                    " annotation\nmain: cudaLaunchKernel " + us(1) + ".." + us(5) + " launch" +
                    corr + "main: cudaDeviceSynchronize " + us(6) + ".." + us(95) + " sync\n" +
                    "gpu0/s7: gemm2 " + us(10) + ".." + us(90) + corr;
        }
        const auto trace = traceFromText(text);
        const Verdict v = verdictOf(*trace);
        QVERIFY(!v.levers.empty());
        const NamedLever &first = v.levers.front();
        QCOMPARE(labelsOf(v).front(), QString("100 × gemm2 in batch N"));
        QCOMPARE(QString::fromStdString(first.lever.selector),
                 QString("name:gemm2 & name>:batch [0-9]+"));
        QVERIFY(first.lever.gain2 > 3'900'000);
    }

    void launchesAreNamedByTheirRange() {
        const Verdict v = verdictOf(*traceFromText(launchBound()));
        QVERIFY(!v.levers.empty());
        const Lever &lever = v.levers.front().lever;
        QCOMPARE(labelsOf(v).front(), QString("10 × cudaLaunchKernel in ## forward ##"));
        QCOMPARE(QString::fromStdString(lever.selector),
                 QString("name:cudaLaunchKernel & name>:## forward ##"));
        QCOMPARE(lever.onPath, 380'000);
        QCOMPARE(lever.gain2, 190'000);
        QVERIFY(lever.low > 0 && lever.low <= lever.gain2 && lever.gain2 <= lever.high);
        QVERIFY(text(v.lines).contains("half as many launches"));
    }

    void operatorsHoldWhatTheyCall() {
        const Verdict v = verdictOf(*traceFromText(
            "main: Optimizer.step#SGD.step 0..100 annotation\nmain: aten::item 10..90\n"
            "main: aten::_local_scalar_dense 15..55\nmain: cudaGetDevice 55..85 runtime\n"));
        QCOMPARE(labelsOf(v).front(), QString("aten::item in Optimizer.step#SGD.step"));
        QCOMPARE(v.levers.front().lever.onPath, 80'000);
        // what lies inside is no second lever
        for (const QString &label : labelsOf(v)) QVERIFY(!label.contains("scalar_dense"));
    }

    void waitsAreNoLevers() {
        const Verdict v = verdictOf(*traceFromText(
            "main: cudaLaunchKernel 0..2 launch corr=1\nmain: cudaDeviceSynchronize 2..100 sync\n"
            "gpu0/s7: void gemm<float>(int) 4..98 corr=1\n"));
        QCOMPARE(labelsOf(v), QStringList("gemm"));
        QCOMPARE(int(v.levers.front().nature), int(LeverNature::Kernels));
    }

    void dataWaitHasATestOfItsOwn() {
        const Verdict v = verdictOf(*traceFromText(
            "main: enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__ 0..60\n"
            "main: train 60..100\n"));
        QCOMPARE(labelsOf(v).front(), QString("_SingleProcessDataLoaderIter.__next__"));
        QVERIFY(text(v.lines).contains("fed again and again"));
        QVERIFY(text(v.lines).contains("No device work is recorded"));
    }

    /// Halving a call that starts the device up once is no advice.
    void startUpIsNoSteadyWork() {
        const Verdict v = verdictOf(*traceFromText("main: cudaGetDevice 0..90 runtime\n"
                                                   "main: cudaGetDevice 91..92 runtime\n"
                                                   "main: cudaGetDevice 93..94 runtime\n"));
        QCOMPARE(labelsOf(v).front(), QString("3 × cudaGetDevice"));
        QCOMPARE(int(v.levers.front().nature), int(LeverNature::Calls));
        QVERIFY(text(v.lines).contains("as at start-up: refuted if making it before the window"));
        QVERIFY(!text(v.lines).contains("fuse, compile"));
    }

    void wordsAndNumbers() {
        QCOMPARE(spanText(14'200'000, 14'500'000), std::string("14.2 – 14.5\u00a0ms"));
        QCOMPARE(spanText(0, 25'600'000), std::string("0\u00a0ns – 25.6\u00a0ms"));
        QCOMPARE(stepTitle("ProfilerStep#7"), std::string("Step 7"));
        QCOMPARE(stepTitle("train"), std::string("train"));
        QCOMPARE(gainText(14'300'000), std::string("\u221214.3\u00a0ms"));
        const auto shares = percentTexts({333, 333, 334, 0});
        QCOMPARE(shares[0], std::string("33.3\u00a0%"));
        QCOMPARE(shares[2], std::string("33.4\u00a0%"));
        QVERIFY(shares[3].empty());
        for (const auto &parts :
             {std::vector<TimeNs>{1, 1, 1}, {1, 999'999}, {7, 11, 13, 17, 19}}) {
            double sum = 0;
            for (const std::string &share : percentTexts(parts))
                if (!share.empty()) sum += std::stod(share);
            QVERIFY(std::abs(sum - 100) < 1e-9);
        }
        QCOMPARE(percentTexts({0, 0}), std::vector<std::string>(2));
    }

    /// Every number that can be followed leads to time of that kind inside the window.
    void numbersKnowWhereTheyAreCounted() {
        const auto trace = traceFromText(launchBound());
        const Verdict v = verdictOf(*trace);
        std::set<VerdictLink::To> seen;
        for (const VerdictLine &line : v.lines)
            for (const VerdictPart &part : line.parts) {
                const VerdictLink &link = part.link;
                if (link.to == VerdictLink::To::Nothing) continue;
                seen.insert(link.to);
                QVERIFY(!part.detail && !part.text.empty());
                QVERIFY(!link.range.empty());
                QVERIFY(v.window.range.begin <= link.range.begin);
                QVERIFY(link.range.end <= v.window.range.end);
                if (!link.interval.valid() || link.interval.row == kNone) continue;
                if (link.to == VerdictLink::To::Idle) continue; // what came next
                QVERIFY(trace->begin(link.interval) <= link.range.begin);
                QVERIFY(link.range.end <= trace->end(link.interval));
            }
        for (const auto to :
             {VerdictLink::To::Window, VerdictLink::To::Phase, VerdictLink::To::Idle,
              VerdictLink::To::Lever, VerdictLink::To::Trust})
            QVERIFY2(seen.count(to), std::to_string(int(to)).c_str());
    }

    void spreadTimeIsSaid() {
        std::string source;
        for (int i = 0; i < 60; ++i)
            source += "main: " + std::string(1, char('a' + i % 26)) +
                      std::string(1, char('a' + i / 26)) + " " + std::to_string(i) + ".." +
                      std::to_string(i + 1) + "\n";
        const Verdict v = verdictOf(*traceFromText(source));
        QVERIFY(v.levers.empty());
        QVERIFY(text(v.lines).contains("No single change gains more than 2"));
    }

    /// A range without a name is none that could be named, and no reason to stop.
    void rangeWithoutAName() {
        const auto opened = openText(
            "[{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"a\", \"ts\": 0, \"dur\": 100},"
            "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"ts\": 200, \"dur\": 100},"
            "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"a\", \"ts\": 210, \"dur\": 80}]");
        QVERIFY(bool(opened));
        const Verdict v = verdictOf(**opened);
        QVERIFY(labelsOf(v).contains("2 × a") || labelsOf(v).contains("a"));
    }

    /// Of every verdict: at most eight lines, levers that gain, trust that adds up, selectors that
    /// select.
    void alwaysHolds() {
        for (const std::string &source :
             {launchBound(), std::string("main: a 0..10\n"),
              std::string("gpu0/s7: k 0..10\ngpu1/s7: k 5..10\n"),
              std::string(
                  "main: ProfilerStep#1 0..10\nmain: a 2..8\nmain: ProfilerStep#2 10..20\n")}) {
            const auto trace = traceFromText(source);
            const Verdict v = verdictOf(*trace);
            QVERIFY(!v.lines.empty() && v.lines.size() <= 8);
            for (const VerdictLine &line : v.lines) QVERIFY(line.text().ends_with('.'));
            QVERIFY(v.levers.size() <= 3);
            const TimeNs length = v.window.range.length();
            for (const NamedLever &named : v.levers) {
                QVERIFY(named.lever.gain2 * 50 >= length);
                QVERIFY(!named.lever.label.empty());
            }
            const EvidenceSums &t = v.trust;
            QCOMPARE(t.recorded + t.inferred + t.assumed + t.untraced + t.unexplained, length);
        }
    }
};

QTEST_GUILESS_MAIN(VerdictTest)
#include "verdict_test.moc"
