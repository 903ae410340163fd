// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/verdict_banner.h"

#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/verdict_row.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace longpole {

namespace {

constexpr std::array<int, 3> kHeights = {70, 56, 40}, kHeadline = {15, 13, 13}; ///< by Room
constexpr int kAnnounceMs = 300;
constexpr int kEdge = 4; ///< px of the path's colour at the left

QString qt(const std::string &text) {
    return QString::fromStdString(text);
}

/// A tooltip that wraps and takes names as they are.
QString tip(const QString &text) {
    return QStringLiteral("<p>%1</p>")
        .arg(text.toHtmlEscaped().replace(QLatin1Char('\n'), QLatin1String("<br>")));
}

QString whereTo(const VerdictLink &link, const VerdictLine &line) {
    switch (link.to) {
    case VerdictLink::To::Window:
        return QObject::tr("Look at the whole window. %1").arg(qt(line.text()));
    case VerdictLink::To::Idle:
        return QObject::tr("Look at the longest of these idle stretches.");
    case VerdictLink::To::Lever:
        return QObject::tr("Show it among the levers. %1").arg(qt(line.text()));
    default:
        return QObject::tr("Show these pieces of the path, from the longest on.");
    }
}

/// Commas, semicolons and "and" begin an item that can be left out.
bool beginsItem(const std::string &text) {
    return text.starts_with(", ") || text.starts_with("; ") || text.starts_with(" and ");
}

/// What of a line a banner has room for.
void addEssence(std::vector<VerdictRow::Piece> &pieces, const VerdictLine &line) {
    const bool lever = line.about == VerdictLine::About::Lever;
    for (const VerdictPart &part : line.parts) {
        if (part.detail) continue;
        const bool first = &part == &line.parts.front();
        VerdictRow::Piece piece{part, lever && first, first || beginsItem(part.text), {}, {}};
        const bool number = part.link.to != VerdictLink::To::Nothing;
        piece.tip = number ? tip(whereTo(part.link, line)) : tip(qt(line.text()));
        pieces.push_back(std::move(piece));
    }
}

VerdictRow::Piece plain(const QString &text) {
    return {{text.toStdString(), {}, false}, false, true, {}, {}};
}

} // namespace

/// How the path is known: shares as a bar and as numbers.
class TrustBar : public QWidget {
public:
    explicit TrustBar(QWidget *parent)
        : QWidget(parent), m_legend{new VerdictRow(this), new VerdictRow(this)} {
        for (VerdictRow *row : m_legend) row->setLook(uiFont(10), uiFont(10), true);
        setObjectName(QStringLiteral("verdictTrust"));
        setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Expanding);
    }

    const std::array<VerdictRow *, 2> &legend() const { return m_legend; }
    void setTrust(const Verdict &verdict, const VerdictLine &line) {
        const EvidenceSums &e = verdict.trust;
        m_sums = {e.recorded, e.inferred, e.assumed, e.untraced, e.unexplained};
        m_indicative = line.text().find("Indicative") != std::string::npos;
        std::array<std::vector<VerdictRow::Piece>, 2> rows;
        for (const VerdictPart &part : line.parts) {
            if (part.link.to != VerdictLink::To::Trust) continue;
            auto &pieces = rows[rows[0].size() < 8 ? 0 : 1]; // three items fill a row
            const auto trust = PathTrust(part.link.index);
            const std::string_view name = pathTrustName(trust);
            VerdictRow::Piece text =
                plain(QString::fromUtf8(name.data(), qsizetype(name.size())) + QLatin1Char(' '));
            text.swatch = trust;
            text.tip = tip(qt(line.text()));
            VerdictRow::Piece number{part, false, false, tip(whereTo(part.link, line)), {}};
            if (!pieces.empty()) pieces.push_back(plain(QStringLiteral("   ")));
            pieces.push_back(std::move(text));
            pieces.push_back(std::move(number));
        }
        for (size_t i = 0; i < rows.size(); ++i) m_legend[i]->setPieces(std::move(rows[i]));
        setToolTip(tip(qt(line.text())));
        updateGeometry();
        place();
        update();
    }

    QSize sizeHint() const override {
        const int legend =
            std::max(m_legend[0]->sizeHint().width(), m_legend[1]->sizeHint().width());
        return {std::clamp(legend, 220, 340), kHeights[0]};
    }
    QSize minimumSizeHint() const override { return {180, 40}; }

