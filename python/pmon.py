# SPDX-License-Identifier: MIT
"""libpmon in Python, by ctypes: every function, struct and constant of the headers under its own name.

The headers are the interface, so they are what is read: nothing here repeats a prototype. They are looked for in
$PMON_INCLUDE, beside this file's source tree, and where they are installed; the library in $PMON_LIBRARY, then as the
system finds libraries.

    import pmon
    context = pmon.new("pmon_context_new")
    platform = pmon.get(context, "pmon_platform_find", context, b"emr")
    event = pmon.get(context, "pmon_event_resolve", context, platform, b"imc/CAS_COUNT.RD/")
    image = pmon.pmon_image()
    pmon.check(context, pmon.pmon_event_encode(event, 0, 0, 0, image))

`new` and `get` call a function whose last argument is where its result goes, and return that result; `check` raises
pmon.Error for a status below 0. Structs that begin with their size come from `pmon.sized("pmon_event_info")`.
"""
import ctypes
import ctypes.util
import os
import re

_BASE = {
    "void": None, "bool": ctypes.c_bool, "char": ctypes.c_char, "int": ctypes.c_int, "unsigned": ctypes.c_uint,
    "double": ctypes.c_double, "size_t": ctypes.c_size_t, "int64_t": ctypes.c_int64, "uint64_t": ctypes.c_uint64,
    "int32_t": ctypes.c_int32, "uint32_t": ctypes.c_uint32, "uint16_t": ctypes.c_uint16, "uint8_t": ctypes.c_uint8,
}


