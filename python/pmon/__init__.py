# SPDX-License-Identifier: MIT
"""Processor performance monitoring in Python, over libpmon.

    import pmon
    emr = pmon.Platform("emr")
    print(emr.event("imc/CAS_COUNT.RD/").encode()[0])
    print(emr.search("read bandwidth"))
    print(emr.decode("0x2002=0x00C817FE00000135"))

    with pmon.Machine("emr", accesses=(("read", 64 * i, 8) for i in range(10000))) as machine:
        with pmon.Session(emr, machine.backend, events="imc/CAS_COUNT.RD/") as session:
            session.run()
            print(session)

    with pmon.Recording("run.pmon") as recording:
        print(recording["MEM_READ_BANDWIDTH"])

`pmon.c` has every function of the headers under its own name, `pmon._abi` every struct and constant.
"""
from ._library import Context, Error, c, default_context
from ._region import region
from .machine import Machine
from .platform import Decoded, Event, Group, Metric, Platform, RegisterValue, Unit, platforms
from .session import Backend, Plan, Recording, Region, Session
from .table import Table
from .value import Value

__version__ = c.pmon_version().decode()
__all__ = ["Backend", "Context", "Decoded", "Error", "Event", "Group", "Machine", "Metric", "Plan", "Platform", "Recording",
           "Region", "RegisterValue", "Session", "Table", "Unit", "Value", "c", "default_context", "platforms", "region"]
