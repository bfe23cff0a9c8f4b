# SPDX-License-Identifier: MIT
"""Compares the Python package with the command's output; run by package.sh, which makes the files in $WORK."""
import gc
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import unittest

import pmon
from pmon import _abi

WORK = os.environ["WORK"]


def exported():
    """Returns the public functions of all libraries that were built."""
    names = set()
    for library in ("libpmon", "libpmon-record", "libpmon-machine"):
        path = os.path.join(os.environ["BUILD"], library + ".so.0")
        if os.path.exists(path):
            lines = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True).stdout
            names |= {line.split()[2].split("@")[0] for line in lines.splitlines() if " T " in line}
    return {n for n in names if not n.startswith("pmon_private_")}


class Declarations(unittest.TestCase):
    def test_every_exported_function_is_declared(self):
        self.assertEqual(exported() ^ set(_abi.FUNCTIONS), set())

    def test_every_declared_function_is_found(self):
        for name in _abi.FUNCTIONS:
            self.assertTrue(callable(getattr(pmon.c, name)), name)

    def test_importing_reads_no_header(self):
        code = ("import sys, builtins; opened = []; old = builtins.open\n"
                "def watch(f, *a, **k): opened.append(str(f)); return old(f, *a, **k)\n"
                "builtins.open = watch\nimport pmon\nassert not [f for f in opened if f.endswith('.h')], opened")
        subprocess.run([sys.executable, "-c", code], check=True)


class Platforms(unittest.TestCase):
    def setUp(self):
        self.emr = pmon.Platform("emr")

    def test_encoding(self):
        register = self.emr.event("imc/CAS_COUNT.RD/").encode(package=1, counter=2)[-1]
        self.assertEqual(register.value, 0xcf05)
        self.assertEqual(register.fields["umask"], 0xcf)
        self.assertIn("0xcf05", str(register))

    def test_decoding_is_the_inverse(self):
        for name in ("cha/TOR_INSERTS.IA_MISS_DRD/", "imc/CAS_COUNT.RD/", "upi/TxL_FLITS.ALL_DATA/"):
            event = self.emr.event(name)
            register = event.encode()[-1]
            decoded = self.emr.decode(f"{register.name}={register.value:#x}")
            again = self.emr.event(decoded.event)
            self.assertEqual((again.unit, again.event, again.umask), (event.unit, event.event, event.umask))

    def test_iteration(self):
        events = list(self.emr.events("imc"))
        self.assertGreater(len(events), 200)
        self.assertEqual({e.unit for e in events}, {"imc"})
        self.assertIn("cha", [str(u) for u in self.emr.units])
        self.assertIn("MEM_READ_BANDWIDTH", [str(m) for m in self.emr.metrics])
        self.assertEqual([str(p) for p in pmon.platforms()], ["emr", "montecito", "snbep", "spr"])

    def test_patterns(self):
        self.assertEqual(self.emr.expand("imc/CAS_COUNT.WR_*/"), ["imc/CAS_COUNT.WR_NONPRE/", "imc/CAS_COUNT.WR_PRE/"])
        self.assertEqual(self.emr.expand("imc0/CAS_COUNT.WR,thresh=1/"), ["imc0/CAS_COUNT.WR,thresh=1/"])
        self.assertEqual(self.emr.expand("DRAM_*_QUEUE_NS", metrics=True),
                         ["imc/DRAM_READ_QUEUE_NS", "imc/DRAM_WRITE_QUEUE_NS"])
        self.assertEqual(pmon.Plan(self.emr, metrics="DRAM_?????_QUEUE_NS").metrics, ["DRAM_WRITE_QUEUE_NS"])
        with self.assertRaises(pmon.Error):
            self.emr.expand("imc/CAZ_*/")

    def test_metric_groups(self):
        self.assertIn("MEM", [str(g) for g in self.emr.groups])
        self.assertIn("imc/MEM_READ_BANDWIDTH", self.emr.group("mem").metrics)
        self.assertNotIn("QPI", [g.name for g in self.emr.groups])
        self.assertEqual(pmon.Plan(self.emr, groups="UPI").metrics, [m.split("/")[1] for m in self.emr.group("UPI").metrics])
        with self.assertRaises(pmon.Error):
            pmon.Plan(self.emr, groups="MEN")
        with self.assertRaises(KeyError):
            self.emr.group("MEN")

    def test_search(self):
        table = self.emr.search("read bandwidth", 5)
        self.assertEqual(len(table), 5)
        self.assertEqual(str(table[0]["event"]), "imc/CAS_COUNT.RD/")
        self.assertIn("<td>imc/CAS_COUNT.RD/</td>", table._repr_html_())
        self.assertIn("imc/CAS_COUNT.RD/", str(table))

    def test_errors_carry_the_message_of_their_call(self):
        with self.assertRaises(pmon.Error) as first:
            self.emr.event("imc/CAS_COUNT.RDD/")
        self.assertEqual(first.exception.name, "PMON_E_UNKNOWN")
        self.assertIn("RDD", str(first.exception))
        self.assertEqual(first.exception.column, 15)
        event = self.emr.event("imc/CAS_COUNT.RD/")
        with self.assertRaises(pmon.Error) as second:
            event.encode(instance=99)
        self.assertNotIn("RDD", str(second.exception))
        self.assertEqual(second.exception.name, "PMON_E_RANGE")

    def test_each_thread_has_a_context(self):
        failures = []

        def work():
            try:
                for _ in range(20):
                    assert pmon.Platform("snbep").event("cbo/TOR_INSERTS.OPCODE,opc=0x182/").encode()
            except Exception as error:          # reported by the main thread
                failures.append(error)
        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(failures, [])


