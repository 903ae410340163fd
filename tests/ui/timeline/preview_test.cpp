// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "ui/style.h"
#include "ui/theme.h"
#include "ui/timeline/preview_view.h"

#include <QSettings>
#include <QTemporaryDir>
#include <QWheelEvent>

using namespace longpole;

namespace {

using Track = Preview::TrackSoFar;

Track track(TrackKind kind, const char *name, size_t from, size_t to, uint8_t share) {
    Track t;
    t.kind = kind;
    t.mostly = kind == TrackKind::Stream ? Kind::Kernel : Kind::CpuOp;
    t.name = name;
    t.process = "python 10";
    if (kind == TrackKind::Stream) t.device = 0;
    t.intervals = 1000;
    t.busy.assign(Preview::kBins, 0);
    std::fill(t.busy.begin() + long(from), t.busy.begin() + long(to), share);
    return t;
}

/// Bins of 1 µs; three quarters of 1,024 bins are read, a thread is busy, then a stream.
Preview smallPreview() {
    Preview p;
    p.range = {0, 4'096'000};
    p.seen = {0, 768'000};
    p.tracks.push_back(track(TrackKind::Thread, "main", 0, 512, 255));
    p.tracks.push_back(track(TrackKind::Stream, "stream 7", 512, 768, 128));
    p.intervals = 2000;
    return p;
}

std::shared_ptr<const Preview> shared(Preview preview) {
    return std::make_shared<const Preview>(std::move(preview));
}

} // namespace

/// The picture of a trace that is being read, and what hands do there.
class PreviewViewTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        QCoreApplication::setOrganizationName(QStringLiteral("longpole-test"));
        QCoreApplication::setApplicationName(QStringLiteral("preview"));
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
        useBundledFont();
        applyStyle(false);
    }

    void init() {
        m_view = std::make_unique<PreviewView>();
        m_view->resize(186 + 1024 + 12, 300);
    }

    void columnsAreMeansOfTheirBins() {
        const Preview p = smallPreview();
        const auto rows = previewRows(p);
        QCOMPARE(rows.size(), size_t(4)); // two headers, two tracks
        QCOMPARE(rows[1].label, QStringLiteral("main"));
        QCOMPARE(rows[3].label, QStringLiteral("stream 7"));
        const auto two = previewColumns(p, rows[1], {0, 1'024'000}, 512); // two bins a pixel
        QCOMPARE(two[0], 1.F);
        QCOMPARE(two[255], 1.F);
        QVERIFY(two[256] < 0);
        const auto close = previewColumns(p, rows[3], {511'000, 513'000}, 100); // 50 pixels a bin
        QVERIFY(close[49] < 0);
        QVERIFY(std::abs(close[50] - 128 / 255.F) < 1e-6);
        const auto beyond = previewColumns(p, rows[1], {-100'000'000, -50'000'000}, 10);
        QVERIFY(std::all_of(beyond.begin(), beyond.end(), [](float s) { return s < 0; }));
        const auto all = previewColumns(p, rows[1], {-2'000'000, 8'000'000}, 10);
        QVERIFY(all[0] < 0 && all[2] > 0 && all[9] < 0);
    }

    void helpersShareARow() {
        Preview p;
        p.range = {0, 4'096'000};
        for (int t = 0; t < 12; ++t)
            p.tracks.push_back(
                track(TrackKind::Thread, "t", size_t(t), size_t(t) + 40 * t + 1, 200));
        p.otherTracks = 90'000;
        p.others = track(TrackKind::Thread, "", 0, 4096, 255);
        const auto rows = previewRows(p);
        QCOMPARE(rows.size(), size_t(1 + 4 + 1 + 2));
        QCOMPARE(rows[5].label, QStringLiteral("8 more threads"));
        QCOMPARE(rows.back().label, QStringLiteral("90,000 tracks"));
    }

    void showsDensityAndTheStripe() {
        m_view->setPreview(shared(smallPreview()));
        QCOMPARE(m_view->view(), (TimeRange{0, 1'048'576})); // as much again at most
        const QImage image = m_view->grab().toImage();
        const double ratio = image.devicePixelRatio();
        const auto at = [&](double x, double y) {
            return image.pixelColor(int(x * ratio), int(y * ratio));
        };
        const QRect lanes = m_view->lanesRect();
        const auto rows = previewRows(*m_view->preview());
        const double thread = lanes.top() + rows[1].y + 10, stream = lanes.top() + rows[3].y + 10;
        const QColor cpu = theme().kindColour(Kind::CpuOp), gpu = theme().kindColour(Kind::Kernel);
        QCOMPARE(at(lanes.left() + 100, thread), cpu);
        QCOMPARE(at(lanes.left() + 600, stream), mix(theme().base, gpu, 0.35 + 0.65 * 128 / 255));
        QVERIFY(at(lanes.left() + 600, thread) != cpu);
        // what no event was read of is lined, and the strip above says so
        int lines = 0, hatched = 0;
        for (int x = 800; x < 1000; ++x) {
            lines += at(lanes.left() + x, thread) == theme().grid;
            hatched += at(lanes.left() + x, m_view->stripRect().center().y()) != theme().selected;
        }
        QVERIFY2(lines > 10 && lines < 100, qPrintable(QString::number(lines)));
        QVERIFY2(hatched > 20 && hatched < 150, qPrintable(QString::number(hatched)));
    }

    void emptyBeforeTheFirstEvent() {
        QVERIFY(!m_view->grab().isNull());
        m_view->setPreview(shared(Preview{}));
        QVERIFY(!m_view->grab().isNull());
        QTest::keyClick(m_view.get(), Qt::Key_W);
        QVERIFY(!m_view->chosenView());
    }

    void theChosenViewStays() {
        Preview p = smallPreview();
        m_view->setPreview(shared(p));
        const TimeNs before = m_view->view().begin + m_view->view().length() / 4;
        const QPointF mouse(m_view->lanesRect().left() + 256, 150);
        QWheelEvent wheel(mouse, mouse, {}, {0, 240}, Qt::NoButton, Qt::ControlModifier,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(m_view.get(), &wheel);
        QVERIFY(m_view->chosenView());
        const TimeRange zoomed = *m_view->chosenView();
        QVERIFY(zoomed.length() < 1'048'576 * 0.7);
        QVERIFY(std::abs(zoomed.begin + zoomed.length() / 4 - before) < 4'000);
        p.seen.end = 4'000'000; // more is read
        m_view->setPreview(shared(p));
        QCOMPARE(m_view->view(), zoomed);
        QTest::mousePress(m_view.get(), Qt::LeftButton, {}, mouse.toPoint());
        QTest::mouseMove(m_view.get(), mouse.toPoint() - QPoint(64, 0));
        QTest::mouseRelease(m_view.get(), Qt::LeftButton, {}, mouse.toPoint() - QPoint(64, 0));
        QCOMPARE(m_view->view().length(), zoomed.length());
        QVERIFY(std::abs(m_view->view().begin - zoomed.begin - zoomed.length() / 16) < 2'000);
        QTest::keyClick(m_view.get(), Qt::Key_0);
        QVERIFY(!m_view->chosenView());
        QTest::keyClick(m_view.get(), Qt::Key_D);
        QVERIFY(m_view->chosenView());
        m_view->setPreview({}); // another file
        QVERIFY(!m_view->chosenView());
    }

private:
    QTemporaryDir m_folder;
    std::unique_ptr<PreviewView> m_view;
};

QTEST_MAIN(PreviewViewTest)
#include "preview_test.moc"
