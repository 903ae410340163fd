// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window_undo.h"

#include <QDateTime>
#include <QUndoStack>

#include <utility>

namespace longpole {

namespace {
constexpr qint64 kMergeMs = 500;
}

class WindowCommand : public QUndoCommand {
public:
    WindowCommand(WindowUndo &owner, WindowUndo::Choice before, WindowUndo::Choice after)
        : QUndoCommand(WindowUndo::tr("window")), m_owner(owner), m_before(before), m_after(after),
          m_time(QDateTime::currentMSecsSinceEpoch()) {}
    int id() const override { return 1; }
    bool mergeWith(const QUndoCommand *next) override {
        const auto *other = static_cast<const WindowCommand *>(next);
        const bool drag =
            m_after.range && other->m_after.range && other->m_time - m_time < kMergeMs;
        if (!drag) return false;
        m_after = other->m_after;
        m_time = other->m_time;
        return true;
    }
    void undo() override { m_owner.apply(m_before); }
    void redo() override {
        if (std::exchange(m_done, true)) m_owner.apply(m_after);
    }

private:
    WindowUndo &m_owner;
    WindowUndo::Choice m_before, m_after;
    qint64 m_time;
    bool m_done = false;
};

WindowUndo::WindowUndo(ViewState &state, QObject *parent) : QObject(parent), m_state(state) {
    connect(&m_state, &ViewState::loadedChanged, this, [this] { m_last = now(); });
    connect(&m_state, &ViewState::windowChanged, this, &WindowUndo::windowChanged);
    m_last = now();
}

void WindowUndo::windowChanged() {
    const Choice before = std::exchange(m_last, now());
    if (!m_applying && !(before == m_last))
        m_state.undoStack().push(new WindowCommand(*this, before, m_last));
}

void WindowUndo::apply(const Choice &choice) {
    m_applying = true;
    if (choice.step != m_state.step()) {
        m_state.setStep(choice.step);
    }
    m_state.setRange(choice.range);
    m_applying = false;
}

} // namespace longpole
