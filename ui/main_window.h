// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session.h"
#include "ui/view_state.h"

#include <QMainWindow>
#include <QTimer>

#include <vector>

class QComboBox;
class QLabel;
class QMenu;
class QStackedWidget;
class QToolBar;

namespace longpole {

class CaptureDialog;
class Docks;
class ErrorPage;
class ExampleNote;
class NotesPanel;
class OverviewBar;
class PathPanel;
class RankPanel;
class SearchPanel;
class ReadingPage;
class StartPage;
class StatusLine;
class TrackFilter;
class StateKeeper;
class StepChooser;
class TimelineView;
class VerdictBanner;
class WhatIfPanel;
class WindowUndo;
struct Example;

/// The window: puts the views and panels together and turns menus, drops and keys into changes of
/// ViewState or jobs of Session. It knows no trace itself.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    MainWindow();
    ~MainWindow() override;

    ViewState &state() { return m_state; }
    Session &session() { return m_session; }
    TimelineView &timeline() { return *m_timeline; }

    /// What the file dialog, a drop, the recent list and the command line end in.
    void openPaths(const QStringList &paths);
    /// Opens it with its panel, selection and note.
    void openExample(const Example &example);
    /// Writes what the timeline shows as PNG of the window's size times `scale`; returns the
    /// sentence that says why it could not, or nothing.
    QString savePicture(const QString &path, double scale = 1);

protected:
    void closeEvent(QCloseEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    /// What an action cannot do without.
    enum class Needs {
        Nothing,
        Trace,
        Steps,
        Selection,
        Range,
        Back,
        Forward,
        Reading,
        Undo,
        Redo
    };

    // main_window.cpp
    void makePages();
    void connectSession();
    void connectPanels();
    void setUpExample(const Example &example);
    void showPage(QWidget *page);
    void showTraceOrStart();
    void restoreGeometryOrDefault();
    void chooseFiles();
    void showCapture();
    // main_window_actions.cpp
    struct ActionSpec;
    std::vector<ActionSpec> actionSpecs();
    void makeActions();
    void makeFileMenus();
    void makeViewMenu(QMenu *menu);
    void fillRecentMenu();
    void updateActions();
    // main_window_tools.cpp
    void makeToolBars();
    void updateWindowText();
    void setCompact(bool compact);
    void follow(const VerdictLink &link);
    void about();
    void copySelection();
    void filterTracks();
    // main_window_commands.cpp
    void mark();
    void note();
    QString addMark();
    void showPalette();
    // main_window_picture.cpp
    QImage picture(double scale) const;
    void choosePicture();
    void copyPicture();

    ViewState m_state;
    Session m_session;
    QStackedWidget *m_pages = nullptr;
    StartPage *m_start = nullptr;
    ReadingPage *m_reading = nullptr;
    ErrorPage *m_error = nullptr;
    TimelineView *m_timeline = nullptr;
    QTimer m_readingDelay; ///< quick traces never show the reading page
    Docks *m_docks = nullptr;
    CaptureDialog *m_capture = nullptr; ///< made when first asked for
    StatusLine *m_status = nullptr;
    QMainWindow *m_inner = nullptr; ///< holds the docks, below the overview
    OverviewBar *m_overview = nullptr;
    VerdictBanner *m_verdict = nullptr;
    ExampleNote *m_note = nullptr;
    const Example *m_example = nullptr; ///< that is being opened
    WhatIfPanel *m_whatIf = nullptr;
    PathPanel *m_path = nullptr;
    RankPanel *m_levers = nullptr;
    SearchPanel *m_search = nullptr;
    NotesPanel *m_notes = nullptr;
    WindowUndo *m_windowUndo = nullptr;
    StateKeeper *m_keeper = nullptr;
    QToolBar *m_toolBar = nullptr;
    StepChooser *m_stepChooser = nullptr;
    QLabel *m_windowText = nullptr;
    QComboBox *m_colours = nullptr;
    TrackFilter *m_filter = nullptr;
    QMenu *m_recentMenu = nullptr;
    QHash<QString, QAction *> m_actions;
    QList<std::pair<QAction *, Needs>> m_needs;
};

} // namespace longpole
