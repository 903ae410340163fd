// SPDX-License-Identifier: Apache-2.0
#include "core/model/diagnostics.h"

#include <QRegularExpression>
#include <QtTest>

#include <set>

using namespace longpole;

class DiagnosticsTest : public QObject {
    Q_OBJECT
private slots:
    /// Ids are part of the command line's contract: one each, in snake_case, with a whole sentence.
    void tableIsComplete() {
        const QRegularExpression snakeCase("^[a-z][a-z0-9]*(_[a-z0-9]+)*$");
        std::set<std::string_view> ids;
        for (size_t i = 0; i < kReasonCount; ++i) {
            const ReasonText &text = reasonText(Reason(i));
            const QString id = QString::fromUtf8(text.id.data(), qsizetype(text.id.size()));
            QVERIFY2(snakeCase.match(id).hasMatch(), qPrintable(QString::number(i) + ": " + id));
            QVERIFY2(ids.insert(text.id).second, qPrintable("twice: " + id));
            QVERIFY2(text.sentence.size() > 10 && text.sentence.ends_with('.'), qPrintable(id));
        }
    }

    /// The table is ordered by severity like the enum, so that a line cannot slip to a neighbour.
    void severitiesAsDeclared() {
        auto severity = [](Reason reason) { return reasonText(reason).severity; };
        QCOMPARE(severity(Reason::AsyncEvent), Severity::SetAside);
        QCOMPARE(severity(Reason::EmptyCounter), Severity::SetAside);
        QCOMPARE(severity(Reason::NegativeDuration), Severity::Repaired);
        QCOMPARE(severity(Reason::TruncatedFile), Severity::Repaired);
        QCOMPARE(severity(Reason::Overlap), Severity::Noticed);
        QCOMPARE(severity(Reason::OtherList), Severity::Noticed);
        for (size_t i = 1; i < kReasonCount; ++i)
            QVERIFY(severity(Reason(i - 1)) <= severity(Reason(i)));
    }

    void keepsTheFirstPlace() {
        Diagnostics diagnostics;
        diagnostics.add(Reason::BadTime, 500);
        diagnostics.add(Reason::BadTime, 20, 3);
        diagnostics.add(Reason::BadTime, 900);
        QCOMPARE(diagnostics[Reason::BadTime].count, uint64_t(5));
        QCOMPARE(diagnostics[Reason::BadTime].firstOffset, uint64_t(20));
        QCOMPARE(diagnostics[Reason::Overlap].count, uint64_t(0));
    }

    void listsWhatOccurred() {
        Diagnostics diagnostics;
        diagnostics.add(Reason::UnknownPhase, 1);
        diagnostics.add(Reason::AsyncEvent, 2);
        diagnostics.add(Reason::Overlap, 3);
        QVERIFY((diagnostics.occurred(Severity::SetAside) ==
                 std::vector{Reason::AsyncEvent, Reason::UnknownPhase}));
        QVERIFY((diagnostics.occurred(Severity::Noticed) == std::vector{Reason::Overlap}));
        QVERIFY(diagnostics.occurred(Severity::Repaired).empty());
    }

    void mergesFiles() {
        Diagnostics job, second;
        job.add(Reason::Overlap, 700);
        second.add(Reason::Overlap, 10, 2);
        second.add(Reason::BadTime, 30);
        job.merge(second, 1);
        QCOMPARE(job[Reason::Overlap].count, uint64_t(3));
        QCOMPARE(job[Reason::Overlap].firstOffset, uint64_t(700));
        QCOMPARE(job[Reason::Overlap].file, 0u);
        QCOMPARE(job[Reason::BadTime].count, uint64_t(1));
        QCOMPARE(job[Reason::BadTime].firstOffset, uint64_t(30));
        QCOMPARE(job[Reason::BadTime].file, 1u);
    }

    /// The books balance: read is the sum of all others, also after adding a second file.
    void countsAdd() {
        EventCounts all, other{.read = 28,
                               .intervals = 1,
                               .paired = 2,
                               .counters = 3,
                               .flows = 4,
                               .instants = 5,
                               .metadata = 6,
                               .setAside = 7};
        all.add(other);
        all.add(other);
        QCOMPARE(all.read, all.intervals + all.paired + all.counters + all.flows + all.instants +
                               all.metadata + all.setAside);
        QCOMPARE(all.setAside, uint64_t(14));
    }
};

QTEST_APPLESS_MAIN(DiagnosticsTest)
#include "diagnostics_test.moc"
