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
    MarkCommand(Marks &marks, const QString &what, QString id, std::optional<TimeMark> before,
                std::optional<TimeMark> after)
        : QUndoCommand(what), m_marks(marks), m_id(std::move(id)), m_before(std::move(before)),
          m_after(std::move(after)) {}
    void undo() override { m_marks.put(m_id, m_before); }
    void redo() override { m_marks.put(m_id, m_after); }

private:
    Marks &m_marks;
    const QString m_id;
    const std::optional<TimeMark> m_before, m_after;
};

bool earlier(const TimeMark &a, const TimeMark &b) {
    return std::tie(a.range.begin, a.range.end, a.id) < std::tie(b.range.begin, b.range.end, b.id);
}

} // namespace

const TimeMark *Marks::find(const QString &id) const {
    const auto at = std::find_if(m_marks.begin(), m_marks.end(),
                                 [&](const TimeMark &mark) { return mark.id == id; });
    return at == m_marks.end() ? nullptr : &*at;
}

void Marks::push(const QString &what, const QString &id, std::optional<TimeMark> after) {
    const TimeMark *now = find(id);
    std::optional<TimeMark> before;
    if (now) before = *now;
    if (before == after) return;
    m_undo.push(new MarkCommand(*this, what, id, std::move(before), std::move(after)));
}

QString Marks::add(TimeRange range, const QString &text) {
    const QString id = QUuid::createUuid().toString(QUuid::WithoutBraces);
    push(tr("mark"), id, TimeMark{id, range, text});
    return id;
}

void Marks::setText(const QString &id, const QString &text) {
    const TimeMark *mark = find(id);
    if (mark) push(tr("note"), id, TimeMark{id, mark->range, text});
}

void Marks::remove(const QString &id) {
    if (find(id)) push(tr("removal of a mark"), id, std::nullopt);
}

void Marks::setAll(std::vector<TimeMark> marks) {
    std::sort(marks.begin(), marks.end(), earlier);
    if (marks == m_marks) return;
    m_marks = std::move(marks);
    emit changed();
}

void Marks::put(const QString &id, const std::optional<TimeMark> &mark) {
    std::erase_if(m_marks, [&](const TimeMark &other) { return other.id == id; });
    if (mark)
        m_marks.insert(std::upper_bound(m_marks.begin(), m_marks.end(), *mark, earlier), *mark);
    emit changed();
}

} // namespace longpole
