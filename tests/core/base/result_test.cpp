// SPDX-License-Identifier: Apache-2.0
#include "core/base/result.h"

#include <QtTest>

#include <memory>

using namespace longpole;

namespace {
Result<int> half(int value) {
    if (value % 2) return Error{ErrorKind::Impossible, "odd", "7 cannot be halved."};
    return value / 2;
}
} // namespace

class ResultTest : public QObject {
    Q_OBJECT
private slots:
    void holdsAValue() {
        const Result<int> result = half(8);
        QVERIFY(bool(result));
        QCOMPARE(*result, 4);
    }

    void holdsAnError() {
        const Result<int> result = half(7);
        QVERIFY(!result);
        QCOMPARE(result.error().kind, ErrorKind::Impossible);
        QCOMPARE(result.error().reason, std::string("odd"));
        QCOMPARE(result.error().message, std::string("7 cannot be halved."));
    }

    /// A value that is false itself is still a value.
    void falseIsAValue() {
        const Result<bool> result = false;
        QVERIFY(bool(result));
        QCOMPARE(*result, false);
    }

    void movesWhatCannotBeCopied() {
        Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
        const std::unique_ptr<int> taken = std::move(*result);
        QCOMPARE(*taken, 3);
        QVERIFY(result.value() == nullptr);
    }

    void valuesCanBeChangedInPlace() {
        Result<std::string> result = std::string("a");
        result->append("b");
        QCOMPARE(*result, std::string("ab"));
    }
};

QTEST_APPLESS_MAIN(ResultTest)
#include "result_test.moc"
