// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window.h"

#include "ui/capture/capture_dialog.h"
#include "ui/docks.h"
#include "ui/example_note.h"
#include "ui/examples.h"
#include "ui/pages/error_page.h"
#include "ui/pages/reading_page.h"
#include "ui/pages/start_page.h"
#include "ui/panels/notes_panel.h"
#include "ui/panels/path_panel.h"
#include "ui/panels/rank_panel.h"
#include "ui/panels/search_panel.h"
#include "ui/panels/what_if_panel.h"
#include "ui/state_keeper.h"
#include "ui/status_line.h"
#include "ui/timeline/overview_bar.h"
#include "ui/timeline/preview_view.h"
#include "ui/timeline/timeline_view.h"
#include "ui/verdict_banner.h"
#include "ui/window_undo.h"

#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMimeData>
#include <QScreen>
#include <QSettings>
#include <QStackedWidget>
#include <QToolBar>
#include <QUndoStack>
#include <QVBoxLayout>

#include <algorithm>

namespace longpole {

namespace {

constexpr int kReadingDelayMs = 300;

QString nameOf(const QStringList &paths) {
    if (paths.isEmpty()) return {};
    const QString first = QFileInfo(paths.first()).fileName();
    return paths.size() == 1 ? first
                             : QObject::tr("%1 and %2 more").arg(first).arg(paths.size() - 1);
}

} // namespace

MainWindow::MainWindow() : m_session(m_state) {
    setObjectName(QStringLiteral("mainWindow"));
    setMinimumSize(900, 560);
    setAcceptDrops(true);
    makePages();
    m_docks = new Docks(*m_inner, m_state, m_session);
    m_status = new StatusLine(m_state);
    setStatusBar(m_status);
    connect(m_status, &StatusLine::importLogRequested, this,
            [this] { m_docks->raise(QStringLiteral("importLog")); });
    makeActions();
    makeToolBars();
    connectSession();
    connectPanels();
    restoreGeometryOrDefault();
    showTraceOrStart();
}

MainWindow::~MainWindow() {
    m_state.undoStack().disconnect(this); // it tells of being emptied when it goes
    m_keeper->save();
    delete m_keeper;
    delete m_windowUndo;
    // The views refer to members, which would go before them.
    qDeleteAll(findChildren<QWidget *>(Qt::FindDirectChildrenOnly));
}

void MainWindow::makePages() {
    m_pages = new QStackedWidget;
    m_start = new StartPage;
    m_reading = new ReadingPage;
    m_error = new ErrorPage;
    m_timeline = new TimelineView(m_state);
    for (QWidget *page : std::initializer_list<QWidget *>{m_start, m_reading, m_error, m_timeline})
        m_pages->addWidget(page);
    m_inner = new QMainWindow;
    m_inner->setWindowFlags(Qt::Widget);
    m_inner->setCentralWidget(m_pages);
    m_overview = new OverviewBar(m_state);
    m_overview->setLabelWidth(m_timeline->labelWidth());
    connect(m_timeline, &TimelineView::labelWidthChanged, m_overview, &OverviewBar::setLabelWidth);
    connect(m_timeline, &TimelineView::labelWidthChanged, &m_reading->preview(),
            &PreviewView::setLabelWidth);
    m_verdict = new VerdictBanner(m_state, m_session);
    m_note = new ExampleNote;
    m_toolBar = new QToolBar(tr("Tools"));
    auto *body = new QWidget;
    auto *layout = new QVBoxLayout(body);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_verdict);
    layout->addWidget(m_note);
    layout->addWidget(m_toolBar);
    layout->addWidget(m_overview);
    layout->addWidget(m_inner, 1);
    setCentralWidget(body);
    connect(m_start, &StartPage::chooseRequested, this, &MainWindow::chooseFiles);
    connect(m_start, &StartPage::captureRequested, this, &MainWindow::showCapture);
    connect(m_start, &StartPage::openRequested, this, &MainWindow::openPaths);
    connect(m_start, &StartPage::exampleRequested, this, &MainWindow::openExample);
    connect(m_reading, &ReadingPage::cancelRequested, &m_session, &Session::cancelOpening);
    connect(m_error, &ErrorPage::chooseRequested, this, &MainWindow::chooseFiles);
    connect(m_error, &ErrorPage::retryRequested, this, &MainWindow::openPaths);
    connect(m_error, &ErrorPage::backRequested, this, &MainWindow::showTraceOrStart);
    m_readingDelay.setSingleShot(true);
    m_readingDelay.setInterval(kReadingDelayMs);
    connect(&m_readingDelay, &QTimer::timeout, this, [this] { showPage(m_reading); });
}

