# SPDX-License-Identifier: MIT
"""Measuring: plans, backends, sessions, recordings."""
from __future__ import annotations

import contextlib
import ctypes
import os
import threading
import weakref
from ctypes import byref
from typing import Iterable, Iterator, Optional, Union

from . import _abi
from ._library import Error, Owned, c, default_context, encoded, sized, text, unsigned
from ._run import FOREVER, run_until, session_options, signals_noted
from .platform import Platform
from .table import Table
from .value import Value

ALL = _abi.PMON_ALL
_FORMATS = {"text": _abi.PMON_FORMAT_TEXT, "csv": _abi.PMON_FORMAT_CSV, "json": _abi.PMON_FORMAT_JSON,
            "csv-wide": _abi.PMON_FORMAT_CSV_WIDE}


def _list(names: Union[str, Iterable, None]) -> Optional[bytes]:
    if names is None:
        return None
    if isinstance(names, (bytes, bytearray)):
        raise TypeError(f"names: expected a str or a list, not {names!r}")
    return encoded(names if isinstance(names, str) else ",".join(str(n) for n in names), "names")


class Plan:
    """The events, metrics and metric groups to measure, and how they fit onto the counters.

    witness: where all events are multiplexed, pmon may count one of its own that shows what their rounds missed.
    """

    def __init__(self, platform: Platform, events=None, metrics=None, handle=None, groups=None, witness=True):
        self.platform, self.owned = platform, None
        check = platform.context.check
        self.handle = handle or platform.context.get(c.pmon_plan_new, platform.context.handle, platform.handle)
        self.owned = Owned(c.pmon_plan_free, self.handle, platform.context.owned)
        if handle:
            return
        if events:
            check(c.pmon_plan_add_events(self.handle, _list(events)))
        if metrics:
            check(c.pmon_plan_add_metrics(self.handle, _list(metrics)))
        if groups:
            check(c.pmon_plan_add_metric_groups(self.handle, _list(groups)))
        if not events and not metrics and not groups:
            check(c.pmon_plan_add_default_metrics(self.handle))
        check(c.pmon_plan_set_witness(self.handle, witness))
        check(c.pmon_plan_schedule(self.handle))

    def __del__(self):
        owned, self.owned = getattr(self, "owned", None), None
        if owned:
            owned.drop()

    @property
    def events(self) -> list[str]:
        """The names of the requested events and of those that metrics need."""
        names: list[str] = []
        while True:
            event = c.pmon_plan_event(self.handle, len(names))
            if not event:
                return names
            names.append(text(c.pmon_event_name(event)))

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics."""
        return [text(m.name) for m in self._metric_infos()]

    def _metric_infos(self) -> Iterator[_abi.pmon_plan_metric_info]:
        i = 0
        while True:
            info = sized(_abi.pmon_plan_metric_info)
            if c.pmon_plan_metric(self.handle, i, byref(info)) < 0:
                return
            yield info
            i += 1

    @property
    def rounds(self) -> int:
        """The number of multiplexed rounds; 1: every event counts all the time."""
        info = sized(_abi.pmon_plan_info)
        c.pmon_plan_describe(self.handle, byref(info))
        return info.rounds


class Closable:
    """An object of the library that close() frees. Later uses raise ValueError, as for Python's files."""

    _owned: Optional[Owned] = None

    @property
    def handle(self):
        """The library's pointer."""
        if not self._owned:
            raise ValueError(f"this {type(self).__name__} is closed")
        return self._owned.pointer

    def _drop(self) -> int:
        owned, self._owned = self._owned, None
        return owned.drop() if owned else 0

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        self.close()


