// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/capture/recorder.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QSpinBox;

namespace longpole {

/// *Capture…*: the options of `longpole-cli record`, how the recording goes, and its end. What this
/// machine lacks for one is said as `doctor` says it.
class CaptureDialog : public QDialog {
    Q_OBJECT
public:
    explicit CaptureDialog(QWidget *parent = nullptr);

    void reject() override; ///< not while a program runs: it is not to be ended by Escape

signals:
    void recorded(const QString &file); ///< to be opened

protected:
    void showEvent(QShowEvent *event) override;

private:
    QFormLayout *makeForm();
    void askDoctor();
    void doctorSaid();
    void chooseFolder();
    QStringList options() const;
    void start();
    void showProgress(const RecordProgress &progress);
    void ended(const QString &file, int status);
    void setRunning(bool running);
    void say(const QString &text);

    Recorder m_recorder;
    QProcess m_doctor;
    QLineEdit *m_command, *m_folder, *m_file, *m_stepName, *m_delay, *m_duration, *m_cupti;
    QSpinBox *m_steps, *m_warmup, *m_memory;
    QComboBox *m_boundary, *m_graphs;
    QCheckBox *m_allocations, *m_paused;
    QLabel *m_machine, *m_status;
    QPlainTextEdit *m_output;
    QPushButton *m_record, *m_pause, *m_stop, *m_close;
    QWidget *m_form = nullptr;
    RecordProgress m_progress;
};

} // namespace longpole
