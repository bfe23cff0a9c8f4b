#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes docs/flows.md from the scenarios in tests/flows: flows.py FOLDER PAGE. With --check first: fails when the page
differs."""
import pathlib
import re
import sys

HEAD = """# Flows

What a request does on the emulated machine, message by message, and which events count it. Each row is a scenario of a
few lines in `tests/flows/`, whose counts a test expects to the last one; 64K are 1024 lines. The first column links the
scenario: `pmon machine run --scenario FILE` runs it, `pmon stat --scenario FILE -e EVENT` measures any other event of it.
Where the source says *model*, public documents leave the flow open and the machine's behaviour is its own choice
([006](design/006-traffic.md)).

Counts beside 1024 are those of the few lines of code that the cores execute, of a working set larger than a cache, and
of the devices' rates.
"""

PARTS = (("emr", "Emerald Rapids (guide 817509)"), ("snbep", "Xeon E5-2600 (guide 327043)"))


def row(path):
    fields, counts = {}, []
    for line in path.read_text().splitlines():
        if match := re.match(r"# (flow|messages|source): (.*)", line):
            fields[match[1]] = match[2]
        elif match := re.match(r"expect (\S+) (\S+) == (\d+)(?: socket (\d))?", line):
            unit, event, count, socket = match.groups()
            counts.append(f"`{unit}/{event}/`{f' of socket {socket}' if socket else ''}: {int(count):,}")
    if set(fields) != {"flow", "messages", "source"} or not counts:
        sys.exit(f"{path}: comments flow, messages, source, and expected counts are wanted")
    link = f"[{fields['flow']}](../tests/flows/{path.name})"
    return f"| {link} | {fields['messages']} | {'; '.join(counts)} | {fields['source']} |"


def page(folder):
    text = HEAD
    for platform, title in PARTS:
        rows = [row(path) for path in sorted(folder.glob(f"{platform}-*.scn"))]
        text += f"\n## {title}\n\n| flow | messages | events | source |\n|---|---|---|---|\n" + "\n".join(rows) + "\n"
    return text


def main(arguments):
    check = arguments[:1] == ["--check"]
    if len(arguments) != 2 + check:
        sys.exit("usage: flows.py [--check] FOLDER PAGE")
    folder, target = (pathlib.Path(a) for a in arguments[check:])
    text = page(folder)
    if not check:
        target.write_text(text)
    elif target.read_text() != text:
        sys.exit(f"{target} differs from the scenarios; gen/flows.py {folder} {target} makes it")


if __name__ == "__main__":
    main(sys.argv[1:])
