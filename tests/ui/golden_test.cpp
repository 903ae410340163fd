// SPDX-License-Identifier: GPL-3.0-or-later
// The main states of the window beside pictures of them that somebody looked at. A picture that
// comes out otherwise is kept, and the failure says where. With LONGPOLE_GOLDEN=write the pictures
// are written anew: look at each before it is kept.
#include <QTest>

#include "tests/support/training_trace.h"
#include "tests/ui/golden_picture.h"
#include "tests/ui/window_hands.h"
#include "ui/panels/what_if_panel.h"
#include "ui/style.h"
#include "ui/theme.h"
#include "ui/timeline/timeline_view.h"
#include "ui/track_choices.h"

#include <QComboBox>
#include <QDateTime>
#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QLabel>
#include <QPainter>
#include <QRandomGenerator>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>

using namespace longpole;
using namespace longpole::test;

namespace {

const QString kFolder = QStringLiteral(LONGPOLE_SOURCE_DIR "/tests/ui/golden");
constexpr QSize kLarge(1200, 750), kSmall(900, 560);

/// As it would be without what is there.
QImage rubbedOut(QImage picture, const QRect &what) {
    QPainter(&picture).fillRect(what, picture.pixelColor(what.topLeft()));
    return picture;
}

} // namespace

class GoldenTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void cleanup();
    void looksAsBefore_data();
    void looksAsBefore();
    void noWordGoesUnnoticed();
    void noMarkGoesUnnoticed();
    void noColourGoesUnnoticed();
    void noTrackGoesUnnoticed();
    void nitsDo();

private:
    void open();
    void bring(const QString &state);
    QImage grab();
    QImage steady();
    double ratio() const { return m_window->devicePixelRatioF(); }
    QString fileOf(const QString &state) const;
    QRect inPicture(const QWidget &widget, QRect part) const;
    template <class T>
    T *child(const char *name) {
        T *found = m_window->findChild<T *>(QLatin1String(name));
        if (!found) qFatal("there is no %s", name);
        return found;
    }

    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;
};

void GoldenTest::initTestCase() {
    QCoreApplication::setOrganizationName(QStringLiteral("longpole-test"));
    QCoreApplication::setApplicationName(QStringLiteral("golden"));
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
    QVERIFY(QDir::setCurrent(m_folder.path()));
    QFile trace(QStringLiteral("training.json")), odd(QStringLiteral("odd.json"));
    QVERIFY(trace.open(QIODevice::WriteOnly) && odd.open(QIODevice::WriteOnly));
    writeTrainingTrace(
        {8, 3, 7}, [&](std::string_view text) { trace.write(text.data(), qint64(text.size())); });
    odd.write("{\"nodes\": [1, 2]}");
    QVERIFY(odd.flush());
    odd.setFileTime(QDateTime({2026, 1, 2}, {3, 4}), QFileDevice::FileModificationTime);
    qputenv("TZ", "UTC");
    useBundledFont();
    applyStyle(false);
    QApplication::setCursorFlashTime(0);
}

void GoldenTest::cleanup() {
    m_window.reset();
    QFile::remove(QStringLiteral("training.json.longpole.json"));
}

QString GoldenTest::fileOf(const QString &state) const {
    const QString scale = ratio() == 1 ? QString() : QStringLiteral("@%1x").arg(ratio());
    return QStringLiteral("%1-%2%3.png").arg(state, theme().id, scale);
}

