// SPDX-License-Identifier: Apache-2.0
#include "core/base/pattern.h"

#include <QTest>

using namespace longpole;

class PatternTest : public QObject {
    Q_OBJECT
private slots:
    void matchesWholeTexts_data() {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("matches");
        QTest::newRow("literal") << "abc"
                                 << "abc" << true;
        QTest::newRow("not a part") << "abc"
                                    << "abcd" << false;
        QTest::newRow("empty") << ""
                               << "" << true;
        QTest::newRow("empty is no wildcard") << ""
                                              << "a" << false;
        QTest::newRow("star") << "a.*z"
                              << "a then z" << true;
        QTest::newRow("choice") << "nccl:.*|c10d::.*"
                                << "c10d::allreduce_" << true;
        QTest::newRow("choice, neither") << "nccl:.*|c10d::.*"
                                         << "aten::c10d::x" << false;
        QTest::newRow("digits") << ".*Backward\\d*"
                                << "MeanBackward1" << true;
        QTest::newRow("digits, not letters") << ".*Backward\\d*"
                                             << "BackwardHook" << false;
        QTest::newRow("escape") << "enumerate\\(DataLoader\\).*"
                                << "enumerate(DataLoader)#x" << true;
        QTest::newRow("class") << "[a-c_]+"
                               << "ab_c" << true;
        QTest::newRow("class, outside") << "[a-c_]+"
                                        << "abd" << false;
        QTest::newRow("negated class") << "[^/]+"
                                       << "a.b" << true;
        QTest::newRow("negated class, hit") << "[^/]+"
                                            << "a/b" << false;
        QTest::newRow("bracket first in class") << "[]a]+"
                                                << "a]" << true;
        QTest::newRow("optional") << "data[ _]?wait"
                                  << "datawait" << true;
        QTest::newRow("exactly") << "a{3}"
                                 << "aaa" << true;
        QTest::newRow("exactly, fewer") << "a{3}"
                                        << "aa" << false;
        QTest::newRow("between") << "(ab){1,2}"
                                 << "abab" << true;
        QTest::newRow("between, more") << "(ab){1,2}"
                                       << "ababab" << false;
        QTest::newRow("at least") << "a{2,}"
                                  << "aaaaa" << true;
        QTest::newRow("lazy") << "<.+?>"
                              << "<a>" << true;
        QTest::newRow("anchors") << "^step$"
                                 << "step" << true;
        QTest::newRow("anchor inside") << "a^b"
                                       << "ab" << false;
        QTest::newRow("group without capture") << "(?:x|yz)*"
                                               << "xyzyzx" << true;
        QTest::newRow("multi-byte literal") << "µs.*"
                                            << "µs länge" << true;
        QTest::newRow("nested stars") << "(a*)*b"
                                      << "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" << false;
    }
    void matchesWholeTexts() {
        QFETCH(QString, pattern);
        QFETCH(QString, text);
        auto compiled = Pattern::compile(pattern.toStdString());
        QVERIFY2(compiled, compiled ? "" : compiled.error().message.c_str());
        QTEST(compiled->matches(text.toStdString()), "matches");
    }

    void saysWhatIsWrong_data() {
        QTest::addColumn<QString>("pattern");
        for (const char *bad : {"(", ")", "a)", "[a", "*a", "a{5,2}", "\\", "\\1", "(?=a)", "[z-a]",
                                "a{2000}", "(a{1000}){1000}"})
            QTest::newRow(bad) << bad;
    }
    void saysWhatIsWrong() {
        QFETCH(QString, pattern);
        const auto compiled = Pattern::compile(pattern.toStdString());
        QVERIFY(!compiled);
        QCOMPARE(compiled.error().kind, ErrorKind::Usage);
        QVERIFY(compiled.error().message.find(pattern.toStdString()) != std::string::npos);
    }

    void staysLinearAndFlat() {
        auto evil = Pattern::compile("(a|a)*(a*)*(.*a){20}b");
        QVERIFY(evil);
        QVERIFY(!evil->matches(std::string(1 << 20, 'a')));
    }
};

QTEST_APPLESS_MAIN(PatternTest)
#include "pattern_test.moc"
