# SPDX-License-Identifier: MIT
"""How a session runs: its options, its end, and what Python raises meanwhile."""
from __future__ import annotations

import contextlib
import ctypes
import math
import os
import signal
import threading
from typing import Any, Iterator, Optional

from . import _abi
from ._library import encoded, sized, unsigned

FOREVER = 2**64 - 1


def run_until(now_ns: int, seconds: Optional[float]) -> int:
    """Returns the time at which a run of this length ends; None: the end of the workload."""
    if seconds is not None and not seconds >= 0:
        raise ValueError(f"seconds: expected 0 or more, not {seconds!r}")
    return FOREVER if seconds is None or math.isinf(seconds) else min(now_ns + round(seconds * 1e9), FOREVER)


def session_options(clocks: list[tuple[str, int]], options: dict[str, Any], failures: list[BaseException]):
    """Returns a struct pmon_session_options. `clocks` are those of an emulated machine; `failures` gets what the option
    `tick` raises."""
    # Without a tick, a run would not see Ctrl-C before its end.
    chosen, own = sized(_abi.pmon_session_options), {"clocks": clocks, "tick": lambda _now_ns: False}
    if not clocks and "tick" not in options:
        own["tick_ns"] = 50_000_000
    for name, value in {**own, **options}.items():
        _set_option(chosen, name, value, failures)
    return chosen


def _set_option(chosen, name: str, value, failures: list[BaseException]) -> None:
    kind = dict(chosen._fields_).get(name)
    if kind is None or name == "size":
        raise TypeError(f"Session() has no option {name}")
    if name == "clocks" and isinstance(value, (list, tuple)):
        array = (_abi.pmon_clock * len(value))()
        for clock, (clock_name, hz) in zip(array, value):
            clock.name, clock.hz = encoded(clock_name, "clocks"), unsigned(hz, "clocks", 64)
        value, chosen.n_clocks = ctypes.cast(array, kind), len(array)
    elif kind is ctypes.c_char_p and value is not None:
        value = os.fsencode(value)
    elif kind in (ctypes.c_uint32, ctypes.c_uint64):
        unsigned(value, name, 8 * ctypes.sizeof(kind))
    elif name == "tick" and callable(value) and not isinstance(value, kind):
        value = kind(_tick(value, failures))
    setattr(chosen, name, value)


def _tick(tick, failures: list[BaseException]):
    """Returns the C callback of a tick. It must not refer to the session, which would keep itself open."""
    def call(_user, now_ns) -> bool:
        try:
            return bool(failures or tick(now_ns))
        except BaseException as error:      # C cannot pass it on: the run ends and raises it
            failures.append(error)
            return True
    return call


@contextlib.contextmanager
def signals_noted(failures: list[BaseException]) -> Iterator[None]:
    """Notes what the handler of SIGINT raises meanwhile: raised in a callback, it would leave C without a result."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        yield
        return

    def note(number, frame) -> None:
        try:
            handler(number, frame)
        except BaseException as error:
            failures.append(error)
    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
