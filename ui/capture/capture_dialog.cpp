// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/capture/capture_dialog.h"

#include "ui/numbers.h"
#include "ui/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QShowEvent>
#include <QSpinBox>
#include <QVBoxLayout>

namespace longpole {

namespace {

constexpr int kMostLines = 1000, kMostSteps = 1'000'000, kLeastMemory = 4, kMostMemory = 65'536;

template <class T>
T *named(T *widget, const char *name, const QString &tip = {}) {
    widget->setObjectName(QLatin1String(name));
    widget->setToolTip(tip);
    return widget;
}

QLineEdit *makeLine(const char *name, const QString &placeholder, const QString &tip) {
    QLineEdit *line = named(new QLineEdit, name, tip);
    line->setPlaceholderText(placeholder);
    return line;
}

QSpinBox *makeNumber(const char *name, int from, int to, int value, const QString &tip) {
    QSpinBox *number = named(new QSpinBox, name, tip);
    number->setRange(from, to);
    number->setValue(value);
    number->setGroupSeparatorShown(true);
    return number;
}

QString freeName(const QString &folder) {
    for (int n = 1;; ++n) {
        const QString name =
            n == 1 ? QStringLiteral("longpole.lpcap") : QStringLiteral("longpole-%1.lpcap").arg(n);
        if (!QFileInfo::exists(QDir(folder).filePath(name))) return name;
    }
}

} // namespace

CaptureDialog::CaptureDialog(QWidget *parent) : QDialog(parent) {
    setObjectName(QStringLiteral("captureDialog"));
    setWindowTitle(tr("Capture"));
    m_machine = named(new QLabel(tr("Looking at this machine…")), "captureMachine");
    m_machine->setWordWrap(true);
    m_machine->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_form = new QWidget;
    m_form->setLayout(makeForm());
    m_status = named(new QLabel, "captureStatus");
    m_status->setWordWrap(true);
    m_output = named(new QPlainTextEdit, "captureOutput");
    m_output->setReadOnly(true);
    m_output->setTabChangesFocus(true);
    m_output->setMaximumBlockCount(kMostLines);
    m_output->setPlaceholderText(tr("What the program says"));
    m_output->setAccessibleName(m_output->placeholderText());
    m_record = named(new QPushButton(tr("&Record")), "captureRecord");
    m_record->setDefault(true);
    m_pause = named(new QPushButton(tr("&Pause, resume")), "capturePause");
    m_stop = named(new QPushButton(tr("&Stop")), "captureStop",
                   tr("Ends the recording, then the program"));
    m_close = named(new QPushButton(tr("Close")), "captureClose");
    for (QPushButton *button : {m_pause, m_stop, m_close}) button->setAutoDefault(false);
    auto *buttons = new QHBoxLayout;
    buttons->addStretch(1);
    for (QPushButton *button : {m_record, m_pause, m_stop, m_close}) buttons->addWidget(button);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(m_form);
    layout->addWidget(m_machine);
    layout->addWidget(m_output, 1);
    layout->addWidget(m_status);
    layout->addLayout(buttons);
    resize(620, 640);

    connect(m_record, &QPushButton::clicked, this, &CaptureDialog::start);
    connect(m_pause, &QPushButton::clicked, &m_recorder, &Recorder::togglePause);
    connect(m_stop, &QPushButton::clicked, this, [this] {
        m_recorder.stop();
        m_stop->setText(tr("&Stop harder"));
        m_status->setText(tr("Stopping: the recording is made whole, then the program is ended."));
    });
    connect(m_close, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_command, &QLineEdit::textChanged, this, [this] { setRunning(m_recorder.running()); });
    connect(&m_recorder, &Recorder::progressed, this, &CaptureDialog::showProgress);
    connect(&m_recorder, &Recorder::said, this, &CaptureDialog::say);
    connect(&m_recorder, &Recorder::ended, this, &CaptureDialog::ended);
    connect(&m_doctor, &QProcess::finished, this, &CaptureDialog::doctorSaid);
    setRunning(false);
    m_command->setFocus();
}

void CaptureDialog::showEvent(QShowEvent *event) {
    QDialog::showEvent(event);
    if (event->spontaneous() || m_recorder.running()) return;
    m_file->setText(freeName(m_folder->text()));
    askDoctor();
}

QFormLayout *CaptureDialog::makeForm() {
    const QSettings settings;
    const QString folder =
        settings.value(QStringLiteral("captureFolder"), QDir::currentPath()).toString();
    m_command = makeLine("captureCommand", tr("python train.py"),
                         tr("What to run and record, as in a terminal"));
    m_command->setText(settings.value(QStringLiteral("captureCommand")).toString());
    m_folder = makeLine("captureFolder", {}, tr("Where it runs, and where the recording lies"));
    m_folder->setText(QFileInfo(folder).isDir() ? folder : QDir::currentPath());
    auto *choose = named(new QPushButton(tr("Choose…")), "captureChoose");
    choose->setAutoDefault(false);
    connect(choose, &QPushButton::clicked, this, &CaptureDialog::chooseFolder);
    m_file = makeLine("captureFile", {}, tr("A recording of that name is replaced"));
    m_file->setText(freeName(m_folder->text()));
    m_steps = makeNumber("captureSteps", 0, kMostSteps, 20,
                         tr("Measure so many steps, then stop recording; the program runs on"));
    m_steps->setSpecialValueText(tr("all, unmeasured"));
    m_warmup = makeNumber("captureWarmup", 0, kMostSteps, 5, tr("Steps before them, kept apart"));
    m_boundary = named(new QComboBox, "captureBoundary",
                       tr("Whether the device is waited for before the first measured step and "
                          "after the last"));
    m_boundary->addItem(tr("wait for the device"), QStringLiteral("sync"));
    m_boundary->addItem(tr("do not wait: enqueueing only"), QStringLiteral("none"));
    m_stepName = makeLine("captureStepName", tr("step, train_step, iteration, ProfilerStep"),
                          tr("Ranges whose names begin so mark steps"));
    m_delay =
        makeLine("captureDelay", tr("at once"), tr("Begin so long after CUDA starts: 10s, 500ms"));
    m_duration = makeLine("captureDuration", tr("to the end"), tr("Stop after so long"));
    m_graphs = named(new QComboBox, "captureGraphs", tr("How CUDA graphs are recorded"));
    m_graphs->addItem(tr("each operation"), QStringLiteral("node"));
    m_graphs->addItem(tr("as a whole, which costs less"), QStringLiteral("whole"));
    m_memory = makeNumber("captureMemory", kLeastMemory, kMostMemory, 256,
                          tr("The most memory for records, a process"));
    m_memory->setSuffix(tr(" MB"));
    m_cupti =
        makeLine("captureCupti", tr("of the toolkit, or of PyTorch"), tr("The libcupti to load"));
    m_allocations =
        named(new QCheckBox(tr("&Memory that is taken and given back")), "captureAllocations");
    m_paused = named(new QCheckBox(tr("Begin pa&used")), "capturePaused",
                     tr("Record nothing until Pause, resume is pressed"));

    const auto beside = [](std::initializer_list<QWidget *> widgets) {
        auto *row = new QHBoxLayout;
        for (QWidget *widget : widgets)
            row->addWidget(widget, qobject_cast<QLineEdit *>(widget) ? 1 : 0);
        return row;
    };
    const auto small = [](const QString &text, QWidget *of) {
        auto *label = new QLabel(text);
        label->setBuddy(of);
        return label;
    };
    auto *form = new QFormLayout;
    form->setContentsMargins(0, 0, 0, 0);
    form->addRow(tr("P&rogram"), m_command);
    form->addRow(small(tr("&Folder"), m_folder), beside({m_folder, choose}));
    form->addRow(tr("F&ile"), m_file);
    form->addRow(small(tr("S&teps"), m_steps),
                 beside({m_steps, small(tr("after &warm-up of"), m_warmup), m_warmup, m_boundary}));
    form->addRow(tr("Steps are &named"), m_stepName);
    form->addRow(small(tr("&Begin after"), m_delay),
                 beside({m_delay, small(tr("f&or"), m_duration), m_duration}));
    form->addRow(small(tr("CUDA &graphs"), m_graphs),
                 beside({m_graphs, small(tr("m&emory"), m_memory), m_memory}));
    form->addRow(tr("CUPTI &library"), m_cupti);
    form->addRow(QString(), beside({m_allocations, m_paused}));
    return form;
}

void CaptureDialog::askDoctor() {
    if (Recorder::program().isEmpty()) {
        m_machine->setText(
            tr("longpole-cli is not here: it records. Install it beside longpole, or "
               "in a folder of PATH."));
        return;
    }
    if (m_doctor.state() != QProcess::NotRunning) return;
    m_doctor.setWorkingDirectory(m_folder->text());
    m_doctor.start(Recorder::program(), {QStringLiteral("doctor"), QStringLiteral("--json")});
}

void CaptureDialog::doctorSaid() {
    const QJsonObject answer = QJsonDocument::fromJson(m_doctor.readAllStandardOutput()).object();
    QStringList missing;
    for (const QJsonValue &check : answer[QLatin1String("checks")].toArray())
        if (!check[QLatin1String("ok")].toBool())
            missing << check[QLatin1String("says")].toString();
    if (answer[QLatin1String("ok")].toBool())
        m_machine->setText(tr("This machine can record."));
    else
        m_machine->setText(tr("This machine cannot record yet. %1")
                               .arg(missing.isEmpty() ? tr("longpole-cli doctor says nothing.")
                                                      : missing.join(QLatin1Char(' '))));
}

void CaptureDialog::chooseFolder() {
    const QString folder =
        QFileDialog::getExistingDirectory(this, tr("Where the program runs"), m_folder->text());
    if (folder.isEmpty()) return;
    m_folder->setText(folder);
    m_file->setText(freeName(folder));
}

QStringList CaptureDialog::options() const {
    QStringList words;
    const auto add = [&](const char *option, const QString &value) {
        if (!value.isEmpty()) words << QLatin1String(option) << value;
    };
    if (m_steps->value() > 0) {
        add("--steps", QString::number(m_steps->value()));
        add("--warmup", QString::number(m_warmup->value()));
    }
    add("--boundary", m_boundary->currentData().toString());
    add("--step-name", m_stepName->text().trimmed());
    add("--delay", m_delay->text().trimmed());
    add("--duration", m_duration->text().trimmed());
    add("--graphs", m_graphs->currentData().toString());
    add("--memory", QString::number(m_memory->value()));
    add("--cupti", m_cupti->text().trimmed());
    if (m_allocations->isChecked()) words << QStringLiteral("--allocations");
    if (m_paused->isChecked()) words << QStringLiteral("--paused");
    return words;
}

void CaptureDialog::start() {
    QSettings settings;
    settings.setValue(QStringLiteral("captureCommand"), m_command->text());
    settings.setValue(QStringLiteral("captureFolder"), m_folder->text());
    if (!QFileInfo(m_folder->text()).isDir()) {
        m_status->setText(tr("There is no folder %1.").arg(m_folder->text()));
        return;
    }
    const QString file = m_file->text().trimmed();
    m_output->clear();
    m_progress = {};
    m_status->setText(tr("The program starts."));
    m_recorder.start(m_folder->text(), file.isEmpty() ? freeName(m_folder->text()) : file,
                     options(), QProcess::splitCommand(m_command->text()));
    setRunning(m_recorder.running());
}

void CaptureDialog::showProgress(const RecordProgress &progress) {
    m_progress = progress;
    if (m_recorder.stopping()) return;
    QString text = tr("%1 records/s, %2 in all, %3 dropped, %4")
                       .arg(countText(progress.perSecond), countText(progress.records),
                            countText(progress.dropped), bytesText(progress.bytes));
    if (progress.steps > 0) text += tr(", %1 steps begun").arg(countText(progress.steps));
    m_status->setText(text);
}

void CaptureDialog::ended(const QString &file, int status) {
    const bool stopped = m_recorder.stopping();
    setRunning(false);
    QString text =
        status == 0 || stopped ? QString() : tr("The program ended with status %1. ").arg(status);
    if (file.isEmpty()) {
        m_status->setText(text + tr("Nothing was recorded; the last lines above say why."));
        return;
    }
    text += tr("Recorded %1 records, %2 dropped: %3")
                .arg(countText(m_progress.records), countText(m_progress.dropped), file);
    m_status->setText(text);
    m_file->setText(freeName(m_folder->text()));
    emit recorded(file);
    if (status == 0 || stopped) accept();
}

void CaptureDialog::setRunning(bool running) {
    m_form->setEnabled(!running);
    m_record->setEnabled(!running && !m_command->text().trimmed().isEmpty() &&
                         !Recorder::program().isEmpty());
    m_pause->setEnabled(running);
    m_stop->setEnabled(running);
    m_stop->setText(tr("&Stop"));
    m_close->setEnabled(!running);
}

void CaptureDialog::say(const QString &text) {
    m_output->moveCursor(QTextCursor::End);
    m_output->insertPlainText(text);
    m_output->moveCursor(QTextCursor::End);
}

void CaptureDialog::reject() {
    if (!m_recorder.running()) return QDialog::reject();
    m_status->setText(tr("The program still runs. Stop ends it and keeps what was recorded."));
}

} // namespace longpole
