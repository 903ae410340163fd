// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/analysis/verdict.h"

#include <QAbstractButton>
#include <QFont>
#include <QWidget>

#include <optional>
#include <vector>

namespace longpole {

/// A number that leads to where it is counted: underlined, reached with Tab, followed with Enter.
class VerdictNumber : public QAbstractButton {
    Q_OBJECT
public:
    VerdictNumber(const VerdictPart &part, const QFont &font, QWidget *parent);
    const VerdictLink &link() const { return m_link; }
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    VerdictLink m_link;
};

/// One line of text with numbers that can be followed. Where it does not fit, names are elided in
/// the middle, and then items are left out from the end.
class VerdictRow : public QWidget {
    Q_OBJECT
public:
    struct Piece {
        VerdictPart part;
        bool elastic = false;      ///< a name, which may be elided
        bool mayEndBefore = false; ///< an item begins here
        QString tip;
        std::optional<PathTrust> swatch; ///< painted before the text
    };

    explicit VerdictRow(QWidget *parent = nullptr);
    void setLook(const QFont &text, const QFont &numbers, bool secondary);
    void setPieces(std::vector<Piece> pieces);
    void setLive(bool live); ///< otherwise grey: of what is no longer looked at
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {60, sizeHint().height()}; }

signals:
    void followed(const longpole::VerdictLink &link);

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    struct Placed {
        Piece piece;
        QString text, shown;
        VerdictNumber *number = nullptr; ///< null: painted by the row
        QRect rect;                      ///< null: left out
    };
    int natural(const Placed &placed) const;
    void place();

    std::vector<Placed> m_placed;
    QFont m_numberFont;
    bool m_secondary = false, m_live = true, m_cut = false;
    int m_end = 0; ///< of what is shown
};

/// A piece of the bar that shows how a path is known.
void paintTrust(QPainter &painter, const QRect &rect, PathTrust trust);

} // namespace longpole
