// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/render.h"

#include "core/analysis/replay.h"
#include "core/import/importer.h"
#include "ui/export/picture.h"
#include "ui/kept_choices.h"
#include "ui/theme.h"

#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include <QApplication>
#include <QFile>
#include <QSaveFile>
#include <QTemporaryDir>

#include <algorithm>
#include <cstdio>

namespace longpole {

namespace {

constexpr int kOk = 0, kImpossible = 1, kUsage = 2, kUnreadable = 3;
constexpr int kLeastSide = 200, kLargestSide = 16'384;
constexpr int kLargestPixels = 32'767; ///< of one side; Qt paints no further

struct Options {
    std::vector<std::string> traces;
    std::string output, size = "1920x1080", theme = "light";
    double scale = 1;
    bool path = false, predicted = false;
    std::vector<std::string> speed, notes;
    std::string state;
    WindowOptions window;
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
    app.add_option("TRACE", o.traces, "trace files; several are one job, - is standard input")
        ->required();
    app.add_option("-o,--output", o.output, "the picture to write, a .png")
        ->required()
        ->type_name("PICTURE");
    app.add_option("--size", o.size, "size in device-independent pixels")
        ->type_name("WxH")
        ->capture_default_str();
    app.add_option("--scale", o.scale, "device pixels per pixel, from 0.5 to 8")
        ->type_name("FACTOR")
        ->check(CLI::Range(0.5, 8.0).description(""));
    app.add_option("--theme", o.theme, "colours: light, dark or cvd (for colour-blind eyes)")
        ->type_name("THEME")
        ->check(CLI::IsMember({"light", "dark", "cvd"}).description(""));
    app.add_flag("--path", o.path, "draw the critical path of the window and dim the rest");
    app.add_option("--speed", o.speed, "with --predicted: the work to make faster or slower")
        ->type_name("SELECTOR=FACTOR")
        ->expected(1)
        ->take_all();
    app.add_flag("--predicted", o.predicted,
                 "draw the window as it would be, with what was measured in outlines below");
    app.add_option("--note", o.notes, "a note at a time of the trace, as in \"slow here@12.5ms\"")
        ->type_name("TEXT@TIME")
        ->expected(1)
        ->take_all();
    app.add_option("--state", o.state,
                   "what the window keeps of the trace (TRACE.longpole.json): its marks, notes, "
                   "hidden, pinned and moved tracks")
        ->type_name("FILE");
    const char *group = "Window (at most one; without any, the default window)";
    app.add_option("--step", o.window.step, "one step, by name or by index from 0")
        ->type_name("NAME|INDEX")
        ->group(group);
    app.add_option("--steps", o.window.steps, "steps A to B, inclusive")
        ->type_name("A..B")
        ->group(group);
    app.add_option("--range", o.window.range, "from .. to, as in 12.5ms..80ms; bare numbers are ns")
        ->type_name("FROM..TO")
        ->group(group);
    app.add_flag("--all", o.window.all, "first begin to last end over threads and streams")
        ->group(group);
}

std::optional<QSize> parseSize(const std::string &text) {
    unsigned width = 0, height = 0;
    char rest = 0;
    if (std::sscanf(text.c_str(), "%5ux%5u%c", &width, &height, &rest) != 2) return {};
    const auto fits = [](unsigned v) { return v >= kLeastSide && v <= kLargestSide; };
    if (!fits(width) || !fits(height)) return {};
    return QSize(int(width), int(height));
}

/// The picture frames the window plus 3 %.
TimeRange viewOf(const Window &window) {
    if (window.range.empty()) return {window.range.begin, window.range.begin + 1};
    const TimeNs margin = std::max<TimeNs>(1, window.range.length() * 3 / 100);
    return {window.range.begin - margin, window.range.end + margin};
}

/// Adds the path, or what is predicted, to a picture of a window.
std::optional<Error> analyse(PictureSpec &spec, const Options &options) {
    const Loaded &loaded = *spec.loaded;
    Progress progress;
    auto built = buildGraph(*loaded.trace, loaded.steps, loaded.phases, progress);
    if (!built) return built.error();
    const auto graph = std::make_shared<const DependencyGraph>(std::move(*built));
    if (options.path) {
        auto path = criticalPath(*loaded.trace, loaded.steps, *graph, spec.window);
        spec.path = std::make_shared<const WindowPath>(WindowPath{graph, std::move(path)});
        auto idle = idleBooks(*loaded.trace, loaded.phases, *graph, spec.window, progress);
        if (idle) spec.idle = std::make_shared<const std::vector<DeviceIdle>>(std::move(*idle));
    }
    if (!options.predicted) return {};
    std::vector<SpeedEdit> edits;
    QStringList words;
    for (const std::string &text : options.speed) {
        auto edit = parseSpeedEdit(text);
        if (!edit) return edit.error();
        words << QString::fromStdString(text).replace(text.rfind('='), 1, QLatin1Char(' ')) +
                     QChar(0xD7);
        edits.push_back(std::move(*edit));
    }
    std::vector<std::string> unmatched;
    const auto scaling = resolveScaling(*loaded.trace, loaded.phases, *graph, edits, unmatched);
    if (!scaling) return scaling.error();
    for (const std::string &selector : unmatched)
        std::fprintf(stderr, "longpole render: %s matches nothing.\n", selector.c_str());
    auto prediction = predict(spec.loaded, *graph, nullptr, spec.window, *scaling,
                              words.join(QStringLiteral(", ")), progress);
    if (!prediction) return prediction.error();
    spec.prediction = std::move(*prediction);
    return {};
}

/// Marks, notes and tracks, of a state file and as options.
std::optional<Error> addChoices(PictureSpec &spec, const Options &options) {
    if (!options.state.empty()) {
        QFile file(QString::fromStdString(options.state));
        nlohmann::json state;
        if (file.open(QIODevice::ReadOnly))
            state = nlohmann::json::parse(file.readAll().toStdString(), nullptr, false);
        if (!state.is_object())
            return Error{ErrorKind::Unreadable, "no_state",
                         options.state +
                             " is no state file of Longpole; one lies beside each trace "
                             "that was marked in the window, as TRACE.longpole.json."};
        KeptChoices kept = keptOf(state, *spec.loaded->trace);
        spec.marks = std::move(kept.marks);
        spec.tracks = std::move(kept.tracks);
    }
    for (const std::string &note : options.notes) {
        const size_t at = note.rfind('@');
        const auto time = at == std::string::npos ? std::nullopt : parseTime(note.substr(at + 1));
        if (!time)
            return Error{ErrorKind::Usage, "usage",
                         "--note takes TEXT@TIME, as in \"slow here@12.5ms\"; " + note +
                             " has no such time."};
        spec.marks.push_back(
            {QString(), {*time, *time}, QString::fromStdString(note.substr(0, at))});
    }
    return {};
}

Result<PictureSpec> specOf(const Options &options, QSize size) {
    const Result<WindowRequest> request = windowRequest(options.window);
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
    if (const auto fault = addChoices(spec, options)) return *fault;
    if (options.path || options.predicted)
        if (const auto fault = analyse(spec, options)) return *fault;
    spec.view = viewOf(*window);
    if (spec.prediction) // a longer window is in view to its end
        spec.view.end += std::max<TimeNs>(0, spec.prediction->length - window->range.length());
    spec.size = size;
    spec.scale = options.scale;
    return spec;
}

/// Nothing, or why the picture could not be written.
QString writePng(const QImage &image, const std::string &path) {
    QSaveFile file(QString::fromStdString(path));
    if (image.isNull()) return QStringLiteral("not enough memory for its pixels");
    if (!file.open(QIODevice::WriteOnly)) return file.errorString();
    if (!image.save(&file, "PNG") || !file.commit()) return file.errorString();
    return {};
}

} // namespace

int runRender(int argc, char **argv) {
    Options options;
    CLI::App app("Paints traces into a picture without a window.", "longpole render");
    declare(app, options);
    try {
        app.parse(argc - 1, argv + 1);
    } catch (const CLI::Success &help) {
        return app.exit(help);
    } catch (const CLI::ParseError &error) {
        return fail(kUsage, std::string(error.what()) + "; see longpole render --help.");
    }
    if (options.predicted == options.speed.empty())
        return fail(kUsage, "--predicted and --speed SELECTOR=FACTOR are given together.");
    const std::optional<QSize> size = parseSize(options.size);
    if (!size)
        return fail(kUsage, "--size takes WIDTHxHEIGHT, each from 200 to 16384, as in 1920x1080.");
    if (std::max(size->width(), size->height()) * options.scale > kLargestPixels)
        return fail(kUsage, "--size times --scale may be 32,767 pixels a side at most.");
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
    const QString fault = writePng(renderPicture(*spec), options.output);
    if (!fault.isEmpty())
        return fail(kUnreadable,
                    options.output + " cannot be written (" + fault.toStdString() + ").");
    return kOk;
}

} // namespace longpole
