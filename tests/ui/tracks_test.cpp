// SPDX-License-Identifier: GPL-3.0-or-later
// Tracks that are filtered by name or hidden, by keys and mouse: what is not shown is said.
#include <QTest>

#include "tests/support/files.h"
#include "tests/support/text_trace.h"
#include "tests/ui/window_hands.h"
#include "ui/panels/search_panel.h"
#include "ui/style.h"
#include "ui/theme.h"
#include "ui/timeline/timeline_view.h"
#include "ui/track_choices.h"

#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <set>

using namespace longpole;

namespace {

/// Three threads and two streams; one of the streams copies.
const char *const kEvents = R"([
{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"main loop"}},
{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"loader one"}},
{"ph":"M","name":"thread_name","pid":1,"tid":3,"args":{"name":"loader two"}},
{"ph":"X","cat":"cpu_op","name":"forward","pid":1,"tid":1,"ts":0,"dur":900},
{"ph":"X","cat":"cpu_op","name":"fetch","pid":1,"tid":2,"ts":100,"dur":300},
{"ph":"X","cat":"cpu_op","name":"fetch","pid":1,"tid":3,"ts":500,"dur":300},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":200,"dur":500,
 "args":{"device":0,"stream":7}},
{"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD","pid":0,"tid":9,"ts":300,"dur":50,
 "args":{"device":0,"stream":9,"bytes":4096}},
{"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD again","pid":0,"tid":9,"ts":700,"dur":50,
 "args":{"device":0,"stream":9,"bytes":4096}}])";

} // namespace

class TracksTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void cleanup();
    void filterByName();
    void whatIsNotShownIsSaid();
    void theFilterIsKept();
    void hitsOnOtherTracksAreCounted();
    void copiesAreTickedInTransfers();

private:
    void open();
    std::set<uint32_t> drawn() const;
    template <class T>
    T *child(const char *name) {
        T *found = m_window->findChild<T *>(QLatin1String(name));
        if (!found) qFatal("there is no %s", name);
        return found;
    }

    QTemporaryDir m_settings;
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_path;
    std::unique_ptr<MainWindow> m_window;
    std::unique_ptr<test::WindowHands> m_hands;
};

void TracksTest::initTestCase() {
    QCoreApplication::setOrganizationName(QStringLiteral("longpole-test"));
    QCoreApplication::setApplicationName(QStringLiteral("tracks"));
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_settings.path());
    qputenv("XDG_DATA_HOME", m_settings.path().toLocal8Bit());
    useBundledFont();
    applyStyle(false);
}

