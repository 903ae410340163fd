// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/render.h"

#include "core/import/importer.h"
#include "ui/export/picture.h"
#include "ui/theme.h"

#include <CLI/CLI.hpp>

#include <QApplication>
#include <QSaveFile>
#include <QTemporaryDir>

#include <cstdio>

namespace longpole {

namespace {

constexpr int kOk = 0, kImpossible = 1, kUsage = 2, kUnreadable = 3;
constexpr int kLeastSide = 200, kLargestSide = 16'384;

struct Options {
    std::vector<std::string> traces;
    std::string output, size = "1920x1080", theme = "light", step, steps, range;
    double scale = 1;
    bool all = false;
};

int fail(int status, const std::string &message) {
    std::fprintf(stderr, "longpole render: %s\n", message.c_str());
    return status;
}

int statusOf(const Error &error) {
    switch (error.kind) {
    case ErrorKind::Unreadable:
        return kUnreadable;
    case ErrorKind::Usage:
        return kUsage;
    default:
        return kImpossible;
    }
}

void declare(CLI::App &app, Options &o) {
    app.add_option("TRACE", o.traces, "Trace files; several are one job")->required();
    app.add_option("-o,--output", o.output, "The picture to write, OUT.png")->required();
    app.add_option("--size", o.size, "WIDTHxHEIGHT in device-independent pixels")
        ->capture_default_str();
    app.add_option("--scale", o.scale, "Device pixels per pixel")->check(CLI::Range(0.5, 8.0));
    app.add_option("--theme", o.theme, "Colours")->check(CLI::IsMember({"light", "dark", "cvd"}));
    auto *window = app.add_option_group("WINDOW", "What to show; without one, the default window");
    window->add_option("--step", o.step, "One step, by name or index");
    window->add_option("--steps", o.steps, "A..B, inclusive");
    window->add_option("--range", o.range, "FROM..TO from the trace's zero, as in 12.5ms..80ms");
    window->add_flag("--all", o.all, "The whole trace");
    window->require_option(0, 1);
}

std::optional<QSize> parseSize(const std::string &text) {
    unsigned width = 0, height = 0;
    char rest = 0;
    if (std::sscanf(text.c_str(), "%5ux%5u%c", &width, &height, &rest) != 2) return {};
    const auto fits = [](unsigned v) { return v >= kLeastSide && v <= kLargestSide; };
    if (!fits(width) || !fits(height)) return {};
    return QSize(int(width), int(height));
}

Result<WindowRequest> windowRequest(const Options &o) {
    WindowRequest request;
    request.all = o.all;
    if (!o.step.empty()) request.step = o.step;
    if (!o.steps.empty()) {
        const size_t dots = o.steps.find("..");
        if (dots == std::string::npos)
            return Error{ErrorKind::Usage, "bad_steps", "--steps takes A..B, as in 3..7."};
        request.steps = {o.steps.substr(0, dots), o.steps.substr(dots + 2)};
    }
    if (!o.range.empty()) {
        request.range = parseRange(o.range);
        if (!request.range)
            return Error{ErrorKind::Usage, "bad_range",
                         "--range takes FROM..TO, as in 12.5ms..80ms."};
    }
    return request;
}

/// The picture frames the window plus 3 %.
TimeRange viewOf(const Window &window) {
    if (window.range.empty()) return {window.range.begin, window.range.begin + 1};
    const TimeNs margin = std::max<TimeNs>(1, window.range.length() * 3 / 100);
    return {window.range.begin - margin, window.range.end + margin};
}

Result<PictureSpec> specOf(const Options &options, QSize size) {
    const Result<WindowRequest> request = windowRequest(options);
    if (!request) return request.error();
    Progress progress;
    Result<std::shared_ptr<const Trace>> trace = openTraces(options.traces, progress);
    if (!trace) return trace.error();
    auto loaded = std::make_shared<Loaded>();
    loaded->trace = *trace;
    loaded->steps = findSteps(**trace);
    loaded->phases = phases(**trace, loaded->steps);
    const Result<Window> window = resolveWindow(**trace, loaded->steps, *request);
    if (!window) return window.error();
    PictureSpec spec;
    spec.loaded = loaded;
    spec.window = *window;
    spec.view = viewOf(*window);
    spec.size = size;
    spec.scale = options.scale;
    return spec;
}

bool writePng(const QImage &image, const std::string &path) {
    QSaveFile file(QString::fromStdString(path));
    return file.open(QIODevice::WriteOnly) && image.save(&file, "PNG") && file.commit();
}

} // namespace

int runRender(int argc, char **argv) {
    Options options;
    CLI::App app("Paints traces into a picture without a window.", "longpole render");
    declare(app, options);
    try {
        app.parse(argc - 1, argv + 1);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? kOk : kUsage;
    }
    const std::optional<QSize> size = parseSize(options.size);
    if (!size)
        return fail(kUsage, "--size takes WIDTHxHEIGHT, each from 200 to 16384, as in 1920x1080.");
    if (!QString::fromStdString(options.output)
             .endsWith(QStringLiteral(".png"), Qt::CaseInsensitive))
        return fail(kUsage, options.output + ": pictures are written as .png.");

    // Off screen also where there is a screen, so that a picture never depends on it.
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    // Qt keeps nothing there for a picture, but complains when it has no such folder.
    const QTemporaryDir runtime;
    if (qEnvironmentVariableIsEmpty("XDG_RUNTIME_DIR"))
        qputenv("XDG_RUNTIME_DIR", runtime.path().toUtf8());
    int qtArgc = 1;
    QApplication application(qtArgc, argv);
    useBundledFont();
    setTheme(QString::fromStdString(options.theme));
    const Result<PictureSpec> spec = specOf(options, *size);
    if (!spec) return fail(statusOf(spec.error()), spec.error().message);
    if (!writePng(renderPicture(*spec), options.output))
        return fail(kUnreadable, options.output + " cannot be written.");
    return kOk;
}

} // namespace longpole
