# SPDX-License-Identifier: MIT
"""The Python module: all that the library exports is there, and numbers are those of the command.

Usage: module.py LIBRARY RECORDING BYTES_PER_SECOND
"""
import ctypes
import subprocess
import sys

import pmon


def exported(library):
    """The public symbols of the library and of the one for recordings, or None where nothing lists them."""
    try:
        command = ["nm", "-D", "--defined-only", library, library.replace("libpmon.so", "libpmon-record.so")]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    names = {line.split()[2].split("@")[0] for line in lines.splitlines() if " T " in line}
    return sorted(name for name in names if not name.startswith("pmon_private_"))


def main(library, recording, want):
    symbols = exported(library)
    assert symbols is None or symbols == pmon.functions, set(symbols) ^ set(pmon.functions)
    context = pmon.new("pmon_context_new")
    platform = pmon.get(context, "pmon_platform_find", context, b"emr")

    event = pmon.get(context, "pmon_event_resolve", context, platform, b"imc/CAS_COUNT.RD/")
    info = pmon.sized("pmon_event_info")
    pmon.check(context, pmon.pmon_event_describe(event, info))
    assert (info.event, info.umask, info.code, info.umask_value) == (b"CAS_COUNT", b"RD", 5, 0xcf), info.umask
    image = pmon.pmon_image()
    pmon.check(context, pmon.pmon_event_encode(event, 1, 0, 2, image))
    assert image.registers[image.n - 1].value == 0xcf05 and image.width_bits == 48
    assert image.registers[image.n - 1].address.package == 1
    pmon.pmon_event_free(event)

    try:
        pmon.get(context, "pmon_event_resolve", context, platform, b"imc/CAS_COUNT.RDD/")
        raise AssertionError("no error")
    except pmon.Error as error:
        assert error.status == pmon.PMON_E_UNKNOWN and "RDD" in str(error)

    r = pmon.get(context, "pmon_recording_open", context, recording.encode())
    plan = pmon.get(context, "pmon_recording_plan", r, platform, None, None)
    session = pmon.get(context, "pmon_recording_session", r, plan)
    pmon.check(context, pmon.pmon_recording_load(r, session, pmon.PMON_ALL))
    value = pmon.pmon_value()
    pmon.check(context, pmon.pmon_session_metric(session, 0, pmon.pmon_scope(pmon.PMON_ALL, pmon.PMON_ALL), value))
    assert value.valid and f"{value.number:.0f}" == want, value.number

    head = pmon.sized("pmon_report_head")
    head.platform, head.seconds, head.end_seconds = b"emr", 1.0, 1.0
    report = pmon.new("pmon_report_new", head)
    pmon.check(context, pmon.pmon_report_add_session(report, session, plan, pmon.PMON_IN_TOTAL))
    written = []
    sink = pmon.pmon_report_format.argtypes[2](lambda user, text, n: written.append(text[:n]) or 0)
    pmon.check(context, pmon.pmon_report_format(report, pmon.PMON_FORMAT_JSON, sink, None))
    assert b'"name":"MEM_READ_BANDWIDTH"' in b"".join(written), written
    pmon.pmon_report_free(report)
    pmon.check(context, pmon.pmon_session_close(session))
    pmon.pmon_plan_free(plan)
    pmon.pmon_recording_close(r)
    pmon.pmon_context_free(context)
    assert ctypes.sizeof(pmon.pmon_value) == 192, ctypes.sizeof(pmon.pmon_value)


main(*sys.argv[1:])
