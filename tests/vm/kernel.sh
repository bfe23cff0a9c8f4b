#!/bin/sh
# SPDX-License-Identifier: MIT
# A different build of the kernel with a different compression, Debian's cloud kernel, measures the scenario as the
# default one does (scenario.sh). It is downloaded once. Usage: kernel.sh PMON SCENARIO
pmon=$1 scenario=$2 what="no other kernel was tried"
. "$(dirname "$0")/guest.sh"
need qemu-system-x86_64 busybox perf lz4 apt-get dpkg-deb
keep=${XDG_CACHE_HOME:-$HOME/.cache}/pmon/tests/kernel
fetch() {
  package=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/^ *Depends: *\(linux-image-[0-9].*\)/\1/p' | head -n 1)
  mkdir -p "$keep.new" && cd "$keep.new" && [ -n "$package" ] && apt-get download -q "$package" &&
    dpkg-deb --fsys-tarfile "$package"_*.deb |
      tar -x --wildcards './boot/vmlinuz-*' '*/intel-uncore.ko*' '*/arch/x86/kernel/msr.ko*' &&
    rm -f "$package"_*.deb && rm -rf "$keep" && mv "$keep.new" "$keep"
}
[ -d "$keep/boot" ] || (fetch) >/dev/null 2>&1 || { rm -rf "$keep.new"; skip "linux-image-cloud-amd64 cannot be downloaded"; }
exec sh "$(dirname "$0")/scenario.sh" "$pmon" "$scenario" --kernel "$(ls "$keep"/boot/vmlinuz-* | tail -n 1)"
