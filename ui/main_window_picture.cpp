// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window.h"

#include "ui/export/picture.h"
#include "ui/marks.h"
#include "ui/track_choices.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QSettings>
#include <QStatusBar>

namespace longpole {

QImage MainWindow::picture(double scale) const {
    PictureSpec spec;
    spec.loaded = m_state.loaded();
    spec.view = m_state.view();
    spec.window = m_state.window();
    spec.range = m_state.range();
    spec.selected = m_state.selected();
    spec.colourBy = m_state.colourBy();
    spec.marks = m_state.marks().all();
    spec.tracks = m_state.tracks().kept();
    for (uint32_t track = 0; track < m_state.trace()->tracks.size(); ++track)
        spec.hiddenTracks.push_back(!m_state.tracks().shown(track));
    if (m_state.pathShown()) {
        spec.path = m_session.path();
        spec.idle = m_session.idle();
    }
    if (m_state.predictedShown()) spec.prediction = m_session.prediction();
    spec.size = size();
    spec.scale = scale;
    return renderPicture(spec);
}

QString MainWindow::savePicture(const QString &path, double scale) {
    if (!m_state.trace()) return tr("There is no trace to draw.");
    if (picture(scale).save(path, "PNG")) return {};
    return tr("The picture could not be written to %1. Is the folder there, and may it be written "
              "to?")
        .arg(path);
}

void MainWindow::choosePicture() {
    if (!m_state.trace()) return;
    QStringList filters;
    for (int scale : {1, 2, 3}) {
        const QSize pixels = size() * scale;
        filters << tr("PNG, %1 × %2 pixels (*.png)").arg(pixels.width()).arg(pixels.height());
    }
    QSettings settings;
    const QString key = QStringLiteral("pictureFolder");
    const QString base =
        QFileInfo(m_session.paths().value(0)).fileName().section(QLatin1Char('.'), 0, 0);
    QString chosen = filters[1];
    QString path = QFileDialog::getSaveFileName(this, tr("Export picture"),
                                                settings.value(key).toString() + QLatin1Char('/') +
                                                    base + QStringLiteral(".png"),
                                                filters.join(QStringLiteral(";;")), &chosen);
    if (path.isEmpty()) return;
    if (QFileInfo(path).suffix().isEmpty()) path += QStringLiteral(".png");
    settings.setValue(key, QFileInfo(path).absolutePath());
    const QString problem =
        savePicture(path, double(std::max<qsizetype>(0, filters.indexOf(chosen)) + 1));
    if (problem.isEmpty())
        statusBar()->showMessage(tr("Written to %1").arg(path), 6000);
    else
        QMessageBox::warning(this, tr("Export picture"), problem);
}

void MainWindow::copyPicture() {
    if (!m_state.trace()) return;
    QApplication::clipboard()->setImage(picture(2));
    statusBar()->showMessage(tr("The picture is on the clipboard."), 4000);
}

} // namespace longpole
