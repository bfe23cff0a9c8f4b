#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names and codes of Intel's public event files as a table of data/audit.

   event_files.py FILE.json... > data/audit/PLATFORM-files.tsv

The files are those of github.com/intel/perfmon: EMR/events/emeraldrapids_uncore*.json,
SPR/events/sapphirerapids_uncore*.json and JKT/events/Jaketown_uncore.json. Descriptions are not copied. `ext` is as in the other tables of data/audit: umask_ext;
fc_mask and ch_mask of an IIO row; the extra bit of the E5-2600's event code.
"""
import json
import sys

UNITS = {"UPI LL": "upi", "QPI LL": "qpi", "iMC": "imc"}


def number(text):
    return int(text, 16) if text else 0


def ext(event):
    value = number(event.get("UMaskExt"))
    if event["Unit"] == "IIO":  # UMaskExt repeats both masks, or is their only source
        value = value >> 4 & 0xFFF | (value >> 16 & 7) << 12
        value |= number(event["PortMask"]) | number(event["FCMask"]) << 12
    return value | int(event.get("ExtSel", "0"))


def rows(files):
    for name in files:
        with open(name, encoding="utf-8") as file:
            content = json.load(file)
        yield "# %s, version %s" % (name.rsplit("/", 1)[-1], content["Header"]["Version"]), None
        for event in content["Events"]:
            unit = event["Unit"]
            counters = event["Counter"].replace(" ", "")
            if event.get("CounterType") == "FREERUN":
                counters = "free " + counters
            yield event["EventName"], [
                UNITS.get(unit, unit.lower()), event["EventName"],
                "0x%x" % number(event["EventCode"]), "0x%x" % number(event["UMask"]), "0x%x" % ext(event), counters]


def main():
    print("# Names and codes of Intel's public event files, by tests/audit/event_files.py; compared by audit-files.")
    print("\t".join(["unit", "name", "code", "umask_value", "ext", "counters"]))
    for name, row in rows(sys.argv[1:]):
        print(name if row is None else "\t".join(row))


main()
