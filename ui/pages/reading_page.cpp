// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/reading_page.h"

#include "ui/numbers.h"
#include "ui/pages/page_parts.h"
#include "ui/theme.h"
#include "ui/timeline/preview_view.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
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
    m_title = secondary({}, 15);
    m_title->setForegroundRole(QPalette::WindowText);
    m_title->setFont(uiFont(15, QFont::Bold));
    m_figures = secondary({}, 12);
    m_figures->setObjectName(QStringLiteral("readingFigures"));
    m_bar = new QProgressBar;
    m_bar->setObjectName(QStringLiteral("readingBar"));
    m_bar->setAccessibleName(tr("How much of the trace is read"));
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_cancel = new QPushButton(tr("Cancel"));
    m_cancel->setObjectName(QStringLiteral("cancelReading"));
    m_cancel->setToolTip(tr("Stop reading (Esc)"));
    m_cancel->setMinimumHeight(30);
    m_cancel->setMinimumWidth(120);
    connect(m_cancel, &QPushButton::clicked, this, &ReadingPage::cancelRequested);
    m_preview = new PreviewView;
    setFocusProxy(m_cancel);
    auto *escape = new QShortcut(Qt::Key_Escape, this);
    escape->setContext(Qt::WidgetWithChildrenShortcut);
    connect(escape, &QShortcut::activated, this, &ReadingPage::cancelRequested);
    auto *words = new QVBoxLayout;
    words->setSpacing(2);
    words->addWidget(m_title);
    words->addWidget(m_figures);
    auto *head = new QHBoxLayout;
    head->setContentsMargins(16, 12, 16, 12);
    head->setSpacing(24);
    head->addLayout(words, 1);
    head->addWidget(m_cancel, 0, Qt::AlignVCenter);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(head);
    layout->addWidget(m_bar);
    layout->addWidget(m_preview, 1);
}

void ReadingPage::start(const QStringList &paths) {
    m_bytes = 0;
    for (const QString &path : paths) m_bytes += QFileInfo(path).size();
    const QString name = QFileInfo(paths.first()).fileName();
    m_title->setText(paths.size() == 1 ? tr("Reading %1").arg(name)
                                       : tr("Reading %1 files of one job").arg(paths.size()));
    m_preview->setPreview({});
    m_clock.start();
    setFraction(0);
}

void ReadingPage::setFraction(double fraction) {
    fraction = std::clamp(fraction, 0.0, 1.0);
    m_bar->setValue(int(fraction * 1000));
    QString text = tr("%1\u00a0% of %2").arg(int(fraction * 100)).arg(bytesText(m_bytes));
    const double seconds = double(m_clock.elapsed()) / 1000;
    if (fraction > 0.01 && seconds > 0.1) {
        const auto left = qint64(std::ceil(seconds * (1 - fraction) / fraction));
        text += tr(" · %1\u00a0s left").arg(countText(left));
    }
    m_figures->setText(text);
}

/// The keys of the timeline, wherever the focus is.
void ReadingPage::keyPressEvent(QKeyEvent *event) {
    if (!m_preview->moveKey(*event)) QWidget::keyPressEvent(event);
}

} // namespace longpole
