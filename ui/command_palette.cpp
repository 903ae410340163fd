// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/command_palette.h"

#include "ui/icons.h"
#include "ui/theme.h"

#include <QAbstractListModel>
#include <QDialog>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace longpole {

namespace {

constexpr size_t kMostShown = 200;

class EntriesModel : public QAbstractListModel {
public:
    explicit EntriesModel(std::vector<PaletteEntry> entries) : m_entries(std::move(entries)) {
        filter({});
    }
    void filter(const QString &typed) {
        beginResetModel();
        std::vector<std::pair<int, size_t>> found;
        for (size_t i = 0; i < m_entries.size(); ++i)
            if (const int score = paletteScore(typed, m_entries[i].text); score >= 0)
                found.emplace_back(-score, i);
        std::sort(found.begin(), found.end());
        m_shown.clear();
        for (size_t i = 0; i < std::min(found.size(), kMostShown); ++i)
            m_shown.push_back(found[i].second);
        endResetModel();
    }
    const PaletteEntry &entry(int row) const { return m_entries[m_shown[size_t(row)]]; }
    int rowCount(const QModelIndex &parent = {}) const override {
        return parent.isValid() ? 0 : int(m_shown.size());
    }
    QVariant data(const QModelIndex &index, int role) const override {
        if (role == Qt::DisplayRole) return entry(index.row()).text;
        if (role == Qt::UserRole) return entry(index.row()).detail;
        if (role == Qt::AccessibleTextRole)
            return QStringLiteral("%1, %2").arg(entry(index.row()).text, entry(index.row()).detail);
        return {};
    }

private:
    const std::vector<PaletteEntry> m_entries;
    std::vector<size_t> m_shown;
};

/// The text at the left, the detail at the right.
class EntryDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override {
        const Theme &t = theme();
        painter->fillRect(option.rect, option.state & QStyle::State_Selected ? t.selected : t.base);
        const QRect room = option.rect.adjusted(10, 0, -10, 0);
        const QString detail = index.data(Qt::UserRole).toString();
        painter->setFont(uiFont(11));
        painter->setPen(t.text2);
        painter->drawText(room, Qt::AlignRight | Qt::AlignVCenter, detail);
        const int left = room.width() - painter->fontMetrics().horizontalAdvance(detail) - 16;
        painter->setFont(uiFont(12));
        painter->setPen(t.text);
        painter->drawText(
            room, Qt::AlignLeft | Qt::AlignVCenter,
            painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideMiddle, left));
    }
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &) const override {
        return {100, option.fontMetrics.height() + 8};
    }
};

class Palette : public QDialog {
public:
    Palette(QWidget *parent, std::vector<PaletteEntry> entries)
        : QDialog(parent), m_model(std::move(entries)) {
        setObjectName(QStringLiteral("commandPalette"));
        setWindowTitle(QObject::tr("Commands"));
        setAttribute(Qt::WA_DeleteOnClose);
        m_field.setObjectName(QStringLiteral("paletteField"));
        m_field.setAccessibleName(QObject::tr("Command, panel, step or track"));
        m_field.setPlaceholderText(QObject::tr("Command, panel, step or track"));
        m_field.addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
        m_field.installEventFilter(this);
        m_list.setObjectName(QStringLiteral("paletteList"));
        m_list.setAccessibleName(QObject::tr("What can be done"));
        m_list.setModel(&m_model);
        m_list.setItemDelegate(new EntryDelegate(&m_list));
        m_list.setUniformItemSizes(true);
        m_list.setFocusPolicy(Qt::NoFocus);
        m_list.setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        auto *layout = new QVBoxLayout(this);
        layout->setContentsMargins(8, 8, 8, 8);
        layout->addWidget(&m_field);
        layout->addWidget(&m_list);
        QObject::connect(&m_field, &QLineEdit::textChanged, this, [this](const QString &typed) {
            m_model.filter(typed);
            choose(0);
        });
        QObject::connect(&m_list, &QListView::clicked, this, [this] { run(); });
        choose(0);
        resize(std::min(560, parent->width() - 40), std::min(400, parent->height() - 60));
    }
    ~Palette() override { m_list.setModel(nullptr); }

protected:
    bool eventFilter(QObject *object, QEvent *event) override {
        if (object != &m_field || event->type() != QEvent::KeyPress) return false;
        const int row = m_list.currentIndex().row();
        switch (static_cast<QKeyEvent *>(event)->key()) {
        case Qt::Key_Down:
            choose(row + 1);
            return true;
        case Qt::Key_Up:
            choose(row - 1);
            return true;
        case Qt::Key_PageDown:
            choose(row + 10);
            return true;
        case Qt::Key_PageUp:
            choose(row - 10);
            return true;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            run();
            return true;
        default:
            return false;
        }
    }

private:
    void choose(int row) {
        if (m_model.rowCount() == 0) return;
        m_list.setCurrentIndex(m_model.index(std::clamp(row, 0, m_model.rowCount() - 1)));
    }
    void run() {
        const QModelIndex at = m_list.currentIndex();
        if (!at.isValid()) return;
        const auto act = m_model.entry(at.row()).run;
        close();
        act();
    }

    EntriesModel m_model;
    QLineEdit m_field;
    QListView m_list;
};

} // namespace

int paletteScore(const QString &typed, const QString &text) {
    int score = 0;
    qsizetype at = -1;
    for (const QChar letter : typed) {
        if (letter.isSpace()) continue;
        const qsizetype next = text.indexOf(letter, at + 1, Qt::CaseInsensitive);
        if (next < 0) return -1;
        if (next == at + 1) score += 4;
        if (next == 0 || !text[next - 1].isLetterOrNumber()) score += 6;
        at = next;
    }
    if (!typed.isEmpty() && text.contains(typed, Qt::CaseInsensitive)) score += 50;
    return score;
}

void showCommandPalette(QWidget *parent, std::vector<PaletteEntry> entries) {
    auto *palette = new Palette(parent, std::move(entries));
    palette->open();
}

} // namespace longpole
