// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/workload.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace longpole {

namespace {

constexpr size_t kPerTopic = 12;      ///< differences of one sort that are listed one by one
constexpr double kSameShare = 0.01;   ///< counts and bytes that close are taken as equal
constexpr double kWorthShare = 0.1;   ///< of what both sides have in common, to forbid a verdict
constexpr size_t kLongestShape = 160; ///< bytes

bool differ(double a, double b) {
    return std::abs(a - b) > kSameShare * std::max(a, b);
}

/// "12", "0.33": a number of something in a step.
std::string perStep(double number) {
    if (std::abs(number - std::round(number)) < 0.005) return formatCount(std::llround(number));
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", number);
    return text;
}

std::string joined(const std::set<std::string> &words) {
    std::string text;
    for (const std::string &word : words) text += (text.empty() ? "" : ", ") + word;
    return text.empty() ? "unknown" : text;
}

struct Weighted {
    double weight;
    Difference difference;
};

void add(WorkDifferences &to, std::vector<Weighted> topic) {
    std::stable_sort(topic.begin(), topic.end(),
                     [](const Weighted &x, const Weighted &y) { return x.weight > y.weight; });
    for (size_t i = 0; i < topic.size(); ++i)
        if (i < kPerTopic)
            to.list.push_back(std::move(topic[i].difference));
        else
            ++to.more;
}

/// One fact that both sides have, or that one of them lacks.
bool addFact(WorkDifferences &to, const std::string &what, const std::string &a,
             const std::string &b, bool known) {
    if (!known)
        to.unknown.push_back(what);
    else if (a == b)
        to.same.push_back(what);
    else
        to.list.push_back({what, a, b});
    return known && a != b;
}

void forbid(WorkDifferences &to, const std::string &why) {
    if (to.forbids.empty()) to.forbids = why;
}

/// The shapes of one name that one side has more often than the other.
std::string shapesBeyond(const std::map<std::string, uint64_t> &own,
                         const std::map<std::string, uint64_t> &other) {
    std::string text;
    size_t more = 0;
    for (const auto &[shape, count] : own) {
        const auto same = other.find(shape);
        if (same != other.end() && same->second >= count) continue;
        if (text.empty())
            text = shape.size() > kLongestShape ? shape.substr(0, kLongestShape) + "…" : shape;
        else
            ++more;
    }
    return more ? text + " (+" + std::to_string(more) + " more)" : text;
}

uint64_t total(const std::map<std::string, uint64_t> &counts) {
    uint64_t sum = 0;
    for (const auto &[shape, count] : counts) sum += count;
    return sum;
}

/// Names that both sides use equally often, but with other shapes. `weigh` gives the weight of a
/// name and its calls. Shapes that differ for a good part of it forbid a verdict.
/// False where nothing could be set side by side.
template <class Weigh>
bool addShapes(WorkDifferences &to, const char *topic, const Workload::Shapes &a,
               const Workload::Shapes &b, Weigh weigh) {
    if (a.empty() || b.empty()) {
        to.unknown.push_back(topic);
        return false;
    }
    double common = 0, different = 0;
    std::vector<Weighted> found;
    for (const auto &[name, shapes] : a) {
        const auto other = b.find(name);
        if (other == b.end() || total(shapes) != total(other->second)) continue;
        const double weight = weigh(name, total(shapes));
        common += weight;
        if (shapes == other->second) continue;
        different += weight;
        found.push_back({weight,
                         {std::string(topic) + " of " + name, shapesBeyond(shapes, other->second),
                          shapesBeyond(other->second, shapes)}});
    }
    if (found.empty()) {
        (common > 0 ? to.same : to.unknown).push_back(topic);
        return common > 0;
    }
    const size_t first = to.list.size();
    add(to, std::move(found));
    const Difference &main = to.list[first];
    if (different >= kWorthShare * common) {
        to.sameWork = false;
        forbid(to, "the " + std::string(topic) + " differ (" + main.a + " against " + main.b + ")");
    }
    return true;
}

/// The number format that the name of a kernel tells; empty where it does not.
std::string_view precisionOf(std::string_view name) {
    struct Mark {
        std::string_view text, precision;
    };
    // in this order: kernels of a short format name the format of their sums as well
    static constexpr Mark marks[] = {
        {"e4m3", "fp8"},      {"e5m2", "fp8"},    {"fp8", "fp8"},      {"bf16", "bf16"},
        {"bfloat16", "bf16"}, {"fp16", "fp16"},   {"f16", "fp16"},     {"half", "fp16"},
        {"hgemm", "fp16"},    {"_h1688", "fp16"}, {"_h16816", "fp16"}, {"_h884", "fp16"},
        {"tf32", "tf32"},     {"fp32", "fp32"},   {"f32", "fp32"},     {"sgemm", "fp32"},
        {"float", "fp32"},    {"dgemm", "fp64"},  {"fp64", "fp64"},    {"double", "fp64"}};
    std::string lower(name);
    for (char &c : lower)
        if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
    for (const Mark &mark : marks)
        if (lower.find(mark.text) != lower.npos) return mark.precision;
    return {};
}

/// Formats with at least a twentieth of the kernels' time.
std::set<std::string> precisions(const Workload &work) {
    std::map<std::string_view, TimeNs> times;
    for (const auto &[name, kernel] : work.kernels)
        if (const auto precision = precisionOf(name); !precision.empty())
            times[precision] += kernel.time;
    std::set<std::string> result;
    for (const auto &[precision, time] : times)
        if (20 * time >= work.kernelTime()) result.emplace(precision);
    return result;
}

void addMoved(WorkDifferences &to, const Workload &a, const Workload &b, bool shapesTold) {
    std::vector<Weighted> found;
    bool any = false;
    for (size_t kind = 0; kind < a.moved.size(); ++kind) {
        const Workload::Moved &x = a.moved[kind], &y = b.moved[kind];
        if (x.count == 0 && y.count == 0) continue;
        any = true;
        const double bytesA = double(x.bytes) / double(a.steps);
        const double bytesB = double(y.bytes) / double(b.steps);
        const double countA = double(x.count) / double(a.steps);
        const double countB = double(y.count) / double(b.steps);
        const std::string name(kindName(Kind(kind)));
        const double weight = std::max(bytesA, bytesB);
        if (differ(bytesA, bytesB))
            found.push_back({weight, {name + " bytes a step", perStep(bytesA), perStep(bytesB)}});
        if (differ(countA, countB))
            found.push_back(
                {weight, {name + " operations a step", perStep(countA), perStep(countB)}});
        if (Kind(kind) == Kind::H2D && differ(bytesA, bytesB) && !shapesTold) {
            to.sameWork = false;
            forbid(to, "the bytes copied to the device differ (" + perStep(bytesA) + " against " +
                           perStep(bytesB) + " a step), and nothing else tells the batch");
        }
    }
    if (found.empty() && any) to.same.push_back("bytes moved");
    add(to, std::move(found));
}

void addKernels(WorkDifferences &to, const Workload &a, const Workload &b) {
    if (a.kernels.empty() && b.kernels.empty()) {
        to.unknown.push_back("kernels");
        return;
    }
    std::vector<Weighted> found;
    double countA = 0, countB = 0;
    size_t onlyA = 0, onlyB = 0;
    const double allA = double(std::max<TimeNs>(1, a.kernelTime()));
    const double allB = double(std::max<TimeNs>(1, b.kernelTime()));
    const auto look = [&](const std::string &name, const Workload::Kernel &x,
                          const Workload::Kernel &y) {
        const double perA = double(x.count) / double(a.steps);
        const double perB = double(y.count) / double(b.steps);
        countA += perA;
        countB += perB;
        onlyA += y.count == 0;
        onlyB += x.count == 0;
        if (differ(perA, perB))
            found.push_back({std::max(double(x.time) / allA, double(y.time) / allB),
                             {"kernel " + name + " a step", perStep(perA), perStep(perB)}});
    };
    for (const auto &[name, kernel] : a.kernels) {
        const auto other = b.kernels.find(name);
        look(name, kernel, other == b.kernels.end() ? Workload::Kernel{} : other->second);
    }
    for (const auto &[name, kernel] : b.kernels)
        if (!a.kernels.contains(name)) look(name, {}, kernel);
    if (found.empty()) {
        to.same.push_back("kernel names and counts");
        return;
    }
    if (differ(countA, countB))
        to.list.push_back({"kernels a step", perStep(countA), perStep(countB)});
    if (onlyA + onlyB > 0)
        to.list.push_back({"kernel names that the other side lacks", std::to_string(onlyA),
                           std::to_string(onlyB)});
    add(to, std::move(found));
}

} // namespace

