// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style.h"

#include "ui/theme.h"

#include <QApplication>
#include <QFontDatabase>
#include <QFontMetricsF>
#include <QPainter>
#include <QProxyStyle>
#include <QSettings>
#include <QStyleOption>

namespace longpole {

namespace {

const QString kKey = QStringLiteral("theme");
bool g_systemIsDark = false;

/// Fusion that underlines the letters of menus only while Alt is held.
class Style : public QProxyStyle {
public:
    Style() : QProxyStyle(QStringLiteral("Fusion")) {}
    int styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget,
                  QStyleHintReturn *data) const override {
        if (hint == SH_UnderlineShortcut)
            return QApplication::keyboardModifiers().testFlag(Qt::AltModifier);
        return QProxyStyle::styleHint(hint, option, widget, data);
    }
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex *option,
                            QPainter *painter, const QWidget *widget) const override {
        if (control == CC_ComboBox)
            drawChooser(*option, *painter);
        else
            QProxyStyle::drawComplexControl(control, option, painter, widget);
    }

private:
    /// Flat like the buttons beside it: a frame, a chevron, two pixels of accent for the focus.
    static void drawChooser(const QStyleOptionComplex &option, QPainter &painter) {
        const Theme &t = theme();
        const bool enabled = option.state & State_Enabled, focused = option.state & State_HasFocus;
        const bool hovered = enabled && option.state & State_MouseOver;
        const QRect &r = option.rect;
        const int edge = focused ? 2 : 1;
        painter.fillRect(r, focused ? t.accent : enabled ? t.fieldBorder : t.line);
        painter.fillRect(r.adjusted(edge, edge, -edge, -edge), hovered ? t.head : t.button);
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(
            QPen(enabled ? t.text2 : t.disabled, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        const QPointF tip(r.right() - 10.5, r.center().y() + 2.25);
        painter.drawPolyline(QPolygonF({tip + QPointF(-3.5, -3.5), tip, tip + QPointF(3.5, -3.5)}));
        painter.restore();
    }
};

/// Flat tabs, headers and bars over Fusion. @name stands for a colour of the theme,
/// @small for the pixels of size 11.
const char *const kSheet = R"(
QMainWindow::separator { background: @win; width: 4px; height: 4px; }
QMainWindow::separator:hover { background: @accent; }
QMenuBar { background: @win; border-bottom: 1px solid @line; padding: 0 2px; }
QMenuBar::item { padding: 4px 9px; background: transparent; }
QMenuBar::item:selected, QMenuBar::item:pressed { background: @selected; color: @text; }
QMenuBar::item:disabled { color: @disabled; }
QToolBar { background: @win; border: 0; border-bottom: 1px solid @line; padding: 3px 6px; spacing: 4px; }
QToolBar::separator { background: @line; width: 1px; margin: 5px 5px; }
QToolButton { border: 1px solid transparent; padding: 3px 5px; border-radius: 2px; color: @text; }
QToolButton:hover { background: @head; }
QToolButton:pressed, QToolButton:checked { background: @selected; border-color: @accent; }
QToolButton:focus { border: 2px solid @accent; padding: 2px 4px; }
QToolButton:disabled { color: @disabled; }
QToolButton[framed="true"] { background: @button; border: 1px solid @fieldBorder; padding: 3px 7px; border-radius: 1px; }
QToolButton[framed="true"]:hover { background: @head; }
QToolButton[framed="true"]:focus { border: 2px solid @accent; padding: 2px 6px; }
QToolButton[framed="true"]:disabled { border-color: @line; }
QToolButton::menu-indicator { image: none; }
QPushButton { background: @button; border: 1px solid @fieldBorder; border-radius: 1px; padding: 3px 10px; color: @text; }
QPushButton:hover { background: @head; }
QPushButton:pressed { background: @selected; }
QPushButton:focus { border: 2px solid @accent; padding: 2px 9px; }
QPushButton:disabled { color: @disabled; border-color: @line; }
QPushButton[primary="true"] { background: @accent; border-color: @accent; color: @onAccent; }
QPushButton[primary="true"]:hover { background: @accentHover; }
QPushButton[primary="true"]:focus { border: 2px solid @text; }
QPushButton[link="true"] { background: transparent; border: 1px solid transparent; color: @accent; padding: 0; margin-left: -1px; text-align: left; }
QPushButton[link="true"]:hover { text-decoration: underline; }
QPushButton[link="true"]:focus { border: 1px solid @accent; }
QLineEdit { background: @base; border: 1px solid @fieldBorder; border-radius: 1px; padding: 2px 4px; selection-background-color: @selected; selection-color: @text; }
QLineEdit:focus { border: 2px solid @accent; padding: 1px 3px; }
QTabBar { background: @win; qproperty-drawBase: 0; }
QTabBar::tab { background: @win; color: @text2; padding: 5px 12px 4px 12px; border: 0; border-top: 2px solid transparent; border-right: 1px solid transparent; border-left: 1px solid transparent; }
QTabBar::tab:selected { background: @base; color: @text; font-weight: bold; border-top: 2px solid @accent; border-right: 1px solid @line; }
QTabBar::tab:hover:!selected { color: @text; background: @head; }
QTabBar::tab:focus { color: @accent; }
QHeaderView { background: @head; border: 0; }
QHeaderView::section { background: @head; color: @text2; border: 0; border-bottom: 1px solid @line; padding: 2px 6px; }
QHeaderView::section:hover { color: @text; }
QHeaderView::up-arrow, QHeaderView::down-arrow { image: none; width: 0; height: 0; }
QTableView { background: @base; alternate-background-color: @alt; border: 0; gridline-color: transparent; selection-background-color: @selected; selection-color: @text; outline: 0; }
QTableView::item { padding: 0 3px; border: 0; }
QTableView::item:selected { background: @selected; color: @text; }
QTableView::item:focus { border: 1px solid @accent; }
QTableView#statisticsTotal { border-top: 1px solid @text2; }
QTextBrowser { background: @base; border: 0; }
QPlainTextEdit { background: @alt; border: 1px solid @line; }
QScrollArea { background: @base; border: 0; }
QStatusBar { background: @win; border-top: 1px solid @line; font-size: @smallpx; }
QStatusBar::item { border: 0; }
QProgressBar { background: @head; border: 0; max-height: 6px; min-height: 6px; }
QProgressBar::chunk { background: @accent; }
QToolTip { background: @base; color: @text; border: 1px solid @fieldBorder; padding: 3px 5px; }
QScrollBar { background: @win; }
QScrollBar:vertical { width: 12px; }
QScrollBar:horizontal { height: 12px; }
QScrollBar::handle { background: @fieldBorder; }
QScrollBar::handle:vertical { margin: 2px 3px; min-height: 24px; }
QScrollBar::handle:horizontal { margin: 3px 2px; min-width: 24px; }
QScrollBar::handle:hover { background: @text2; }
QScrollBar::handle:disabled { background: transparent; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QMenu { background: @base; border: 1px solid @line; padding: 3px 0; }
QMenu::item { padding: 4px 24px 4px 26px; }
QMenu::item:selected { background: @selected; color: @text; }
QMenu::item:disabled { color: @disabled; }
QMenu::icon { padding-left: 6px; }
QMenu::separator { height: 1px; background: @line; margin: 3px 0; }
)";

QString styleSheet(const Theme &t) {
    const std::pair<const char *, QColor> colours[] = {
        {"@accentHover", mix(t.accent, t.dark ? QColor(Qt::white) : QColor(Qt::black), 0.12)},
        {"@onAccent", t.textOn(t.accent)},
        {"@accent", t.accent},
        {"@selected", t.selected},
        {"@fieldBorder", t.fieldBorder},
        {"@disabled", t.disabled},
        {"@button", t.button},
        {"@text2", t.text2},
        {"@text", t.text},
        {"@base", t.base},
        {"@head", t.head},
        {"@line", t.line},
        {"@alt", t.alt},
        {"@win", t.win},
    };
    QString sheet = QString::fromLatin1(kSheet);
    sheet.replace(QLatin1String("@small"), QString::number(uiFont(11).pixelSize()));
    for (const auto &[name, colour] : colours) sheet.replace(QLatin1String(name), colour.name());
    return sheet;
}

void applyTheme() {
    QString id = themeChoice();
    if (id == QLatin1String("system"))
        id = g_systemIsDark ? QStringLiteral("dark") : QStringLiteral("light");
    setTheme(id);
    QApplication::setPalette(theme().palette());
    qApp->setStyleSheet(styleSheet(theme()));
}

} // namespace

QFont tableFont() {
    QFont font = uiFont(11);
    const QFontMetricsF metrics(font); // Qt 6.4 cannot ask a font for its tabular digits
    bool equal = true;
    for (char digit = '1'; digit <= '9'; ++digit)
        equal &= metrics.horizontalAdvance(QLatin1Char(digit)) ==
                 metrics.horizontalAdvance(QLatin1Char('0'));
    if (equal) return font;
    for (const char *weight : {"Regular", "Bold"})
        QFontDatabase::addApplicationFont(QStringLiteral(":/fonts/Roboto-%1.ttf").arg(weight));
    font.setFamily(QStringLiteral("Roboto"));
    return font;
}

QString themeChoice() {
    return QSettings().value(kKey, QStringLiteral("system")).toString();
}

void chooseTheme(const QString &choice) {
    QSettings().setValue(kKey, choice);
    applyTheme();
}

void applyStyle(bool systemIsDark) {
    g_systemIsDark = systemIsDark;
    QApplication::setStyle(new Style);
    applyTheme();
}

} // namespace longpole
