// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/examples.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

namespace longpole {

const QList<Example> &examples() {
    static const QList<Example> list = {
        {QStringLiteral("serial_step.json"),
         QObject::tr("Serial step"),
         QObject::tr("100 ms in four phases: what is twice as fast worth?"),
         QStringLiteral("whatIf"),
         {},
         {},
         QStringLiteral("forward"),
         {},
         QObject::tr("100 ms, one after the other: data wait 40, transfer 10, forward and backward "
                     "40, update 10."),
         QObject::tr("Drag forward to 2×: 80 ms. To ∞: 60 ms. Or halve the data wait: 80 ms as "
                     "well."),
         QObject::tr("Where nothing overlaps, Amdahl's law is right: 1.25×, and 1.67× at most.")},
        {QStringLiteral("overlapping_timeline.json"),
         QObject::tr("Overlapping timeline"),
         QObject::tr("68 ms of work in 50 ms: which parts count?"),
         QStringLiteral("details"),
         QStringLiteral("logging"),
         {},
         {},
         {},
         QObject::tr("Four durations add up to 68 ms in a step of 50 ms: transfer and logging run "
                     "beside other work."),
         QObject::tr("Logging has 17 ms of slack. In What-if, make it twice as fast: still 50 ms. "
                     "Compute twice as fast: 35 ms."),
         QObject::tr("A sum of durations is no timeline. Only work on the critical path moves the "
                     "end.")},
        {QStringLiteral("enqueue_trap.json"),
         QObject::tr("The enqueue trap"),
         QObject::tr("1 ms on the host, 20 ms on the device"),
         QStringLiteral("details"),
         QStringLiteral("train_step"),
         {},
         {},
         {},
         QObject::tr("train_step returns after 1 ms. What it launched ends 19 ms later."),
         QObject::tr("Press G on a launch to follow it. The path of the step lies on the device "
                     "alone."),
         QObject::tr("A range that only enqueues measures enqueueing. Synchronise before the clock "
                     "is read, or this looks twenty times as fast as it is.")},
        {QStringLiteral("startup_a.json"),
         QObject::tr("Start-up reversal"),
         QObject::tr("two runs that cross at step 150"),
         QStringLiteral("steps"),
         {},
         {},
         {},
         {},
         QObject::tr("A starts up for 30 s, then takes 1.00 s a step. B, startup_b.json beside it, "
                     "starts at once and takes 1.20 s."),
         QObject::tr("50 steps: A 80 s, B 60 s. 1,000 steps: A 1,030 s, B 1,200 s. Open B for its "
                     "steps; both side by side come with the panel that compares two runs."),
         QObject::tr("They cross at step 150: which one is faster depends on how long the run "
                     "is.")},
        {QStringLiteral("largest_operator.json"),
         QObject::tr("The largest operator"),
         QObject::tr("twice as fast, yet only 10 % gained: why?"),
         QStringLiteral("whatIf"),
         {},
         {},
         QStringLiteral("forward"),
         Speed{2000},
         QObject::tr("forward, the largest operator, takes 44 of 110 ms. Twice as fast it saves "
                     "10 ms, not 22."),
         QObject::tr("Drag forward on to ∞: no more is gained. Make communication faster as well: "
                     "now it pays."),
         QObject::tr("All-reduce runs beside it and takes over from 1.29× on. A long operator is "
                     "a hypothesis, not the largest gain.")},
        {QStringLiteral("logging_across_steps.json"),
         QObject::tr("Logging across steps"),
         QObject::tr("off this path, but not off the next"),
         QStringLiteral("details"),
         QStringLiteral("logging"),
         0,
         {},
         {},
         QObject::tr("In step 1 logging is off the path: it could end 12 ms later without delaying "
                     "the step."),
         QObject::tr("Ctrl+Home looks at several steps: there logging is on the path, and twice "
                     "as fast it saves 4 ms a step."),
         QObject::tr("What is free in one step may hold up the next: logging delays its "
                     "preparation. Choose the window before the lever.")},
        {QStringLiteral("training.json.gz"),
         QObject::tr("Training run"),
         QObject::tr("twenty steps with a warm-up, CPU, copies and streams"),
         QStringLiteral("levers"),
         {},
         {},
         {},
         {},
         QObject::tr("One step of 87 ms near the median of twenty; the first ones warm up and are "
                     "left out."),
         QObject::tr("Follow the numbers of the verdict. Enter on a row of Levers sets its "
                     "slider."),
         QObject::tr("Read from the top: what it takes, what it waits for, what helps, how far to "
                     "trust it.")},
    };
    return list;
}

QString Example::path() const {
    return QDir(examplesFolder()).filePath(file);
}

QString examplesFolder() {
    const QDir programs(QCoreApplication::applicationDirPath());
    const QString installed =
        programs.absoluteFilePath(QStringLiteral("../share/longpole/examples"));
    if (QFileInfo::exists(installed)) return QDir::cleanPath(installed);
    return QStringLiteral(LONGPOLE_SOURCE_DIR "/resources/examples");
}

} // namespace longpole
