# SPDX-License-Identifier: Apache-2.0
"""Marks steps and phases of a training loop for `longpole-cli record`. One file, nothing to build.

    import longpole_steps as longpole

    for batch in longpole.steps(loader):        # one step per batch, the wait for it included
        with longpole.phase("forward"):
            loss = model(batch)

    with longpole.step():                       # or by hand
        ...

Under `longpole-cli record` ranges go to the recorder itself; under other profilers to NVTX through
PyTorch, where that is there; else nowhere. With `record --steps 20 --warmup 5` the recorder waits for
the device before the first measured step and after the last one: the loop needs no synchronise().
"""

import contextlib
import ctypes
import os
import sys

__all__ = ["phase", "step", "steps"]

_count = 0


def _recorder():
    path = os.environ.get("NVTX_INJECTION64_PATH", "")
    if not path or not os.environ.get("LONGPOLE_CAPTURE_FILE"):
        return None
    try:
        library = ctypes.CDLL(path)
        push, pop = library.LongpoleRangePush, library.LongpoleRangePop
    except (OSError, AttributeError):
        return None
    push.argtypes = [ctypes.c_char_p]
    return (lambda name: push(name.encode())), pop


def _torch():
    torch = sys.modules.get("torch")  # not imported for this alone
    if torch is None or not torch.cuda.is_available():
        return None
    return torch.cuda.nvtx.range_push, torch.cuda.nvtx.range_pop


_functions = _recorder()


@contextlib.contextmanager
def phase(name):
    """A range of that name. data_wait, transfer, forward, backward, communication, synchronisation,
    update and logging are phases that Longpole knows."""
    functions = _functions or _torch()
    if functions is None:
        yield
        return
    functions[0](name)
    try:
        yield
    finally:
        functions[1]()


def step(number=None):
    """One step; numbered from 0 unless told otherwise."""
    global _count
    if number is None:
        number = _count
    _count = number + 1
    return phase("step %d" % number)


def steps(batches):
    """What `batches` yields, each inside a step of its own that begins before it is fetched."""
    batches = iter(batches)
    while True:
        with step():
            with phase("data_wait"):
                try:
                    batch = next(batches)
                except StopIteration:
                    return
            yield batch
