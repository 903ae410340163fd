// SPDX-License-Identifier: Apache-2.0
#include <QtTest> // before <compare>, over which the moc of Qt 6.4 stumbles when it comes first

#include "core/base/string_pool.h"

#include <string>
#include <vector>

using namespace longpole;

class StringPoolTest : public QObject {
    Q_OBJECT
private slots:
    void emptyTextIsZero() {
        StringPool pool;
        QCOMPARE(pool.size(), 1u);
        QCOMPARE(pool.intern("").index, 0u);
        QCOMPARE(pool.size(), 1u);
        QVERIFY(pool[StringId{}].empty());
    }

    void equalTextsShareAnId() {
        StringPool pool;
        const StringId gemm = pool.intern("gemm");
        std::string built = "ge";
        built += "mm";
        QVERIFY(pool.intern(built) == gemm);
        QVERIFY(pool.intern("gem") != gemm);
        QCOMPARE(pool.size(), 3u);
    }

    void bytesAreKeptAsTheyAre() {
        using namespace std::string_literals;
        StringPool pool;
        const std::string nul = "a\0b"s, broken = "\xff\xfe";
        const StringId first = pool.intern(nul), second = pool.intern(broken);
        QVERIFY(pool[first] == nul);
        QVERIFY(pool[second] == broken);
        QVERIFY(pool.intern("a") != first);
    }

    /// The pool grows its table and its chunks many times; ids and views must survive.
    void growthKeepsIdsAndViews() {
        StringPool pool;
        const size_t count = 50'000;
        std::vector<std::string_view> views;
        for (size_t i = 0; i < count; ++i) {
            const StringId id = pool.intern("kernel " + std::to_string(i));
            QCOMPARE(size_t(id.index), i + 1);
            views.push_back(pool[id]);
        }
        for (size_t i = 0; i < count; ++i) {
            const std::string text = "kernel " + std::to_string(i);
            QVERIFY(views[i] == text);
            QCOMPARE(size_t(pool.intern(text).index), i + 1);
        }
        QCOMPARE(size_t(pool.size()), count + 1);
    }

    void longTextsGetTheirOwnRoom() {
        StringPool pool;
        const std::string huge(300'000, 'x');
        const StringId before = pool.intern("before");
        const StringId id = pool.intern(huge);
        const StringId after = pool.intern("after");
        QVERIFY(pool[id] == huge);
        QVERIFY(pool[before] == "before");
        QVERIFY(pool[after] == "after");
    }
};

QTEST_APPLESS_MAIN(StringPoolTest)
#include "string_pool_test.moc"
