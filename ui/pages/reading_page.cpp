// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/reading_page.h"

#include "ui/numbers.h"
#include "ui/pages/page_parts.h"

#include <QFileInfo>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QShortcut>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace longpole {

ReadingPage::ReadingPage(QWidget *parent) : QWidget(parent) {
    setObjectName(QStringLiteral("readingPage"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    m_title = headline({});
    m_figures = secondary({}, 12);
    m_figures->setObjectName(QStringLiteral("readingFigures"));
    m_bar = new QProgressBar;
    m_bar->setObjectName(QStringLiteral("readingBar"));
    m_bar->setAccessibleName(tr("How much of the trace is read"));
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_bar->setMaximumWidth(640);
    m_cancel = new QPushButton(tr("Cancel"));
    m_cancel->setObjectName(QStringLiteral("cancelReading"));
    m_cancel->setToolTip(tr("Stop reading (Esc)"));
    m_cancel->setMinimumHeight(30);
    m_cancel->setMinimumWidth(120);
    connect(m_cancel, &QPushButton::clicked, this, &ReadingPage::cancelRequested);
    setFocusProxy(m_cancel);
    auto *escape = new QShortcut(Qt::Key_Escape, this);
    escape->setContext(Qt::WidgetWithChildrenShortcut);
    connect(escape, &QShortcut::activated, this, &ReadingPage::cancelRequested);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(48, 36, 48, 24);
    layout->setSpacing(12);
    layout->addWidget(m_title);
    layout->addWidget(m_bar);
    layout->addWidget(m_figures);
    layout->addSpacing(6);
    layout->addWidget(m_cancel, 0, Qt::AlignLeft);
    layout->addStretch(1);
}

void ReadingPage::start(const QStringList &paths) {
    m_bytes = 0;
    for (const QString &path : paths) m_bytes += QFileInfo(path).size();
    const QString name = QFileInfo(paths.first()).fileName();
    m_title->setText(paths.size() == 1 ? tr("Reading %1").arg(name)
                                       : tr("Reading %1 files of one job").arg(paths.size()));
    m_clock.start();
    setFraction(0);
}

void ReadingPage::setFraction(double fraction) {
    fraction = std::clamp(fraction, 0.0, 1.0);
    m_bar->setValue(int(fraction * 1000));
    QString text = tr("%1\u00a0% of %2").arg(int(fraction * 100)).arg(bytesText(m_bytes));
    const double seconds = double(m_clock.elapsed()) / 1000;
    if (fraction > 0.01 && seconds > 0.1) {
        const double rate = double(m_bytes) * fraction / seconds;
        const auto left = qint64(std::ceil(seconds * (1 - fraction) / fraction));
        text += tr(" · %1/s · %2\u00a0s left").arg(bytesText(qint64(rate)), countText(left));
    }
    m_figures->setText(text);
}

} // namespace longpole
