#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Packs many small inputs of fuzzers into one file, compressed by zstd, which fuzz/driver.c replays.

corpus.py pack FOLDER FILE.zst      from what `fuzz_NAME -set_cover_merge=1 FOLDER CORPUS...` left
corpus.py unpack FILE.zst FOLDER    to go on fuzzing from them
"""
import hashlib
import pathlib
import struct
import subprocess
import sys


def pack(folder, file):
    inputs = sorted({p.read_bytes() for p in pathlib.Path(folder).iterdir() if p.is_file()}, key=lambda i: (len(i), i))
    data = b"".join(struct.pack("<I", len(i)) + i for i in inputs)
    packed = subprocess.run(["zstd", "-19", "-c", f"--stream-size={len(data)}"], input=data, stdout=subprocess.PIPE, check=True)
    pathlib.Path(file).write_bytes(packed.stdout)
    print(f"{file}: {len(inputs)} inputs, {len(data)} bytes, {len(packed.stdout)} packed")


def unpack(file, folder):
    data = subprocess.run(["zstd", "-dc", file], stdout=subprocess.PIPE, check=True).stdout
    at = 0
    while at < len(data):
        (length,) = struct.unpack_from("<I", data, at)
        part = data[at + 4 : at + 4 + length]
        (pathlib.Path(folder) / hashlib.sha1(part).hexdigest()).write_bytes(part)
        at += 4 + length


if len(sys.argv) != 4 or sys.argv[1] not in ("pack", "unpack"):
    sys.exit(__doc__)
{"pack": pack, "unpack": unpack}[sys.argv[1]](sys.argv[2], sys.argv[3])
