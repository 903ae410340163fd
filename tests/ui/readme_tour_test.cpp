// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "ui/examples.h"
#include "ui/main_window.h"
#include "ui/style.h"
#include "ui/theme.h"
#include "ui/timeline/timeline_view.h"

#include <QAbstractButton>
#include <QDialog>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSettings>
#include <QSignalSpy>
#include <QStatusBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTextBrowser>
#include <QTextDocumentFragment>

using namespace longpole;

namespace {

struct TourStep {
    QString row;
    QStringList keys, texts;
};

/// The rows of the table "| press | to | and read |" of the README.
QList<TourStep> readTour() {
    QFile file(QStringLiteral(LONGPOLE_SOURCE_DIR "/README.md"));
    if (!file.open(QIODevice::ReadOnly)) qFatal("there is no README.md");
    QList<TourStep> steps;
    bool inside = false;
    static const QRegularExpression span(QStringLiteral("`([^`]+)`"));
    const auto spans = [](const QString &cell) {
        QStringList all;
        for (auto match = span.globalMatch(cell); match.hasNext();) all << match.next().captured(1);
        return all;
    };
    for (const QString &line : QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'))) {
        if (line.startsWith(QLatin1String("| press |"))) {
            inside = true;
        } else if (inside && !line.startsWith(QLatin1Char('|'))) {
            break;
        } else if (inside && !line.startsWith(QLatin1String("|---"))) {
            const QStringList cells = line.split(QLatin1Char('|'));
            steps << TourStep{line, spans(cells.value(1)), spans(cells.value(3))};
        }
    }
    return steps;
}

QString plain(const QString &text) {
    const QString bare =
        Qt::mightBeRichText(text) ? QTextDocumentFragment::fromHtml(text).toPlainText() : text;
    return QString(bare).replace(QChar(0xA0), QLatin1Char(' '));
}

/// Everything that can be read on screen.
QStringList visibleTexts(const QWidget &window) {
    QStringList texts;
    for (const QWidget *widget : window.findChildren<QWidget *>()) {
        if (!widget->isVisible() || widget->visibleRegion().isEmpty()) continue;
        if (const auto *label = qobject_cast<const QLabel *>(widget)) texts << plain(label->text());
        if (const auto *button = qobject_cast<const QAbstractButton *>(widget))
            texts << plain(button->text());
        if (const auto *field = qobject_cast<const QLineEdit *>(widget)) texts << field->text();
        if (const auto *text = qobject_cast<const QTextBrowser *>(widget))
            texts << plain(text->toPlainText());
        if (const auto *bar = qobject_cast<const QStatusBar *>(widget))
            texts << plain(bar->currentMessage());
        if (const auto *timeline = qobject_cast<const TimelineView *>(widget))
            texts << plain(timeline->accessibleDescription());
        if (const auto *view = qobject_cast<const QAbstractItemView *>(widget))
            for (int row = 0; view->model() && row < std::min(60, view->model()->rowCount()); ++row)
                for (int column = 0; column < view->model()->columnCount(); ++column)
                    texts << plain(view->model()->index(row, column).data().toString());
    }
    return texts;
}

} // namespace

/// Plays the tour of the README: what its table says to press is pressed, and what it says to read
/// must be there.
class ReadmeTourTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void theTourIsTrue();

private:
    QTemporaryDir m_folder;
};

void ReadmeTourTest::initTestCase() {
    QCoreApplication::setOrganizationName(QStringLiteral("longpole-test"));
    QCoreApplication::setApplicationName(QStringLiteral("tour"));
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
    useBundledFont();
    applyStyle(false);
}

void ReadmeTourTest::theTourIsTrue() {
    const QList<TourStep> steps = readTour();
    QVERIFY(steps.size() >= 10);
    const QString trace = m_folder.filePath(QStringLiteral("training.json.gz"));
    QVERIFY(QFile::copy(examplesFolder() + QStringLiteral("/training.json.gz"), trace));
    MainWindow window;
    window.resize(1500, 900);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    window.activateWindow();
    QSignalSpy opened(&window.session(), &Session::opened);
    window.openPaths({trace});
    QVERIFY(opened.wait());
    QTRY_VERIFY_WITH_TIMEOUT(window.session().verdict(), 30000);
    window.timeline().setFocus();
    for (const TourStep &step : steps) {
        for (const QString &key : step.keys) {
            if (!QApplication::activeWindow()) { // without a window manager nobody gives it back
                window.activateWindow();
                QVERIFY(QTest::qWaitForWindowActive(&window));
            }
            QWidget *focus = QApplication::focusWidget() ? QApplication::focusWidget() : &window;
            if (key.startsWith(QLatin1Char('"'))) {
                QTest::keyClicks(focus, key.mid(1, key.size() - 2));
                continue;
            }
            const QKeySequence keys(key, QKeySequence::PortableText);
            QVERIFY2(keys.count() == 1, qPrintable(key));
            QTest::keyClick(focus, keys[0].key(), keys[0].keyboardModifiers());
            QTest::qWait(60);
            QTRY_VERIFY_WITH_TIMEOUT(window.session().path() && window.timeline().hasPath(), 30000);
        }
        for (const QString &text : step.texts) {
            const auto seen = [&] {
                const QStringList all = visibleTexts(window);
                return std::any_of(all.begin(), all.end(),
                                   [&](const QString &one) { return one.contains(text); });
            };
            for (int i = 0; i < 100 && !seen(); ++i) QTest::qWait(50);
            if (!seen())
                for (const QString &one : visibleTexts(window))
                    if (!one.trimmed().isEmpty()) qInfo().noquote() << one.left(200);
            QVERIFY2(seen(), qPrintable(step.row + QStringLiteral(" — not to be read: ") + text));
        }
    }
}

QTEST_MAIN(ReadmeTourTest)
#include "readme_tour_test.moc"