class Backend(Closable):
    """An access method to counters. A context manager; closed at the latest with the object."""

    def __init__(self, handle, keep=(), clocks=(), uses=()):
        self._owned = Owned(c.pmon_backend_close, handle, *uses)
        self._keep, self._sessions = keep, weakref.WeakSet()
        self.clocks: list[tuple[str, int]] = list(clocks)   # those of an emulated machine

    @classmethod
    def host(cls, method: str = "direct", root: str = "") -> "Backend":
        """This host's counters: method "direct" (registers) or "perf" (the kernel's driver)."""
        system, reason = sized(_abi.pmon_system), _abi.pmon_reason()
        system.end_fd = -1
        if method not in ("direct", "perf"):
            raise ValueError(f"method: expected direct or perf, not {method!r}")
        if root:
            system.dev, system.sys, system.proc = (os.fsencode(root + part) for part in ("/dev", "/sys", "/proc"))
        opener = f"pmon_backend_{method}_open"
        backend = ctypes.POINTER(_abi.pmon_backend)()
        status = getattr(c, opener)(byref(system), byref(reason), byref(backend))
        if status < 0:
            name = text(c.pmon_status_name(status))
            raise Error(status, text(reason.text) or name, name)
        return cls(backend, keep=(system,))

    @classmethod
    def replay(cls, platform: Platform, path: str) -> "Backend":
        """Replays a log that `pmon stat --log` wrote."""
        context = platform.context
        return cls(context.get(c.pmon_backend_replay_new, context.handle, os.fsencode(path)), uses=(context.owned,))

    def close(self) -> None:
        """Closes the backend, after its sessions."""
        failure = None
        for session in list(self._sessions):
            try:
                session.close()
            except Error as error:      # the others still restore their registers
                failure = failure or error
        self._drop()
        if failure:
            raise failure

    def __del__(self):
        self._drop()            # the sessions of the backend use it until they are closed


class _Results:
    """The values of a session or a recording; `self.handle` is a pmon_session."""

    plan: Plan

    def _scope(self, package: Optional[int], instance: Optional[int]) -> _abi.pmon_scope:
        return _abi.pmon_scope(ALL if package is None else unsigned(package, "package"),
                               ALL if instance is None else unsigned(instance, "instance"))

    def value(self, name: str, package: Optional[int] = None, instance: Optional[int] = None) -> Value:
        """The value of a metric (`NAME`, or `UNIT/NAME` as in Group.metrics) or event, summed over the scope. `name` may
        also be an Event. Raises KeyError for an unknown name."""
        name = str(name)
        raw, scope, check = _abi.pmon_value(), self._scope(package, instance), self.plan.platform.context.check
        fallback = f"{name} has no value in this scope"
        for i, info in enumerate(self.plan._metric_infos()):
            if name.lower() in (text(info.name).lower(), f"{text(info.unit)}/{text(info.name)}".lower()):
                check(c.pmon_session_metric(self.handle, i, byref(scope), byref(raw)), fallback)
                return Value(raw, text(info.result))
        wanted = name.lower()
        names = [n.lower() for n in self.plan.events]
        if wanted not in names:
            try:
                wanted = str(self.plan.platform.event(name)).lower()
            except Error:
                pass
        if wanted not in names:
            raise KeyError(name)
        check(c.pmon_session_event(self.handle, names.index(wanted), byref(scope), byref(raw)), fallback)
        return Value(raw)

    __getitem__ = value

    def __iter__(self) -> Iterator[str]:
        yield from self.plan.metrics
        yield from (n for i, n in enumerate(self.plan.events) if c.pmon_plan_event_selected(self.plan.handle, i))

    def keys(self) -> list[str]:
        """The names of the metrics and of the requested events."""
        return list(self)

    @property
    def packages(self) -> list[int]:
        """The numbers of the measured packages (sockets)."""
        mask = c.pmon_session_packages(self.handle)
        return [i for i in range(64) if mask >> i & 1]

    def table(self, per: str = "total") -> Table:
        """All values: per "total" or "socket"."""
        if per not in ("total", "socket"):
            raise ValueError(f"per: expected total or socket, not {per!r}")
        scopes: list[Optional[int]] = [None] if per == "total" else list(self.packages)
        rows = []
        for name in self:
            for package in scopes:
                value = self.value(name, package)
                rows.append({"name": name, "socket": "all" if package is None else package, "value": value,
                             "unit": value.unit})
        return Table(["name", "socket", "value", "unit"], rows)

    def to_pandas(self, per: str = "total"):
        """table(per) as a pandas.DataFrame."""
        return self.table(per).to_pandas()

    def __str__(self) -> str:
        return str(self.table())

    def __repr__(self) -> str:
        names = list(self)
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        return f"<pmon.{type(self).__name__} {self.plan.platform}: {', '.join(names[:3])}{more}>"

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()

    @property
    def seconds(self) -> float:
        """The measured time."""
        return c.pmon_session_seconds(self.handle)


