# SPDX-License-Identifier: MIT
"""Builds the wheel of the pmon package (PEP 517) with Python's standard library only.

The ctypes declarations are generated from the public headers of this source tree, or of $PMON_INCLUDE or /usr/include.
"""
import base64
import hashlib
import io
import os
import re
import tarfile
import zipfile

import abi

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MOMENT = (2026, 1, 1, 0, 0, 0)          # fixed, so that builds are reproducible


def _project():
    with open(os.path.join(HERE, "pyproject.toml"), encoding="utf-8") as f:
        text = f.read()
    return {key: re.search(rf'^{key} = "(.*)"$', text, flags=re.M).group(1)
            for key in ("name", "version", "description", "requires-python")}


def _include():
    for folder in (os.environ.get("PMON_INCLUDE", ""), os.path.join(HERE, "..", "include"), "/usr/local/include",
                   "/usr/include"):
        if folder and os.path.exists(os.path.join(folder, "pmon", "api.h")):
            return os.path.join(folder, "pmon")
    raise FileNotFoundError("the headers pmon/*.h are needed to build the package; set PMON_INCLUDE to their folder")


def _package():
    """Returns the files of the package: name to bytes."""
    files = {}
    folder = os.path.join(HERE, "pmon")
    for name in sorted(os.listdir(folder)):
        if name.endswith((".py", ".typed")) and name != "_abi.py":
            with open(os.path.join(folder, name), "rb") as f:
                files["pmon/" + name] = f.read()
    ready = os.path.join(folder, "_abi.py")
    if os.path.exists(ready):           # a source distribution, or a build folder
        with open(ready, "rb") as f:
            files["pmon/_abi.py"] = f.read()
    else:
        made = io.StringIO()
        abi.write(abi.Headers(_include()), made)
        files["pmon/_abi.py"] = made.getvalue().encode()
    return files


def _metadata(project):
    return (f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
            f"Summary: {project['description']}\nAuthor: the pmon authors\nLicense: MIT\n"
            f"Requires-Python: {project['requires-python']}\nProvides-Extra: pandas\n"
            "Requires-Dist: pandas; extra == 'pandas'\n").encode()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    project = _project()
    stem = f"{project['name']}-{project['version']}"
    files = _package()
    files[f"{stem}.dist-info/METADATA"] = _metadata(project)
    files[f"{stem}.dist-info/WHEEL"] = (b"Wheel-Version: 1.0\nGenerator: pmon_build\nRoot-Is-Purelib: true\n"
                                        b"Tag: py3-none-any\n")
    record = f"{stem}.dist-info/RECORD"
    lines = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}\n")
    files[record] = ("".join(lines) + f"{record},,\n").encode()
    wheel = f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in files.items():
            z.writestr(zipfile.ZipInfo(name, MOMENT), data, zipfile.ZIP_DEFLATED)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    project = _project()
    stem = f"{project['name']}-{project['version']}"
    files = _package()
    files["PKG-INFO"] = _metadata(project)
    for name in ("pyproject.toml", "backend/pmon_build.py", "backend/abi.py"):
        with open(os.path.join(HERE, name), "rb") as f:
            files[name] = f.read()
    with tarfile.open(os.path.join(sdist_directory, stem + ".tar.gz"), "w:gz") as t:
        for name, data in files.items():
            info = tarfile.TarInfo(f"{stem}/{name}")
            info.size, info.mode = len(data), 0o644
            t.addfile(info, io.BytesIO(data))
    return stem + ".tar.gz"
