/* SPDX-License-Identifier: Apache-2.0 */
/* Marks steps and phases for `longpole-cli record`, and for every other profiler that reads NVTX. C or C++,
   header only; it needs NVTX 3, which comes with the CUDA Toolkit. Without a profiler each call costs a
   few nanoseconds.

       for (unsigned i = 0; i < n; ++i) {
           longpole_step_begin(i);
           longpole_phase_begin("forward");
           ...
           longpole_phase_end();
           longpole_step_end();
       }

   Steps are marked on one thread, one after the other. With `record --steps 20 --warmup 5` the recorder
   waits for the device before step 5 begins and after step 24 has ended, so that steps over elapsed time
   is measured, and the program needs no wait of its own. */
#ifndef LONGPOLE_STEPS_H
#define LONGPOLE_STEPS_H

#include <nvtx3/nvToolsExt.h>

#include <stdio.h>

static inline void longpole_step_begin(unsigned number) {
    char name[24];
    snprintf(name, sizeof name, "step %u", number);
    nvtxRangePushA(name);
}
static inline void longpole_step_end(void) { nvtxRangePop(); }

/* data_wait, transfer, forward, backward, communication, synchronisation, update and logging are phases
   that Longpole knows by name; any other name is shown as it is. Phases nest. */
static inline void longpole_phase_begin(const char *name) { nvtxRangePushA(name); }
static inline void longpole_phase_end(void) { nvtxRangePop(); }

#endif
