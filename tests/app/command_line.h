// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStringList>

namespace longpole::test {

struct Answer {
    int status = -1;
    QByteArray out, err;
    QJsonObject json() const { return QJsonDocument::fromJson(out).object(); }
};

/// Runs the command line that LONGPOLE_CLI names to its end.
inline Answer run(const QStringList &arguments, const QByteArray &input = {}) {
    QProcess process;
    process.start(qEnvironmentVariable("LONGPOLE_CLI"), arguments);
    process.write(input);
    process.closeWriteChannel();
    Answer answer;
    if (!process.waitForFinished(60'000) || process.exitStatus() != QProcess::NormalExit)
        return answer;
    answer.status = process.exitCode();
    answer.out = process.readAllStandardOutput();
    answer.err = process.readAllStandardError();
    return answer;
}

} // namespace longpole::test
