// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/error_page.h"

#include "ui/icons.h"
#include "ui/numbers.h"
#include "ui/pages/page_parts.h"
#include "ui/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QDateTime>
#include <QEvent>
#include <QFile>
#include <QFileInfo>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QShortcut>

namespace longpole {

namespace {

constexpr qint64 kBytesPerLine = 76;
constexpr qint64 kLines = 4;

/// A few words for each reason; the message says the rest.
QString titleOf(const Error &error) {
    static const std::pair<const char *, const char *> kTitles[] = {
        {"cannot_open", "The file cannot be opened."},
        {"not_a_file", "This is not a file."},
        {"empty_file", "The file is empty."},
        {"truncated_stream", "The file is cut short."},
        {"unknown_format", "This is not a trace that can be read."},
        {"no_trace_events", "This is not a trace that can be read."},
        {"nsys_report", "This report has to be exported first."},
        {"nsys_stream", "This recording has to be exported first."},
        {"perfetto_trace", "This trace has to be converted first."},
        {"damaged_database", "The database is damaged."},
        {"no_nsys_tables", "This is not a trace that can be read."},
        {"out_of_memory", "The trace does not fit into memory."},
    };
    for (const auto &[reason, title] : kTitles)
        if (error.reason == reason) return QObject::tr(title);
    return QObject::tr("The file cannot be read.");
}

/// The byte that the message names, or 0.
qint64 byteOf(const std::string &message) {
    static const QRegularExpression pattern(QStringLiteral("byte ([0-9,]+)"));
    const auto match = pattern.match(QString::fromStdString(message));
    return match.hasMatch() ? match.captured(1).remove(QLatin1Char(',')).toLongLong() : 0;
}

QPushButton *wayOut(const QString &text, const QString &objectName) {
    auto *button = new QPushButton(text);
    button->setObjectName(objectName);
    button->setFixedWidth(232);
    button->setMinimumHeight(30);
    return button;
}

} // namespace

QString bytesAround(const QString &path, qint64 offset) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return {};
    const QByteArray head = file.read(4);
    if (head.startsWith("\x1f\x8b") || head.startsWith("PK") || head.startsWith("\x28\xb5\x2f\xfd"))
        return {};
    offset = std::clamp<qint64>(offset, 0, file.size());
    const qint64 begin = std::max<qint64>(0, offset - kBytesPerLine * (kLines - 1));
    file.seek(begin);
    const QByteArray bytes = file.read(kBytesPerLine * kLines);
    const int width = int(countText(begin + kBytesPerLine * (kLines - 1)).size());
    QStringList lines;
    for (qint64 at = 0; at < bytes.size(); at += kBytesPerLine) {
        QString text = QString::fromLatin1(bytes.mid(at, kBytesPerLine));
        for (QChar &c : text)
            if (!c.isPrint()) c = c == QLatin1Char('\n') ? QChar(0x21B5) : QChar(0xB7);
        lines << QStringLiteral("%1   %2").arg(countText(begin + at), width).arg(text);
    }
    return lines.join(QLatin1Char('\n'));
}

ErrorPage::ErrorPage(QWidget *parent) : QScrollArea(parent) {
    setObjectName(QStringLiteral("errorPage"));
    setFrameShape(NoFrame);
    setWidgetResizable(true);
    auto *page = new QWidget;
    page->setAutoFillBackground(true);
    page->setBackgroundRole(QPalette::Base);
    m_title = headline({});
    m_message = new QLabel;
    m_message->setObjectName(QStringLiteral("errorMessage"));
    m_message->setFont(uiFont(13));
    m_message->setWordWrap(true);
    m_message->setMaximumWidth(840);
    m_message->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_bytes = new QPlainTextEdit;
    m_bytes->setObjectName(QStringLiteral("errorBytes"));
    m_bytes->setAccessibleName(tr("The file around that place"));
    m_bytes->setReadOnly(true);
    m_bytes->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_bytes->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_bytes->document()->setDocumentMargin(8);
    QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    fixed.setPixelSize(uiFont(12).pixelSize());
    m_bytes->setFont(fixed);

    auto *body = new QVBoxLayout;
    body->setContentsMargins(56, 28, 56, 24);
    body->setSpacing(12);
    body->addWidget(m_title);
    body->addWidget(m_message);
    body->addWidget(m_bytes);
    body->addSpacing(4);
    body->addWidget(sectionHead(tr("What you can do")));
    body->addLayout(makeWaysOut());
    body->addSpacing(8);
    body->addWidget(divider());
    body->addLayout(makeFacts());
    body->addStretch(1);
    auto *layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeStrip());
    layout->addWidget(divider());
    layout->addLayout(body, 1);
    setWidget(page);
    setFocusProxy(m_choose);
    auto *escape = new QShortcut(Qt::Key_Escape, this);
    escape->setContext(Qt::WidgetWithChildrenShortcut);
    connect(escape, &QShortcut::activated, this, &ErrorPage::backRequested);
}

QWidget *ErrorPage::makeStrip() {
    auto *strip = new QWidget;
    strip->setAutoFillBackground(true);
    strip->setBackgroundRole(QPalette::Window);
    m_icon = new QLabel;
    m_stripTitle = sectionHead({});
    m_stripSide = secondary({}, 12);
    m_stripSide->setWordWrap(false);
    auto *row = new QHBoxLayout(strip);
    row->setContentsMargins(16, 8, 16, 8);
    row->setSpacing(10);
    row->addWidget(m_icon);
    row->addWidget(m_stripTitle, 1);
    row->addWidget(m_stripSide);
    return strip;
}

