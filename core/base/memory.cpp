// SPDX-License-Identifier: Apache-2.0
#include "core/base/memory.h"

#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace longpole {

void giveBackMemory() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

} // namespace longpole