protected:
    void paintEvent(QPaintEvent *) override {
        QPainter painter(this);
        const Theme &t = theme();
        painter.setFont(uiFont(10));
        painter.setPen(t.text2);
        const QRect head(0, top(), width(), 14);
        painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter, QObject::tr("Trust of this path"));
        if (m_indicative) {
            painter.setPen(t.warn);
            const QString text = QObject::tr("indicative");
            painter.drawText(head, Qt::AlignRight | Qt::AlignVCenter, text);
            const int x = width() - painter.fontMetrics().horizontalAdvance(text) - 16;
            painter.drawPixmap(
                x, head.top() + 1,
                iconPixmap(QStringLiteral("alert-triangle"), t.warn, 12, devicePixelRatioF()));
        }
        const double whole =
            std::max<double>(1, double(m_sums[0] + m_sums[1] + m_sums[2] + m_sums[3] + m_sums[4]));
        double from = 0;
        for (size_t i = 0; i < m_sums.size(); ++i) {
            const double to = from + double(m_sums[i]) / whole * width();
            const QRect part(QPoint(qRound(from), top() + 15), QPoint(qRound(to) - 1, top() + 21));
            if (part.width() > 0) paintTrust(painter, part, PathTrust(i));
            from = to;
        }
    }
    void resizeEvent(QResizeEvent *) override { place(); }

private:
    void place() {
        const int height = m_legend[0]->sizeHint().height();
        for (int i = 0; i < 2; ++i)
            m_legend[size_t(i)]->setGeometry(0, top() + 25 + i * height, width(), height);
    }
    /// Where the words begin, so that all of it stands in the middle.
    int top() const {
        const bool two = !m_legend[1]->accessibleName().isEmpty();
        return (height() - 25 - (two ? 2 : 1) * m_legend[0]->sizeHint().height()) / 2;
    }

    std::array<VerdictRow *, 2> m_legend;
    std::array<TimeNs, kPathTrustCount> m_sums{};
    bool m_indicative = false;
};

