// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/line_cache.h"

namespace longpole {

namespace {

/// Of one object, or both of none; an object in the place of one that is gone is another one.
template <class T>
bool isSame(const std::weak_ptr<T> &a, const std::weak_ptr<T> &b) {
    return !a.owner_before(b) && !b.owner_before(a);
}

bool isSame(const LineCache::Scene &a, const LineCache::Scene &b) {
    return std::tie(a.view, a.width, a.ratio, a.back, a.colours, a.groupOf) ==
               std::tie(b.view, b.width, b.ratio, b.back, b.colours, b.groupOf) &&
           isSame(a.loaded, b.loaded) && isSame(a.path, b.path);
}

} // namespace

void LineCache::turnTo(Scene scene) {
    if (isSame(m_scene, scene)) return;
    m_scene = std::move(scene);
    m_lines.clear();
}

const std::vector<QRgb> *LineCache::find(const Row &row) const {
    const auto at = m_lines.find(keyOf(row));
    return at == m_lines.end() ? nullptr : &at->second;
}

} // namespace longpole