void MainWindow::connectSession() {
    connect(&m_session, &Session::openingStarted, this, [this] {
        m_reading->start(m_session.openingPaths());
        if (m_pages->currentWidget() != m_reading) m_readingDelay.start();
        updateActions();
    });
    connect(&m_session, &Session::openingProgressed, m_reading, &ReadingPage::setFraction);
    connect(&m_session, &Session::previewChanged, this,
            [this] { m_reading->preview().setPreview(m_session.preview()); });
    connect(&m_session, &Session::openingCancelled, this, &MainWindow::showTraceOrStart);
    connect(&m_session, &Session::opened, this, [this] {
        PreviewView &preview = m_reading->preview();
        if (const auto view = preview.chosenView()) // stays; the opening view is one step back
            m_state.setView(onTrace(*m_session.preview(), *view, *m_state.trace()));
        preview.setPreview({});
        showTraceOrStart();
        const Example *example = std::exchange(m_example, nullptr);
        if (example && m_session.paths() == QStringList{example->path()}) setUpExample(*example);
    });
    connect(&m_state, &ViewState::loadedChanged, m_note, &QWidget::hide);
    connect(&m_session, &Session::openFailed, this, [this](const OpenFailure &failure) {
        m_readingDelay.stop();
        m_error->explain(failure, nameOf(m_session.paths()));
        showPage(m_error);
        statusBar()->showMessage(tr("%1 was not opened.").arg(nameOf(failure.paths)), 8000);
    });
    connect(&m_state, &ViewState::loadedChanged, this, &MainWindow::updateActions);
    connect(&m_state, &ViewState::selectedChanged, this, &MainWindow::updateActions);
    connect(&m_state, &ViewState::viewChanged, this, &MainWindow::updateActions);
    connect(&m_state, &ViewState::looksChanged, this, &MainWindow::updateWindowText);
    connect(&m_state, &ViewState::windowChanged, this, [this] {
        updateActions();
        updateWindowText();
    });
}

/// What leads from one panel to another.
void MainWindow::connectPanels() {
    m_whatIf = qobject_cast<WhatIfPanel *>(m_docks->panel(QStringLiteral("whatIf")));
    m_path = qobject_cast<PathPanel *>(m_docks->panel(QStringLiteral("path")));
    m_levers = qobject_cast<RankPanel *>(m_docks->panel(QStringLiteral("levers")));
    m_search = qobject_cast<SearchPanel *>(m_docks->panel(QStringLiteral("search")));
    m_notes = qobject_cast<NotesPanel *>(m_docks->panel(QStringLiteral("notes")));
    m_windowUndo = new WindowUndo(m_state, this);
    m_keeper = new StateKeeper(m_state, m_session, *m_whatIf, this);
    connect(m_keeper, &StateKeeper::said, this,
            [this](const QString &sentence) { statusBar()->showMessage(sentence, 12000); });
    connect(m_verdict, &VerdictBanner::followed, this, &MainWindow::follow);
    connect(m_whatIf, &WhatIfPanel::rankWanted, this,
            [this] { m_docks->raise(QStringLiteral("levers")); });
    connect(m_levers, &RankPanel::speedWanted, this, [this](const QString &id) {
        m_docks->raise(QStringLiteral("whatIf"));
        m_whatIf->setSpeed(id, Speed{2000});
    });
}

void MainWindow::showTraceOrStart() {
    m_readingDelay.stop();
    if (m_state.trace()) {
        showPage(m_timeline);
    } else {
        m_start->refreshRecent();
        showPage(m_start);
    }
    const QString name = nameOf(m_session.paths());
    setWindowTitle(name.isEmpty() ? tr("Longpole") : tr("%1 – Longpole").arg(name));
    updateActions();
    updateWindowText();
}