QLayout *ErrorPage::makeWaysOut() {
    m_choose = wayOut(tr("Choose another file…"), QStringLiteral("errorChoose"));
    makePrimary(m_choose, QStringLiteral("folder-open"));
    auto *retry = wayOut(tr("Try again"), QStringLiteral("errorRetry"));
    m_back = wayOut(tr("Back"), QStringLiteral("errorBack"));
    m_backText = secondary({}, 12);
    connect(m_choose, &QPushButton::clicked, this, &ErrorPage::chooseRequested);
    connect(retry, &QPushButton::clicked, this, [this] { emit retryRequested(m_failure.paths); });
    connect(m_back, &QPushButton::clicked, this, &ErrorPage::backRequested);
    auto *grid = new QGridLayout;
    grid->setHorizontalSpacing(14);
    grid->setVerticalSpacing(10);
    grid->setColumnStretch(1, 1);
    grid->addWidget(m_choose, 0, 0);
    grid->addWidget(
        secondary(tr("PyTorch (Kineto) JSON or Chrome trace JSON, plain or as .gz, .zst or "
                     ".zip, or an SQLite export of Nsight Systems. The original may still be on "
                     "the machine that recorded it."),
                  12),
        0, 1);
    grid->addWidget(retry, 1, 0);
    grid->addWidget(secondary(tr("After the file was copied again or is complete."), 12), 1, 1);
    grid->addWidget(m_back, 2, 0);
    grid->addWidget(m_backText, 2, 1);
    return grid;
}

QLayout *ErrorPage::makeFacts() {
    m_facts = new QLabel;
    m_facts->setObjectName(QStringLiteral("errorFacts"));
    m_facts->setTextFormat(Qt::RichText);
    m_facts->setWordWrap(true);
    m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto *copy = new QPushButton(icon(QStringLiteral("copy")), tr("Copy this text"));
    copy->setObjectName(QStringLiteral("errorCopy"));
    connect(copy, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(plainText()); });
    auto *row = new QHBoxLayout;
    row->addWidget(m_facts, 1);
    row->addWidget(copy, 0, Qt::AlignTop);
    return row;
}

void ErrorPage::explain(const OpenFailure &failure, const QString &open) {
    m_failure = failure;
    const QFileInfo first(failure.paths.value(0));
    m_stripTitle->setText(failure.paths.size() == 1 ? tr("%1 was not opened").arg(first.fileName())
                                                    : tr("%1 and %2 more were not opened")
                                                          .arg(first.fileName())
                                                          .arg(failure.paths.size() - 1));
    m_stripSide->setText(open.isEmpty() ? QString() : tr("%1 is still open").arg(open));
    m_title->setText(titleOf(failure.error));
    m_message->setText(QString::fromStdString(failure.error.message));
    const QString bytes = bytesAround(first.filePath(), byteOf(failure.error.message));
    m_bytes->setPlainText(bytes);
    m_bytes->setVisible(!bytes.isEmpty());
    const int lines = int(bytes.count(QLatin1Char('\n'))) + 1;
    m_bytes->setFixedHeight(lines * m_bytes->fontMetrics().lineSpacing() + 20);
    m_back->setText(open.isEmpty() ? tr("Start page") : tr("Back to the trace"));
    m_backText->setText(open.isEmpty() ? tr("Recent traces and examples.")
                                       : tr("%1 is unchanged.").arg(open));
    tint();
}

void ErrorPage::tint() {
    m_icon->setPixmap(
        iconPixmap(QStringLiteral("file-alert"), theme().path, 18, devicePixelRatioF()));
    QString rows;
    const auto add = [&rows](const QString &key, const QString &value) {
        rows += QStringLiteral("<tr><td style='color:%1; padding:2px 24px 2px 0'>%2</td>"
                               "<td style='padding:2px 0'>%3</td></tr>")
                    .arg(theme().text2.name(), key, value.toHtmlEscaped());
    };
    for (const QString &path : m_failure.paths) {
        const QFileInfo info(path);
        add(tr("file"),
            !info.exists()
                ? path
                : tr("%1, %2 bytes, changed %3")
                      .arg(path, countText(info.size()),
                           QLocale(QLocale::English)
                               .toString(info.lastModified(), QStringLiteral("d MMM yyyy HH:mm"))));
    }
    add(tr("reason"), QString::fromStdString(m_failure.error.reason));
    m_facts->setText(QStringLiteral("<table cellspacing='0' cellpadding='0'>%1</table>").arg(rows));
}

QString ErrorPage::plainText() const {
    QStringList lines{m_stripTitle->text(), m_title->text(), m_message->text()};
    for (const QString &path : m_failure.paths) lines << tr("file: %1").arg(path);
    lines << tr("reason: %1").arg(QString::fromStdString(m_failure.error.reason));
    if (m_bytes->isVisibleTo(this)) lines << m_bytes->toPlainText();
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

void ErrorPage::changeEvent(QEvent *event) {
    QScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !m_failure.paths.isEmpty()) tint();
}

} // namespace longpole
