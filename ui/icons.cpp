// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/icons.h"

#include "ui/theme.h"

#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QSvgRenderer>

namespace longpole {

namespace {

void paintIcon(QPainter &painter, const QByteArray &svg, QRect rect, QColor colour) {
    QByteArray tinted = svg;
    tinted.replace("#000000", colour.name().toLatin1());
    // At 16 px the grid's 1.75 would be 1.2 px on screen; small icons get 1.4 px.
    if (rect.width() <= 18) tinted.replace("stroke-width=\"1.75\"", "stroke-width=\"2.1\"");
    QSvgRenderer renderer(tinted);
    renderer.render(&painter, rect);
}

QByteArray readIcon(const QString &name) {
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Asks the theme at every paint, so that a change of theme needs no new icons.
class ThemedIcon : public QIconEngine {
public:
    ThemedIcon(QByteArray svg, bool isLink) : m_svg(std::move(svg)), m_isLink(isLink) {}

    void paint(QPainter *painter, const QRect &rect, QIcon::Mode mode,
               QIcon::State state) override {
        const Theme &t = theme();
        QColor colour = t.text2;
        if (m_isLink || state == QIcon::On) colour = t.accent;
        if (mode == QIcon::Disabled) colour = t.disabled;
        paintIcon(*painter, m_svg, rect, colour);
    }

    QPixmap pixmap(const QSize &size, QIcon::Mode mode, QIcon::State state) override {
        QPixmap image(size);
        image.fill(Qt::transparent);
        QPainter painter(&image);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return image;
    }

    QIconEngine *clone() const override { return new ThemedIcon(m_svg, m_isLink); }

private:
    QByteArray m_svg;
    bool m_isLink;
};

} // namespace

QIcon icon(const QString &name) {
    return QIcon(new ThemedIcon(readIcon(name), false));
}

QIcon linkIcon(const QString &name) {
    return QIcon(new ThemedIcon(readIcon(name), true));
}

QPixmap iconPixmap(const QString &name, QColor colour, int size, qreal ratio) {
    QPixmap image(QSize(size, size) * ratio);
    image.setDevicePixelRatio(ratio);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    paintIcon(painter, readIcon(name), QRect(0, 0, size, size), colour);
    return image;
}

} // namespace longpole