class Region(_Results):
    """The values of a region, as of a session: `for region in session.regions(): print(region.name, region["..."])`.

    `thread` is None for all threads together. Valid until the next region is requested.
    """

    def __init__(self, plan: Plan, owner: Closable, view, info) -> None:
        self.plan, self._owner, self._view = plan, owner, view
        self.name, self.calls = text(info.name), info.calls
        self.thread: Optional[int] = None if info.thread == FOREVER else info.thread
        self.missing_ends, self.missing_begins = info.missing_ends, info.missing_begins

    @property
    def handle(self):
        """The library's pointer."""
        return self._owner.handle and self._view

    def __repr__(self) -> str:
        thread = "" if self.thread is None else f", thread {self.thread}"
        return f"<pmon.Region {self.name}{thread}: {self.calls} calls>"


class Session(_Results, Closable):
    """Measures events and metrics on a backend.

        with pmon.Session(platform, backend, metrics="MEM_READ_BANDWIDTH") as session:
            session.run()
            print(session["MEM_READ_BANDWIDTH"])

    Other keywords are members of struct pmon_session_options (pmon/session.h): `slice_ns=100000`, `journal="FILE"`,
    `tick=f`, where `f(now_ns)` returns True to end the run. `clocks` is a list of (name, Hz); the default is that of
    the backend's machine.

    Every register that was written holds its old value again after the `with` block.
    """

    def __init__(self, platform: Platform, backend: Backend, events=None, metrics=None, groups=None, witness=True,
                 **options):
        self.plan = Plan(platform, events, metrics, groups=groups, witness=witness)
        self.backend = backend
        self._failures: list[BaseException] = []
        self._options = session_options(backend.clocks, options, self._failures)
        handle = platform.context.get(c.pmon_session_new, self.plan.handle, backend.handle, byref(self._options))
        self._owned = Owned(c.pmon_session_close, handle, self.plan.owned, backend._owned)
        self._started = self._running = False
        backend._sessions.add(self)

    def start(self) -> "Session":
        """Programs the counters and starts them."""
        self.plan.platform.context.check(c.pmon_session_start(self.handle))
        self._started = True
        return self

    def run(self, seconds: Optional[float] = None) -> bool:
        """Measures for this time; None: until the workload ends. Returns whether it ended. Raises what the machine's
        iterable of accesses or the option `tick` raised."""
        self._check_not_running()
        if not self._started:
            self.start()
        until, ended = run_until(c.pmon_session_now_ns(self.handle), seconds), ctypes.c_bool()
        self._running = True
        try:
            with signals_noted(self._failures):
                status = c.pmon_session_run(self.handle, until, byref(ended))
        finally:
            self._running = False
        if self._failures:
            failure = self._failures[0]
            self._failures.clear()
            raise failure
        self.plan.platform.context.check(status)
        for kept in self.backend._keep:
            getattr(kept, "_raise_failure", lambda: None)()
        return ended.value

    def _check_not_running(self) -> None:
        if self._running:
            raise RuntimeError("a callback of Session.run() can neither run nor close the session")

    def intervals(self, seconds: float) -> Iterator["Session"]:
        """Measures interval after interval until the workload ends; yields the session after each."""
        if not seconds > 0:
            raise ValueError(f"seconds: expected more than 0, not {seconds!r}")
        ended = False
        while not ended:
            ended = self.run(seconds)
            if self.seconds > 0:
                yield self
            c.pmon_session_mark(self.handle)

    @contextlib.contextmanager
    def region(self, name: str) -> Iterator[None]:
        """`with session.region("solve"):` counts what happens meanwhile, for a program that measures itself."""
        check, thread = self.plan.platform.context.check, threading.get_native_id()
        check(c.pmon_session_read(self.handle))
        check(c.pmon_session_region_begin(self.handle, thread, encoded(name)))
        try:
            yield
        finally:
            check(c.pmon_session_read(self.handle))
            check(c.pmon_session_region_end(self.handle, thread, encoded(name)))

    def regions(self) -> Iterator[Region]:
        """The results of regions: of each name all threads together first, then each thread."""
        info, i = sized(_abi.pmon_region_info), 0
        while view := c.pmon_session_region(self.handle, i):
            self.plan.platform.context.check(c.pmon_session_region_describe(self.handle, i, byref(info)))
            yield Region(self.plan, self, view, info)
            i += 1

    def close(self) -> None:
        """Restores all registers. Not in a callback of run(), such as `tick`."""
        self._check_not_running()
        self.plan.platform.context.check(self._drop())

    def __del__(self):
        self._drop()


