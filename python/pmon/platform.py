# SPDX-License-Identifier: MIT
"""Platforms, their units, metrics and events; encoding and decoding."""
from __future__ import annotations

import ctypes
import itertools
from ctypes import byref
from typing import Iterator, NamedTuple, Optional

from . import _abi
from ._library import Context, Error, Owned, c, default_context, encoded, sized, text, unsigned
from .table import Table


class Unit(NamedTuple):
    """One kind of monitoring unit."""
    index: int
    name: str
    title: str
    instances: int
    counters: int
    width_bits: int
    perf: str
    cite: str

    def __str__(self) -> str:
        return self.name


class Metric(NamedTuple):
    """A derived metric."""
    name: str
    unit: str
    brief: str
    equation: str
    result: str
    cite: str

    def __str__(self) -> str:
        return self.name


class Group(NamedTuple):
    """A metric group: the names of its metrics are valid for Plan and Session."""
    name: str
    brief: str
    metrics: list[str]

    def __str__(self) -> str:
        return self.name


class RegisterValue(NamedTuple):
    """One register write of an event: `value` in the bits of `mask`."""
    name: str
    address: str
    value: int
    mask: int
    fields: dict[str, int]

    def __str__(self) -> str:
        return f"{self.name} ({self.address}) = {self.value:#x}"


def _info_name(info: _abi.pmon_event_info) -> str:
    name = f"{text(info.unit)}/{text(info.event)}"
    return f"{name}.{text(info.umask)}/" if info.umask else f"{name}/"


class Event:
    """An event of a platform. `str(event)` is a spelling that resolves to the same event."""

    def __init__(self, platform: "Platform", info: _abi.pmon_event_info, handle=None, name: str = ""):
        self.platform = platform
        self._owned = self._own(handle) if handle else None
        self.name = name or _info_name(info)
        self.unit, self.event, self.umask = text(info.unit), text(info.event), text(info.umask)
        self.code, self.umask_value, self.ext = info.code, info.umask_value, info.ext
        self.brief = text(info.brief) or text(info.event_brief)
        self.event_brief, self.category = text(info.event_brief), text(info.category)
        self.cite, self.note, self.source = text(info.cite), text(info.note), text(info.source)
        self.counters = [n for n in range(32) if info.counters >> n & 1]
        self.max_increment = info.max_inc
        self.states = info.states
        self.unsure = info.unsure
        self.attributes = {text(info.attrs[i].key): text(info.attrs[i].value) for i in range(info.n_attrs)}

    def _own(self, handle) -> Owned:
        return Owned(c.pmon_event_free, handle, self.platform.context.owned)

    def __del__(self):
        owned, self._owned = getattr(self, "_owned", None), None
        if owned:
            owned.drop()

    @property
    def handle(self):
        """The library's event; resolved at the first use."""
        if not self._owned:
            self._owned = self._own(self.platform._resolve(self.name))
        return self._owned.pointer

    def encode(self, package: int = 0, instance: int = 0, counter: Optional[int] = None) -> list[RegisterValue]:
        """Returns the register writes, in order, that make `counter` of the instance count the event."""
        image = _abi.pmon_image()
        counter = self.counters[0] if counter is None and self.counters else counter or 0
        for number, name in ((package, "package"), (instance, "instance"), (counter, "counter")):
            unsigned(number, name)
        self.platform.context.check(c.pmon_event_encode(self.handle, package, instance, counter, byref(image)),
                                    f"{self.name} cannot be counted by counter {counter} of instance {instance}")
        return [self.platform._register_value(image.registers[i]) for i in range(image.n)]

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<pmon.Event {self.name}: {self.brief}>"

    def __eq__(self, other) -> bool:
        return isinstance(other, Event) and (self.platform.name, self.name) == (other.platform.name, other.name)

    def __hash__(self) -> int:
        return hash((self.platform.name, self.name))


class Decoded(NamedTuple):
    """The meaning of a register value."""
    register: str
    value: int
    fields: dict[str, int]
    event: Optional[str]
    reserved: int
    violations: list[str]

    def __str__(self) -> str:
        shown = ", ".join(f"{k}={v:#x}" for k, v in self.fields.items() if v)
        return f"{self.register} = {self.value:#x}: {self.event or 'no event'} ({shown})"


