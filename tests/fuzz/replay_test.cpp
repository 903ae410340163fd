// SPDX-License-Identifier: Apache-2.0
// Replays what fuzzing starts from and what it has found, one folder per parser. To fuzz, with clang,
// into an empty folder FOUND:
//   cmake -S . -B build/fuzz -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DLONGPOLE_FUZZ=ON
//   ninja -C build/fuzz fuzz_json fuzz_gzip fuzz_sqlite fuzz_zstd fuzz_zip fuzz_capture
//   build/fuzz/tests/fuzz_json -max_total_time=600 FOUND tests/fuzz/corpus/json
// An input that ends the program belongs, made small (-minimize_crash=1), into the corpus.
#include <QTest>

#include "tests/fuzz/inputs.h"

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace longpole;

class ReplayTest : public QObject {
    Q_OBJECT
private slots:
    void replays_data() {
        QTest::addColumn<QString>("folder");
        for (const char *folder : {"json", "gzip", "sqlite", "zstd", "zip", "capture"}) QTest::newRow(folder) << folder;
    }
    void replays() {
        QFETCH(QString, folder);
        const auto tryOne = folder == "json"   ? fuzz::json
                            : folder == "gzip" ? fuzz::gzip
                            : folder == "zstd" ? fuzz::zstd
                            : folder == "zip"  ? fuzz::zip
                            : folder == "capture" ? fuzz::capture
                                               : fuzz::sqlite;
        int files = 0;
        for (const auto &entry : std::filesystem::directory_iterator(
                 LONGPOLE_SOURCE_DIR "/tests/fuzz/corpus/" + folder.toStdString())) {
            std::ifstream file(entry.path(), std::ios::binary);
            const std::string bytes(std::istreambuf_iterator<char>(file), {});
            tryOne(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
            ++files;
        }
        QVERIFY(files > 0);
    }
};

QTEST_APPLESS_MAIN(ReplayTest)
#include "replay_test.moc"
