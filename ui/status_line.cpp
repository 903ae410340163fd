// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/status_line.h"

#include "ui/describe.h"
#include "ui/numbers.h"
#include "ui/theme.h"
#include "ui/timeline/chrome_painter.h"
#include "ui/track_choices.h"

#include <QFrame>
#include <QLabel>
#include <QPushButton>

namespace longpole {

namespace {

QString fileText(const Trace &trace) {
    if (trace.files.empty()) return {};
    const QString first = QString::fromStdString(trace.files.front().name);
    if (trace.files.size() == 1) return first;
    return QObject::tr("%1 and %2 more").arg(first).arg(trace.files.size() - 1);
}

} // namespace

StatusLine::StatusLine(ViewState &state, QWidget *parent) : QStatusBar(parent), m_state(state) {
    setObjectName(QStringLiteral("statusLine"));
    setFont(uiFont(11));
    setSizeGripEnabled(false);
    setContentsMargins(4, 0, 8, 0);
    const auto label = [](const QString &objectName, const QString &accessibleName) {
        auto *made = new QLabel;
        made->setObjectName(objectName);
        made->setAccessibleName(accessibleName);
        made->setFont(uiFont(11));
        return made;
    };
    m_file = label(QStringLiteral("statusFile"), tr("File"));
    m_boundary = label(QStringLiteral("statusBoundary"), tr("Boundary"));
    m_window = label(QStringLiteral("statusWindow"), tr("Window"));
    m_window->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_cursor = label(QStringLiteral("statusCursor"), tr("Time under the mouse"));
    const auto link = [](const QString &objectName) {
        auto *made = new QPushButton;
        made->setObjectName(objectName);
        made->setProperty("link", true);
        made->setFont(uiFont(11));
        made->setCursor(Qt::PointingHandCursor);
        return made;
    };
    m_events = link(QStringLiteral("statusEvents"));
    m_tracks = link(QStringLiteral("statusTracks"));
    m_tracks->setToolTip(tr("Tracks are hidden or filtered out: show them all"));
    connect(m_tracks, &QPushButton::clicked, this, [this] { m_state.tracks().showAll(); });
    m_events->setToolTip(tr("How every event was used: open the import log"));
    connect(m_events, &QPushButton::clicked, this, &StatusLine::importLogRequested);
    const auto divider = [this] {
        auto *line = new QFrame;
        line->setFixedSize(1, 12);
        line->setAutoFillBackground(true);
        line->setBackgroundRole(QPalette::Mid);
        m_dividers << line;
        return line;
    };
    addWidget(m_file);
    addWidget(divider());
    addWidget(m_events);
    addWidget(m_tracks);
    addWidget(divider());
    addWidget(m_boundary);
    addWidget(divider());
    addWidget(m_window, 1);
    addPermanentWidget(m_cursor);
    connect(&m_state, &ViewState::loadedChanged, this, &StatusLine::showTrace);
    connect(&m_state, &ViewState::windowChanged, this, &StatusLine::showWindow);
    connect(&m_state, &ViewState::cursorChanged, this, &StatusLine::showCursor);
    connect(&m_state, &ViewState::viewChanged, this, &StatusLine::showCursor);
    connect(&m_state, &ViewState::looksChanged, this, &StatusLine::showTracks);
    showTrace();
}

void StatusLine::showTrace() {
    const Trace *trace = m_state.trace();
    for (QWidget *line : m_dividers) line->setVisible(trace);
    m_events->setVisible(trace);
    m_boundary->setVisible(trace);
    m_file->setText(trace ? fileText(*trace) : tr("No trace open"));
    if (trace) {
        QStringList paths;
        for (const SourceFile &file : trace->files) paths << QString::fromStdString(file.path);
        m_file->setToolTip(paths.join(QLatin1Char('\n')));
        QString events = trace->events.read == 1
                             ? tr("1 event")
                             : tr("%1 events").arg(countText(int64_t(trace->events.read)));
        if (trace->events.setAside)
            events += tr(" · %1 set aside").arg(countText(int64_t(trace->events.setAside)));
        m_events->setText(events);
        const Boundary boundary = m_state.loaded()->steps.boundary();
        const std::string_view name = boundaryName(boundary), says = boundarySentence(boundary);
        m_boundary->setText(
            tr("boundary: %1")
                .arg(QString::fromUtf8(name.data(), qsizetype(name.size())).replace('_', ' ')));
        m_boundary->setToolTip(
            says.empty() ? tr("The trace does not tell whether its steps wait for the device.")
                         : QString::fromUtf8(says.data(), qsizetype(says.size())));
    }
    showTracks();
    showWindow();
    showCursor();
}

/// That something is not shown is said as long as it is not.
void StatusLine::showTracks() {
    const TrackChoices &tracks = m_state.tracks();
    m_tracks->setVisible(m_state.trace() && tracks.anyHidden());
    m_tracks->setText(
        tr("%1 of %2 tracks; show all")
            .arg(countText(int64_t(tracks.shownCount())), countText(int64_t(tracks.count()))));
}

void StatusLine::showWindow() {
    const auto loaded = m_state.loaded();
    if (!loaded) {
        m_window->clear();
        m_window->setToolTip({});
        return;
    }
    const Window &window = m_state.window();
    const std::string_view kind = windowKindName(window.kind);
    QString text = windowName(window, loaded->steps);
    if (window.steps)
        text += QStringLiteral(", ") + QString::fromUtf8(kind.data(), qsizetype(kind.size()));
    m_window->setText(tr("window: %1, %2").arg(text, durationText(window.range.length())));
    m_window->setToolTip(QString::fromStdString(window.policy));
}

void StatusLine::showCursor() {
    if (!m_state.trace()) {
        m_cursor->setText(tr("Longpole %1 · off-line, nothing leaves this machine")
                              .arg(QLatin1String(LONGPOLE_VERSION)));
        return;
    }
    QString text = tr("in view %1").arg(durationText(m_state.view().length()));
    if (const auto cursor = m_state.cursor()) {
        const TimeNs time = *cursor - rulerZero(*m_state.loaded(), m_state.window()).zero;
        const TimeUnit unit = unitFor(std::max<TimeNs>(m_state.view().length(), std::abs(time)));
        text = tr("cursor %1\u00a0%2 · ").arg(printed(time, unit), unit.name) + text;
    }
    m_cursor->setText(text);
}

} // namespace longpole
