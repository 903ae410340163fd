// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "ui/state_file.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

using namespace longpole;
using nlohmann::json;

namespace {

QByteArray contentOf(const QString &path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void put(const QString &path, const QByteArray &content) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
    file.write(content);
}

json mark(const char *id, int at, const char *text) {
    return {{"id", id}, {"begin_ns", at}, {"end_ns", at}, {"text", text}};
}

json stateOf(std::initializer_list<json> marks) {
    return {{"version", 1}, {"marks", json(marks)}};
}

json markNamed(const json &state, const std::string &id) {
    for (const json &item : state["marks"])
        if (item["id"] == id) return item;
    return {};
}

} // namespace

class StateFileTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void whatIsWrittenIsRead();
    void nothingIsLeftBesideIt();
    void unknownKeysSurvive();
    void aDamagedFileIsKept_data();
    void aDamagedFileIsKept();
    void aNewerVersionIsLeftAlone();
    void whereTheFolderCannotBeWrittenItSaysSo();
    void twoWindowsAreMergedById();
    void mergingAgreesWithEachChangeAlone();

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_beside, m_fallback;
};

void StateFileTest::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_beside = m_folder->filePath(QStringLiteral("t.json.longpole.json"));
    m_fallback = m_folder->filePath(QStringLiteral("home/longpole/abc.json"));
}

void StateFileTest::whatIsWrittenIsRead() {
    QString said;
    StateFile file(m_beside, m_fallback);
    QVERIFY(file.read(said).empty());
    QVERIFY(said.isEmpty());
    file.write(stateOf({mark("a", 5, "größer")}), said);
    QVERIFY2(said.isEmpty(), qPrintable(said));
    const json read = StateFile(m_beside, m_fallback).read(said);
    QVERIFY(markNamed(read, "a")["text"] == "größer");
    QVERIFY(read["version"] == 1);
    QVERIFY(!QFile::exists(m_fallback));
}

void StateFileTest::nothingIsLeftBesideIt() {
    QString said;
    StateFile file(m_beside, m_fallback);
    file.read(said);
    for (int i = 0; i < 5; ++i) file.write(stateOf({mark("a", i, "x")}), said);
    QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files | QDir::Hidden),
             QStringList{QStringLiteral("t.json.longpole.json")});
}

void StateFileTest::unknownKeysSurvive() {
    put(m_beside, R"({"version": 1, "drawings": [1, 2], "tracks": {"later": true, "hidden": ["x"]},
                      "marks": [{"id": "a", "begin_ns": 1, "end_ns": 2, "colour": "red"}]})");
    QString said;
    StateFile file(m_beside, m_fallback);
    file.read(said);
    json mine = stateOf({mark("a", 7, "moved")});
    mine["tracks"] = {{"hidden", json::array()}};
    file.write(mine, said);
    const json read = StateFile(m_beside, m_fallback).read(said);
    QVERIFY(read["drawings"] == json({1, 2}));
    QVERIFY(read["tracks"]["later"] == true);
    QVERIFY(read["tracks"]["hidden"].empty());
    QVERIFY(markNamed(read, "a")["colour"] == "red");
    QVERIFY(markNamed(read, "a")["begin_ns"] == 7);
}

void StateFileTest::aDamagedFileIsKept_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addRow("no JSON") << QByteArray("{\"version\": 1, \"marks\": [");
    QTest::addRow("a list") << QByteArray("[1]");
    QTest::addRow("no version") << QByteArray("{\"marks\": []}");
    QTest::addRow("empty") << QByteArray();
    QTest::addRow("bytes") << QByteArray("\xff\x00\xfe", 3);
}

