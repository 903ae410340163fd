// SPDX-License-Identifier: GPL-3.0-or-later
// The Capture dialog, by mouse and keys, on the program that is linked to doubles of CUDA.
#include "tests/support/recording.h"
#include "ui/capture/capture_dialog.h"
#include "ui/main_window.h"
#include "ui/style.h"
#include "ui/theme.h"

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSettings>
#include <QTest>

using namespace longpole;

namespace {

constexpr int kPatience = 20'000; // ms

template <class T>
T *part(QWidget *of, const char *name) {
    T *found = of->findChild<T *>(QLatin1String(name));
    if (!found) qFatal("no %s", name);
    return found;
}

void press(QWidget *widget) {
    QTest::mouseClick(widget, Qt::LeftButton, {}, widget->rect().center());
}

void write(QWidget *dialog, const char *field, const QString &text) {
    auto *line = part<QLineEdit>(dialog, field);
    press(line);
    QTest::keySequence(line, QKeySequence::SelectAll);
    if (text.isEmpty())
        QTest::keyClick(line, Qt::Key_Delete);
    else
        QTest::keyClicks(line, text);
    QCOMPARE(line->text(), text);
}

/// What stands for a person at the window.
struct Hands {
    QTemporaryDir folder;
    MainWindow window;
    CaptureDialog *dialog = nullptr;

    explicit Hands(const QMap<QString, QString> &environment = {}) {
        const QProcessEnvironment wanted = test::doublesEnvironment(13, environment);
        for (const QString &name : wanted.keys()) {
            if (qgetenv(name.toLatin1()) == wanted.value(name).toLocal8Bit()) continue;
            if (!m_before.contains(name)) m_before[name] = qgetenv(name.toLatin1());
            qputenv(name.toLatin1(), wanted.value(name).toLocal8Bit());
        }
        QSettings().clear();
        window.resize(1200, 800);
        window.show();
        window.activateWindow();
        if (!QTest::qWaitForWindowActive(&window)) qFatal("the window is not active");
    }
    ~Hands() {
        for (auto it = m_before.begin(); it != m_before.end(); ++it)
            it.value().isNull() ? qunsetenv(it.key().toLatin1())
                                : qputenv(it.key().toLatin1(), it.value());
    }
    void openDialog() {
        QTest::keySequence(&window, QKeySequence(QStringLiteral("Ctrl+R")));
        dialog = window.findChild<CaptureDialog *>();
        QVERIFY(dialog && dialog->isVisible());
        QVERIFY(QTest::qWaitForWindowActive(dialog));
        write(dialog, "captureFolder", folder.path());
        write(dialog, "captureFile", QStringLiteral("mine.lpcap"));
    }
    void command(const QString &words) {
        write(dialog, "captureCommand", test::victimProgram() + QLatin1Char(' ') + words);
    }
    QString status() const { return part<QLabel>(dialog, "captureStatus")->text(); }
    const Trace *trace() { return window.state().trace(); }

private:
    QMap<QString, QByteArray> m_before;
};

size_t countOf(const Trace &trace, std::string_view name) {
    size_t count = 0;
    for (uint32_t t = 0; t < trace.tracks.size(); ++t)
        for (uint32_t row = 0; row < trace.tracks[t].table->size(); ++row)
            count += trace.name({t, row}) == name;
    return count;
}

} // namespace

class CaptureTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        QCoreApplication::setOrganizationName(QStringLiteral("longpole-test"));
        QCoreApplication::setApplicationName(QStringLiteral("capture"));
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_settings.path());
        useBundledFont();
        applyStyle(false);
    }

    /// Also where the toolkit, the library or the device is missing.
    void whatIsMissingIsSaid() {
        Hands hands({{"LONGPOLE_CAPTURE_LIBRARY", "/nowhere/library.so"}});
        press(part<QPushButton>(&hands.window, "captureLink")); // of the start page
        hands.dialog = hands.window.findChild<CaptureDialog *>();
        QVERIFY(hands.dialog && hands.dialog->isVisible());
        auto *machine = part<QLabel>(hands.dialog, "captureMachine");
        QTRY_VERIFY_WITH_TIMEOUT(machine->text().contains("cuda-cupti-dev"), kPatience);
        QVERIFY(machine->text().startsWith("This machine cannot record yet."));
        // whoever tries is told, and the dialog stays
        write(hands.dialog, "captureFolder", hands.folder.path());
        QVERIFY(!part<QPushButton>(hands.dialog, "captureRecord")->isEnabled());
        write(hands.dialog, "captureCommand", QStringLiteral("true"));
        press(part<QPushButton>(hands.dialog, "captureRecord"));
        QTRY_VERIFY_WITH_TIMEOUT(hands.status().contains("Nothing was recorded"), kPatience);
        QVERIFY(part<QPlainTextEdit>(hands.dialog, "captureOutput")
                    ->toPlainText()
                    .contains("The capture library is missing"));
        QVERIFY(hands.dialog->isVisible() && !hands.trace());
    }

    void recordsAndOpens() {
        if (const QString why = test::whyNotRecording(); !why.isEmpty()) QSKIP(qPrintable(why));
        Hands hands;
        hands.openDialog();
        auto *machine = part<QLabel>(hands.dialog, "captureMachine");
        QTRY_COMPARE_WITH_TIMEOUT(machine->text(), QString("This machine can record."), kPatience);
        hands.command(QStringLiteral("steps 40"));
        QTest::keyClick(part<QLineEdit>(hands.dialog, "captureCommand"), Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(hands.trace(), kPatience);
        QCOMPARE(hands.window.session().paths(),
                 QStringList{hands.folder.filePath(QStringLiteral("mine.lpcap"))});
        QVERIFY(!hands.dialog->isVisible());
        // 20 steps after 5 of warm-up, as the dialog proposes
        const auto measured = hands.trace()->files[0].measurement;
        QVERIFY(measured && measured->whole() && measured->synchronised);
        QVERIFY(measured->asked == 20 && measured->warmup == 5);
        QVERIFY(part<QPlainTextEdit>(hands.dialog, "captureOutput")
                    ->toPlainText()
                    .contains("victim done"));
        // the next one has another name, and the program is remembered
        QTest::keySequence(&hands.window, QKeySequence(QStringLiteral("Ctrl+R")));
        QCOMPARE(part<QLineEdit>(hands.dialog, "captureFile")->text(), QString("longpole.lpcap"));
        QVERIFY(part<QLineEdit>(hands.dialog, "captureCommand")->text().endsWith("steps 40"));
    }

    void showsHowItGoesAndStops() {
        if (const QString why = test::whyNotRecording(); !why.isEmpty()) QSKIP(qPrintable(why));
        Hands hands({{"FAKE_CUPTI_PERIOD", "20"}});
        hands.openDialog();
        hands.command(QStringLiteral("steps 100000 pause 20"));
        write(hands.dialog, "captureStepName", QStringLiteral("nothing is named so"));
        press(part<QPushButton>(hands.dialog, "captureRecord"));
        QTRY_VERIFY_WITH_TIMEOUT(hands.status().contains("records/s"), kPatience);
        QVERIFY2(hands.status().contains("0 dropped"), qPrintable(hands.status()));
        QVERIFY(!part<QLineEdit>(hands.dialog, "captureCommand")->isEnabled());
        // Escape ends neither the program nor the dialog
        QTest::keyClick(hands.dialog, Qt::Key_Escape);
        QVERIFY(hands.dialog->isVisible());
        QVERIFY2(hands.status().contains("still runs"), qPrintable(hands.status()));
        QTRY_VERIFY_WITH_TIMEOUT(hands.status().contains("records/s"), kPatience);
        press(part<QPushButton>(hands.dialog, "captureStop"));
        QTRY_VERIFY_WITH_TIMEOUT(hands.trace(), kPatience);
        QVERIFY(countOf(*hands.trace(), "gemm") >= 5);
        QCOMPARE(hands.trace()->diagnostics[Reason::TruncatedFile].count, uint64_t(0));
        QVERIFY(!hands.dialog->isVisible());
    }

    void pausesAndResumes() {
        if (const QString why = test::whyNotRecording(); !why.isEmpty()) QSKIP(qPrintable(why));
        Hands hands({{"FAKE_CUPTI_PERIOD", "20"}});
        hands.openDialog();
        hands.command(QStringLiteral("steps 100000 pause 20"));
        write(hands.dialog, "captureStepName", QStringLiteral("nothing is named so"));
        auto *paused = part<QCheckBox>(hands.dialog, "capturePaused");
        paused->setFocus();
        QTest::keyClick(paused, Qt::Key_Space);
        QVERIFY(paused->isChecked());
        QTest::keyClick(paused, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(hands.status().startsWith("0 records/s"), kPatience);
        press(part<QPushButton>(hands.dialog, "capturePause"));
        QTRY_VERIFY_WITH_TIMEOUT(!hands.status().startsWith("0 records/s"), kPatience);
        QTest::qWait(500);
        press(part<QPushButton>(hands.dialog, "captureStop"));
        QTRY_VERIFY_WITH_TIMEOUT(hands.trace(), kPatience);
        QVERIFY(countOf(*hands.trace(), "gemm") >= 1);
    }

    void severalProcessesAreOneJob() {
        if (const QString why = test::whyNotRecording(); !why.isEmpty()) QSKIP(qPrintable(why));
        Hands hands;
        hands.openDialog();
        write(hands.dialog, "captureCommand",
              QStringLiteral("sh -c \"%1 steps 2 && %1 steps 3\"").arg(test::victimProgram()));
        press(part<QPushButton>(hands.dialog, "captureRecord"));
        QTRY_VERIFY_WITH_TIMEOUT(hands.trace(), kPatience);
        QCOMPARE(hands.trace()->files.size(), size_t(2));
        QCOMPARE(countOf(*hands.trace(), "gemm"), size_t(5));
    }

    void aProgramThatFailsIsNamed() {
        if (const QString why = test::whyNotRecording(); !why.isEmpty()) QSKIP(qPrintable(why));
        Hands hands;
        hands.openDialog();
        hands.command(QStringLiteral("steps 3 status 7"));
        press(part<QPushButton>(hands.dialog, "captureRecord"));
        QTRY_VERIFY_WITH_TIMEOUT(hands.trace(), kPatience);
        QVERIFY(hands.dialog->isVisible());
        QVERIFY2(hands.status().contains("status 7"), qPrintable(hands.status()));
        write(hands.dialog, "captureFolder", QStringLiteral("/no/such/folder"));
        press(part<QPushButton>(hands.dialog, "captureRecord"));
        QVERIFY2(hands.status().contains("no folder"), qPrintable(hands.status()));
    }

    /// Every option of `record` but those for programs has a field.
    void everyOptionIsThere() {
        Hands hands;
        hands.openDialog();
        const QString help = test::run({"record", "--help"}).out;
        QStringList missing;
        const QMap<QString, QString> fields{{"output", "captureFile"},
                                            {"steps", "captureSteps"},
                                            {"warmup", "captureWarmup"},
                                            {"boundary", "captureBoundary"},
                                            {"step-name", "captureStepName"},
                                            {"delay", "captureDelay"},
                                            {"duration", "captureDuration"},
                                            {"graphs", "captureGraphs"},
                                            {"allocations", "captureAllocations"},
                                            {"paused", "capturePaused"},
                                            {"memory", "captureMemory"},
                                            {"cupti", "captureCupti"}};
        const QStringList others{"help", "json", "quiet", "progress", "no-colour", "no-color"};
        static const QRegularExpression option(QStringLiteral("^ +(?:-\\w,)?--([a-z-]+)"),
                                               QRegularExpression::MultilineOption);
        int found = 0;
        for (auto all = option.globalMatch(help); all.hasNext();) {
            const QString name = all.next().captured(1);
            if (others.contains(name)) continue;
            if (!fields.contains(name) || !hands.dialog->findChild<QWidget *>(fields[name]))
                missing << name;
            ++found;
        }
        QVERIFY2(missing.isEmpty(), qPrintable(missing.join(' ')));
        QVERIFY(found >= fields.size());
    }

private:
    QTemporaryDir m_settings;
};

QTEST_MAIN(CaptureTest)
#include "capture_test.moc"
