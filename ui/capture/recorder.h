// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QProcess>
#include <QStringList>
#include <QTemporaryDir>
#include <QTimer>

#include <optional>

namespace longpole {

/// What the recorder has counted so far.
struct RecordProgress {
    qint64 records = 0, perSecond = 0, dropped = 0, bytes = 0, steps = 0;
};

/// Runs `longpole-cli record` and says how it goes. Lives on the GUI thread; the recording itself
/// is the business of that program, so it goes on whatever the window does.
class Recorder : public QObject {
    Q_OBJECT
public:
    explicit Recorder(QObject *parent = nullptr);
    /// Ends a recording that still runs, and waits for its file.
    ~Recorder() override;

    /// The command line program: beside this one, or in the path; empty where it is not.
    static QString program();

    /// `options` and `command` as `record` takes them. `file` is what it writes, in `folder`.
    void start(const QString &folder, const QString &file, const QStringList &options,
               const QStringList &command);
    /// Ends the recording, then the program; harder each time it is asked for.
    void stop();
    void togglePause();
    bool running() const { return m_process.state() != QProcess::NotRunning; }
    bool stopping() const { return m_stops > 0; }

signals:
    void progressed(const longpole::RecordProgress &progress);
    void said(const QString &text); ///< by the program and the recorder
    /// `file` is what to open, the list where there are several; empty where nothing was recorded.
    void ended(const QString &file, int status);

private:
    void readProgress();
    void finished();

    QProcess m_process;
    QTimer m_timer;
    std::optional<QTemporaryDir> m_folder; ///< of the file with the progress
    qint64 m_read = 0;
    QString m_file;
    int m_stops = 0;
};

} // namespace longpole
