# SPDX-License-Identifier: MIT
"""Translates the public headers into the ctypes declarations of the Python package.

Usage: abi.py INCLUDE-FOLDER OUTPUT. The output is `pmon/_abi.py`; it is made when the package is built, so that nothing
is parsed when the package is imported.
"""
import os
import re
import sys

BASE = {
    "void": "None", "bool": "c_bool", "char": "c_char", "int": "c_int", "unsigned": "c_uint", "double": "c_double",
    "size_t": "c_size_t", "int64_t": "c_int64", "uint64_t": "c_uint64", "int32_t": "c_int32", "uint32_t": "c_uint32",
    "uint16_t": "c_uint16", "int16_t": "c_int16", "uint8_t": "c_uint8",
}
MARKS = re.compile(r"^(#.*|PMON_(BEGIN|END)_DECLS)$", flags=re.M)


class Unknown(Exception):
    """A declaration that this translator does not support."""


def split(text, mark):
    """Returns the parts of `text` between marks outside brackets."""
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


def without_cplusplus(text):
    """Returns the text without the parts for C++ compilers."""
    kept, skipping, depth = [], None, 0
    for line in text.split("\n"):
        if re.match(r"#\s*if", line):
            depth += 1
            if skipping is None and re.match(r"#\s*if(def)?\b.*\b__cplusplus\b|#\s*ifdef\s+_LINUX_PERF_EVENT_H", line):
                skipping = depth
        elif re.match(r"#\s*else", line) and skipping == depth:
            skipping = 0
        elif re.match(r"#\s*endif", line):
            if skipping in (depth, 0):
                skipping = None
            depth -= 1
        elif not skipping:
            kept.append(line)
    return "\n".join(kept)


def without_inline(text):
    """Returns the text without static inline functions, which a library does not export."""
    while True:
        m = re.search(r"^static inline [^;{]*\{", text, flags=re.M)
        if not m:
            return text
        depth, at = 1, m.end()
        while depth:
            depth += (text[at] == "{") - (text[at] == "}")
            at += 1
        text = text[:m.start()] + text[at:]


def with_lists(declaration, text):
    """Returns the declaration with lists such as `PMON_ROLES(PMON_ROLE_VALUE)` expanded by the macros in `text`. The
    second macro has the two parameters of a list's items and keeps the first."""
    def expand(m):
        items = re.search(rf"^#define {m.group(1)}\(X\) +(.*)$", text, flags=re.M)
        kept = re.search(rf"^#define {m.group(2)}\((\w+), *\w+\) +\1,$", text, flags=re.M)
        if not items or not kept:
            raise Unknown(declaration)
        return "".join(item + ", " for item in re.findall(r"X\((\w+),", items.group(1)))
    return re.sub(r"\b([A-Z_]+)\(([A-Z_]+)\)", expand, declaration) if declaration.startswith("enum") else declaration


