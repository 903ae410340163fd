// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/render.h"
#include "ui/main_window.h"
#include "ui/style.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QFileInfo>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

/// Qt aborts where it finds no display; a person gets a sentence instead.
void sayWithoutDisplay(QtMsgType type, const QMessageLogContext &context, const QString &message) {
    if (type != QtFatalMsg) {
        if (context.category && !std::strncmp(context.category, "qt.qpa.", 7)) return;
        std::fprintf(stderr, "%s\n", qPrintable(message));
        return;
    }
    std::fputs("longpole: there is no display to open a window on. Use \"longpole render TRACE -o "
               "PICTURE.png\" to draw a trace without one, or longpole-cli for its figures.\n",
               stderr);
    std::_Exit(1);
}

bool noDisplay() {
    return qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM") &&
           qEnvironmentVariableIsEmpty("DISPLAY") && qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY");
}

int showHelp() {
    std::puts("Usage: longpole [TRACE...]\n"
              "       longpole render TRACE... -o PICTURE [options]\n\n"
              "Opens traces of GPU training (PyTorch/Kineto and Chrome JSON, also compressed, and\n"
              "SQLite exports of Nsight Systems) in a window; several files are the ranks of one\n"
              "job. \"render\" draws the same picture without a window: see longpole render\n"
              "--help.\n\n"
              "  -h, --help     this text\n"
              "  --version      the version of the program");
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    if (argc > 1) {
        if (!std::strcmp(argv[1], "render")) return longpole::runRender(argc, argv);
        if (!std::strcmp(argv[1], "--help") || !std::strcmp(argv[1], "-h")) return showHelp();
        if (!std::strcmp(argv[1], "--version")) {
            std::puts("longpole " LONGPOLE_VERSION);
            return 0;
        }
        if (argv[1][0] == '-' && argv[1][1] != '\0') {
            std::fprintf(stderr, "longpole: there is no option %s. See longpole --help.\n",
                         argv[1]);
            return 2;
        }
    }
    if (noDisplay()) sayWithoutDisplay(QtFatalMsg, {}, {});
    const QtMessageHandler before = qInstallMessageHandler(sayWithoutDisplay);
    QApplication app(argc, argv);
    qInstallMessageHandler(before);
    QApplication::setOrganizationName(QStringLiteral("longpole"));
    QApplication::setApplicationName(QStringLiteral("longpole"));
    QApplication::setApplicationDisplayName(QStringLiteral("Longpole"));
    QApplication::setApplicationVersion(QStringLiteral(LONGPOLE_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("longpole"));
    longpole::applyStyle(app.palette().color(QPalette::Window).lightness() < 128);
    longpole::MainWindow window;
    window.show();
    window.openPaths(app.arguments().mid(1));
    return QApplication::exec();
}
