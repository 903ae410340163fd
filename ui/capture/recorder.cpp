// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/capture/recorder.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>

#include <csignal>

namespace longpole {

namespace {

constexpr int kLook = 250;           ///< ms
constexpr int kLastPatience = 5'000; ///< ms, when the window closes
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGKILL};

} // namespace

Recorder::Recorder(QObject *parent) : QObject(parent) {
    m_process.setProcessChannelMode(QProcess::MergedChannels);
    m_timer.setInterval(kLook);
    connect(&m_timer, &QTimer::timeout, this, &Recorder::readProgress);
    connect(&m_process, &QProcess::readyRead, this,
            [this] { emit said(QString::fromLocal8Bit(m_process.readAll())); });
    connect(&m_process, &QProcess::finished, this, &Recorder::finished);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return; // else it finishes
        emit said(
            tr("%1 cannot be started: %2.").arg(m_process.program(), m_process.errorString()));
        m_timer.stop();
        emit ended({}, -1);
    });
}

Recorder::~Recorder() {
    m_process.disconnect(this);
    if (!running()) return;
    for (const int signal : kSignals) {
        ::kill(pid_t(m_process.processId()), signal);
        if (m_process.waitForFinished(kLastPatience)) return;
    }
}

QString Recorder::program() {
    const QString beside = QCoreApplication::applicationDirPath() + QStringLiteral("/longpole-cli");
    if (QFileInfo(beside).isExecutable()) return beside;
    const QString named = qEnvironmentVariable("LONGPOLE_CLI");
    return named.isEmpty() ? QStandardPaths::findExecutable(QStringLiteral("longpole-cli")) : named;
}

void Recorder::start(const QString &folder, const QString &file, const QStringList &options,
                     const QStringList &command) {
    m_folder.emplace();
    m_read = 0;
    m_stops = 0;
    m_file = QDir(folder).absoluteFilePath(file);
    const QString progress = m_folder->filePath(QStringLiteral("progress"));
    m_process.setWorkingDirectory(folder);
    m_process.start(program(), QStringList{QStringLiteral("record"), QStringLiteral("--progress"),
                                           progress, QStringLiteral("-o"), m_file} +
                                   options + QStringList{QStringLiteral("--")} + command);
    m_process.closeWriteChannel();
    m_timer.start();
}

void Recorder::stop() {
    if (!running()) return;
    const int last = int(std::size(kSignals)) - 1;
    ::kill(pid_t(m_process.processId()), kSignals[std::min(m_stops++, last)]);
}

void Recorder::togglePause() {
    if (running()) ::kill(pid_t(m_process.processId()), SIGUSR1);
}

void Recorder::readProgress() {
    QFile file(m_folder->filePath(QStringLiteral("progress")));
    if (!file.open(QIODevice::ReadOnly) || !file.seek(m_read)) return;
    const QByteArray text = file.readAll();
    const qsizetype end = text.lastIndexOf('\n'); // a line may be half there
    if (end < 0) return;
    m_read += end + 1;
    const QJsonObject line =
        QJsonDocument::fromJson(text.mid(text.lastIndexOf('\n', end - 1) + 1, end)).object();
    const auto number = [&](const char *key) { return line[QLatin1String(key)].toInteger(); };
    emit progressed({number("records"), number("per_second"), number("dropped"), number("bytes"),
                     number("steps")});
}

void Recorder::finished() {
    m_timer.stop();
    readProgress();
    const int status =
        m_process.exitStatus() == QProcess::NormalExit ? m_process.exitCode() : 128 + SIGKILL;
    const QString job = m_file + QStringLiteral(".job");
    emit ended(QFileInfo::exists(job)      ? job
               : QFileInfo::exists(m_file) ? m_file
                                           : QString(),
               status);
}

} // namespace longpole