class Headers:
    """Returns the headers' constants, structs and functions as Python text."""

    def __init__(self, folder):
        self.constants, self.bodies, self.structs, self.functions = {"UINT32_MAX": 2**32 - 1}, {}, {}, {}
        self.order, self.opaque, self.typedefs = [], set(), {}
        declarations, defines = [], []
        for name in sorted(os.listdir(folder)):
            if not name.endswith(".h") or name in ("region.h", "region_channel.h"):      # for measured programs
                continue
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                text = re.sub(r"/\*.*?\*/", " ", f.read(), flags=re.S).replace("\\\n", " ")
            text = without_inline(without_cplusplus(text))
            defines += re.findall(r"^#define (\w+) +(\S.*)$", text, flags=re.M)
            text = re.sub(r"[ \t]+$", "", text, flags=re.M)
            declarations += [with_lists(d, text) for d in split(MARKS.sub("", text).replace("\n", " "), ";")]
        for d in declarations:
            self.add_enum(d)
        for name, value in defines:
            self.add_constant(name, value)
        for d in declarations:
            self.collect(d)
        for name in sorted(self.bodies):
            self.define(name)
        for d in declarations:
            self.add_function(d)

    def evaluate(self, text):
        return int(eval(text, {"__builtins__": {}}, self.constants))

    def add_constant(self, name, value):
        try:
            self.constants[name] = self.evaluate(value)
        except (NameError, SyntaxError, TypeError, ValueError):
            pass                        # an attribute or an include guard, not a number

    def add_enum(self, d):
        m = re.match(r"enum *(\w*) *\{(.*)\}$", d, flags=re.S)
        value = 0
        for item in split(m.group(2), ",") if m else []:
            name, _, given = item.partition("=")
            value = self.evaluate(given) if given else value
            self.constants[name.strip()] = value
            value += 1

    def collect(self, d):
        m = re.match(r"struct (\w+) *\{(.*)\}$", d, flags=re.S)
        if m:
            self.bodies[m.group(1)] = m.group(2)
        if d.startswith("typedef"):
            self.typedefs[re.search(r"\(\*(\w+)\)", d).group(1)] = d[len("typedef"):].strip()

    def define(self, name):
        if name in self.structs:
            return
        self.structs[name] = []
        fields = []
        for d in split(self.bodies[name], ";"):
            fields += self.declarators(d)
        self.structs[name] = fields
        self.order.append(name)

    def pointer(self, kind, stars, is_char):
        for _ in range(stars):
            if is_char:
                kind, is_char = "c_char_p", False
            else:
                kind = "c_void_p" if kind == "None" else f"POINTER({kind})"
        return kind

    def callback(self, d):
        m = re.match(r"(.*?)\(\*(\w*)\)\s*\((.*)\)$", d, flags=re.S)
        arguments = [self.one(a)[1] for a in split(m.group(3), ",") if a != "void"]
        return m.group(2), "CFUNCTYPE(" + ", ".join([self.one(m.group(1) + " x")[1]] + arguments) + ")"

    def declarators(self, d):
        """Parses `const char *a, *b` to [(a, type), (b, type)]."""
        if "(*" in d:
            return [self.callback(d)]
        d = re.sub(r"\bconst\b|\bvolatile\b", " ", d).strip()
        m = re.match(r"(struct|enum)? *(\w+) *(.*)$", d, flags=re.S)
        if not m:
            raise Unknown(d)
        tag, base, result = m.group(1), m.group(2), []
        for item in split(m.group(3), ","):
            stars, sizes = item.count("*"), re.findall(r"\[ *([^]]*?) *\]", item)
            name = re.sub(r"[*\s]|\[.*", "", item)
            if tag == "struct":
                kind = base
                if base not in self.bodies:
                    self.opaque.add(base)
                elif not stars:
                    self.define(base)
            elif tag == "enum":
                kind = "c_int"
            elif base in self.typedefs:
                kind = self.callback(self.typedefs[base])[1]
            elif base in BASE:
                kind = BASE[base]
            else:
                raise Unknown(d)
            kind = self.pointer(kind, stars, base == "char" and stars > 0)
            for size in reversed(sizes):
                kind = f"({kind} * {self.evaluate(size) if size else 1})"
            result.append((name, kind))
        return result

    def one(self, d):
        d = d.strip()
        if "(*" not in d and not re.search(r"\w\s*(\*+\s*)?\w+(\[\w*\])?$", d):
            d += " x"
        return self.declarators(d)[0]

    def add_function(self, d):
        m = re.match(r"PMON_API (.*?)(\w+) *\((.*)\)$", d, flags=re.S)
        if not m:
            return
        arguments = []
        for a in split(m.group(3), ","):
            if a == "void":
                continue
            kind = self.one(a)[1]
            array = re.match(r"\((.*) \* \d+\)$", kind)
            arguments.append(f"POINTER({array.group(1)})" if array else kind)
        self.functions[m.group(2)] = (self.one(m.group(1) + " x")[1], arguments)


def write(headers, f):
    f.write("# SPDX-License-Identifier: MIT\n# Made from the public headers by abi.py.\n"
            "from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_int16, c_int32,\n"
            "                    c_int64, c_size_t, c_uint, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p)\n\n")
    for name, value in headers.constants.items():
        if name.startswith("PMON_"):
            f.write(f"{name} = {value}\n")
    f.write("\n")
    for name in sorted(headers.opaque | set(headers.structs)):
        f.write(f"\n\nclass {name}(Structure):\n    pass\n")
    f.write("\n\n")
    for name in headers.order:
        fields = ",\n    ".join(f'("{field}", {kind})' for field, kind in headers.structs[name])
        f.write(f"{name}._fields_ = [\n    {fields}]\n")
    f.write("\nFUNCTIONS = {\n")
    for name, (result, arguments) in sorted(headers.functions.items()):
        f.write(f'    "{name}": ({result}, [{", ".join(arguments)}]),\n')
    f.write("}\n")


if __name__ == "__main__":
    with open(sys.argv[2], "w", encoding="utf-8") as output:
        write(Headers(sys.argv[1]), output)
