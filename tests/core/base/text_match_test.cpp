// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "core/base/text_match.h"

#include <random>

using namespace longpole;

class TextMatchTest : public QObject {
    Q_OBJECT
private slots:
    void findsEveryPartOfATextWhateverTheCase();
    void bytesBeyondAsciiMustBeEqual();
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

QTEST_APPLESS_MAIN(TextMatchTest)
#include "text_match_test.moc"