void TracksTest::init() {
    QSettings().clear();
    m_folder = std::make_unique<QTemporaryDir>();
    m_path = m_folder->filePath(QStringLiteral("trace.json"));
    QFile file(m_path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(kEvents);
    file.close();
    open();
}

void TracksTest::open() {
    m_window = std::make_unique<MainWindow>();
    m_window->resize(1400, 900);
    m_window->show();
    m_hands = std::make_unique<test::WindowHands>(*m_window);
    QVERIFY(m_hands->activate());
    QSignalSpy opened(&m_window->session(), &Session::opened);
    m_window->openPaths({m_path});
    QVERIFY(opened.wait());
    m_window->timeline().showWholeTrace();
    m_window->timeline().setFocus();
}

void TracksTest::cleanup() {
    m_hands.reset();
    m_window.reset();
}

/// Tracks that have a row of their own.
std::set<uint32_t> TracksTest::drawn() const {
    std::set<uint32_t> tracks;
    for (const Row &row : m_window->timeline().rows()) {
        if (row.track != kNone) tracks.insert(row.track);
        tracks.insert(row.tracks.begin(), row.tracks.end());
    }
    return tracks;
}

void TracksTest::filterByName() {
    const std::set<uint32_t> all = drawn();
    auto *field = child<QLineEdit>("trackFilter");
    QVERIFY(field->isVisible());
    m_hands->key(Qt::Key_Slash); // in the timeline
    QCOMPARE(QApplication::focusWidget(), field);
    m_hands->type("LOAD");
    QCOMPARE(drawn().size(), size_t(2));
    m_hands->key(Qt::Key_Return); // keeps it, and the keys are the timeline's again
    QCOMPARE(QApplication::focusWidget(), &m_window->timeline());
    QCOMPARE(drawn().size(), size_t(2));
    m_hands->key(Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier); // from anywhere
    QCOMPARE(QApplication::focusWidget(), field);
    m_hands->type("no such track"); // over the chosen text
    QVERIFY(drawn().empty());
    m_hands->key(Qt::Key_Escape);
    QCOMPARE(drawn(), all);
    QCOMPARE(QApplication::focusWidget(), &m_window->timeline());
    QVERIFY(field->text().isEmpty());
}

void TracksTest::whatIsNotShownIsSaid() {
    auto *said = child<QPushButton>("statusTracks");
    QVERIFY(!said->isVisible());
    m_hands->key(Qt::Key_Slash);
    m_hands->type("loader");
    QVERIFY(said->isVisible());
    QCOMPARE(said->text(), QString("2 of 5 tracks; show all"));
    m_hands->key(Qt::Key_Return);
    m_window->state().select(test::find(*m_window->state().trace(), "fetch"));
    m_hands->key(Qt::Key_H, Qt::ShiftModifier); // hidden and filtered add up
    QCOMPARE(said->text(), QString("1 of 5 tracks; show all"));
    m_hands->click(*said);
    QVERIFY(!said->isVisible());
    QVERIFY(child<QLineEdit>("trackFilter")->text().isEmpty());
    QVERIFY(!m_window->state().tracks().anyHidden());
}

void TracksTest::theFilterIsKept() {
    m_hands->key(Qt::Key_Slash);
    m_hands->type("stream");
    m_hands->key(Qt::Key_Return);
    const std::set<uint32_t> shown = drawn();
    QVERIFY(!shown.empty() && shown.size() < 5);
    m_window->close();
    open();
    QCOMPARE(child<QLineEdit>("trackFilter")->text(), QString("stream"));
    QCOMPARE(drawn(), shown);
    QVERIFY(child<QPushButton>("statusTracks")->isVisible());
    // another trace has a filter of its own
    const test::TempFile other(R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":10}])");
    QSignalSpy opened(&m_window->session(), &Session::opened);
    m_window->openPaths({QString::fromStdString(other.path())});
    QVERIFY(opened.wait());
    QVERIFY(child<QLineEdit>("trackFilter")->text().isEmpty());
    QVERIFY(!child<QPushButton>("statusTracks")->isVisible());
}

void TracksTest::hitsOnOtherTracksAreCounted() {
    m_hands->key(Qt::Key_F, Qt::ControlModifier);
    m_hands->type("fetch");
    const auto *status = child<QLabel>("searchStatus");
    QTRY_VERIFY(status->text().startsWith("2 hits"));
    QVERIFY(!status->text().contains("not shown"));
    const IntervalId first = test::find(*m_window->state().trace(), "fetch");
    m_window->state().tracks().setHidden(first.track, true);
    QVERIFY2(status->text().contains("1 of them on tracks that are not shown"),
             qPrintable(status->text()));
    m_window->timeline().setFocus();
    m_hands->key(Qt::Key_Slash);
    m_hands->type("main");
    QVERIFY(status->text().contains("2 of them on tracks that are not shown"));
    // walking there shows the track
    child<QLineEdit>("searchField")->setFocus();
    m_window->state().setView({0, 1'000'000});
    m_hands->key(Qt::Key_Return);
    QVERIFY(m_window->state().selected().valid());
    QVERIFY(m_window->state().tracks().shown(m_window->state().selected().track));
    QVERIFY(!m_window->timeline().rectOf(m_window->state().selected()).isNull());
}

/// A copy's row among the transfers is a view of its stream: hits are ticked there as well.
void TracksTest::copiesAreTickedInTransfers() {
    TimelineView &timeline = m_window->timeline();
    const auto &rows = timeline.rows();
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [](const Row &r) { return r.type == Row::Type::Transfer; });
    QVERIFY(row != rows.end());
    const TimeRange view = m_window->state().view();
    const QRect lanes = timeline.lanesRect();
    const auto tickedAt = [&](TimeNs time) {
        const double share = double(time - view.begin) / double(view.length());
        const QPoint at(lanes.left() + int(share * lanes.width()),
                        lanes.top() + row->y - timeline.scroll() + 1);
        const QImage picture = timeline.grab().toImage();
        for (int dx = -1; dx <= 1; ++dx)
            if (picture.pixelColor(at + QPoint(dx, 0)).rgb() == theme().accent.rgb()) return true;
        return false;
    };
    QVERIFY(!tickedAt(300'000) && !tickedAt(700'000));
    m_window->state().setSearchHits(std::make_shared<SearchHits>(
        hitsOf({test::find(*m_window->state().trace(), "Memcpy HtoD again")})));
    QVERIFY(!tickedAt(300'000)); // the other copy of the row
    QVERIFY(tickedAt(700'000));
    m_window->state().setSearchHits(
        std::make_shared<SearchHits>(hitsOf({test::find(*m_window->state().trace(), "gemm")})));
    QVERIFY(!tickedAt(200'000) && !tickedAt(300'000) && !tickedAt(700'000));
}

QTEST_MAIN(TracksTest)
#include "tracks_test.moc"
