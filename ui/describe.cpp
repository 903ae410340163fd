// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/describe.h"

#include "ui/numbers.h"
#include "ui/theme.h"

namespace longpole {

QString trackTitle(const Trace &trace, uint32_t index) {
    const Track &track = trace.tracks[index];
    const QString name = QString::fromStdString(track.name);
    if (track.device) {
        const QString gpu = QStringLiteral("GPU\u00a0%1").arg(*track.device);
        return name.isEmpty() ? gpu : QStringLiteral("%1 · %2").arg(gpu, name);
    }
    const Process &process = trace.processes[track.process];
    const QString pid = QString::fromStdString(process.pid);
    QString owner = QString::fromStdString(process.name);
    if (owner.isEmpty() && !pid.isEmpty() && name.contains(pid)) return name;
    if (owner.isEmpty()) owner = QStringLiteral("process");
    if (!pid.isEmpty() && !owner.contains(pid) && !name.contains(pid))
        owner += QLatin1Char(' ') + pid;
    if (!name.isEmpty()) return QStringLiteral("%1 · %2").arg(owner, name);
    return QStringLiteral("%1 · thread %2").arg(owner, QString::fromStdString(track.thread));
}

QString intervalName(const Trace &trace, IntervalId id) {
    const std::string_view name = trace.name(id);
    if (name.empty()) return QStringLiteral("(no name)");
    return QString::fromUtf8(name.data(), qsizetype(name.size()));
}

QColor ruleColour(const PhaseRule &rule) {
    const QColor own(QString::fromStdString(rule.colour));
    return own.isValid() ? own : theme().phaseColour(rule.id);
}

QColor intervalColour(const Loaded &loaded, IntervalId id, ColourBy by) {
    if (by == ColourBy::Kind) return theme().kindColour(loaded.trace->kind(id));
    return ruleColour(loaded.phases.ruleOf(id));
}

IntervalId followArrow(const Trace &trace, IntervalId id) {
    if (!id.valid()) return {};
    if (const IntervalId call = trace.callOf(id); call.valid()) return call;
    const auto ops = trace.opsOf(id);
    return ops.empty() ? IntervalId{} : ops.front();
}

IntervalId parentOf(const Trace &trace, IntervalId id) {
    if (!id.valid()) return {};
    const uint32_t parent = trace.track(id).table->parent[id.row];
    return parent == kNone ? IntervalId{} : IntervalId{id.track, parent};
}

QString stepNumber(const Steps &steps, uint32_t index) {
    const QString name = QString::fromStdString(steps.steps[index].name);
    const qsizetype hash = name.lastIndexOf(QLatin1Char('#'));
    bool isNumber = false;
    name.mid(hash + 1).toULongLong(&isNumber);
    return hash >= 0 && isNumber ? name.mid(hash + 1) : QString::number(index);
}

QString windowName(const Window &window, const Steps &steps) {
    if (window.steps && window.steps->second < steps.steps.size()) {
        const auto [first, last] = *window.steps;
        if (first == last) return QStringLiteral("step\u00a0%1").arg(stepNumber(steps, first));
        return QStringLiteral("steps\u00a0%1\u00a0–\u00a0%2")
            .arg(stepNumber(steps, first), stepNumber(steps, last));
    }
    return window.kind == Window::Kind::Range ? QStringLiteral("range")
                                              : QStringLiteral("whole trace");
}

} // namespace longpole
