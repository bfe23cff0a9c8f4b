# SPDX-License-Identifier: MIT
"""Regions of Python for a host whose counters follow reported work, as tests/regions/host_program.c.
usage: host_program.py FOLDER-OF-THE-MODULE WORK-FILE"""
import mmap
import os
import struct
import sys
import threading

sys.path.insert(0, sys.argv[1])
from _region import region  # noqa: E402

with open(sys.argv[2], "r+b") as file:
    memory = mmap.mmap(file.fileno(), 8)


def work(us):
    struct.pack_into("<Q", memory, 0, struct.unpack_from("<Q", memory)[0] + 1000 * us)


def step():
    with region("thread"):
        work(500)


for i in range(3):
    with region("step"):
        work(1000)
with region("r\u00e9gion" + "n" * 200):
    work(2000)
thread = threading.Thread(target=step)
thread.start()
thread.join()
if not os.fork():
    with region("child"):
        work(100)
    os._exit(0)
os.wait()
