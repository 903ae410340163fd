// SPDX-License-Identifier: GPL-3.0-or-later
// An export of Nsight Systems in the window: dropped, looked into, and refused with the way out.
#include <QTest>

#include "tests/support/files.h"
#include "tests/support/nsys_database.h"
#include "tests/support/text_trace.h"
#include "ui/main_window.h"
#include "ui/style.h"
#include "ui/theme.h"
#include "ui/view_state.h"

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QLabel>
#include <QMimeData>
#include <QSettings>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QTemporaryDir>

using namespace longpole;

class DatabaseTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        QCoreApplication::setOrganizationName(QStringLiteral("longpole-test"));
        QCoreApplication::setApplicationName(QStringLiteral("database"));
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
        useBundledFont();
        applyStyle(false);
    }

    void dropped() {
        const test::TempFile file(test::smallNsysExport(3), ".sqlite");
        MainWindow window;
        window.show();
        QSignalSpy opened(&window.session(), &Session::opened);
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(QString::fromStdString(file.path()))});
        QDragEnterEvent enter({200, 200}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop({200, 200}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &drop);
        QVERIFY(opened.wait());

        const auto trace = window.state().trace();
        QVERIFY(trace);
        QSignalSpy read(&window.session(), &Session::argumentsRead);
        window.state().select(test::find(*trace, "Memcpy HtoD (Pageable -> Device)"));
        QVERIFY(read.count() > 0 || read.wait());
        const auto arguments = read.last().at(0).value<Arguments>();
        QCOMPARE(arguments.problem, std::string());
        QStringList entries;
        for (const EventArgs::Entry &entry : arguments.entries)
            entries << QString::fromStdString(entry.key + '=' + entry.value);
        QVERIFY(entries.contains(QStringLiteral("bytes=4096")));
        QVERIFY(entries.contains(QStringLiteral("copyKind (name)=Host-to-Device")));
    }

    void reportsSayHowToExportThem() {
        const test::TempFile file("\x01\x02", ".nsys-rep");
        MainWindow window;
        window.show();
        window.openPaths({QString::fromStdString(file.path())});
        const auto pages = window.findChild<QStackedWidget *>();
        QTRY_COMPARE(pages->currentWidget()->objectName(), QStringLiteral("errorPage"));
        QString said;
        for (const QLabel *label : pages->currentWidget()->findChildren<QLabel *>())
            said += label->text();
        QVERIFY2(said.contains(QLatin1String("nsys export --type sqlite --output ")),
                 qPrintable(said));
    }

private:
    QTemporaryDir m_folder;
};

QTEST_MAIN(DatabaseTest)
#include "database_test.moc"
