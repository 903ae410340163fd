// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/labels.h"

#include <algorithm>
#include <string>
#include <vector>

namespace longpole {

namespace {

constexpr double kElideFrom = 56;
constexpr int kLeastLetters = 4;
constexpr size_t kLongestName = 400; ///< characters that are ever measured

std::string withoutNoise(std::string_view name) {
    std::string text(name.substr(0, 4 * kLongestName));
    for (std::string_view noise : {"(anonymous namespace)::", "void ", "<unnamed>::"})
        for (size_t at; (at = text.find(noise)) != std::string::npos;) text.erase(at, noise.size());
    return text;
}

/// Position of the first of `stops` outside brackets, or npos.
size_t findOutside(std::string_view text, std::string_view stops, size_t from = 0) {
    int depth = 0;
    for (size_t i = from; i < text.size(); ++i) {
        const char c = text[i];
        if (depth == 0 && stops.find(c) != std::string_view::npos) return i;
        if (c == '<' || c == '(' || c == '{' || c == '[') ++depth;
        if ((c == '>' || c == ')' || c == '}' || c == ']') && depth > 0) --depth;
    }
    return std::string_view::npos;
}

std::string_view trimmed(std::string_view s) {
    while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
    while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
    return s;
}

std::string_view lastIdentifier(std::string_view qualified) {
    qualified = trimmed(qualified);
    const size_t colon = qualified.rfind("::");
    if (colon != std::string_view::npos) qualified.remove_prefix(colon + 2);
    const size_t space = qualified.rfind(' ');
    return space == std::string_view::npos ? qualified : qualified.substr(space + 1);
}

std::vector<std::string_view> templateArguments(std::string_view list) {
    std::vector<std::string_view> arguments;
    for (size_t from = 0; from <= list.size();) {
        const size_t comma = std::min(findOutside(list, ",>", from), list.size());
        arguments.push_back(trimmed(list.substr(from, comma - from)));
        if (comma >= list.size() || list[comma] == '>') break;
        from = comma + 1;
    }
    return arguments;
}

bool saysNothing(std::string_view id) {
    constexpr std::string_view plain[] = {"float",
                                          "double",
                                          "int",
                                          "unsigned",
                                          "long",
                                          "bool",
                                          "char",
                                          "half",
                                          "__half",
                                          "Half",
                                          "BFloat16",
                                          "__nv_bfloat16",
                                          "true",
                                          "false",
                                          "Array",
                                          "array",
                                          "TensorListMetadata",
                                          "TensorListScalarListMetadata",
                                          "FusedOptimizerTensorListMetadata",
                                          "complex",
                                          "OffsetCalculator",
                                          "TrivialOffsetCalculator"};
    return id.empty() || !(std::isalpha(static_cast<unsigned char>(id[0])) || id[0] == '_') ||
           std::find(std::begin(plain), std::end(plain), id) != std::end(plain);
}

/// The identifier of the first argument that means something; wrappers are looked into.
std::string distinguishing(std::string_view list, int depth = 0) {
    std::string wrapper;
    for (std::string_view argument : templateArguments(list)) {
        const size_t open = findOutside(argument, "<(");
        const std::string_view id = lastIdentifier(argument.substr(0, open));
        if (saysNothing(id)) continue;
        const bool isWrapper = id.find("_impl") != std::string_view::npos || id == "ReduceOp" ||
                               id == "func_wrapper_t";
        if (isWrapper && depth < 4 && open != std::string_view::npos) {
            const std::string inner = distinguishing(argument.substr(open + 1), depth + 1);
            if (!inner.empty()) return inner;
            if (wrapper.empty()) wrapper = id;
            continue;
        }
        constexpr std::string_view tail = "Functor";
        if (id.size() > tail.size() && id.ends_with(tail))
            return std::string(id.substr(0, id.size() - tail.size()));
        return std::string(id);
    }
    return wrapper;
}

bool isKernel(Kind kind) {
    return kind == Kind::Kernel || kind == Kind::Comm || kind == Kind::GraphExec;
}

QString text(std::string_view s) {
    return QString::fromUtf8(s.data(), qsizetype(s.size()));
}

/// "## forward ##" is "forward": a frame of signs would be all that is left of it in the middle.
std::string_view withoutFrame(std::string_view name) {
    constexpr std::string_view kSigns = " #=*-";
    const size_t first = name.find_first_not_of(kSigns);
    if (first == std::string_view::npos || !name.starts_with('#')) return name;
    return name.substr(first, name.find_last_not_of(kSigns) + 1 - first);
}

} // namespace

QString kernelShortName(std::string_view name) {
    const std::string clean = withoutNoise(name);
    const std::string_view view = clean;
    const size_t end = findOutside(view, "<(");
    const std::string_view id = lastIdentifier(view.substr(0, end));
    if (id.empty()) return text(name);
    if (end == std::string_view::npos || view[end] == '(') return text(id);
    const std::string argument = distinguishing(view.substr(end + 1));
    return argument.empty() ? text(id) : text(id) + '<' + text(argument) + '>';
}

QString shortName(std::string_view name, Kind kind) {
    if (kind == Kind::Comm)
        for (std::string_view what : {"AllReduce", "AllGather", "ReduceScatter", "Broadcast",
                                      "AllToAll", "SendRecv", "Reduce", "Gather", "Scatter"})
            if (name.find(what) != std::string_view::npos) return text(what);
    if (isKernel(kind)) return kernelShortName(name);
    if (kind == Kind::Python) { // "torch/nn/module.py(1501): _call_impl"
        const size_t at = name.rfind("): ");
        if (at != std::string_view::npos) return text(name.substr(at + 3));
    }
    if (isCopyKind(kind) && name.starts_with("Memcpy ")) { // "Memcpy HtoD (Pinned -> Device)"
        name.remove_prefix(7);
        return text(name.substr(0, name.find(" (")));
    }
    if (constexpr std::string_view step = "ProfilerStep#"; name.starts_with(step))
        return QStringLiteral("step ") + text(name.substr(step.size()));
    if (constexpr std::string_view optimizer = "Optimizer."; name.starts_with(optimizer)) {
        const size_t own = name.find('#'); // "Optimizer.step#SGD.step"
        return text(name.substr(own == std::string_view::npos ? optimizer.size() : own + 1));
    }
    if (constexpr std::string_view prefix = "autograd::engine::evaluate_function: ";
        name.starts_with(prefix))
        return text(name.substr(prefix.size()));
    return text(withoutFrame(name));
}

Labels::Labels(const QFont &font) : m_font(font), m_metrics(font) {
    for (int c = 0; c < 128; ++c)
        m_advance[size_t(c)] = float(m_metrics.horizontalAdvance(QChar(c)));
}

double Labels::width(const QString &text) const {
    double sum = 0;
    for (QChar c : text)
        sum += c.unicode() < 128 ? double(m_advance[c.unicode()]) : m_metrics.horizontalAdvance(c);
    return sum;
}

const Labels::Name &Labels::nameOf(std::string_view name, Kind kind) {
    Name &entry = m_names[name.data()];
    if (entry.full.isNull()) {
        // A whole signature is read in Details, not on a bar.
        entry.full = isKernel(kind) ? kernelShortName(name) : text(name.substr(0, kLongestName));
        if (isCopyKind(kind)) entry.full = shortName(name, kind);
        entry.brief = shortName(name, kind).left(qsizetype(kLongestName));
        entry.fullWidth = width(entry.full);
        entry.briefWidth = width(entry.brief);
    }
    return entry;
}

QString Labels::elided(const Name &name, double width) const {
    const QString &all = name.brief;
    const double dots = m_metrics.horizontalAdvance(QChar(0x2026));
    double used = dots;
    qsizetype head = 0, tail = 0;
    int letters = 0;
    while (head + tail < all.size()) {
        const bool front = head <= tail;
        const QChar next = front ? all[head] : all[all.size() - 1 - tail];
        used += this->width(QString(next));
        if (used > width) break;
        (front ? head : tail) += 1;
        letters += next.isLetterOrNumber();
    }
    if (letters < kLeastLetters) return {};
    while (head > 1 && all[head - 1].isPunct()) --head; // no dots before the dots
    return all.left(head) + QChar(0x2026) + all.right(tail);
}

QString Labels::fit(std::string_view name, Kind kind, TimeNs length, double width,
                    bool withLength) {
    if (width < 3 * double(m_advance['i'])) return {};
    const Name &entry = nameOf(name, kind);
    if (withLength && entry.fullWidth < width) {
        const QString both = entry.full + ' ' + QString::fromStdString(formatDuration(length));
        if (this->width(both) <= width) return both;
    }
    if (entry.fullWidth <= width) return entry.full;
    if (entry.briefWidth <= width) return entry.brief;
    return width + 8 >= kElideFrom ? elided(entry, width) : QString();
}

} // namespace longpole
