// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/marks.h"

#include <QUndoStack>
#include <QUuid>

#include <algorithm>
#include <tuple>

namespace longpole {

namespace {

class MarkCommand : public QUndoCommand {
public:
    MarkCommand(Marks &marks, const QString &what, QString id, std::optional<Mark> before,
                std::optional<Mark> after)
        : QUndoCommand(what), m_marks(marks), m_id(std::move(id)), m_before(std::move(before)),
          m_after(std::move(after)) {}
    void undo() override { m_marks.put(m_id, m_before); }
    void redo() override { m_marks.put(m_id, m_after); }

private:
    Marks &m_marks;
    const QString m_id;
    const std::optional<Mark> m_before, m_after;
};

bool earlier(const Mark &a, const Mark &b) {
    return std::tie(a.range.begin, a.range.end, a.id) < std::tie(b.range.begin, b.range.end, b.id);
}

} // namespace

const Mark *Marks::find(const QString &id) const {
    const auto at = std::find_if(m_marks.begin(), m_marks.end(),
                                 [&](const Mark &mark) { return mark.id == id; });
    return at == m_marks.end() ? nullptr : &*at;
}

void Marks::push(const QString &what, const QString &id, std::optional<Mark> after) {
    const Mark *now = find(id);
    std::optional<Mark> before;
    if (now) before = *now;
    if (before == after) return;
    m_undo.push(new MarkCommand(*this, what, id, std::move(before), std::move(after)));
}

QString Marks::add(TimeRange range, const QString &text) {
    const QString id = QUuid::createUuid().toString(QUuid::WithoutBraces);
    push(tr("mark"), id, Mark{id, range, text});
    return id;
}

void Marks::setText(const QString &id, const QString &text) {
    const Mark *mark = find(id);
    if (mark) push(tr("note"), id, Mark{id, mark->range, text});
}

void Marks::remove(const QString &id) {
    if (find(id)) push(tr("removal of a mark"), id, std::nullopt);
}

void Marks::setAll(std::vector<Mark> marks) {
    std::sort(marks.begin(), marks.end(), earlier);
    if (marks == m_marks) return;
    m_marks = std::move(marks);
    emit changed();
}

void Marks::put(const QString &id, const std::optional<Mark> &mark) {
    std::erase_if(m_marks, [&](const Mark &other) { return other.id == id; });
    if (mark)
        m_marks.insert(std::upper_bound(m_marks.begin(), m_marks.end(), *mark, earlier), *mark);
    emit changed();
}

} // namespace longpole
