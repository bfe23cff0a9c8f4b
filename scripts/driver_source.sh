#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints a folder with the source of Linux's uncore driver for Debian's kernel RELEASE (intel/uncore*.[ch], a Kbuild
# file, and their includes), for out-of-tree builds. It is taken from Debian's package linux-source of the version of
# the kernel's headers, fetched once without root and kept in the user's cache. Exits with 1 and the reason if it is not
# available. Usage: driver_source.sh RELEASE
set -u
release=${1:?usage: driver_source.sh RELEASE}
fail() { echo "driver source: $1" >&2; exit 1; }
cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
[ -n "$cache" ] || fail "neither XDG_CACHE_HOME nor HOME is set"
[ -d "/lib/modules/$release/build" ] || fail "no headers of $release (remedy: apt-get install linux-headers-$release)"
version=$(dpkg-query -W -f='${Version}' "linux-headers-$release" 2>/dev/null) || fail "no package linux-headers-$release"
series=$(echo "$release" | cut -d . -f 1-2)
kept=$cache/pmon/driver/$version
[ -d "$kept" ] && { echo "$kept"; exit 0; }
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || fail "no apt-get here"
mkdir -p "$cache/pmon/driver" && exec 9>"$cache/pmon/driver/.lock" && flock 9 || exit 1
[ -d "$kept" ] && { echo "$kept"; exit 0; }     # another process has fetched it
work=$(mktemp -d "$cache/pmon/driver/.XXXXXX") || exit 1     # next to its final place: a rename is atomic
trap 'rm -rf "$work"' EXIT
mkdir "$work/got"
(cd "$work" && apt-get download -q "linux-source-$series=$version") >"$work/log" 2>&1 ||
  fail "apt-get download linux-source-$series=$version failed"
dpkg-deb --fsys-tarfile "$work"/linux-source-*.deb | tar -x -C "$work" "./usr/src/linux-source-$series.tar.xz" &&
  tar -xJf "$work/usr/src/linux-source-$series.tar.xz" -C "$work" --strip-components=1 \
    "linux-source-$series/arch/x86/events" || fail "the package does not have the expected files"
events=$work/arch/x86/events
mkdir "$work/got/intel"
cp "$events"/perf_event.h "$events"/perf_event_flags.h "$work/got/"
cp "$events"/intel/uncore*.[ch] "$work/got/intel/"
cat >"$work/got/intel/Kbuild" <<'END'
obj-m := intel-uncore.o
intel-uncore-objs := uncore.o uncore_nhmex.o uncore_snb.o uncore_snbep.o uncore_discovery.o
END
mv "$work/got" "$kept"
echo "$kept"
