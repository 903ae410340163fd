// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/key_help.h"

#include "ui/theme.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace longpole {

namespace {

struct Section {
    const char *title;
    std::initializer_list<std::pair<const char *, const char *>> keys;
};

const Section kSections[] = {
    {"Move",
     {{"A D, ← →", "pan"},
      {"W S", "zoom"},
      {"wheel", "scroll the lanes"},
      {"Ctrl + wheel", "zoom at the mouse"},
      {"Shift + wheel", "pan"},
      {"drag, middle drag, Space + drag", "pan"},
      {"F", "fit the selection, or the window without one"},
      {"0", "whole trace"},
      {"Alt + ←, Backspace", "back to the view before"},
      {"Alt + →", "forward"}}},
    {"Choose",
     {{"click", "select an interval"},
      {"drag in the ruler, Shift + drag", "choose a range: the statistics follow"},
      {"Ctrl + Page Up / Page Down", "previous, next step"},
      {"Ctrl + Home", "the typical window"},
      {"N, Shift + N", "next, previous on the critical path"},
      {"P", "critical path on, off"},
      {"Shift + P", "the trace as the what-if makes it, or as measured"},
      {"G", "from a kernel to its launch and back"},
      {"Esc", "let go: reading, range, selection"}}},
    {"File",
     {{"Ctrl + O", "open"},
      {"Ctrl + E", "export a picture"},
      {"Ctrl + Shift + C", "copy the picture"},
      {"Ctrl + C", "copy the selection, or the chosen rows of a table"},
      {"Ctrl + W, Ctrl + Q", "close the trace, quit"},
      {"?, F1", "this list"}}}};

QString html() {
    QString text;
    for (const Section &section : kSections) {
        text += QStringLiteral("<p style='margin:10px 0 4px 0'><b>%1</b></p><table cellspacing='0' "
                               "cellpadding='0'>")
                    .arg(QObject::tr(section.title));
        for (const auto &[key, what] : section.keys)
            text += QStringLiteral("<tr><td width='224' style='padding:2px 0'>%1</td>"
                                   "<td style='color:%2; padding:2px 0'>%3</td></tr>")
                        .arg(QObject::tr(key), theme().text2.name(), QObject::tr(what));
        text += QStringLiteral("</table>");
    }
    return text;
}

} // namespace

void showKeyHelp(QWidget *parent) {
    auto *dialog = new QDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(QStringLiteral("keyHelp"));
    dialog->setWindowTitle(QObject::tr("Keys"));
    auto *text = new QLabel(html());
    text->setTextFormat(Qt::RichText);
    text->setContentsMargins(16, 4, 16, 12);
    text->setAlignment(Qt::AlignTop);
    auto *scroll = new QScrollArea;
    scroll->setWidget(text);
    scroll->setWidgetResizable(true);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    buttons->button(QDialogButtonBox::Close)->setIcon({}); // not one of ours
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
    auto *layout = new QVBoxLayout(dialog);
    layout->addWidget(scroll);
    layout->addWidget(buttons);
    const int height = text->sizeHint().height() + buttons->sizeHint().height() + 40;
    dialog->resize(580, std::min(height, parent->height()));
    dialog->open();
}

} // namespace longpole
