// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/details_text.h"

#include "core/analysis/boundary.h"
#include "core/analysis/interval_role.h"
#include "core/analysis/relatives.h"
#include "ui/describe.h"
#include "ui/numbers.h"
#include "ui/theme.h"

#include <QTextDocumentFragment>

namespace longpole {

namespace {

constexpr size_t kMostLinks = 6;

QString text(std::string_view utf8) {
    return QString::fromUtf8(utf8.data(), qsizetype(utf8.size())).toHtmlEscaped();
}

QString exactNs(TimeNs length) {
    return QString::fromStdString(formatExactNs(length));
}

/// Rows of the two-column table.
class Rows {
public:
    void add(const QString &key, const QString &html) { m_rows.emplaceBack(key, html); }
    QString html() const {
        QString rows;
        for (const auto &[key, html] : m_rows)
            rows += QStringLiteral("<tr><td style='color:%1; padding:1px 14px 1px 0; "
                                   "white-space:pre'>%2</td><td style='padding:1px 0'>%3</td></tr>")
                        .arg(theme().text2.name(), key.toHtmlEscaped(), html);
        return QStringLiteral("<table cellspacing='0' cellpadding='0' style='margin-top:4px'>"
                              "%1</table>")
            .arg(rows);
    }
    QString plain() const {
        QString lines;
        for (const auto &[key, html] : m_rows)
            lines += key + QLatin1Char('\t') + QTextDocumentFragment::fromHtml(html).toPlainText() +
                     QLatin1Char('\n');
        return lines;
    }

private:
    QList<std::pair<QString, QString>> m_rows;
};

QString link(const Trace &trace, IntervalId id, const QString &after) {
    return QStringLiteral("<a href='interval:%1:%2' style='color:%3'>%4</a>%5")
        .arg(id.track)
        .arg(id.row)
        .arg(theme().accent.name(), intervalName(trace, id).toHtmlEscaped(), after.toHtmlEscaped());
}

/// "stream 7, 29.1 ms later"
QString place(const Trace &trace, IntervalId from, IntervalId to) {
    const TimeNs apart = trace.begin(to) - trace.begin(from);
    return QStringLiteral(" on %1, %2 %3")
        .arg(trackTitle(trace, to.track), durationText(std::abs(apart)),
             apart < 0 ? QStringLiteral("earlier") : QStringLiteral("later"));
}

void addTimes(Rows &rows, const Loaded &loaded, IntervalId id) {
    const Trace &trace = *loaded.trace;
    const TimeNs begin = trace.begin(id), end = trace.end(id);
    const TimeUnit ms{QStringLiteral("ms"), 6, 1};
    rows.add(QStringLiteral("begin – end"),
             QStringLiteral("%1 – %2 ms").arg(printed(begin, ms), printed(end, ms)));
    rows.add(
        QStringLiteral("duration"),
        end - begin < 1000
            ? exactNs(end - begin)
            : QStringLiteral("<b>%1</b>, %2").arg(durationText(end - begin), exactNs(end - begin)));
    const auto &steps = loaded.steps.steps;
    for (uint32_t i = 0; i < steps.size(); ++i)
        if (steps[i].begin <= begin && begin < steps[i].end && steps[i].marker != id)
            rows.add(QStringLiteral("in step"),
                     QStringLiteral("%1, %2 after its begin")
                         .arg(stepNumber(loaded.steps, i), durationText(begin - steps[i].begin)));
}

/// "and more" where there are more than fit.
QString linksTo(const Trace &trace, IntervalId from, std::vector<IntervalId> ids, bool places) {
    QStringList lines;
    for (size_t i = 0; i < ids.size() && i < kMostLinks; ++i)
        lines << link(trace, ids[i], places ? place(trace, from, ids[i]) : QString());
    if (ids.size() > kMostLinks) lines << QStringLiteral("and more");
    return lines.join(QStringLiteral("<br>"));
}

void addRelatives(Rows &rows, const Trace &trace, IntervalId id) {
    const auto partners = autogradPartners(trace, id, kMostLinks + 1);
    if (!partners.empty())
        rows.add(isBackwardOp(trace, id) ? QStringLiteral("forward") : QStringLiteral("backward"),
                 linksTo(trace, id, partners, true));
    if (const auto events = eventPartners(trace, id, kMostLinks + 1); !events.empty())
        rows.add(trace.kind(id) == Kind::EventRecord ? QStringLiteral("event waited for by")
                                                     : QStringLiteral("event recorded by"),
                 linksTo(trace, id, events, true));
    if (const auto children = childrenOf(trace, id, kMostLinks + 1); !children.empty())
        rows.add(QStringLiteral("contains"), linksTo(trace, id, children, false));
    if (const auto frames = pythonStack(trace, id); !frames.empty())
        rows.add(QStringLiteral("Python"), linksTo(trace, id, frames, false));
}

void addLinks(Rows &rows, const Trace &trace, IntervalId id) {
    if (const IntervalId parent = parentOf(trace, id); parent.valid())
        rows.add(QStringLiteral("inside"), link(trace, parent, {}));
    if (const IntervalId call = trace.callOf(id); call.valid())
        rows.add(QStringLiteral("launched by"), link(trace, call, place(trace, id, call)));
    else if (isDeviceKind(trace.kind(id)))
        rows.add(QStringLiteral("launched by"), QStringLiteral("a call that is not in the file"));
    const auto ops = trace.opsOf(id);
    QStringList launched;
    for (size_t i = 0; i < ops.size() && i < kMostLinks; ++i)
        launched << link(trace, ops[i], place(trace, id, ops[i]));
    if (ops.size() > kMostLinks)
        launched << QStringLiteral("and %1 more").arg(countText(int64_t(ops.size() - kMostLinks)));
    if (!launched.isEmpty())
        rows.add(QStringLiteral("launches"), launched.join(QStringLiteral("<br>")));
    addRelatives(rows, trace, id);
}

void addFacts(Rows &rows, const Loaded &loaded, IntervalId id) {
    const Trace &trace = *loaded.trace;
    const Track &track = trace.track(id);
    const PhaseRule &rule = loaded.phases.ruleOf(id);
    QStringList kinds{text(rule.label.empty() ? rule.id : rule.label),
                      text(kindName(trace.kind(id)))};
    if (const auto category = track.categoryOf(id.row); !category.empty())
        kinds << QStringLiteral("category ") + text(category);
    rows.add(QStringLiteral("phase, kind"), kinds.join(QStringLiteral(" · ")));
    const uint8_t flags = track.table->flags[id.row];
    QStringList notes;
    if (flags & kOpenEnd)
        notes << QStringLiteral("its end is not in the file; drawn to the last time of its track");
    if (flags & kUnfinished) notes << QStringLiteral("still running when the recording ended");
    if (flags & kClamped)
        notes << QStringLiteral("a time was changed to make sense, see the import log");
    if (const auto tail = enqueueTail(trace, id))
        notes << text(enqueueOnlySentence(trace.end(id) - trace.begin(id), *tail));
    if (!notes.isEmpty()) rows.add(QStringLiteral("note"), notes.join(QStringLiteral("<br>")));
    const SideRow &side = track.table->sideOf(id.row);
    if (side.bytes >= 0 && isDeviceKind(trace.kind(id)))
        rows.add(QStringLiteral("size"),
                 QStringLiteral("%1, %2 B").arg(bytesText(side.bytes), countText(side.bytes)));
}

QString edgeWords(const IntervalRole::Link &link) {
    return QStringLiteral(" (%1, %2)")
        .arg(text(edgeTypeName(link.type)), text(evidenceName(link.evidence)));
}

void addRole(Rows &rows, const Trace &trace, IntervalId id, const IntervalRole &role) {
    const TimeNs length = trace.end(id) - trace.begin(id);
    QString share = QStringLiteral("no");
    if (role.onPath > 0) {
        share = durationText(role.onPath);
        if (role.onPath < length) share += QStringLiteral(" of ") + durationText(length);
        share += QStringLiteral(", ") + text(evidenceName(role.evidence));
    }
    if (!role.critical() && role.slack)
        share += QStringLiteral("; slack <b>%1</b>").arg(durationText(*role.slack));
    rows.add(QStringLiteral("on the path"), share);
    const auto links = [&](const std::vector<IntervalRole::Link> &all) {
        QStringList lines;
        for (size_t i = 0; i < all.size() && i < kMostLinks; ++i)
            lines << link(trace, all[i].interval,
                          place(trace, id, all[i].interval) + edgeWords(all[i]));
        if (all.size() > kMostLinks) lines << QStringLiteral("and more");
        return lines.join(QStringLiteral("<br>"));
    };
    if (!role.waitedFor.empty()) rows.add(QStringLiteral("waited for"), links(role.waitedFor));
    if (!role.waiting.empty()) rows.add(QStringLiteral("waits for it"), links(role.waiting));
}

/// What its length means for the end of the window; empty where the graph does not know it.
QString verdictOf(const Trace &trace, IntervalId id, const IntervalRole &role,
                  const Window &window) {
    const bool step = window.kind == Window::Kind::Drained;
    const QString what = step ? QStringLiteral("step") : QStringLiteral("window");
    if (role.critical()) {
        const QString part =
            role.onPath > 0 && role.onPath < trace.end(id) - trace.begin(id)
                ? QStringLiteral(
                      "Critical for %1: there every nanosecond longer moves the end of the %2.")
                      .arg(durationText(role.onPath))
                : QStringLiteral("Critical: every nanosecond longer moves the end of the %1.");
        return part.arg(what);
    }
    if (!role.slack) return {};
    return QStringLiteral("Could end %1 later without delaying the %2.")
        .arg(durationText(*role.slack), what);
}

Rows factsOf(const Loaded &loaded, IntervalId id) {
    Rows rows;
    rows.add(QStringLiteral("track"), trackTitle(*loaded.trace, id.track).toHtmlEscaped());
    addTimes(rows, loaded, id);
    addLinks(rows, *loaded.trace, id);
    addFacts(rows, loaded, id);
    return rows;
}

Rows argumentsOf(const Arguments &arguments) {
    Rows rows;
    for (const auto &[key, value] : arguments.entries)
        rows.add(QString::fromStdString(key),
                 text(value).replace(QLatin1Char('\n'), QLatin1String("<br>")));
    return rows;
}

} // namespace

QString detailsHtml(const Loaded &loaded, IntervalId id, const Arguments *arguments,
                    const WindowPath *path) {
    QString html =
        QStringLiteral("<p style='margin:0 0 6px 0'><span style='color:%1'>■</span>&nbsp;"
                       "<b style='font-size:%2px'>%3</b></p>")
            .arg(intervalColour(loaded, id, ColourBy::Phase).name())
            .arg(uiFont(12).pixelSize())
            .arg(intervalName(*loaded.trace, id).toHtmlEscaped());
    Rows rows = factsOf(loaded, id);
    if (path) {
        const IntervalRole role = roleOf(*loaded.trace, *path->graph, path->path, id);
        html += QStringLiteral("<p style='margin:0 0 4px 0'>%1</p>")
                    .arg(verdictOf(*loaded.trace, id, role, path->path.window));
        addRole(rows, *loaded.trace, id, role);
    }
    html += rows.html();
    if (!arguments) return html;
    if (!arguments->problem.empty())
        return html + QStringLiteral("<p style='margin:8px 0 0 0; color:%1'>%2</p>")
                          .arg(theme().warn.name(), text(arguments->problem));
    if (arguments->entries.empty()) return html;
    return html + QStringLiteral("<p style='margin:8px 0 2px 0'><b>Arguments</b></p>") +
           argumentsOf(*arguments).html();
}

QString detailsPlain(const Loaded &loaded, IntervalId id, const Arguments *arguments,
                     const WindowPath *path) {
    QString lines = QStringLiteral("name\t%1\n").arg(intervalName(*loaded.trace, id));
    Rows rows = factsOf(loaded, id);
    if (path) {
        const IntervalRole role = roleOf(*loaded.trace, *path->graph, path->path, id);
        addRole(rows, *loaded.trace, id, role);
    }
    lines += rows.plain();
    return arguments ? lines + argumentsOf(*arguments).plain() : lines;
}

QString noDetailsHtml() {
    return QStringLiteral("<p style='margin:0 0 6px 0'><b style='font-size:%1px'>Nothing is "
                          "selected.</b></p><p style='margin:0; color:%2'>Click an interval to see "
                          "its length, what launched it and every argument that the file gives.<br>"
                          "G goes from a kernel to its launch and back.</p>")
        .arg(uiFont(12).pixelSize())
        .arg(theme().text2.name());
}

} // namespace longpole
