// SPDX-License-Identifier: Apache-2.0
// One recording in two formats gives the same kernels. Needs the folder of recorded traces that
// LONGPOLE_TRACES names.
#include <QTest>

#include "core/analysis/statistics.h"
#include "core/import/importer.h"

#include <algorithm>
#include <filesystem>
#include <vector>

using namespace longpole;

namespace {

std::shared_ptr<const Trace> opened(const std::string &path) {
    Progress progress;
    const auto trace = openTraces({path}, progress);
    return trace ? *trace : nullptr;
}

/// Begin and end of every kernel on the file's own clock.
std::vector<TimeRange> kernels(const Trace &trace) {
    std::vector<TimeRange> found;
    for (const Track &track : trace.tracks)
        for (uint32_t row = 0; row < track.table->size(); ++row)
            if (track.table->kind[row] == Kind::Kernel)
                found.push_back({track.begin(row) + trace.origin, track.end(row) + trace.origin});
    std::sort(found.begin(), found.end(), [](TimeRange a, TimeRange b) {
        return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    return found;
}

} // namespace

class TwinsTest : public QObject {
    Q_OBJECT
private slots:
    void nsightSystemsAndChromeJson() {
        const std::string folder = qEnvironmentVariable("LONGPOLE_TRACES").toStdString();
        const std::string database = folder + "/nsys_t4_power_iteration.sqlite",
                          json = folder + "/nsys_t4_power_iteration_chrome.json.gz";
        if (folder.empty() || !std::filesystem::exists(database) || !std::filesystem::exists(json))
            QSKIP("LONGPOLE_TRACES names no folder with the recorded traces");
        const auto a = opened(database), b = opened(json);
        QVERIFY(a && b);
        QCOMPARE(kernels(*a).size(), size_t(3689));
        QVERIFY(kernels(*a) == kernels(*b));
        for (const auto &trace : {a, b}) {
            const auto devices = deviceFacts(*trace);
            QCOMPARE(devices.size(), size_t(1));
            QCOMPARE(devices[0].kernelUnion, TimeNs(1131742684));
        }
    }
};

QTEST_APPLESS_MAIN(TwinsTest)
#include "twins_test.moc"
