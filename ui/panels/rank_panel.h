// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/analysis/rank.h"
#include "ui/session.h"

#include <QWidget>

#include <optional>

class QComboBox;
class QLabel;
class QToolButton;

namespace longpole {

class RankModel;
class Table;

/// What could be made faster, by what it would bring: each phase, kind or name replayed by itself,
/// or the levers of the verdict. Works while it is visible.
class RankPanel : public QWidget {
    Q_OBJECT
public:
    RankPanel(ViewState &state, Session &session, QWidget *parent = nullptr);
    QSize sizeHint() const override { return {352, 640}; }
    void showVerdictLever(size_t index);

signals:
    /// A phase or a kind was chosen: the id that its slider has.
    void speedWanted(const QString &id);

protected:
    void showEvent(QShowEvent *event) override;

private:
    enum class Rows { Phase, Kind, Name, Verdict };

    QWidget *makeBar();
    void reset();
    void start();
    void stop();
    void showLevers(std::vector<Lever> levers);
    void say(const QString &text);
    void explain();
    void apply(int row);
    void lookAtLongest(const Lever &lever);
    Rows rows() const;

    ViewState &m_state;
    Session &m_session;
    RankModel *m_model;
    QComboBox *m_by = nullptr;
    QToolButton *m_stop = nullptr, *m_copy = nullptr;
    QLabel *m_message, *m_sentence;
    Table *m_table;
    bool m_stale = true;
    std::optional<int> m_wanted; ///< row to choose once the levers of the verdict are there
    Job<std::vector<Lever>> m_job;
};

} // namespace longpole