class Recording(_Results, Closable):
    """A file of `pmon stat --record`: `for interval in recording.each(): print(interval["MEM_READ_BANDWIDTH"])`.

    The object itself holds all intervals together. `complete` is False while pmon still records, and after it was killed.
    A recording of user-supplied files needs their `platform`; the default is the recorded platform as it is compiled in.
    """

    def __init__(self, path: str, events=None, metrics=None, platform: Optional[Platform] = None):
        context = platform.context if platform else default_context()
        self._file: Optional[Owned] = None
        recording = context.get(c.pmon_recording_open, context.handle, os.fsencode(path))
        self._file = Owned(c.pmon_recording_close, recording, context.owned)
        info = sized(_abi.pmon_recording_info)
        c.pmon_recording_describe(recording, byref(info))
        self.backend, self.command = text(info.backend), text(info.command)
        self.intervals, self._regions = info.intervals, info.regions
        self.complete = bool(info.complete)
        self.platform = platform or Platform(text(info.platform), context=context)
        plan = context.get(c.pmon_recording_plan, recording, self.platform.handle, _list(events), _list(metrics))
        self.plan = Plan(self.platform, handle=plan)
        session = context.get(c.pmon_recording_session, recording, plan)
        self._owned = Owned(c.pmon_session_close, session, self.plan.owned, self._file)
        self._load(ALL)

    @property
    def _recording(self):
        return self._file and self._file.pointer

    def _load(self, interval: int) -> None:
        self.platform.context.check(c.pmon_recording_load(self._recording, self.handle, interval))

    def __len__(self) -> int:
        return self.intervals

    def interval(self, i: int) -> "Recording":
        """Returns the same recording with one interval's values."""
        if not 0 <= i < self.intervals:
            raise IndexError(f"interval {i} of {self.intervals}")
        self._load(i)
        return self

    def each(self) -> Iterator["Recording"]:
        """Yields the recording once per interval, with its values; after the loop, it has the values of all intervals."""
        try:
            for i in range(self.intervals):
                yield self.interval(i)
        finally:
            if self._owned:         # also after a break; the recording may be closed by then
                self._load(ALL)

    def regions(self) -> Iterator[Region]:
        """The results of regions that were recorded, as Session.regions(); the recording has all intervals at the
        end."""
        info, check = sized(_abi.pmon_region_info), self.platform.context.check
        for i in range(self._regions):
            check(c.pmon_recording_load_region(self._recording, self.handle, i))
            check(c.pmon_recording_region_describe(self._recording, i, byref(info)))
            yield Region(self.plan, self, self.handle, info)
        self._load(ALL)

    def close(self) -> None:
        """Closes the file."""
        self._drop()
        file, self._file = getattr(self, "_file", None), None
        if file:
            file.drop()

    def __del__(self):
        self.close()
