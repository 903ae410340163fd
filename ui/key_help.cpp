// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/key_help.h"

#include "ui/commands.h"
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

QString html() {
    QString text;
    const char *section = nullptr;
    for (const Command &command : commands()) {
        if (!command.section) continue;
        if (!section || QLatin1String(section) != QLatin1String(command.section)) {
            if (section) text += QStringLiteral("</table>");
            section = command.section;
            text += QStringLiteral("<p style='margin:10px 0 4px 0'><b>%1</b></p><table "
                                   "cellspacing='0' cellpadding='0'>")
                        .arg(QObject::tr(section));
        }
        text += QStringLiteral("<tr><td width='224' style='padding:2px 0'>%1</td>"
                               "<td style='color:%2; padding:2px 0'>%3</td></tr>")
                    .arg(keyText(command).toHtmlEscaped(), theme().text2.name(),
                         QObject::tr(command.what).toHtmlEscaped());
    }
    return text + QStringLiteral("</table>");
}

} // namespace

void showKeyHelp(QWidget *parent) {
    auto *dialog = new QDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(QStringLiteral("keyHelp"));
    dialog->setWindowTitle(QObject::tr("Keys"));
    auto *text = new QLabel(html());
    text->setObjectName(QStringLiteral("keyHelpText"));
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
    dialog->resize(640, std::min(height, parent->height()));
    dialog->open();
}

} // namespace longpole