void GoldenTest::open() {
    QSignalSpy opened(&m_window->session(), &Session::opened);
    m_window->openPaths({QStringLiteral("training.json")});
    QVERIFY(opened.wait(60'000));
    QTRY_VERIFY_WITH_TIMEOUT(m_window->session().statistics(), 60'000);
    QTRY_VERIFY_WITH_TIMEOUT(m_window->session().verdict(), 60'000);
    QTRY_VERIFY(m_window->session().idle());
}

void GoldenTest::bring(const QString &state) {
    QSettings().clear();
    m_window = std::make_unique<MainWindow>();
    const bool page = state == QLatin1String("start") || state == QLatin1String("error");
    m_window->resize(page || ratio() > 1 ? kSmall : kLarge);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    if (state == QLatin1String("start")) return;
    if (state == QLatin1String("error")) {
        QSignalSpy failed(&m_window->session(), &Session::openFailed);
        m_window->openPaths({QStringLiteral("odd.json")});
        QVERIFY(failed.wait());
        return;
    }
    open();
    ViewState &shown = m_window->state();
    if (state == QLatin1String("whole")) m_window->timeline().showWholeTrace();
    if (state == QLatin1String("zoomed")) {
        for (int i = 0; i < 12; ++i) m_window->timeline().walkPath(1);
        const IntervalId at = shown.selected();
        QVERIFY(at.valid());
        const TimeNs middle = shown.trace()->begin(at), half = shown.window().range.length() / 50;
        shown.setView({middle - half, middle + 2 * half});
    }
    if (state == QLatin1String("predicted")) {
        child<QDockWidget>("whatIf")->raise();
        child<QDockWidget>("whatIf")->show();
        m_window->findChild<WhatIfPanel *>()->setSpeed(QStringLiteral("backward"), Speed{2000});
        shown.setPredictedShown(true);
        QTRY_VERIFY(m_window->session().prediction());
    }
    if (state == QLatin1String("range")) {
        const TimeRange window = shown.window().range;
        shown.setRange(TimeRange{window.begin + window.length() / 4, window.end});
        child<QDockWidget>("statistics")->raise();
        child<QComboBox>("statisticsBy")->setCurrentIndex(1);
        emit child<QComboBox>("statisticsBy")->activated(1);
    }
}

/// Without what belongs to the machine and the version.
QImage GoldenTest::grab() {
    QImage picture = m_window->grab().toImage().convertToFormat(QImage::Format_RGB32);
    picture.setDevicePixelRatio(1);
    for (const QWidget *widget : m_window->findChildren<QWidget *>()) {
        const auto *label = qobject_cast<const QLabel *>(widget);
        const bool foreign = widget->objectName() == QLatin1String("errorBytes") ||
                             (label && label->text().startsWith(QLatin1String("Longpole ")));
        if (foreign && widget->isVisible())
            picture = rubbedOut(picture, inPicture(*widget, widget->rect()));
    }
    return picture;
}

QRect GoldenTest::inPicture(const QWidget &widget, QRect part) const {
    const QRect at(widget.mapTo(m_window.get(), part.topLeft()), part.size());
    return QRect(at.topLeft() * ratio(), at.size() * ratio());
}

/// The window once nothing changes any more.
QImage GoldenTest::steady() {
    QImage last = grab();
    int same = 0;
    for (int i = 0; i < 100 && same < 3; ++i) {
        QTest::qWait(100);
        QImage next = grab();
        same = next == last ? same + 1 : 0;
        last = std::move(next);
    }
    if (same < 3) qFatal("the window does not come to rest");
    return last;
}

void GoldenTest::looksAsBefore_data() {
    QTest::addColumn<QString>("theme");
    QTest::addColumn<QString>("state");
    // at twice the size in a small window, so that the pictures stay small as well
    const QStringList states =
        QStringLiteral("step whole zoomed predicted range").split(QChar(' '));
    const QStringList pages = QStringLiteral("start error").split(QChar(' '));
    const bool twice = qApp->devicePixelRatio() > 1;
    for (const char *theme : {"light", "dark", "cvd"}) {
        for (const QString &state : states + pages) {
            const bool dear =
                twice && state != QLatin1String("zoomed") && state != QLatin1String("predicted");
            // the pages hold no data, so that colour-blind eyes get the light ones
            if (pages.contains(state) && QByteArray(theme) == "cvd") continue;
            if (dear && (QByteArray(theme) != "dark")) continue;
            QTest::addRow("%s %s", qPrintable(state), theme) << QString(theme) << state;
        }
    }
}

void GoldenTest::looksAsBefore() {
    QFETCH(QString, theme);
    QFETCH(QString, state);
    chooseTheme(theme);
    bring(state);
    if (QTest::currentTestFailed()) return;
    QImage actual = steady();
    const QString file = QDir(kFolder).filePath(fileOf(state));
    if (qEnvironmentVariable("LONGPOLE_GOLDEN") == QLatin1String("write")) {
        QImage few;
        int colours = 16; // as many as leave most of what a difference may be to the differences
        do few = withFewColours(actual, colours += 8);
        while (differenceOf(few, actual, ratio(), 6).blocks > 0 && colours < 256);
        QVERIFY(few.save(file, "PNG", 0));
        return;
    }
    const QImage golden(file);
    PictureDifference apart = differenceOf(golden, actual, ratio());
    for (int i = 0; !apart.same() && !golden.isNull() && i < 40; ++i) { // a late answer
        QTest::qWait(200);
        apart = differenceOf(golden, actual = grab(), ratio());
    }
    if (apart.same()) return;
    const QString kept = QDir(QStringLiteral(LONGPOLE_BINARY_DIR)).filePath(fileOf(state));
    actual.save(kept);
    QFAIL(qPrintable(golden.isNull()
                         ? QStringLiteral("there is no %1; see %2").arg(file, kept)
                         : QStringLiteral("%1 beside %2: %3").arg(kept, file, apart.words())));
}

void GoldenTest::noWordGoesUnnoticed() {
    chooseTheme(QStringLiteral("light"));
    bring(QStringLiteral("step"));
    const QImage picture = steady();
    int words = 0;
    const auto check = [&](const QRect &where, const QString &text) {
        if (!picture.rect().contains(where)) return;
        ++words;
        QVERIFY2(!differenceOf(picture, rubbedOut(picture, where), ratio()).same(),
                 qPrintable(text));
    };
    for (const QLabel *label : m_window->findChildren<QLabel *>())
        if (label->isVisible() && !label->text().isEmpty() &&
            label->visibleRegion().boundingRect() == label->rect())
            check(inPicture(*label, label->rect()), label->text());
    const TimelineView &view = m_window->timeline();
    const QRect lanes = view.lanesRect();
    for (const Row &row : view.rows()) {
        if (row.label.isEmpty() || row.y + row.bar > lanes.height()) continue;
        const QRect cell(2, lanes.top() + row.y + 1, view.labelWidth() - 4, row.bar - 2);
        check(inPicture(view, cell), row.label);
    }
    QVERIFY(words > 12);
}

void GoldenTest::noMarkGoesUnnoticed() {
    chooseTheme(QStringLiteral("dark"));
    bring(QStringLiteral("zoomed"));
    const QImage picture = steady();
    const Trace &trace = *m_window->state().trace();
    int marks = 0;
    for (uint32_t track = 0; track < trace.tracks.size(); ++track)
        for (uint32_t row = 0; row < trace.tracks[track].table->size(); ++row) {
            const QRect mark = m_window->timeline().rectOf({track, row});
            const QRect shown = mark & m_window->timeline().lanesRect();
            if (shown.width() < 6 || shown.height() < 9) continue;
            ++marks;
            QImage without = picture;
            QPainter(&without).fillRect(inPicture(m_window->timeline(), shown), theme().base);
            QVERIFY2(!differenceOf(picture, without, ratio()).same(),
                     std::string(trace.name({track, row})).c_str());
        }
    QVERIFY(marks > 10);
}

void GoldenTest::noColourGoesUnnoticed() {
    for (const char *id : {"light", "dark", "cvd"}) {
        chooseTheme(QString::fromLatin1(id));
        bring(QStringLiteral("step"));
        const QImage picture = steady();
        for (const QColor colour : theme().phase)
            for (const QColor other : theme().phase) {
                QImage changed = picture;
                int pixels = 0;
                for (int y = 0; y < changed.height(); ++y)
                    for (int x = 0; x < changed.width(); ++x)
                        if (changed.pixel(x, y) == colour.rgb())
                            changed.setPixel(x, y, other.rgb()), ++pixels;
                if (pixels < 300 || colour == other) continue;
                QVERIFY2(!differenceOf(picture, changed, ratio()).same(),
                         qPrintable(colour.name() + other.name() + id));
            }
    }
}

void GoldenTest::noTrackGoesUnnoticed() {
    chooseTheme(QStringLiteral("light"));
    bring(QStringLiteral("step"));
    const QImage picture = steady();
    const QImage golden(QDir(kFolder).filePath(fileOf(QStringLiteral("step"))));
    TrackChoices &tracks = m_window->state().tracks();
    for (const Row &row : std::vector<Row>(m_window->timeline().rows())) {
        if (row.type != Row::Type::Lane || row.firstLane != 0) continue;
        if (row.y > m_window->timeline().lanesRect().height() - row.height) continue;
        tracks.setHidden(row.track, true);
        const QImage without = steady();
        QVERIFY2(!differenceOf(picture, without, ratio()).same(), qPrintable(row.label));
        QVERIFY(!differenceOf(golden, without, ratio()).same());
        tracks.showAll();
    }
    QVERIFY(differenceOf(picture, steady(), ratio()).same());
}

/// What another rasteriser does: every pixel that is no plain surface comes out a little otherwise.
void GoldenTest::nitsDo() {
    chooseTheme(QStringLiteral("light"));
    bring(QStringLiteral("zoomed"));
    const QImage picture = steady();
    QImage other = picture;
    QRandomGenerator random(1);
    for (int y = 1; y + 1 < picture.height(); ++y)
        for (int x = 1; x + 1 < picture.width(); ++x) {
            const QRgb p = picture.pixel(x, y);
            if (p == picture.pixel(x - 1, y) && p == picture.pixel(x + 1, y)) continue;
            const int by = int(random.bounded(33)) - 16;
            const auto moved = [by](int v) { return std::clamp(v + by, 0, 255); };
            other.setPixel(x, y, qRgb(moved(qRed(p)), moved(qGreen(p)), moved(qBlue(p))));
        }
    QVERIFY(other != picture);
    const PictureDifference apart = differenceOf(picture, other, ratio());
    QVERIFY2(apart.same(), qPrintable(apart.words()));
}

QTEST_MAIN(GoldenTest)
#include "golden_test.moc"
