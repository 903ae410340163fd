// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace longpole {

/// SHA-256 (FIPS 180-4) of bytes given piece by piece.
class Sha256 {
public:
    void add(const void *data, size_t size);
    /// The digest as 64 hexadecimal digits; nothing may be added afterwards.
    std::string finish();

private:
    void block(const uint8_t *bytes);

    std::array<uint32_t, 8> m_state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<uint8_t, 64> m_buffer{};
    uint64_t m_bytes = 0;
};

} // namespace longpole
