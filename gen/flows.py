#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes docs/flows.md from the scenarios in tests/flows: flows.py FOLDER PAGE. With --check first: fails when the page
differs. The equivalent metrics of other tools are read from metrics.md in the folder of PAGE."""
import pathlib
import re
import sys

HEAD = """# Flows

What a request does on the emulated machine, message by message, and which events count it. Each row is a scenario of a
few lines in `tests/flows/`, whose counts a test expects to the last one; 64K are 1024 lines. The first column links the
scenario: `pmon machine run --scenario FILE` runs it, `pmon stat --scenario FILE -e EVENT` measures any other event of it.
Where the source says *model*, public documents leave the flow open and the machine's behaviour is its own choice
([006](design/006-traffic.md)).

Counts that differ from 1024 include the few lines of code that the cores execute, or result from a working set larger
than a cache or from a device's rate.
"""

METRICS = """
### Metrics of these flows

Each metric has the value that the flow implies, within 0.03 %; bytes per second are compared as the bytes of the whole run.
A metric with another tool's value in the second column has that tool's definition ([metrics](metrics.md)).

| metric | Intel's, likwid's or PCM's value | flow: value |
|---|---|---|
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


def peers(page):
    """Returns for each of pmon's metrics the equivalent values of other tools."""
    found, source = {}, None
    for line in page.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if title := re.match(r"## (Intel's|likwid|PCM)", line):
            source = title[1]
        elif line.startswith("## "):
            source = None
        elif source and len(cells) == (3 if source == "Intel's" else 4):
            name = cells[0] if source == "Intel's" else f"{cells[0]}: {cells[1]}"
            for metric in re.findall(r"`(\w+)`", cells[-2]):
                found.setdefault(metric, []).append(f"{source} {name}")
    return found


def peers_of(name, platform, peer):
    """Returns them for one metric. The tables name a port's metric PARTx; Intel's file is that of Emerald Rapids."""
    found = peer.get(re.sub(r"PART\d", "PARTx", name), [])
    return [value for value in found if platform == "emr" or "Intel's" not in value]


def metrics(paths, platform, peer):
    values = {}
    for path in paths:
        for name, value, socket in re.findall(r"^# metric (\S+) (\S+)(?: socket (\d))?$", path.read_text(), re.M):
            of = f" of socket {socket}" if socket else ""
            says = f"[{path.stem}](../tests/flows/{path.name}){of}: {float(value):,.10g}"
            values.setdefault(name, []).append(says)
    return "".join(f"| `{name}` | {'; '.join(peers_of(name, platform, peer))} | {'; '.join(says)} |\n"
                   for name, says in sorted(values.items()))


def page(folder, peer):
    text = HEAD
    for platform, title in PARTS:
        paths = sorted(folder.glob(f"{platform}-*.scn"))
        rows = [row(path) for path in paths]
        text += f"\n## {title}\n\n| flow | messages | events | source |\n|---|---|---|---|\n" + "\n".join(rows) + "\n"
        text += METRICS + metrics(paths, platform, peer)
    return text


def main(arguments):
    check = arguments[:1] == ["--check"]
    if len(arguments) != 2 + check:
        sys.exit("usage: flows.py [--check] FOLDER PAGE")
    folder, target = (pathlib.Path(a) for a in arguments[check:])
    text = page(folder, peers(target.with_name("metrics.md")))
    if not check:
        target.write_text(text)
    elif target.read_text() != text:
        sys.exit(f"{target} differs from the scenarios; gen/flows.py {folder} {target} makes it")


if __name__ == "__main__":
    main(sys.argv[1:])
