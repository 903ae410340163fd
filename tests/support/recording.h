// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/progress.h"
#include "core/import/importer.h"
#include "tests/app/command_line.h"

#include <QDir>
#include <QFile>
#include <QProcessEnvironment>
#include <QTemporaryDir>

#include <memory>

namespace longpole::test {

/// Why a recording cannot be made here; empty where it can.
inline QString whyNotRecording() {
    return qEnvironmentVariableIsEmpty("LONGPOLE_DOUBLES")
               ? "the capture library is not built, because CUPTI's headers are not here"
               : "";
}

/// A run of `longpole-cli record` on the program that is linked to our doubles of CUDA.
struct Recording {
    std::shared_ptr<QTemporaryDir> folder;
    int status = -1;
    QByteArray out, err;
    QString file;

    std::shared_ptr<const Trace> trace() const {
        Progress progress;
        const auto opened = openTraces({file.toStdString()}, progress);
        return opened ? *opened : nullptr;
    }
    QByteArray bytes() const {
        QFile content(file);
        return content.open(QIODevice::ReadOnly) ? content.readAll() : QByteArray();
    }
    QStringList allFiles() const {
        return QDir(folder->path()).entryList({"capture.lpcap*"}, QDir::Files, QDir::Name);
    }
};

struct Setting {
    QStringList options; ///< of record
    QStringList victim;  ///< its words
    QMap<QString, QString> environment = {};
    int cupti = 13;          ///< which double of libcupti
    QStringList before = {}; ///< what the victim is run by, as sh -c … does
};

inline QString victimProgram() {
    return qEnvironmentVariable("LONGPOLE_DOUBLES") + "/victim";
}

inline QProcessEnvironment doublesEnvironment(int cupti, const QMap<QString, QString> &more = {}) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    const QString doubles = qEnvironmentVariable("LONGPOLE_DOUBLES");
    environment.insert("LD_LIBRARY_PATH",
                       doubles + "/cuda:" + doubles + "/cupti" + QString::number(cupti));
    if (cupti == 12)
        environment.insert("FAKE_CUDA_DRIVER", "12040");  // else the newer one is chosen
    environment.insert("ASAN_OPTIONS", "detect_leaks=0"); // the doubles keep what they make
    for (auto it = more.begin(); it != more.end(); ++it) environment.insert(it.key(), it.value());
    return environment;
}

inline Recording record(const Setting &setting) {
    Recording result;
    result.folder = std::make_shared<QTemporaryDir>();
    result.file = result.folder->filePath("capture.lpcap");
    QStringList arguments{"record", "-o", result.file};
    arguments += setting.options;
    arguments << "--";
    arguments += setting.before;
    arguments << victimProgram();
    arguments += setting.victim;
    QProcess process;
    process.setProcessEnvironment(doublesEnvironment(setting.cupti, setting.environment));
    process.setWorkingDirectory(result.folder->path());
    process.start(qEnvironmentVariable("LONGPOLE_CLI"), arguments);
    process.closeWriteChannel();
    if (!process.waitForFinished(120'000) || process.exitStatus() != QProcess::NormalExit)
        return result;
    result.status = process.exitCode();
    result.out = process.readAllStandardOutput();
    result.err = process.readAllStandardError();
    return result;
}

} // namespace longpole::test
