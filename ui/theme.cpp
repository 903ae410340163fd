// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme.h"

#include <QApplication>
#include <QFontDatabase>
#include <QFontInfo>

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr std::array<std::string_view, 9> kPhaseIds = {
    "data_wait",       "transfer", "forward", "backward", "communication",
    "synchronisation", "update",   "logging", "other"};

QColor rgb(uint32_t hex) {
    return QColor::fromRgb(hex);
}

Theme lightTheme() {
    Theme t;
    t.id = QStringLiteral("light");
    t.win = rgb(0xF1F2F4), t.base = rgb(0xFFFFFF), t.alt = rgb(0xF7F8F9), t.head = rgb(0xE9EBEE);
    t.line = rgb(0xCBD0D6), t.grid = rgb(0xE8EAED);
    t.text = rgb(0x15191E), t.text2 = rgb(0x515A65), t.dimText = rgb(0x454D57);
    t.disabled = rgb(0x8C949D), t.fieldBorder = rgb(0x7F8893), t.button = rgb(0xFAFBFC);
    t.accent = rgb(0x17589F), t.selected = rgb(0xD7E5F5), t.path = rgb(0xC8321A);
    t.warn = rgb(0x8A5200), t.warnBack = rgb(0xFBF1DC), t.good = rgb(0x1F6B3A);
    t.ink = rgb(0x12161A);
    t.phase = {rgb(0xD07D1F), rgb(0x5E9BA3), rgb(0x355292), rgb(0x8C8BD1), rgb(0x394F35),
               rgb(0x613950), rgb(0x959470), rgb(0x8B6C5F), rgb(0x6B747D)};
    return t;
}

Theme darkTheme() {
    Theme t;
    t.id = QStringLiteral("dark");
    t.dark = true;
    t.win = rgb(0x23272C), t.base = rgb(0x15181C), t.alt = rgb(0x1A1D22), t.head = rgb(0x2B3036);
    t.line = rgb(0x3E454D), t.grid = rgb(0x252A30);
    t.text = rgb(0xE6E9ED), t.text2 = rgb(0xA7B0BA), t.dimText = rgb(0xC9D0D8);
    t.disabled = rgb(0x727B85), t.fieldBorder = rgb(0x747D87), t.button = rgb(0x2C3137);
    t.accent = rgb(0x6FB1F2), t.selected = rgb(0x1D3B5A), t.path = rgb(0xFF7A55);
    t.warn = rgb(0xE5B567), t.warnBack = rgb(0x3A3220), t.good = rgb(0x7CC796);
    t.ink = rgb(0x0D1013);
    t.phase = {rgb(0xFFC265), rgb(0x79E7FD), rgb(0x506BB7), rgb(0xB59FE7), rgb(0x679B85),
               rgb(0xD7B6CA), rgb(0xB8D5A0), rgb(0x9F644B), rgb(0x8B949E)};
    t.dimShare = 0.30;
    return t;
}

Theme cvdTheme() {
    Theme t = lightTheme();
    t.id = QStringLiteral("cvd");
    t.phase = {rgb(0xD17F30), rgb(0x317053), rgb(0x212576), rgb(0x4893EA), rgb(0x37340C),
               rgb(0x8C458F), rgb(0xA28AA8), rgb(0x502036), rgb(0x6B747D)};
    return t;
}

const std::array<Theme, 3> &themes() {
    static const std::array<Theme, 3> all = {lightTheme(), darkTheme(), cvdTheme()};
    return all;
}

const Theme *g_theme = nullptr;
bool g_bundledFont = false;
constexpr int kDefaultPixels = 12;

QFont bundledFont() {
    static const bool loaded = [] {
        for (const char *weight : {"Regular", "Medium", "Bold"})
            QFontDatabase::addApplicationFont(QStringLiteral(":/fonts/Roboto-%1.ttf").arg(weight));
        return true;
    }();
    Q_UNUSED(loaded);
    QFont font(QStringLiteral("Roboto"));
    font.setPixelSize(kDefaultPixels);
    font.setHintingPreference(QFont::PreferNoHinting);
    return font;
}