VerdictBanner::VerdictBanner(ViewState &state, Session &session, QWidget *parent)
    : QWidget(parent), m_session(session), m_headline(new VerdictRow), m_device(new VerdictRow),
      m_levers(new VerdictRow), m_trust(new TrustBar(this)) {
    setObjectName(QStringLiteral("verdict"));
    setAccessibleName(tr("Verdict"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    m_headline->setObjectName(QStringLiteral("verdictHeadline"));
    m_device->setObjectName(QStringLiteral("verdictDevice"));
    m_levers->setObjectName(QStringLiteral("verdictLevers"));
    m_device->setLook(uiFont(12), uiFont(12), true);
    m_levers->setLook(uiFont(12), uiFont(12), true);
    m_rows = new QVBoxLayout;
    m_rows->addStretch(1);
    for (VerdictRow *row : {m_headline, m_device, m_levers}) m_rows->addWidget(row);
    m_rows->addStretch(1);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(kEdge + 12, 0, 16, 1);
    layout->setSpacing(24);
    layout->addLayout(m_rows, 1);
    layout->addWidget(m_trust);
    for (VerdictRow *row : rowsOf())
        connect(row, &VerdictRow::followed, this, &VerdictBanner::followed);
    m_analysing.setSingleShot(true);
    m_analysing.setInterval(kAnnounceMs);
    connect(&m_analysing, &QTimer::timeout, this, [this] { showSentence(tr("Analysing…")); });
    connect(&state, &ViewState::loadedChanged, this, [this] { showSentence({}); });
    connect(&session, &Session::graphChanged, this, &VerdictBanner::refresh);
    connect(&session, &Session::verdictChanged, this, &VerdictBanner::refresh);
    setRoom(Room::Full);
    refresh();
}

void VerdictBanner::setRoom(Room room) {
    m_room = room;
    const int size = kHeadline[size_t(room)];
    m_headline->setLook(uiFont(size), uiFont(size, QFont::Bold), false);
    m_rows->setSpacing(room == Room::Full ? 2 : 0);
    const bool verdict = m_session.verdict() != nullptr;
    const bool one = room == Room::OneLine;
    for (QWidget *more : std::initializer_list<QWidget *>{m_device, m_levers, m_trust})
        more->setVisible(!one && verdict);
    if (verdict) setToolTip(one ? tip(m_text) : QString());
    setFixedHeight(kHeights[size_t(room)]);
}

void VerdictBanner::refresh() {
    if (!m_session.graphProblem().empty()) return showSentence(qt(m_session.graphProblem()));
    if (const auto verdict = m_session.verdict()) return showVerdict(*verdict);
    setLive(false);
    if (!m_analysing.isActive()) m_analysing.start();
}

void VerdictBanner::showVerdict(const Verdict &verdict) {
    m_analysing.stop();
    QStringList text;
    std::vector<VerdictRow::Piece> headline, device, levers;
    for (const VerdictLine &line : verdict.lines) {
        text << qt(line.text());
        switch (line.about) {
        case VerdictLine::About::Path:
            headline.push_back(plain(QStringLiteral(" ")));
            [[fallthrough]];
        case VerdictLine::About::Window:
            addEssence(headline, line);
            break;
        case VerdictLine::About::Device:
            addEssence(device, line);
            break;
        case VerdictLine::About::Lever:
            levers.push_back(plain(levers.empty() ? tr("Best levers at 2×:  ") : tr("    ")));
            addEssence(levers, line);
            break;
        case VerdictLine::About::NoLever:
            addEssence(levers, line);
            break;
        case VerdictLine::About::Trust:
            m_trust->setTrust(verdict, line);
            break;
        case VerdictLine::About::Advice:
            break;
        }
    }
    m_text = text.join(QLatin1Char('\n'));
    m_headline->setPieces(std::move(headline));
    m_device->setPieces(std::move(device));
    m_levers->setPieces(std::move(levers));
    setLive(true);
    setRoom(m_room);
}

/// One sentence in the place of the verdict.
void VerdictBanner::showSentence(const QString &text) {
    m_analysing.stop();
    m_text = text;
    m_headline->setPieces({plain(text)});
    m_headline->setLive(true);
    for (QWidget *more : std::initializer_list<QWidget *>{m_device, m_levers, m_trust})
        more->hide();
    setToolTip(text.isEmpty() ? QString() : tip(text));
}

void VerdictBanner::setLive(bool live) {
    for (VerdictRow *row : rowsOf()) row->setLive(live);
}

std::array<VerdictRow *, 5> VerdictBanner::rowsOf() const {
    const auto &legend = m_trust->legend();
    return {m_headline, m_device, m_levers, legend[0], legend[1]};
}

void VerdictBanner::paintEvent(QPaintEvent *) {
    QPainter painter(this);
    painter.fillRect(0, 0, kEdge, height(), theme().path);
    painter.fillRect(0, height() - 1, width(), 1, theme().line);
}

void VerdictBanner::contextMenuEvent(QContextMenuEvent *event) {
    if (m_text.isEmpty()) return;
    QMenu menu(this);
    menu.addAction(icon(QStringLiteral("copy")), tr("Copy the verdict as text"), this,
                   [this] { QApplication::clipboard()->setText(m_text); });
    menu.exec(event->globalPos());
}

} // namespace longpole
