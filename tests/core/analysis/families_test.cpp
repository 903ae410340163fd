// SPDX-License-Identifier: Apache-2.0
//
// How far forecasts are off in families of pairs of runs: with everything recorded, with something
// left out, and with something between the runs that no forecast knows. The table stands in
// resources/docs/accuracy.md.
#include "tests/support/loop_families.h"

#include <QTest>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace longpole;
using namespace longpole::test;

namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr bool kAll = false; // takes 20 times as long
#else
constexpr bool kAll = true;
#endif

void printWorst(const LoopFamily &family) {
    std::vector<LoopPair> pairs = family.pairs;
    const bool all = std::getenv("LONGPOLE_ALL_PAIRS");
    std::sort(pairs.begin(), pairs.end(),
              [](const LoopPair &a, const LoopPair &b) { return a.error() > b.error(); });
    for (size_t i = 0; i < pairs.size() && (all || i < 4); ++i) {
        if (all && pairs[i].covered() && i >= 4) continue;
        std::printf("  %8.4f %%  %lld -> predicted %lld [%lld, %lld], truth %lld  %s\n",
                    100 * pairs[i].error(), static_cast<long long>(pairs[i].before),
                    static_cast<long long>(pairs[i].predicted),
                    static_cast<long long>(pairs[i].interval.low),
                    static_cast<long long>(pairs[i].interval.high),
                    static_cast<long long>(pairs[i].truth), pairs[i].what.c_str());
    }
}

/// Where nothing tells when a batch was ready, the answer says so, and how long it takes then.
void unseenBatchesAreNamed(const LoopFamily &family) {
    size_t named = 0, between = 0, far = 0, farNamed = 0;
    for (const LoopPair &pair : family.pairs) {
        const Forecast &f = pair.interval;
        const bool isNamed = !unseenBatches(f, pair.before).empty();
        named += isNamed;
        between += isNamed && std::min(f.low, f.taken) <= pair.truth &&
                   pair.truth <= std::max(f.high, f.taken);
        far += pair.error() > 0.05;
        farNamed += isNamed && pair.error() > 0.05;
    }
    std::printf("  %zu name batches that nobody waited for: %zu of them hold what came true; "
                "%zu of %zu that err by more than 5 %% are among them\n",
                named, between, farNamed, far);
    QVERIFY(named > 0 && named < family.pairs.size() / 2);
    QCOMPARE(between, named);
    QCOMPARE(farNamed, far);
}

} // namespace

class FamiliesTest : public QObject {
    Q_OBJECT
private slots:
    /// The other reading of a graph is in its interval.
    void graphsMayTakeTheWorkOfTheHost() {
        const auto pairs = graphsWithoutHostWork(kAll ? 3 : 1);
        size_t inside = 0, far = 0;
        for (const LoopPair &pair : pairs) {
            inside += pair.covered();
            far += pair.error() > 0.1;
            if (!pair.covered())
                std::printf("  [%lld, %lld], truth %lld  %s\n",
                            static_cast<long long>(pair.interval.low),
                            static_cast<long long>(pair.interval.high),
                            static_cast<long long>(pair.truth), pair.what.c_str());
        }
        std::printf(
            "%zu of %zu graphs without work of the host inside, %zu far from the headline\n",
            inside, pairs.size(), far);
        std::fflush(stdout);
        QVERIFY(far > 0);
        QVERIFY(double(inside) >= 0.95 * double(pairs.size()));
    }

    void keepToTheirLimits() {
        const std::vector<LoopFamily> families = loopFamilies(kAll ? 5 : 1);
        if (kAll) QVERIFY(families.front().pairs.size() >= 300);
        for (const LoopFamily &family : families) {
            std::printf("%s\n", accuracyLine(family.name, family.pairs).c_str());
            printWorst(family);
            if (family.name.find("loader") != std::string::npos) unseenBatchesAreNamed(family);
        }
        std::fflush(stdout);
        for (const LoopFamily &family : families) {
            if (!kAll) continue;
            const std::string line = accuracyLine(family.name, family.pairs);
            QVERIFY2(broken(family).empty(), (family.name + ":" + broken(family)).c_str());
            QVERIFY2(inAccuracyPage(line), ("resources/docs/accuracy.md lacks " + line).c_str());
        }
    }
};

QTEST_APPLESS_MAIN(FamiliesTest)
#include "families_test.moc"