double linear(int channel) {
    const double c = channel / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

double luminance(QColor c) {
    return 0.2126 * linear(c.red()) + 0.7152 * linear(c.green()) + 0.0722 * linear(c.blue());
}

size_t phaseOfKind(Kind kind) {
    switch (kind) {
    case Kind::Python:
        return 0;
    case Kind::H2D:
    case Kind::D2H:
    case Kind::P2P:
        return 1;
    case Kind::Kernel:
        return 2;
    case Kind::CpuOp:
        return 3;
    case Kind::Comm:
        return 4;
    case Kind::Sync:
    case Kind::EventRecord:
    case Kind::EventWait:
        return 5;
    case Kind::Launch:
    case Kind::GraphLaunch:
    case Kind::GraphExec:
        return 6;
    case Kind::Runtime:
    case Kind::Overhead:
        return 7;
    default:
        return 8;
    }
}

} // namespace

QColor Theme::phaseColour(std::string_view phaseId) const {
    const auto it = std::find(kPhaseIds.begin(), kPhaseIds.end(), phaseId);
    return it == kPhaseIds.end() ? phase.back() : phase[size_t(it - kPhaseIds.begin())];
}

QColor Theme::kindColour(Kind kind) const {
    return phase[phaseOfKind(kind)];
}

QColor Theme::textOn(QColor fill) const {
    return contrast(Qt::white, fill) >= 4.5 ? QColor(Qt::white) : ink;
}

QPalette Theme::palette() const {
    QPalette p;
    p.setColor(QPalette::Window, win);
    p.setColor(QPalette::WindowText, text);
    p.setColor(QPalette::Base, base);
    p.setColor(QPalette::AlternateBase, alt);
    p.setColor(QPalette::Text, text);
    p.setColor(QPalette::PlaceholderText, text2);
    p.setColor(QPalette::Button, button);
    p.setColor(QPalette::ButtonText, text);
    p.setColor(QPalette::BrightText, path);
    p.setColor(QPalette::Highlight, selected);
    p.setColor(QPalette::HighlightedText, text);
    p.setColor(QPalette::Link, accent);
    p.setColor(QPalette::LinkVisited, accent);
    p.setColor(QPalette::ToolTipBase, base);
    p.setColor(QPalette::ToolTipText, text);
    p.setColor(QPalette::Light, mix(button, QColor(Qt::white), dark ? 0.10 : 0.60));
    p.setColor(QPalette::Midlight, mix(button, line, 0.35));
    p.setColor(QPalette::Mid, line);
    p.setColor(QPalette::Dark, fieldBorder);
    p.setColor(QPalette::Shadow, dark ? QColor(Qt::black) : text2);
    for (auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText,
                      QPalette::HighlightedText, QPalette::PlaceholderText})
        p.setColor(QPalette::Disabled, role, disabled);
    p.setColor(QPalette::Disabled, QPalette::Highlight, head);
    return p;
}

const Theme &themeById(const QString &id) {
    for (const Theme &t : themes())
        if (t.id == id) return t;
    return themes().front();
}

const Theme &theme() {
    return g_theme ? *g_theme : themes().front();
}

void setTheme(const QString &id) {
    g_theme = &themeById(id);
}

QColor mix(QColor a, QColor b, double share) {
    auto channel = [share](int x, int y) {
        return std::clamp(int(std::lround(x + (y - x) * share)), 0, 255);
    };
    return {channel(a.red(), b.red()), channel(a.green(), b.green()), channel(a.blue(), b.blue())};
}

double contrast(QColor a, QColor b) {
    const double x = luminance(a), y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

QFont uiFont(int pixelsAtDefault, QFont::Weight weight) {
    QFont font = g_bundledFont ? bundledFont() : QApplication::font();
    const int own = g_bundledFont ? kDefaultPixels : QFontInfo(font).pixelSize();
    font.setPixelSize(std::max(6, pixelsAtDefault + own - kDefaultPixels));
    font.setWeight(weight);
    return font;
}

void useBundledFont() {
    QApplication::setFont(bundledFont());
}

BundledFontScope::BundledFontScope() {
    g_bundledFont = true;
}

BundledFontScope::~BundledFontScope() {
    g_bundledFont = false;
}

} // namespace longpole
