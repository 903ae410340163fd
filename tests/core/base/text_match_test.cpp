// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "core/base/text_match.h"

#include <iterator>
#include <random>
#include <re2/re2.h>

using namespace longpole;

class TextMatchTest : public QObject {
    Q_OBJECT
private slots:
    void findsEveryPartOfATextWhateverTheCase();
    void bytesBeyondAsciiMustBeEqual();
    void expressionsMatchAsTheirLibrarySays();
};

void TextMatchTest::findsEveryPartOfATextWhateverTheCase() {
    std::mt19937 random(7);
    const auto word = [&](size_t length) {
        std::string text(length, ' ');
        for (char &c : text) c = "abAB_z"[random() % 6];
        return text;
    };
    const auto lower = [](std::string text) {
        for (char &c : text)
            if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
        return text;
    };
    size_t hits = 0;
    for (int i = 0; i < 20000; ++i) {
        const std::string text = word(random() % 70), part = word(1 + random() % 6);
        const bool expected = lower(text).find(lower(part)) != std::string::npos;
        QVERIFY2(TextMatch::compile(part)->in(text) == expected, (text + " / " + part).c_str());
        hits += expected;
    }
    QVERIFY(hits > 1000 && hits < 19000);
    const std::string text = word(70);
    for (size_t from = 0; from < text.size(); ++from)
        for (size_t length = 1; from + length <= text.size(); ++length)
            QVERIFY(TextMatch::compile(text.substr(from, length))->in(text));
}

void TextMatchTest::bytesBeyondAsciiMustBeEqual() {
    QVERIFY(TextMatch::compile("größe")->in("die GröSSe ist die größe"));
    QVERIFY(!TextMatch::compile("größe")->in("GRÖSSE"));
    QVERIFY(!TextMatch::compile("x")->in(""));
}

/// What is asked first for the sake of speed never decides.
void TextMatchTest::expressionsMatchAsTheirLibrarySays() {
    std::mt19937 random(11);
    const char *const pieces[] = {"ab",           "gemm",   "x1",   "A",  "b+",  "(ab|Ba)",
                                  "[a-c]",        "_",      ".*",   "c?", "^",   "$",
                                  "(gemm|x)",     "a{2,3}", "(?i)", "é",  "\\d", "(É|k)",
                                  "(a|b|c|gemm)", "(ab)*"};
    const char *const letters[] = {"a", "b", "A", "B", "ab", "gemm", "x1", "_", "é", "É", "K", "1"};
    size_t hits = 0, asked = 0;
    for (int i = 0; i < 3000; ++i) {
        std::string pattern;
        for (int k = int(1 + random() % 4); k > 0; --k)
            pattern += pieces[random() % std::size(pieces)];
        const re2::RE2 whole(pattern, re2::RE2::Quiet);
        const auto match = TextMatch::compile("/" + pattern + "/");
        QCOMPARE(bool(match), whole.ok());
        for (int t = 0; match && t < 20; ++t) {
            std::string text;
            for (int k = int(random() % 6); k > 0; --k)
                text += letters[random() % std::size(letters)];
            const bool expected = re2::RE2::PartialMatch(text, whole);
            QVERIFY2(match->in(text) == expected, (text + " / " + pattern).c_str());
            hits += expected;
            ++asked;
        }
    }
    QVERIFY(hits > asked / 5 && hits < asked * 4 / 5);
}

QTEST_APPLESS_MAIN(TextMatchTest)
#include "text_match_test.moc"
