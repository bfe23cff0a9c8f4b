# SPDX-License-Identifier: MIT
"""The emulated machine: monitoring hardware in software, as a backend."""
from __future__ import annotations

import ctypes
import os
from ctypes import byref
from typing import Iterable, Iterator, Optional

from . import _abi
from ._library import Error, Owned, c, encoded, sized, text
from .session import Backend, Closable
from .table import Table

_KINDS = {"read": _abi.PMON_MACHINE_READ, "write": _abi.PMON_MACHINE_WRITE, "prefetch": _abi.PMON_MACHINE_PREFETCH,
          "write_past": _abi.PMON_MACHINE_WRITE_PAST, "sleep": _abi.PMON_MACHINE_SLEEP}
_END_REASONS = {_abi.PMON_E_STATE: b"the machine runs no command",
                _abi.PMON_E_NO_DEVICE: b"the emulator ended before the program began",
                _abi.PMON_E_IO: b"the exit status is lost: this process ignores SIGCHLD, or has waited for all children"}
_feed = next(kind for name, kind in _abi.pmon_machine_options._fields_ if name == "feed")


class Machine(Closable):
    """An emulated machine with its input; at most one input is given.

        with pmon.Machine("emr", scenario="run.scn") as machine:
            with pmon.Session(emr, machine.backend, metrics="MEM_READ_BANDWIDTH") as session:
                session.run()

    `accesses` is an iterable of (kind, address, size_bytes) with kind "read", "write", "prefetch", "write_past" or
    "sleep" (address: nanoseconds). `command` is a program with its arguments, a list of words. Other keywords are
    parameters of the machine, with "_" in place of ".": `cores=8, llc_io_ways=2`.
    """

    def __init__(self, platform: str = "emr", *, scenario: Optional[str] = None, trace: Optional[str] = None,
                 command: Optional[Iterable[str]] = None, bundles: Optional[str] = None, generate: Optional[str] = None,
                 accesses: Optional[Iterable] = None, place: Optional[str] = None, **settings):
        self.backend: Optional[Backend] = None
        self._failure: Optional[BaseException] = None
        options = sized(_abi.pmon_machine_options)
        options.platform = encoded(str(platform), "platform")
        for name, value in (("scenario", scenario), ("trace", trace), ("bundles", bundles), ("generate", generate),
                            ("place", place)):
            if value is not None:
                setattr(options, name, encoded(str(value), name))
        if settings:
            names = {name.replace(".", "_"): name for name in self._parameter_names(options.platform)}
            options.settings = encoded(" ".join(f"{names.get(n, n)}={v}" for n, v in settings.items()), "settings")
        if isinstance(command, (str, bytes)):
            raise TypeError(f"command: expected a list of words, not {command!r}")
        if command is not None:
            words = [os.fsencode(w) for w in command]
            self._command = (ctypes.c_char_p * (len(words) + 1))(*words, None)
            options.command = ctypes.cast(self._command, type(options.command))
        if accesses is not None:
            self._accesses = iter(accesses)
            self._feed = options.feed = _feed(self._fill)
        self._options = options
        reason, handle = _abi.pmon_reason(), ctypes.POINTER(_abi.pmon_machine)()
        self._check(c.pmon_machine_new(byref(options), byref(reason), byref(handle)), reason)
        self._owned = Owned(c.pmon_machine_free, handle)
        backend = ctypes.POINTER(_abi.pmon_backend)()
        self._check(c.pmon_machine_backend(handle, byref(backend)), reason)
        self.backend = Backend(backend, keep=(self,), clocks=self.clocks, uses=(self._owned,))

    @staticmethod
    def _check(status: int, reason) -> None:
        if status < 0:
            name = text(c.pmon_status_name(status))
            raise Error(status, text(reason.text) or name, name)

    def _fill(self, _user, _thread, to, n) -> int:
        filled = 0
        if self._failure:
            return 0
        try:
            for kind, address, size in self._accesses:
                if kind not in _KINDS or address >> 64 or size >> 32:     # ctypes would truncate the numbers
                    raise ValueError(f"expected an access of kind {', '.join(_KINDS)} with a 64-bit address and a 32-bit "
                                     f"size, not {kind!r}, {address!r}, {size!r}")
                to[filled] = _abi.pmon_machine_access(address, size, 1, _KINDS[kind], 0)
                filled += 1
                if filled == n:
                    break
        except BaseException as error:      # C cannot pass it on: the thread ends; Session.run() or close() raises it
            self._failure = error
        return filled

    @property
    def clocks(self) -> list[tuple[str, int]]:
        """The clocks of this machine and their rates; a Session on its backend uses them."""
        clocks = (_abi.pmon_clock * 8)()
        n = c.pmon_machine_clocks(self.handle, clocks, len(clocks))
        return [(text(clocks[i].name), clocks[i].hz) for i in range(min(n, len(clocks)))]

    @property
    def exit_code(self) -> int:
        """The exit code of the command, after a session has run to the end of the workload."""
        end = sized(_abi.pmon_machine_end)
        status = c.pmon_machine_result(self.handle, byref(end))
        self._check(status, _abi.pmon_reason(_END_REASONS.get(status, b"")))
        return end.exit_code

    @staticmethod
    def _parameter_names(platform: bytes) -> Iterator[str]:
        p = sized(_abi.pmon_machine_parameter_info)
        i = 0
        while c.pmon_machine_parameter(platform, i, byref(p)) >= 0:
            yield text(p.name)
            i += 1

    @staticmethod
    def parameters(platform: str = "emr") -> Table:
        """Returns the parameters of a platform's machine; numbers are in the unit of the column `unit`."""
        rows, i = [], 0
        while True:
            p = sized(_abi.pmon_machine_parameter_info)
            status = c.pmon_machine_parameter(encoded(platform, "platform"), i, byref(p))
            if status < 0 and i:
                return Table(["name", "least", "most", "default", "unit", "meaning"], rows, "parameters of the machine")
            Machine._check(status, _abi.pmon_reason(f"{platform}: no such platform".encode()))
            rows.append({"name": text(p.name), "least": p.least, "most": p.most, "default": p.default_value,
                         "unit": text(p.unit), "meaning": text(p.meaning)})
            i += 1

    def close(self) -> None:
        """Ends the machine. Raises what the iterable of accesses raised, unless Session.run() has raised it."""
        try:
            if self.backend:
                self.backend._keep = ()
                self.backend.close()
        finally:
            self._drop()
        self._raise_failure()

    def _raise_failure(self) -> None:
        failure, self._failure = self._failure, None
        if failure:
            raise failure

    def __del__(self):
        self._drop()            # its backend uses it until it is closed