void StateFileTest::aDamagedFileIsKept() {
    QFETCH(QByteArray, content);
    put(m_beside, content);
    put(m_beside + QStringLiteral(".bad"), "of another day");
    QString said;
    StateFile file(m_beside, m_fallback);
    QVERIFY(file.read(said).empty());
    QVERIFY2(said.contains(QLatin1String("damaged")) && said.contains(QLatin1String(".bad2")),
             qPrintable(said));
    QVERIFY(!QFile::exists(m_beside));
    QCOMPARE(contentOf(m_beside + QStringLiteral(".bad2")), content);
    QCOMPARE(contentOf(m_beside + QStringLiteral(".bad")), QByteArray("of another day"));
    file.write(stateOf({mark("a", 1, "new")}), said);
    QVERIFY(said.isEmpty());
    QVERIFY(!markNamed(StateFile(m_beside, m_fallback).read(said), "a").is_null());
}

void StateFileTest::aNewerVersionIsLeftAlone() {
    const QByteArray content =
        R"({"version": 9, "marks": [{"id": "a", "begin_ns": 1, "end_ns": 1}]})";
    put(m_beside, content);
    QString said;
    StateFile file(m_beside, m_fallback);
    QVERIFY(!markNamed(file.read(said), "a").is_null());
    QVERIFY2(said.contains(QLatin1String("newer version")), qPrintable(said));
    file.write(stateOf({}), said);
    QCOMPARE(contentOf(m_beside), content);
}

void StateFileTest::whereTheFolderCannotBeWrittenItSaysSo() {
    const QString nowhere = QStringLiteral("/proc/no such folder/t.json.longpole.json");
    QString said;
    StateFile file(nowhere, m_fallback);
    file.read(said);
    file.write(stateOf({mark("a", 1, "kept")}), said);
    QVERIFY2(said.contains(m_fallback), qPrintable(said));
    file.write(stateOf({mark("a", 2, "kept")}), said);
    QVERIFY(said.isEmpty()); // said once
    StateFile again(nowhere, m_fallback);
    QVERIFY(markNamed(again.read(said), "a")["begin_ns"] == 2);
    QCOMPARE(again.path(), m_fallback);

    StateFile neither(nowhere, nowhere + QStringLiteral("2"));
    neither.read(said);
    neither.write(stateOf({}), said);
    QVERIFY2(said.contains(QLatin1String("could not be kept")), qPrintable(said));
}

void StateFileTest::twoWindowsAreMergedById() {
    QString said;
    StateFile one(m_beside, m_fallback), two(m_beside, m_fallback);
    one.read(said);
    one.write(stateOf({mark("a", 1, "a"), mark("b", 2, "b"), mark("c", 3, "c")}), said);
    two.read(said);
    // One changes a, takes b away and adds d; two changes c and adds e.
    one.write(stateOf({mark("a", 1, "A"), mark("c", 3, "c"), mark("d", 4, "d")}), said);
    const json kept = two.write(
        stateOf({mark("a", 1, "a"), mark("b", 2, "b"), mark("c", 3, "C"), mark("e", 5, "e")}),
        said);
    for (const json &state : {kept, StateFile(m_beside, m_fallback).read(said)}) {
        QCOMPARE(state["marks"].size(), size_t(4));
        QVERIFY(markNamed(state, "a")["text"] == "A");
        QVERIFY(markNamed(state, "b").is_null());
        QVERIFY(markNamed(state, "c")["text"] == "C");
        QVERIFY(!markNamed(state, "d").is_null() && !markNamed(state, "e").is_null());
    }
}

void StateFileTest::mergingAgreesWithEachChangeAlone() {
    const json base = stateOf({mark("a", 1, "a"), mark("b", 2, "b")});
    const std::vector<json> others = {base, stateOf({}), stateOf({mark("a", 9, "x")}),
                                      stateOf({mark("a", 1, "a"), mark("z", 4, "z")})};
    for (const json &other : others) {
        QVERIFY(mergedState(base, other, base)["marks"].size() == other["marks"].size());
        QVERIFY(mergedState(base, base, other)["marks"].size() == other["marks"].size());
        QVERIFY(mergedState(base, other, other)["marks"] ==
                mergedState(base, other, base)["marks"]);
    }
}

QTEST_GUILESS_MAIN(StateFileTest)
#include "state_file_test.moc"
