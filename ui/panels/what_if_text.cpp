// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/what_if_text.h"

#include "core/analysis/verdict_words.h"
#include "ui/numbers.h"

#include <QObject>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr double kIndicativeAbove = 0.2;
constexpr qsizetype kLongestName = 44;

QString shortName(const std::string &name) {
    if (name == "untraced") return QObject::tr("untraced host time");
    const QString text = QString::fromStdString(name);
    if (text.size() <= kLongestName) return text;
    return text.left(kLongestName * 2 / 3) + QChar(0x2026) + text.right(kLongestName / 3);
}

/// What takes over first when the active lever gets faster.
const Knee *firstKnee(const WhatIfAnswer &answer) {
    if (!answer.curve) return nullptr;
    for (const Knee &knee : answer.curve->knees)
        if (knee.scale <= 1 && !knee.takesOver.empty()) return &knee;
    return nullptr;
}

QString overlapText(const WhatIfAnswer &answer, const SliderWork &lever) {
    const TimeNs least = answer.question.basis->measured() / 2000; // what no column would show
    const TimeNs apart = answer.rest->atInfinity.ns - *answer.amdahlAtInfinity;
    if (apart <= least)
        return QObject::tr("Nothing runs beside %1: replay and Amdahl agree.").arg(lever.label);
    if (answer.rest->atInfinity.ns > answer.question.basis->measured())
        return QObject::tr("Without %1 the window begins earlier by more than it ends, so it takes "
                           "longer. Choose whole steps to compare lengths.")
            .arg(lever.label);
    const QString text = QObject::tr("%1 of %2's %3 (union) run beside other work or waits")
                             .arg(durationText(apart), lever.label, durationText(lever.work));
    const Knee *knee = firstKnee(answer);
    if (!knee) return text + QLatin1Char('.');
    if (knee->scale > 0.99) // it would take over at once
        return text + QObject::tr(": %1 holds it back.").arg(shortName(knee->takesOver));
    return text + QObject::tr(": beyond %1× %2 takes over.")
                      .arg(1 / knee->scale, 0, 'f', 1)
                      .arg(shortName(knee->takesOver));
}

} // namespace

QString editsText(const WhatIfQuestion &question) {
    QStringList edits;
    for (const WhatIfEdit &edit : question.basis->edits)
        if (edit.refusal.empty()) edits << QString::fromStdString(edit.text);
    for (size_t i = 0; i < question.speeds.size(); ++i)
        if (!question.speeds[i].isOne())
            edits << question.basis->levers[i].label + QChar(0xA0) + question.speeds[i].text();
    return edits.join(QStringLiteral(", "));
}

QString intervalText(const Forecast &forecast) {
    const QString value = durationText(forecast.ns);
    if (durationText(forecast.low) != value || durationText(forecast.high) != value)
        return rangeText(forecast.low, forecast.high);
    const TimeNs most = std::max(forecast.ns - forecast.low, forecast.high - forecast.ns);
    return QStringLiteral("±\u00a0%1").arg(durationText(most));
}

QString differenceText(const WhatIfAnswer &answer) {
    if (!answer.rest) return {};
    const WhatIfQuestion &question = answer.question;
    const SliderWork &lever = question.basis->levers[question.active];
    QStringList parts;
    const bool alone =
        std::all_of(question.speeds.begin(), question.speeds.end(), [&](const Speed &speed) {
            return speed.isOne() || &speed == &question.speeds[question.active];
        });
    if (answer.amdahlAtInfinity && alone) parts << overlapText(answer, lever);
    const Bottleneck &next = answer.rest->next;
    if (!next.name.empty() && !editsText(question).isEmpty()) {
        const bool same = !question.basis->byKind && next.phase == lever.id;
        parts << (same ? QObject::tr("%1 on %2 still has most of the path.")
                       : QObject::tr("Next bottleneck: %1 on %2."))
                     .arg(shortName(next.name), QString::fromStdString(next.trackName));
    }
    if (answer.rest->earlier > 0)
        parts << QObject::tr("The change applies to the whole capture: this window begins %1 "
                             "earlier.")
                     .arg(durationText(answer.rest->earlier));
    if (const std::string unseen = unseenBatches(answer.rest->replay, question.basis->measured());
        !unseen.empty())
        parts << QString::fromStdString(unseen);
    if (answer.curve)
        for (const std::string &warning : answer.curve->warnings)
            parts << QString::fromStdString(warning);
    return parts.join(QLatin1Char(' '));
}

Fidelity fidelityOf(const WhatIfBasis &basis) {
    Fidelity result;
    const TimeNs apart = basis.baseline - basis.measured();
    result.exact = apart == 0;
    result.baseline = result.exact ? QObject::tr("Baseline replay = measured, to the nanosecond.")
                                   : QObject::tr("Baseline replay differs from measured by %1.")
                                         .arg(durationText(std::abs(apart)));
    const EvidenceSums &sums = basis.evidence;
    const std::pair<QString, TimeNs> parts[] = {{QObject::tr("recorded"), sums.recorded},
                                                {QObject::tr("inferred"), sums.inferred},
                                                {QObject::tr("assumed"), sums.assumed},
                                                {QObject::tr("untraced"), sums.untraced},
                                                {QObject::tr("unexplained"), sums.unexplained}};
    const double whole = std::max<double>(1, double(basis.measured()));
    std::vector<TimeNs> times;
    for (const auto &[name, time] : parts) times.push_back(time);
    const std::vector<std::string> percents = percentTexts(times); // as in the verdict
    QStringList shares;
    for (size_t i = 0; i < times.size(); ++i)
        if (!percents[i].empty())
            shares << QStringLiteral("%1 %2").arg(QString::fromStdString(percents[i]),
                                                  parts[i].first);
    const double weak = double(sums.assumed + sums.unexplained) / whole;
    result.indicative = weak > kIndicativeAbove;
    result.shares = QObject::tr("Path: %1.").arg(shares.join(QStringLiteral(", ")));
    if (result.indicative)
        result.shares +=
            QObject::tr(" Indicative: %1\u00a0% of the path is assumed or unexplained.")
                .arg(std::lround(100 * weak));
    return result;
}

} // namespace longpole
