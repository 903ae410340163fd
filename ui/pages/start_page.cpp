// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/start_page.h"

#include "ui/examples.h"
#include "ui/icons.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/recent_table.h"
#include "ui/recent_files.h"
#include "ui/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace longpole {

namespace {

constexpr int kWidest = 1400, kHighest = 1000; ///< px; a large window leaves room around it

} // namespace

StartPage::StartPage(QWidget *parent) : QScrollArea(parent) {
    setObjectName(QStringLiteral("startPage"));
    setFrameShape(NoFrame);
    setWidgetResizable(true);
    auto *page = new QWidget;
    page->setAutoFillBackground(true);
    page->setBackgroundRole(QPalette::Base);
    page->setMaximumSize(kWidest, kHighest);
    setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    viewport()->setBackgroundRole(QPalette::Base);
    auto *open = new QPushButton(tr("Open a trace…"));
    open->setObjectName(QStringLiteral("openButton"));
    makePrimary(open, QStringLiteral("folder-open"));
    connect(open, &QPushButton::clicked, this, &StartPage::chooseRequested);

    auto *openRow = new QHBoxLayout;
    openRow->setSpacing(14);
    openRow->addWidget(open);
    openRow->addWidget(
        secondary(tr("Ctrl+O, or drop files here. Several files at once are the ranks of one job."),
                  12),
        1);
    auto *lists = new QHBoxLayout;
    lists->setSpacing(44);
    lists->addWidget(makeRecent(), 5);
    lists->addWidget(makeExamples(), 3);

    auto *layout = new QVBoxLayout(page);
    layout->setContentsMargins(48, 36, 48, 24);
    layout->setSpacing(0);
    layout->addWidget(headline(tr("What is your training step waiting for?")));
    layout->addSpacing(6);
    layout->addWidget(
        secondary(tr("Open a trace to see its critical path, why the GPU is idle, and "
                     "what a change would be worth."),
                  13));
    layout->addSpacing(16);
    layout->addLayout(openRow);
    layout->addSpacing(20);
    layout->addWidget(divider());
    layout->addSpacing(16);
    layout->addLayout(lists, 1);
    layout->addSpacing(16);
    layout->addWidget(divider());
    layout->addSpacing(14);
    layout->addWidget(makeHints());
    setWidget(page);
    setFocusProxy(open);
    refreshRecent();
}

QWidget *StartPage::makeRecent() {
    auto *part = new QWidget;
    m_recent = new RecentTable;
    m_noRecent = secondary(tr("Nothing yet: traces that you open are listed here."), 12);
    m_recentKeys = secondary(tr("Enter opens · Delete forgets"), 11);
    m_clear = new QPushButton(tr("Clear the list"));
    m_clear->setObjectName(QStringLiteral("clearRecent"));
    m_clear->setProperty("link", true);
    m_clear->setCursor(Qt::PointingHandCursor);
    connect(m_clear, &QPushButton::clicked, this, [this] {
        clearRecent();
        refreshRecent();
    });
    connect(m_recent, &RecentTable::openRequested, this, &StartPage::openRequested);
    connect(m_recent, &RecentTable::changed, this, &StartPage::refreshRecent);
    auto *head = new QHBoxLayout;
    head->addWidget(sectionHead(tr("Recent")), 1);
    head->addWidget(m_clear);
    auto *layout = new QVBoxLayout(part);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    layout->addLayout(head);
    layout->addWidget(m_recent);
    layout->addWidget(m_noRecent);
    layout->addWidget(m_recentKeys);
    layout->addStretch(1);
    return part;
}

QWidget *StartPage::makeExamples() {
    auto *part = new QWidget;
    auto *layout = new QVBoxLayout(part);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(sectionHead(tr("Examples")));
    layout->addSpacing(6);
    for (const Example &example : examples()) {
        auto *link = new QPushButton(linkIcon(QStringLiteral("route")), example.title);
        link->setObjectName(QStringLiteral("example_") + example.file);
        link->setProperty("link", true);
        link->setCursor(Qt::PointingHandCursor);
        link->setAccessibleDescription(example.caption);
        connect(link, &QPushButton::clicked, this,
                [this, &example] { emit exampleRequested(example); });
        auto *caption = secondary(example.caption, 11);
        caption->setIndent(20);
        layout->addWidget(link, 0, Qt::AlignLeft);
        layout->addWidget(caption);
        layout->addSpacing(10);
    }
    layout->addStretch(1);
    return part;
}

QWidget *StartPage::makeCaptureLink() {
    auto *link = new QPushButton(tr("Capture a program on this machine…"));
    link->setObjectName(QStringLiteral("captureLink"));
    link->setProperty("link", true);
    link->setCursor(Qt::PointingHandCursor);
    connect(link, &QPushButton::clicked, this, &StartPage::captureRequested);
    return link;
}

QWidget *StartPage::makeHints() {
    auto *part = new QWidget;
    auto *row = new QHBoxLayout(part);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(24);
    const std::pair<QString, QString> hints[] = {
        {tr("No trace yet?"),
         tr("PyTorch: torch.profiler, export_chrome_trace\nOr try one of the examples above.")},
        {tr("What it reads"), tr("PyTorch (Kineto) and Chrome JSON, plain or as .gz,\n.zst, .zip; "
                                 "SQLite exports of Nsight Systems; its own recordings")},
        {tr("Keys to begin with"),
         tr("?  all keys     0  whole trace\nW A S D  zoom and pan     F  fit the selection")}};
    for (const auto &[title, text] : hints) {
        auto *column = new QVBoxLayout;
        column->setSpacing(4);
        auto *head = sectionHead(title);
        head->setFont(uiFont(12, QFont::Bold));
        column->addWidget(head);
        column->addWidget(secondary(text, 12));
        if (&title == &hints[0].first) column->addWidget(makeCaptureLink(), 0, Qt::AlignLeft);
        column->addStretch(1);
        row->addLayout(column, 1);
    }
    return part;
}

void StartPage::refreshRecent() {
    m_recent->refresh();
    const bool any = m_recent->model()->rowCount() > 0;
    m_recent->setVisible(any);
    m_recentKeys->setVisible(any);
    m_clear->setVisible(any);
    m_noRecent->setVisible(!any);
}

} // namespace longpole