class Error(Exception):
    """A status below 0, and what the context has to say about it."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


def _split(text, mark):
    """The parts of `text` between marks that stand outside brackets."""
    parts, depth, part = [], 0, ""
    for c in text:
        depth += (c in "({[") - (c in ")}]")
        if c == mark and not depth:
            parts.append(part.strip())
            part = ""
        else:
            part += c
    parts.append(part.strip())
    return [p for p in parts if p]


class _Headers:
    """The C of the headers as ctypes."""

    def __init__(self, folder):
        self.constants, self.structs, self.bodies, self.functions = {"UINT32_MAX": 2**32 - 1}, {}, {}, {}
        self.callbacks, self.typedefs = {}, {}
        defines, texts = [], []
        for name in sorted(os.listdir(folder)):
            if not name.endswith(".h"):
                continue
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                text = re.sub(r"/\*.*?\*/", " ", f.read(), flags=re.S)
            text = text.replace("\\\n", " ")
            defines += re.findall(r"^#define (\w+) +(\S.*)$", text, flags=re.M)
            texts.append(re.sub(r"^(#.*|PMON_(BEGIN|END)_DECLS)$", "", text, flags=re.M))
        declarations = [d for text in texts for d in _split(text.replace("\n", " "), ";")]
        for d in declarations:
            self._enum(d)
        for name, value in defines:
            self._constant(name, value)
        for d in declarations:
            self._collect(d)
        for name in list(self.bodies):
            self._define(name)
        for d in declarations:
            self._function(d)

    def _constant(self, name, value):
        try:
            self.constants[name] = int(eval(value, {"__builtins__": {}}, self.constants))
        except (NameError, SyntaxError, TypeError, ValueError):
            pass                        # not a number: an attribute, a guard

    def _enum(self, d):
        m = re.match(r"enum (\w+) *\{(.*)\}$", d, flags=re.S)
        value = 0
        for item in _split(m.group(2), ",") if m else []:
            name, _, given = item.partition("=")
            value = int(eval(given, {"__builtins__": {}}, self.constants)) if given else value
            self.constants[name.strip()] = value
            value += 1

    def _collect(self, d):
        m = re.match(r"struct (\w+) *\{(.*)\}$", d, flags=re.S)
        if m:
            self.bodies[m.group(1)] = m.group(2)
        if d.startswith("typedef"):
            name = re.search(r"\(\*(\w+)\)", d).group(1)
            self.typedefs[name] = d[len("typedef"):].strip()

    def _struct(self, name):
        if name not in self.structs:
            self.structs[name] = type(name, (ctypes.Structure,), {})
        return self.structs[name]

    def _define(self, name):
        struct = self._struct(name)
        if name not in self.bodies:
            return struct
        fields = []
        for d in _split(self.bodies.pop(name), ";"):
            fields += self._declarators(d)
        struct._fields_ = fields
        return struct

    def _pointer(self, kind, stars, is_char):
        for _ in range(stars):
            if is_char:
                kind, is_char = ctypes.c_char_p, False
            else:
                kind = ctypes.c_void_p if kind is None else ctypes.POINTER(kind)
        return kind

    def _callback(self, d):
        m = re.match(r"(.*?)\(\*(\w*)\)\s*\((.*)\)$", d, flags=re.S)
        arguments = [self._one(a)[1] for a in _split(m.group(3), ",") if a != "void"]
        return m.group(2), ctypes.CFUNCTYPE(self._one(m.group(1) + " x")[1], *arguments)

    def _declarators(self, d):
        """`const char *a, *b` as [(a, type), (b, type)]."""
        if "(*" in d:
            return [self._callback(d)]
        d = re.sub(r"\bconst\b|\bvolatile\b", " ", d).strip()
        m = re.match(r"(struct|enum)? *(\w+) *(.*)$", d, flags=re.S)
        tag, base, result = m.group(1), m.group(2), []
        for item in _split(m.group(3), ","):
            stars, sizes = item.count("*"), re.findall(r"\[ *(\w*) *\]", item)
            name = re.sub(r"[*\s]|\[.*", "", item)
            if tag == "struct":
                kind = self._struct(base) if stars else self._define(base)
            elif tag == "enum":
                kind = ctypes.c_int
            elif base in self.typedefs:
                kind = self._callback(self.typedefs[base])[1]
            else:
                kind = _BASE[base]
            kind = self._pointer(kind, stars, base == "char" and stars > 0)
            for size in reversed(sizes):
                kind = kind * int(self.constants.get(size, size or 0) or 1)
            result.append((name, kind))
        return result

    def _one(self, d):
        d = d.strip()
        if "(*" not in d and not re.search(r"\w\s*(\*+\s*)?\w+(\[\w*\])?$", d):
            d += " x"
        name, kind = self._declarators(d)[0]
        return name, kind

    def _function(self, d):
        m = re.match(r"PMON_API (.*?)(\w+) *\((.*)\)$", d, flags=re.S)
        if not m:
            return
        arguments = []
        for a in _split(m.group(3), ","):
            if a == "void":
                continue
            kind = self._one(a)[1]
            if isinstance(kind, type) and issubclass(kind, ctypes.Array):
                kind = ctypes.POINTER(kind._type_)      # an array argument is a pointer
            arguments.append(kind)
        self.functions[m.group(2)] = (self._one(m.group(1) + " x")[1], arguments)


def _find_headers():
    here = os.path.dirname(os.path.abspath(__file__))
    folders = [os.environ.get("PMON_INCLUDE", ""), os.path.join(here, "..", "include"), "/usr/local/include",
               "/usr/include"]
    for folder in folders:
        if folder and os.path.exists(os.path.join(folder, "pmon", "pmon.h")):
            return os.path.join(folder, "pmon")
    raise ImportError("the headers pmon/*.h are in none of " + ", ".join(f for f in folders if f))


def _find_library():
    name = os.environ.get("PMON_LIBRARY") or ctypes.util.find_library("pmon") or "libpmon.so.0"
    return ctypes.CDLL(name, ctypes.RTLD_GLOBAL), name


def _find_record_library(name):
    """The library of recordings, beside libpmon; None where it, or SQLite, is not installed."""
    folder, file = os.path.split(name)
    try:
        return ctypes.CDLL(os.path.join(folder, file.replace("libpmon", "libpmon-record", 1)))
    except OSError:
        return None


_headers = _Headers(_find_headers())
library, _name = _find_library()
_record_library = _find_record_library(_name)
for _name, (_result, _arguments) in list(_headers.functions.items()):
    _function = getattr(library, _name, None) or getattr(_record_library, _name, None)
    if not _function:
        del _headers.functions[_name]
        continue
    _function.restype, _function.argtypes = _result, _arguments
    globals()[_name] = _function
globals().update(_headers.structs)
globals().update({k: v for k, v in _headers.constants.items() if k.startswith("PMON_")})
functions = sorted(_headers.functions)


def check(context, status):
    """Raises Error when `status` says so; returns it otherwise."""
    if status < 0:
        text = library.pmon_context_error(context).decode() if context else ""
        raise Error(status, text or library.pmon_status_name(status).decode())
    return status


def new(name, *arguments):
    """Calls a function whose last argument is where its result goes; there is no context yet."""
    return get(None, name, *arguments)


def get(context, name, *arguments):
    """Calls a function whose last argument is where its result goes, and returns the result."""
    function = globals()[name]
    result = function.argtypes[-1]._type_()
    check(context, function(*arguments, ctypes.byref(result)))
    return result.value if hasattr(result, "value") else result


def sized(name):
    """A struct that begins with its size."""
    struct = _headers.structs[name]()
    struct.size = ctypes.sizeof(struct)
    return struct
