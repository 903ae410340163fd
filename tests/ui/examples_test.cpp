// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "ui/examples.h"
#include "ui/main_window.h"
#include "ui/panels/speed_slider.h"
#include "ui/style.h"
#include "ui/theme.h"

#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTextBrowser>
#include <QToolButton>

using namespace longpole;

/// The examples of the File menu: each opens with its panel, selection and note.
class ExamplesTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void cleanup() { m_window.reset(); }

    void opensWithItsPanel_data();
    void opensWithItsPanel();
    void theStartPageListsThem();
    void theNoteGoesWithItsExample();
    void theTrapIsNamed();
    void smallWindowsHaveRoomForIt();

private:
    void trigger(const Example &example);
    template <class T>
    T *child(const QString &name) {
        T *found = m_window->findChild<T *>(name);
        if (!found) qFatal("there is no %s", qPrintable(name));
        return found;
    }
    QWidget *note() { return child<QWidget>(QStringLiteral("exampleNote")); }

    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;
};

void ExamplesTest::initTestCase() {
    QCoreApplication::setOrganizationName(QStringLiteral("longpole-test"));
    QCoreApplication::setApplicationName(QStringLiteral("examples"));
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
    useBundledFont();
    applyStyle(false);
}

void ExamplesTest::init() {
    QSettings().clear();
    m_window = std::make_unique<MainWindow>();
    m_window->resize(1600, 1000);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    m_window->activateWindow();
}

void ExamplesTest::trigger(const Example &example) {
    QSignalSpy opened(&m_window->session(), &Session::opened);
    child<QAction>(QStringLiteral("example_") + example.file)->trigger();
    QVERIFY(opened.wait());
    QTRY_VERIFY(m_window->session().verdict());
}

void ExamplesTest::opensWithItsPanel_data() {
    QTest::addColumn<int>("index");
    for (int i = 0; i < examples().size(); ++i) QTest::newRow(qPrintable(examples()[i].file)) << i;
}

void ExamplesTest::opensWithItsPanel() {
    QFETCH(int, index);
    const Example &example = examples()[index];
    QVERIFY(QFileInfo::exists(example.path()));
    trigger(example);
    auto *dock = child<QDockWidget>(example.panel);
    const auto isInFront = [&] {
        const QPoint middle = dock->mapTo(m_window.get(), dock->rect().center());
        return dock->isVisible() && dock->isAncestorOf(m_window->childAt(middle));
    };
    QTRY_VERIFY(isInFront());
    ViewState &state = m_window->state();
    QCOMPARE(state.selected().valid(), !example.selection.isEmpty());
    if (state.selected().valid()) {
        const std::string_view name = state.trace()->name(state.selected());
        QCOMPARE(QString::fromUtf8(name.data(), qsizetype(name.size())), example.selection);
        QVERIFY(state.view().begin <= state.trace()->begin(state.selected()));
        QVERIFY(state.trace()->end(state.selected()) <= state.view().end);
    }
    QVERIFY(state.step() == example.step);
    if (!example.slider.isEmpty()) {
        const QString name = QStringLiteral("slider_") + example.slider;
        QTRY_VERIFY(m_window->findChild<SpeedSlider *>(name));
        QTRY_VERIFY(child<SpeedSlider>(name)->hasFocus());
        QVERIFY(child<SpeedSlider>(name)->speed() == example.speed);
    }
    QVERIFY(note()->isVisible());
    for (const auto &[label, text] : {std::pair("noteSee", example.see),
                                      {"noteTry", example.attempt},
                                      {"noteLesson", example.lesson}}) {
        QVERIFY(!text.isEmpty());
        QVERIFY(child<QLabel>(QLatin1String(label))->text().contains(text.toHtmlEscaped()));
    }
}

void ExamplesTest::theStartPageListsThem() {
    for (const Example &example : examples()) {
        auto *link = child<QPushButton>(QStringLiteral("example_") + example.file);
        QVERIFY(link->isVisible());
        QCOMPARE(link->text(), example.title);
    }
    QSignalSpy opened(&m_window->session(), &Session::opened);
    QTest::mouseClick(child<QPushButton>(QStringLiteral("example_") + examples()[1].file),
                      Qt::LeftButton);
    QVERIFY(opened.wait());
    QTRY_VERIFY(note()->isVisible());
}

/// Details say of the selected range that it measures enqueueing alone.
void ExamplesTest::theTrapIsNamed() {
    for (const Example &example : examples())
        if (example.file == QLatin1String("enqueue_trap.json")) trigger(example);
    QVERIFY(m_window->state().selected().valid());
    const auto details = [this] {
        return child<QTextBrowser>(QStringLiteral("detailsText"))->toPlainText();
    };
    QTRY_VERIFY2(details().contains(QLatin1String("Enqueue only: this call returns after 1.00")),
                 qPrintable(details()));
}

void ExamplesTest::theNoteGoesWithItsExample() {
    trigger(examples()[0]);
    QVERIFY(note()->isVisible());
    QTest::mouseClick(child<QToolButton>(QStringLiteral("closeNote")), Qt::LeftButton);
    QVERIFY(!note()->isVisible());
    trigger(examples()[1]);
    QVERIFY(note()->isVisible());
    QSignalSpy opened(&m_window->session(), &Session::opened);
    m_window->openPaths({examples()[0].path()}); // as any other file
    QVERIFY(opened.wait());
    QVERIFY(!note()->isVisible());
}

void ExamplesTest::smallWindowsHaveRoomForIt() {
    m_window->resize(900, 560);
    for (const Example &example : examples()) {
        trigger(example);
        QCOMPARE(m_window->size(), QSize(900, 560));
        for (QLabel *label : note()->findChildren<QLabel *>())
            if (label->wordWrap())
                QVERIFY2(label->height() >= label->heightForWidth(label->width()),
                         qPrintable(example.file));
    }
}

QTEST_MAIN(ExamplesTest)
#include "examples_test.moc"
