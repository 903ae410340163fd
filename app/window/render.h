// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace longpole {

/// `longpole render …`: paints traces into a picture without a window. Exit status as every
/// command: 0 done, 1 the question has no answer on this trace, 2 usage, 3 the input cannot be
/// read.
int runRender(int argc, char **argv);

} // namespace longpole