void MainWindow::showPage(QWidget *page) {
    m_pages->setCurrentWidget(page);
    const bool workspace = m_state.trace() && page == m_timeline;
    m_verdict->setVisible(workspace);
    m_toolBar->setVisible(workspace);
    m_overview->setVisible(workspace);
    centralWidget()->layout()->activate(); // the docks share what is left
    m_docks->setShown(workspace);
    page->setFocus();
    updateActions();
}

void MainWindow::chooseFiles() {
    const QString folder = QSettings().value(QStringLiteral("folder")).toString();
    const QStringList paths =
        QFileDialog::getOpenFileNames(this, tr("Open a trace"), folder,
                                      tr("Traces (*.json *.json.gz *.gz *.zst *.zip *.trace *.sqlite *.lpcap *.job *.nsys-rep);;"
                                         "All files (*)"));
    openPaths(paths);
}

/// It stays beside the window: a trace can be looked at meanwhile.
void MainWindow::showCapture() {
    if (!m_capture) {
        m_capture = new CaptureDialog(this);
        connect(m_capture, &CaptureDialog::recorded, this,
                [this](const QString &file) { openPaths({file}); });
    }
    m_capture->show();
    m_capture->raise();
    m_capture->activateWindow();
}

void MainWindow::openPaths(const QStringList &paths) {
    if (paths.isEmpty()) return;
    m_example = nullptr;
    QSettings().setValue(QStringLiteral("folder"), QFileInfo(paths.first()).absolutePath());
    m_session.open(paths);
}

void MainWindow::openExample(const Example &example) {
    m_session.open({example.path()});
    m_example = &example;
}

void MainWindow::setUpExample(const Example &example) {
    if (example.step) m_state.setStep(example.step);
    const Trace &trace = *m_state.trace();
    for (uint32_t t = 0; t < trace.tracks.size() && !example.selection.isEmpty(); ++t) {
        const auto &table = *trace.tracks[t].table;
        uint32_t row = 0;
        while (row < table.name.size() &&
               trace.name({t, row}) != std::string_view(example.selection.toStdString()))
            ++row;
        if (row == table.name.size()) continue;
        m_state.reveal({t, row});
        break;
    }
    m_docks->raise(example.panel);
    if (!example.slider.isEmpty()) m_whatIf->focusSlider(example.slider, example.speed);
    m_note->showNote(example);
}

void MainWindow::restoreGeometryOrDefault() {
    QSettings settings;
    m_docks->setLayout(settings.value(QStringLiteral("layout")).toByteArray());
    const QByteArray geometry = settings.value(QStringLiteral("geometry")).toByteArray();
    if (!geometry.isEmpty() && restoreGeometry(geometry)) return;
    QSize size(1280, 720);
    if (const QScreen *screen = QGuiApplication::primaryScreen()) {
        const QSize room = screen->availableSize();
        size = {std::clamp(room.width() * 95 / 100, 900, 1600),
                std::clamp(room.height() * 92 / 100, 560, 1000)};
        if (room.width() >= 1280 && room.height() >= 720) size = size.expandedTo({1280, 720});
    }
    resize(size);
}

void MainWindow::closeEvent(QCloseEvent *event) {
    QSettings settings;
    settings.setValue(QStringLiteral("geometry"), saveGeometry());
    settings.setValue(QStringLiteral("layout"), m_docks->layout());
    m_readingDelay.stop();
    m_session.cancelOpening();
    m_keeper->save();
    QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event) {
    const auto urls = event->mimeData()->urls();
    if (std::any_of(urls.begin(), urls.end(), [](const QUrl &url) { return url.isLocalFile(); }))
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent *event) {
    QStringList paths;
    for (const QUrl &url : event->mimeData()->urls())
        if (url.isLocalFile()) paths << url.toLocalFile();
    event->acceptProposedAction();
    openPaths(paths);
}

void MainWindow::resizeEvent(QResizeEvent *event) {
    QMainWindow::resizeEvent(event);
    setCompact(width() <= 1024 || height() <= 640);
}

void MainWindow::changeEvent(QEvent *event) {
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_timeline) m_timeline->update();
}

} // namespace longpole