class Machines(unittest.TestCase):
    def count(self, **options):
        emr = pmon.Platform("emr")
        with pmon.Machine("emr", prefetch="off", **options) as machine:
            with pmon.Session(emr, machine.backend, events="imc/CAS_COUNT.RD/") as session:
                self.assertTrue(session.run())
                return session["imc/CAS_COUNT.RD/"].number

    def test_accesses_of_an_iterable(self):
        lines = lambda n: (("read", 0x10000000 + 64 * i, 8) for i in range(n))      # noqa: E731
        self.assertEqual(self.count(accesses=lines(5000)), 5001)        # the lines, and one of code
        self.assertEqual(self.count(accesses=lines(5000), cores=4), 5001)

    def test_a_trace_gives_what_the_command_gives(self):
        with open(os.path.join(WORK, "json"), encoding="utf-8") as f:
            want = {row["name"]: row["value"] for row in json.load(f)["values"] if row["package"] is None}
        emr = pmon.Platform("emr")
        with pmon.Machine("emr", trace=os.path.join(WORK, "trace")) as machine:
            with pmon.Session(emr, machine.backend, events="imc/CAS_COUNT.RD/", metrics="MEM_READ_BANDWIDTH") as session:
                session.run()
                self.assertEqual(session["imc/CAS_COUNT.RD/"].number, want["imc/CAS_COUNT.RD/"])

    def test_errors(self):
        for options, name in (({"platform": "z80"}, "PMON_E_UNKNOWN"), ({"trace": "/nonexistent"}, "PMON_E_IO"),
                              ({"cores": 10**6}, "PMON_E_RANGE")):
            with self.assertRaises(pmon.Error) as raised:
                pmon.Machine(**options)
            self.assertEqual(raised.exception.name, name)
        with self.assertRaises(ZeroDivisionError):      # raised by the iterable, not swallowed
            self.count(accesses=(("read", 1 // i, 8) for i in (1, 0)))

    def test_parameters_whose_names_have_an_underscore(self):
        for name in pmon.Machine.parameters().column("name"):
            if "_" in name:
                with self.assertRaises(pmon.Error) as raised:
                    pmon.Machine(**{name.replace(".", "_"): "nothing"})
                self.assertNotIn("no such parameter", str(raised.exception))
        with pmon.Machine("emr", llc_io_ways=2, accesses=[]):
            pass

    def test_a_command_is_words(self):
        with self.assertRaises(TypeError):
            pmon.Machine(command="true")
        if not shutil.which("qemu-x86_64"):
            self.skipTest("no qemu-x86_64")
        emr = pmon.Platform("emr")
        with pmon.Machine("emr", command=(word for word in ("sh", "-c", "exit 7"))) as machine:
            with pmon.Session(emr, machine.backend, events="imc/CAS_COUNT.RD/") as session:
                self.assertTrue(session.run())
                self.assertGreater(session["imc/CAS_COUNT.RD/"].number, 0)
            self.assertEqual(machine.exit_code, 7)

    def test_times_are_computed_with_the_clocks_of_the_machine(self):
        emr = pmon.Platform("emr")
        found = {}
        for ghz in (2.2, 1.1):
            accesses = (("read", 0x10000000 + 64 * i, 8) for i in range(5000))
            with pmon.Machine("emr", accesses=accesses, uncore_ghz=ghz) as machine:
                self.assertIn(("uclk", round(ghz * 1e9)), machine.clocks)
                with pmon.Session(emr, machine.backend, metrics="LLC_MISS_LATENCY_NS") as session:
                    session.run()
                    found[ghz] = float(session["LLC_MISS_LATENCY_NS"])
        self.assertGreater(found[1.1], found[2.2])

    def test_options_of_a_session(self):
        emr, event, journal = pmon.Platform("emr"), "imc/CAS_COUNT.RD/", os.path.join(WORK, "journal")
        with pmon.Machine("emr", accesses=(("read", 64 * i, 8) for i in range(20000))) as machine:
            for options, error in (({"slice_ns": -1}, ValueError), ({"size": 8}, TypeError), ({"nothing": 1}, TypeError),
                                   ({"slice_ns": 1.5}, TypeError), ({"clocks": [("uclk", -1)]}, ValueError)):
                with self.assertRaises(error):
                    pmon.Session(emr, machine.backend, events=event, **options)
            with pmon.Session(emr, machine.backend, events=event, journal=journal, tick_ns=5000,
                              tick=lambda now_ns: now_ns >= 10000) as session:
                self.assertFalse(session.run())
                self.assertTrue(os.path.exists(journal))
                self.assertLess(session.seconds, 2e-5)
                for seconds in (-1, float("nan")):
                    with self.assertRaises(ValueError):
                        session.run(seconds)
                with self.assertRaises(ValueError):
                    next(session.intervals(0))
            with pmon.Session(emr, machine.backend, events=event, tick=lambda now_ns: 1 // 0, tick_ns=5000) as session:
                with self.assertRaises(ZeroDivisionError):
                    session.run()

    def test_a_callback_cannot_close_its_session(self):
        emr, event = pmon.Platform("emr"), "imc/CAS_COUNT.RD/"
        with pmon.Machine("emr", accesses=(("read", 64 * i, 8) for i in range(5000))) as machine:
            for use in (lambda: session.close(), lambda: session.run(), lambda: machine.close()):
                with pmon.Session(emr, machine.backend, events=event, tick_ns=1000, tick=lambda _now_ns: use()) as session:
                    with self.assertRaisesRegex(RuntimeError, "callback"):
                        session.run()

    def test_metrics_of_a_group_by_their_names(self):
        emr = pmon.Platform("emr")
        with pmon.Machine("emr", accesses=(("read", 64 * i, 8) for i in range(500))) as machine:
            with pmon.Session(emr, machine.backend, groups="MEM") as session:
                session.run()
                for name in emr.group("MEM").metrics:
                    self.assertEqual(str(session[name]), str(session[name.split("/")[1]]))

    def test_an_interrupt_ends_a_run(self):
        def accesses():
            for i in range(2000):
                if i == 1000:
                    os.kill(os.getpid(), signal.SIGINT)
                yield "read", 64 * i, 8
        emr, handler = pmon.Platform("emr"), signal.getsignal(signal.SIGINT)
        with pmon.Machine("emr", accesses=accesses()) as machine:
            with pmon.Session(emr, machine.backend, events="imc/CAS_COUNT.RD/", tick_ns=1000) as session:
                with self.assertRaises(KeyboardInterrupt):
                    session.run()
                self.assertIs(signal.getsignal(signal.SIGINT), handler)
                self.assertTrue(session.run())
                self.assertGreaterEqual(session["imc/CAS_COUNT.RD/"].number, 2000)

    def test_scopes_and_names(self):
        emr = pmon.Platform("emr")
        event = emr.event("imc/CAS_COUNT.RD/")
        with pmon.Machine("emr", accesses=(("read", 64 * i, 8) for i in range(100))) as machine:
            with pmon.Session(emr, machine.backend, events=[event], metrics="H=CAS_COUNT.RD/CAS_COUNT.RD/2") as session:
                session.run()
                self.assertEqual(session[event].number, session["imc/CAS_COUNT.RD/"].number)
                self.assertEqual(str(session["H"]), "0.5")
                for number in (-1, 1 << 32):            # ctypes would make them "all" and 0
                    with self.assertRaises(ValueError):
                        session.value(str(event), number)
                    with self.assertRaises(ValueError):
                        session.value(str(event), 0, number)
                    with self.assertRaises(ValueError):
                        event.encode(instance=number)
                with self.assertRaises(ValueError):
                    session.table("cha")
        for name, error in ((None, TypeError), (b"imc/CAS_COUNT.RD/", TypeError), ("imc/CAS_COUNT.RD/\0x", ValueError)):
            with self.assertRaises(error):
                emr.event(name)

    def test_accesses_that_do_not_fit_are_refused(self):
        for access in (("read", -1, 8), ("read", 1 << 64, 8), ("read", 0, 1 << 32), ("fetch", 0, 8)):
            with self.assertRaises(ValueError):
                self.count(accesses=[access])

    def test_a_failed_iterable_is_raised_by_the_run(self):
        def accesses():
            yield "read", 0, 8
            raise RuntimeError("no more")
        emr = pmon.Platform("emr")
        machine = pmon.Machine("emr", accesses=accesses())
        session = pmon.Session(emr, machine.backend, events="imc/CAS_COUNT.RD/")
        with self.assertRaisesRegex(RuntimeError, "no more"):
            session.run()       # the counts are those of a part
        machine.close()         # not raised again

    def test_parameters(self):
        self.assertIn("cores", pmon.Machine.parameters().column("name"))
        self.assertIn("bus.ratio", pmon.Machine.parameters("montecito").column("name"))
        with self.assertRaises(pmon.Error):
            pmon.Machine.parameters("p6")


class Measuring(unittest.TestCase):
    def test_a_replayed_session_has_the_numbers_of_the_command(self):
        with open(os.path.join(WORK, "json"), encoding="utf-8") as f:
            want = json.load(f)
        values = {row["name"]: row["value"] for row in want["values"] if row["package"] is None}
        emr = pmon.Platform("emr")
        with pmon.Backend.replay(emr, os.path.join(WORK, "accesses")) as backend:
            with pmon.Session(emr, backend, events="imc/CAS_COUNT.RD/", metrics=["MEM_READ_BANDWIDTH"]) as session:
                self.assertTrue(session.run())
                self.assertAlmostEqual(float(session["MEM_READ_BANDWIDTH"]) / values["MEM_READ_BANDWIDTH"], 1, 12)
                self.assertEqual(session["imc/CAS_COUNT.RD/"].number, values["imc/CAS_COUNT.RD/"])
                self.assertEqual(session.keys(), ["MEM_READ_BANDWIDTH", "imc/CAS_COUNT.RD/"])
                per_socket = [float(v) for v in session.table("socket").column("value")]
                self.assertEqual(len(per_socket), 2 * len(session.packages))
                self.assertRegex(str(session["MEM_READ_BANDWIDTH"]), r"^[0-9.]+ [kMG]B/s")
                self.assertIn("<table>", session._repr_html_())
                with self.assertRaises(KeyError):
                    session["NO_SUCH_NAME"]

    def test_a_recording(self):
        with pmon.Recording(os.path.join(WORK, "counts")) as recording:
            total = float(recording["imc/CAS_COUNT.RD/"])
            parts = [float(interval["imc/CAS_COUNT.RD/"]) for interval in recording.each()]
            self.assertGreater(len(parts), 2)
            self.assertEqual(len(parts), len(recording))
            self.assertEqual(sum(parts), total)
            for interval in recording.each():
                self.assertEqual(float(interval["imc/CAS_COUNT.RD/"]), parts[0])
                break
            self.assertEqual(float(recording["imc/CAS_COUNT.RD/"]), total)
            self.assertGreaterEqual(total, 4000)        # each line of the trace is read once

    def test_a_recording_of_an_extended_platform(self):
        path, metrics = os.path.join(WORK, "extended"), os.path.join(WORK, "twice.met")
        with open(metrics, "w", encoding="utf-8") as f:
            f.write("unit imc\ncite test\n\nmetric TWICE\n  brief Twice the reads.\n  equation 2 * CAS_COUNT.RD\n")
        emr = pmon.Platform("emr", files=metrics)
        with pmon.Machine("emr", accesses=(("read", 64 * i, 8) for i in range(100))) as machine:
            with pmon.Session(emr, machine.backend, metrics="TWICE") as session:
                session.run()
                record = emr.context.get(pmon.c.pmon_record_new, session.handle, path.encode(), None)
                emr.context.check(pmon.c.pmon_record_add(record))
                emr.context.check(pmon.c.pmon_record_close(record))
                value = float(session["TWICE"])
        with pmon.Recording(path, platform=emr) as recording:
            self.assertEqual(float(recording["TWICE"]), value)
        with self.assertRaises(pmon.Error):
            pmon.Recording(path)
        with self.assertRaisesRegex(pmon.Error, "of platform emr"):
            pmon.Recording(path, platform=pmon.Platform("snbep"))

    def test_values_are_formatted(self):
        with pmon.Recording(os.path.join(WORK, "counts")) as recording:
            value = recording["MEM_READ_BANDWIDTH"]
            self.assertEqual(f"{value:.3e} {value}", f"{value.number:.3e} {str(value)}")

    def test_an_unknown_access_method(self):
        with self.assertRaisesRegex(ValueError, "direct or perf"):
            pmon.Backend.host("mmap")

    def test_regions(self):
        name, event = os.path.join(WORK, "regions"), "imc/CAS_COUNT.RD/"
        emr = pmon.Platform("emr")
        accesses = (("read", 0x10000000 + 64 * i, 8) for i in range(5000))
        with pmon.Machine("emr", prefetch="off", accesses=accesses) as machine:
            with pmon.Session(emr, machine.backend, events=event) as session:
                session.start()
                with session.region("whole"):
                    for _ in range(3):
                        with self.assertRaises(ArithmeticError), session.region("part"):
                            session.run(2e-6)
                            raise ArithmeticError
                    session.run()
                live = [(r.name, r.thread is None, r.calls, r.seconds, r[event].number) for r in session.regions()]
                self.assertEqual([r[:3] for r in live], [("whole", True, 1), ("whole", False, 1), ("part", True, 3),
                                                         ("part", False, 3)])
                self.assertEqual(live[0][4], session[event].number)
                self.assertTrue(0 < live[2][4] < live[0][4])
                record = emr.context.get(pmon.c.pmon_record_new, session.handle, name.encode(), None)
                emr.context.check(pmon.c.pmon_record_add(record))
                emr.context.check(pmon.c.pmon_record_add_regions(record))
                emr.context.check(pmon.c.pmon_record_close(record))
                total = session[event].number
        with pmon.Recording(name) as recording:
            later = [(r.name, r.thread is None, r.calls, r.seconds, r[event].number) for r in recording.regions()]
            self.assertEqual(later, live)
            self.assertEqual(recording[event].number, total)

    def test_a_broken_recording_is_an_error(self):
        with self.assertRaises(pmon.Error) as raised:
            pmon.Recording(os.path.join(WORK, "trace"))
        self.assertIn("trace", str(raised.exception))

    def test_pandas(self):
        try:
            import pandas                   # noqa: F401
        except ImportError:
            self.skipTest("no pandas")
        with pmon.Recording(os.path.join(WORK, "counts")) as recording:
            frame = recording.to_pandas()
            self.assertEqual(list(frame.columns), ["name", "socket", "value", "unit"])

    def test_what_is_closed_is_not_used(self):
        emr = pmon.Platform("emr")
        machine = pmon.Machine("emr", accesses=[("read", 0x10000000, 8)])
        first = pmon.Session(emr, machine.backend, events="imc/CAS_COUNT.RD/")
        second = pmon.Session(emr, machine.backend, events="imc/CAS_COUNT.WR/")
        first.run()
        second.close()
        machine.close()         # which also closes the session
        recording = pmon.Recording(os.path.join(WORK, "counts"))
        recording.close()
        for use in (first.run, second.run, first.table, lambda: first.seconds, lambda: first.packages, lambda: machine.clocks,
                    lambda: machine.exit_code, lambda: recording.interval(0), lambda: recording["imc/CAS_COUNT.RD/"],
                    lambda: pmon.Session(emr, machine.backend, events="imc/CAS_COUNT.RD/")):
            with self.assertRaises(ValueError) as raised:
                use()
            self.assertIn("is closed", str(raised.exception))
        for closed in (first, second, machine, machine.backend, recording):
            closed.close()
        self.assertEqual(repr(first), "<pmon.Session emr: imc/CAS_COUNT.RD/>")

    def test_garbage_with_a_cycle(self):
        emr = pmon.Platform("emr")
        machine = pmon.Machine("emr", accesses=[])
        session = pmon.Session(emr, machine.backend, events="imc/CAS_COUNT.RD/")
        session.own, session.machine, machine.session = session, machine, session
        del session, machine
        gc.collect()

    def test_a_cycle_is_freed_in_the_order_of_use(self):
        order = []

        def watch(name):
            function = getattr(pmon.c, name)

            def call(*arguments):
                order.append(name[len("pmon_"):])
                return function(*arguments)
            setattr(pmon.c, name, call)
            self.addCleanup(setattr, pmon.c, name, function)
        for name in ("pmon_context_free", "pmon_event_free", "pmon_plan_free", "pmon_session_close", "pmon_backend_close",
                     "pmon_machine_free"):
            watch(name)

        def measure():
            emr = pmon.Platform("emr", context=pmon.Context())
            machine = pmon.Machine("emr", accesses=[("read", 0x10000000, 8)])
            session = pmon.Session(emr, machine.backend, events="imc/CAS_COUNT.RD/")
            session.run()
            emr.context.all = (emr.context, emr, machine, session, emr.event("imc/CAS_COUNT.RD/"))
        measure()
        gc.collect()
        self.assertEqual(len(order), 6)
        place = order.index
        for used, user in (("plan_free", "session_close"), ("backend_close", "session_close"),
                           ("machine_free", "backend_close"), ("context_free", "plan_free"), ("context_free", "event_free")):
            self.assertGreater(place(used), place(user))

    def test_objects_may_be_collected_in_any_order(self):
        emr = pmon.Platform("emr")
        backend = pmon.Backend.replay(emr, os.path.join(WORK, "accesses"))
        session = pmon.Session(emr, backend, events="imc/CAS_COUNT.RD/", metrics="MEM_READ_BANDWIDTH")
        del emr, backend
        gc.collect()
        session.run()
        del session
        gc.collect()


if __name__ == "__main__":
    unittest.main()