WorkDifferences differences(const Workload &a, const Workload &b) {
    WorkDifferences result;
    if (addFact(result, "devices", joined(a.devices), joined(b.devices),
                !a.devices.empty() && !b.devices.empty())) {
        result.sameWork = false;
        forbid(result,
               "the devices differ (" + joined(a.devices) + " against " + joined(b.devices) + ")");
    }
    if (addFact(result, "ranks", std::to_string(a.ranks.value_or(1)),
                std::to_string(b.ranks.value_or(1)), a.ranks || b.ranks))
        result.sameWork = false;
    const bool inputsTold =
        addShapes(result, "input sizes", a.inputs, b.inputs,
                  [](const std::string &, uint64_t calls) { return double(calls); });
    const bool launchesTold = addShapes(
        result, "launch shapes", a.launches, b.launches, [&](const std::string &name, uint64_t) {
            const auto x = a.kernels.find(name), y = b.kernels.find(name);
            return double(x == a.kernels.end() ? 1 : x->second.time) +
                   double(y == b.kernels.end() ? 1 : y->second.time);
        });
    const auto inA = precisions(a), inB = precisions(b);
    if (addFact(result, "precision in kernel names", joined(inA), joined(inB),
                !inA.empty() || !inB.empty()))
        result.sameWork = false;
    addMoved(result, a, b, inputsTold || launchesTold);
    addKernels(result, a, b);
    if (a.steps != b.steps)
        result.list.push_back({"steps compared", std::to_string(a.steps), std::to_string(b.steps)});
    if (a.boundary != b.boundary)
        result.list.insert(result.list.begin(), {"boundary", std::string(boundaryName(a.boundary)),
                                                 std::string(boundaryName(b.boundary))});
    return result;
}

} // namespace longpole
