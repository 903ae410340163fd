// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/details_panel.h"

#include "core/analysis/relatives.h"
#include "ui/describe.h"
#include "ui/icons.h"
#include "ui/panels/details_text.h"
#include "ui/panels/wrap_row.h"
#include "ui/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QKeyEvent>
#include <QPushButton>
#include <QScrollBar>
#include <QTextBrowser>
#include <QTextDocument>
#include <QUrl>

namespace longpole {

DetailsPanel::DetailsPanel(ViewState &state, Session &session, QWidget *parent)
    : QWidget(parent), m_state(state), m_session(session), m_text(new QTextBrowser) {
    setWindowTitle(tr("Details"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    m_text->setObjectName(QStringLiteral("detailsText"));
    m_text->setAccessibleName(tr("Details of the selected interval"));
    m_text->setFont(uiFont(11));
    m_text->setOpenLinks(false);
    m_text->setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    m_text->document()->setDocumentMargin(10);
    m_text->installEventFilter(this);

    m_cause = new QPushButton(icon(QStringLiteral("target-arrow")), tr("Go to launch"));
    m_cause->setObjectName(QStringLiteral("goToCause"));
    m_cause->setToolTip(tr("From device work to its launch and back (G)"));
    m_parent = new QPushButton(tr("Go to parent"));
    m_parent->setObjectName(QStringLiteral("goToParent"));
    m_parent->setToolTip(tr("Select the interval around this one (↑ here; ↓ the first inside)"));
    m_copy = new QPushButton(icon(QStringLiteral("copy")), {}); // a narrow panel has no more room
    m_copy->setAccessibleName(tr("Copy"));
    m_copy->setObjectName(QStringLiteral("copyDetails"));
    m_copy->setToolTip(tr("Copy these details as text"));

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_text, 1);
    layout->addWidget(new WrapRow(rowOf({m_cause}), 0, rowOf({m_parent, m_copy}), 1));

    connect(&m_state, &ViewState::selectedChanged, this, &DetailsPanel::selectionChanged);
    connect(&m_session, &Session::argumentsRead, this, [this](const Arguments &arguments) {
        if (arguments.id != m_state.selected()) return;
        m_arguments = arguments;
        render();
    });
    connect(&m_session, &Session::pathChanged, this, &DetailsPanel::render);
    connect(m_text, &QTextBrowser::anchorClicked, this, &DetailsPanel::follow);
    connect(m_cause, &QPushButton::clicked, this, [this] {
        if (m_state.trace()) m_state.reveal(followArrow(*m_state.trace(), m_state.selected()));
    });
    connect(m_parent, &QPushButton::clicked, this, [this] {
        if (m_state.trace()) m_state.reveal(parentOf(*m_state.trace(), m_state.selected()));
    });
    connect(m_copy, &QPushButton::clicked, this, [this] {
        if (const auto loaded = m_state.loaded(); loaded && m_state.selected().valid())
            QApplication::clipboard()->setText(
                detailsPlain(*loaded, m_state.selected(), arguments(), m_session.path().get()));
    });
    selectionChanged();
}

void DetailsPanel::selectionChanged() {
    m_arguments = {};
    m_session.readArguments(m_state.selected());
    render();
    m_text->verticalScrollBar()->setValue(0);
}

void DetailsPanel::render() {
    const auto loaded = m_state.loaded();
    const IntervalId id = m_state.selected();
    const bool any = loaded && id.valid();
    const int scrolled = m_text->verticalScrollBar()->value();
    m_text->setHtml(any ? detailsHtml(*loaded, id, arguments(), m_session.path().get())
                        : noDetailsHtml());
    m_text->verticalScrollBar()->setValue(scrolled);
    const bool device = any && isDeviceKind(loaded->trace->kind(id));
    m_cause->setText(any && !device ? tr("Go to device work") : tr("Go to launch"));
    m_cause->setEnabled(any && followArrow(*loaded->trace, id).valid());
    m_parent->setEnabled(any && parentOf(*loaded->trace, id).valid());
    m_copy->setEnabled(any);
}

void DetailsPanel::follow(const QUrl &link) {
    const QStringList parts = link.toString().split(QLatin1Char(':'));
    if (parts.size() != 3 || parts[0] != QLatin1String("interval")) return;
    m_state.reveal({parts[1].toUInt(), parts[2].toUInt()});
}

/// Up and down are the parent and the first child; the text scrolls by page, wheel and bar.
bool DetailsPanel::eventFilter(QObject *object, QEvent *event) {
    const Trace *trace = m_state.trace();
    const IntervalId id = m_state.selected();
    if (object != m_text || event->type() != QEvent::KeyPress || !trace || !id.valid())
        return QWidget::eventFilter(object, event);
    const auto *key = static_cast<QKeyEvent *>(event);
    if ((key->modifiers() | Qt::KeypadModifier) != Qt::KeypadModifier) return false;
    if (key->key() == Qt::Key_Up) {
        m_state.reveal(parentOf(*trace, id));
        return true;
    }
    if (key->key() == Qt::Key_Down) {
        const auto children = childrenOf(*trace, id, 1);
        if (!children.empty()) m_state.reveal(children.front());
        return true;
    }
    return false;
}

const Arguments *DetailsPanel::arguments() const {
    return m_arguments.id.valid() && m_arguments.id == m_state.selected() ? &m_arguments : nullptr;
}

void DetailsPanel::changeEvent(QEvent *event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_copy) render();
}

} // namespace longpole
