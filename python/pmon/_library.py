# SPDX-License-Identifier: MIT
"""Loads the libraries and gives their functions the prototypes of the headers.

Names: $PMON_LIBRARY names libpmon's file; else it is searched for beside an installed package, then as the system finds
libraries. libpmon-record and libpmon-machine are loaded from the same place when they are needed.
"""
import ctypes
import ctypes.util
import operator
import os
import threading

try:
    from . import _abi
except ImportError:
    raise ImportError("pmon's declarations (_abi.py) are made from the headers when the package is built: install it "
                      "(`pip install python/`, or the package python3-pmon) instead of importing its sources") from None


class Error(Exception):
    """A call of the library failed.

    `status` is the negative enum pmon_status, `name` its name, `column` the position in the text that was given, from 1;
    0: the error is not about a position.
    """

    def __init__(self, status, text, name="", column=0):
        super().__init__(text)
        self.status, self.name, self.column = status, name, column


def _load(name):
    """One of the libraries: pmon, pmon-record, pmon-machine."""
    given = os.environ.get("PMON_LIBRARY")
    if given:
        folder, file = os.path.split(given)
        names = [os.path.join(folder, file.replace("libpmon", "lib" + name, 1))]
    else:
        here = os.path.dirname(os.path.abspath(__file__))
        names = [os.path.join(here, *[".."] * up, "lib", f"lib{name}.so.0") for up in (3, 4, 5)]
        names = [n for n in names if os.path.exists(n)]
        names += [n for n in (ctypes.util.find_library(name), f"lib{name}.so.0") if n]
    problem = None
    for n in names:
        try:
            return ctypes.CDLL(n, ctypes.RTLD_GLOBAL)
        except OSError as error:
            problem = problem or error
    raise ImportError(f"lib{name} cannot be loaded: {problem}; install it, or set PMON_LIBRARY to libpmon's file")


class _Functions:
    """The C functions by name. Each is looked up in the libraries at its first use."""

    _libraries = ("pmon", "pmon-record", "pmon-machine")

    def __init__(self):
        self._loaded = {"pmon": _load("pmon")}

    def __getattr__(self, name):
        if name not in _abi.FUNCTIONS:
            raise AttributeError(f"no function {name} in the headers of this package")
        for library in self._libraries:
            if library not in self._loaded:
                try:
                    self._loaded[library] = _load(library)
                except ImportError:
                    if library == self._libraries[-1]:
                        raise
                    continue
            function = getattr(self._loaded[library], name, None)
            if function:
                function.restype, function.argtypes = _abi.FUNCTIONS[name]
                setattr(self, name, function)
                return function
        raise AttributeError(f"the installed libraries are older than this package: they have no {name}")


c = _Functions()


def text(value):
    """Returns a `char *` of the library as str; "" for NULL."""
    return value.decode("utf-8", "replace") if value else ""


def encoded(value, name="name"):
    """Returns a str for a `const char *` argument. C would read a text with a NUL as a shorter one."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a str, not {value!r}")
    if "\0" in value:
        raise ValueError(f"{name}: a NUL in {value!r}")
    return value.encode()


def unsigned(value, name, bits=32):
    """Returns a number that fits into an unsigned argument or member; ctypes would truncate it."""
    if operator.index(value) >> bits:
        raise ValueError(f"{name}: expected a number from 0 to {2**bits - 1}, not {value}")
    return value


def sized(kind):
    """Returns an info struct of the headers with its size set."""
    info = kind()
    info.size = ctypes.sizeof(kind)
    return info


class Owned:
    """An object of the library, which is freed when its owner and all objects that use it have dropped it. Python
    finalizes the objects of a cycle in any order; the library's objects must be freed before those that they use."""

    def __init__(self, free, pointer, *uses):
        self._free, self.pointer, self._uses, self._users = free, pointer, uses, 1
        for used in uses:
            used._users += 1

    def drop(self):
        """Returns the status of freeing it; 0: it is still in use, or the function has no status."""
        self._users -= 1
        if self._users:
            return 0
        status = self._free(self.pointer)
        for used in self._uses:
            used.drop()
        return status or 0


class Context:
    """The library's tables, and its last error. Belongs to one thread at a time."""

    def __init__(self):
        pointer = ctypes.POINTER(_abi.pmon_context)()
        self.owned = None
        status = c.pmon_context_new(ctypes.byref(pointer))
        if status < 0:
            raise Error(status, "no memory for a context", text(c.pmon_status_name(status)))
        self.handle, self.owned = pointer, Owned(c.pmon_context_free, pointer)

    def __del__(self):
        owned, self.owned = self.owned, None
        if owned:
            owned.drop()

    def check(self, status, fallback=""):
        """Raises Error when `status` is below 0; returns it otherwise."""
        if status < 0:
            # The record may be of an earlier call: it is valid if it has this call's status.
            mine = c.pmon_context_error_status(self.handle) == status
            message = text(c.pmon_context_error(self.handle)) if mine else fallback
            column = c.pmon_context_error_column(self.handle) if mine else 0
            name = text(c.pmon_status_name(status))
            raise Error(status, message or fallback or name, name, column)
        return status

    def get(self, function, *arguments, fallback=""):
        """Calls a function whose last argument receives its result, and returns the result."""
        result = function.argtypes[-1]._type_()
        self.check(function(*arguments, ctypes.byref(result)), fallback)
        return result.value if isinstance(result, ctypes._SimpleCData) else result


_of_thread = threading.local()


def default_context():
    """Returns the context of this thread."""
    if not hasattr(_of_thread, "context"):
        _of_thread.context = Context()
    return _of_thread.context
