// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/what_if_readout.h"

#include "ui/numbers.h"
#include "ui/panels/what_if_text.h"
#include "ui/style.h"
#include "ui/theme.h"

#include <QGridLayout>
#include <QLabel>
#include <QPainter>

#include <algorithm>

namespace longpole {

namespace {

QLabel *cell(QGridLayout &grid, int row, int column, const QFont &font,
             QPalette::ColorRole role = QPalette::Text) {
    auto *label = new QLabel;
    label->setFont(font);
    label->setForegroundRole(role);
    label->setAlignment((column ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    grid.addWidget(label, row, column);
    return label;
}

} // namespace

WhatIfReadout::WhatIfReadout(QWidget *parent) : QWidget(parent) {
    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(10, 4, 10, 4);
    grid->setHorizontalSpacing(10);
    grid->setVerticalSpacing(0);
    grid->setColumnStretch(0, 1);
    const QFont small = uiFont(10);
    m_about = cell(*grid, 0, 0, small, QPalette::PlaceholderText);
    const QString heads[] = {tr("window"), tr("speed-up"), tr("interval")};
    for (int c = 0; c < 3; ++c)
        cell(*grid, 0, c + 1, small, QPalette::PlaceholderText)->setText(heads[c]);
    static constexpr const char *kNames[] = {"whatIfMeasured", "whatIfReplay", "whatIfAmdahl",
                                             "whatIfReplayInfinite", "whatIfAmdahlInfinite"};
    for (int r = 0; r < RowCount; ++r) {
        QFont font = tableFont();
        if (r == Replay) font.setBold(true);
        const auto role = r == Replay ? QPalette::Link : QPalette::Text;
        Cells &cells = m_rows[size_t(r)];
        cells = {cell(*grid, r + 1, 0, font, role), cell(*grid, r + 1, 1, font, role),
                 cell(*grid, r + 1, 2, font, role),
                 cell(*grid, r + 1, 3, tableFont(), QPalette::Text)};
        grid->setRowMinimumHeight(r + 1, std::max(18, QFontMetrics(font).height() + 4));
        const QString name = QLatin1String(kNames[r]);
        cells.name->setObjectName(name + QStringLiteral("Name"));
        cells.length->setObjectName(name);
        cells.speedup->setObjectName(name + QStringLiteral("Speedup"));
        cells.interval->setObjectName(name + QStringLiteral("Interval"));
    }
    m_rows[Amdahl].name->setToolTip(tr("A ceiling for serial work: as if nothing overlapped and "
                                       "nothing else changed."));
    m_rows[AmdahlMost].name->setToolTip(m_rows[Amdahl].name->toolTip());
    m_rows[Replay].name->setToolTip(tr("The measured dependencies with the changed work; all else "
                                       "stays as it was."));
    m_difference = cell(*grid, RowCount + 1, 0, uiFont(11), QPalette::PlaceholderText);
    m_difference->setObjectName(QStringLiteral("whatIfDifference"));
    m_difference->setContentsMargins(0, 4, 0, 2);
    m_difference->setWordWrap(true);
    m_difference->setTextInteractionFlags(Qt::TextSelectableByMouse);
    grid->addWidget(m_difference, RowCount + 1, 0, 1, 4);
}

void WhatIfReadout::fill(Row row, std::optional<TimeNs> length, TimeNs measured,
                         const QString &interval) {
    const Cells &cells = m_rows[row];
    const QString unknown = QStringLiteral("–");
    cells.length->setText(length ? durationText(*length) : unknown);
    cells.speedup->setText(
        !length        ? unknown
        : *length <= 0 ? QStringLiteral("∞")
                       : QString::number(double(measured) / double(*length), 'f', 2) + QChar(0xD7));
    cells.interval->setText(interval);
    cells.length->setAccessibleName(cells.name->text());
    cells.speedup->setAccessibleName(tr("%1, speed-up").arg(cells.name->text()));
    cells.interval->setAccessibleName(tr("%1, interval").arg(cells.name->text()));
}

void WhatIfReadout::showAnswer(const WhatIfAnswer &answer) {
    const WhatIfQuestion &question = answer.question;
    const Speed speed = question.speeds[question.active];
    const TimeNs measured = question.basis->measured();
    const bool others =
        std::any_of(question.speeds.begin(), question.speeds.end(), [&](const Speed &s) {
            return !s.isOne() && &s != &question.speeds[question.active];
        });
    const QString label = question.basis->levers[question.active].label;
    m_about->setText(others ? tr("%1, others as set").arg(label) : label);
    m_rows[Measured].name->setText(tr("measured"));
    m_rows[Replay].name->setText(tr("replay at %1").arg(speed.text()));
    m_rows[Amdahl].name->setText(tr("Amdahl at %1").arg(speed.text()));
    m_rows[ReplayMost].name->setText(tr("replay at ∞"));
    m_rows[AmdahlMost].name->setText(tr("Amdahl at ∞"));
    const auto &rest = answer.rest;
    const QString coming = QStringLiteral("…"), ceiling = tr("ceiling");
    const bool edited = question.basis->edited != nullptr;
    const bool changed = others || edited || !speed.isOne();
    fill(Measured, measured, measured, {});
    fill(Replay, answer.ns, measured,
         !changed ? QString()
         : rest   ? intervalText(rest->replay)
                  : coming);
    fill(Amdahl, answer.amdahl, measured,
         answer.amdahl ? ceiling
         : edited      ? tr("none for edits")
                       : tr("none for slower"));
    fill(AmdahlMost, answer.amdahlAtInfinity, measured, ceiling);
    if (rest) {
        fill(ReplayMost, rest->atInfinity.ns, measured, intervalText(rest->atInfinity));
        m_difference->setText(differenceText(answer));
        m_restOf = question;
    } else if (!m_restOf || m_restOf->basis != question.basis ||
               m_restOf->active != question.active || m_restOf->with({}) != question.with({})) {
        // of another slider, or with others set otherwise
        for (QLabel *label : {m_rows[ReplayMost].length, m_rows[ReplayMost].speedup})
            label->setText(coming);
        m_rows[ReplayMost].interval->clear();
        m_difference->clear();
    }
}

void WhatIfReadout::showPending() {
    m_restOf.reset();
    for (const Cells &cells : m_rows) {
        cells.length->setText(QStringLiteral("…"));
        cells.speedup->clear();
        cells.interval->clear();
    }
    m_difference->setText(tr("Working out another window."));
}

void WhatIfReadout::paintEvent(QPaintEvent *) {
    QPainter painter(this);
    painter.fillRect(QRect(0, 0, width(), 1), theme().line);
    const QRect row = m_rows[Replay].name->geometry();
    painter.fillRect(QRect(0, row.top(), width(), row.height()), theme().selected);
}

} // namespace longpole