class Platform:
    """A processor's monitoring hardware: `Platform("emr")`. `files` adds the user's fact files."""

    def __init__(self, name: str, files: str = "", context: Optional[Context] = None):
        self.context = context or (Context() if files else default_context())
        if files:
            self.context.check(c.pmon_context_extend(self.context.handle, encoded(name), encoded(files, "files")))
        self.handle = self.context.get(c.pmon_platform_find, self.context.handle, encoded(name))
        info = sized(_abi.pmon_platform_info)
        c.pmon_platform_describe(self.handle, byref(info))
        self.name, self.title, self.cite = text(info.name), text(info.title), text(info.cite)
        self._units = [self._unit(i, sized(_abi.pmon_unit_info)) for i in range(info.units)]
        self._n_metrics = info.metrics

    @classmethod
    def host(cls) -> "Platform":
        """Returns the platform of this host's processor. Raises Error if the tables lack it."""
        cpu, context = _abi.pmon_cpu(), default_context()
        if not c.pmon_cpu_read(byref(cpu)):
            raise Error(_abi.PMON_E_NO_DEVICE, "this processor has no CPUID instruction", "PMON_E_NO_DEVICE")
        found = context.get(c.pmon_platform_find_cpu, context.handle, cpu.vendor, cpu.signature)
        info = sized(_abi.pmon_platform_info)
        c.pmon_platform_describe(found, byref(info))
        return cls(text(info.name), context=context)

    def _unit(self, i: int, info: _abi.pmon_unit_info) -> Unit:
        c.pmon_unit_describe(self.handle, i, byref(info))
        return Unit(i, text(info.name), text(info.title), info.instances, info.counters, info.width_bits,
                    text(info.perf), text(info.cite))

    def _resolve(self, name: str):
        return self.context.get(c.pmon_event_resolve, self.context.handle, self.handle, encoded(name, "event"))

    def _fields(self, register, value: int, overlay=None) -> dict[str, int]:
        fields = (_abi.pmon_field_value * 64)()
        n = c.pmon_value_fields(self.handle, byref(register), value, overlay, fields, len(fields))
        return {text(fields[i].name): fields[i].value for i in range(min(n, len(fields)))}

    def _register_name(self, register) -> str:
        name = ctypes.create_string_buffer(96)
        c.pmon_register_name(self.handle, byref(register), name, len(name))
        return text(name.value)

    def _register_value(self, r) -> RegisterValue:
        address = ctypes.create_string_buffer(96)
        c.pmon_address_format(byref(r.address), address, len(address))
        return RegisterValue(self._register_name(r.id), text(address.value), r.value, r.mask,
                             self._fields(r.id, r.value))

    @property
    def units(self) -> list[Unit]:
        """The units, in the tables' order."""
        return list(self._units)

    def unit(self, name: str) -> Unit:
        """Returns the unit with this name or alias."""
        index = self.context.get(c.pmon_unit_find, self.handle, encoded(name, "unit"),
                                 fallback=f"{self.name} has no unit {name}")
        return self._units[index]

    @property
    def metrics(self) -> list[Metric]:
        """The derived metrics."""
        result = []
        for i in range(self._n_metrics):
            info = sized(_abi.pmon_metric_info)
            c.pmon_metric_describe(self.handle, i, byref(info))
            result.append(Metric(text(info.name), text(info.unit), text(info.brief), text(info.equation),
                                 text(info.result), text(info.cite)))
        return result

    @property
    def groups(self) -> list[Group]:
        """The metric groups that have metrics."""
        result: list[Group] = []
        info, metric, member = sized(_abi.pmon_metric_group_info), sized(_abi.pmon_metric_info), ctypes.c_uint32()
        for i in itertools.count():
            if c.pmon_metric_group_describe(self.handle, i, byref(info)) < 0:
                return result
            names = []
            for k in range(info.metrics):
                c.pmon_metric_group_member(self.handle, i, k, byref(member))
                c.pmon_metric_describe(self.handle, member.value, byref(metric))
                names.append(f"{text(metric.unit)}/{text(metric.name)}".lstrip("/"))
            if names:
                result.append(Group(text(info.name), text(info.brief), names))

    def group(self, name: str) -> Group:
        """The metric group of this name. Raises KeyError for an unknown one."""
        for group in self.groups:
            if group.name.lower() == name.lower():
                return group
        raise KeyError(f"{self.name} has no metric group {name}")

    def expand(self, pattern: str, metrics: bool = False) -> list[str]:
        """The names of the events, or of the metrics, that match a shell-style pattern such as `imc/CAS_COUNT.*` or
        `MEM_*`. Raises Error when none does."""
        length = ctypes.c_size_t()
        call = c.pmon_metric_expand if metrics else c.pmon_event_expand
        given = encoded(pattern, "pattern")
        self.context.check(call(self.handle, given, None, 0, byref(length)))
        names = ctypes.create_string_buffer(length.value + 1)
        self.context.check(call(self.handle, given, names, len(names), byref(length)))
        result, rest = [], names.value
        while rest:
            n = rest.find(b",") if metrics else c.pmon_event_text_length(rest)
            n = len(rest) if n < 0 else n
            result.append(text(rest[:n]))
            rest = rest[n + 1:]
        return result

    def event(self, name: str) -> Event:
        """Returns the event with this name, in any of the library's spellings."""
        handle = self._resolve(name)
        info = sized(_abi.pmon_event_info)
        c.pmon_event_describe(handle, byref(info))
        return Event(self, info, handle, text(c.pmon_event_name(handle)))

    def events(self, unit: Optional[str] = None) -> Iterator[Event]:
        """Yields all events and umasks, of one unit or of all. Events that several units share come once, under a unit
        without instances (cms). To encode or count them, name a unit that counts them: `expand("cha/*/")` has all names
        of cha."""
        cursor, info = _abi.pmon_event_cursor(), sized(_abi.pmon_event_info)
        which = 2**32 - 1 if unit is None else self.unit(unit).index
        while c.pmon_event_next(self.handle, which, byref(cursor), byref(info)):
            yield Event(self, info)

    __iter__ = events

    def search(self, query: str, n: int = 20) -> Table:
        """Returns the events that match all words of the query, best first."""
        matches = (_abi.pmon_event_match * n)()
        found = c.pmon_event_search(self.handle, encoded(query, "query"), matches, n)
        rows = []
        for i in range(found):
            info = sized(_abi.pmon_event_info)
            c.pmon_event_at(self.handle, byref(matches[i].at), byref(info))
            rows.append({"event": Event(self, info), "brief": text(info.brief) or text(info.event_brief),
                         "score": matches[i].score})
        return Table(["event", "brief", "score"], rows, f"{self.name}: {query}")

    def decode(self, register: str, value: Optional[int] = None) -> Decoded:
        """What a register value means: `decode("0x2002", 0x400135)` or `decode("0x2002=0x400135")`."""
        given = encoded(register if value is None else f"{register}={value:#x}", "register")
        decoded = sized(_abi.pmon_decoded)
        self.context.check(c.pmon_decode(self.context.handle, self.handle, given, byref(decoded)))
        overlay = decoded.event.overlay if decoded.has_event else None
        return Decoded(self._register_name(decoded.id), decoded.value, self._fields(decoded.id, decoded.value, overlay),
                       text(decoded.event_text) or None, decoded.reserved, list(_violations(decoded)))

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<pmon.Platform {self.name}: {self.title}>"

    def _repr_html_(self) -> str:
        rows = [unit._asdict() for unit in self._units]
        return Table(["name", "title", "instances", "counters"], rows, f"{self.name}: {self.title}")._repr_html_()


def _violations(decoded) -> Iterator[str]:
    for violation in decoded.violations[: decoded.n_violations]:
        yield f"{text(violation.text)} ({text(violation.cite)})"


def platforms() -> list[Platform]:
    """All platforms that the library knows."""
    context, result, i = default_context(), [], 0
    while True:
        found = c.pmon_platform_get(context.handle, i)
        if not found:
            return result
        info = sized(_abi.pmon_platform_info)
        c.pmon_platform_describe(found, byref(info))
        result.append(Platform(text(info.name)))
        i += 1
