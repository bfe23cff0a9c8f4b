#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints the path of a QEMU built by vm/qemu/build.sh, for guests on Emerald Rapids. It is built once and kept in the
# user's cache, under a name that depends on the patch; Debian's sources are fetched without root. Exits with 1 and the
# reason if it is not available. Usage: qemu.sh
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/apt_sources.sh"
cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
[ -n "$cache" ] || { echo "qemu: neither XDG_CACHE_HOME nor HOME is set" >&2; exit 1; }
made=$(cat "$here/../vm/qemu/build.sh" "$here/../vm/qemu/pmon.patch" | cksum | cut -d ' ' -f 1)
prefix=$cache/pmon/qemu-$made
[ -x "$prefix/bin/qemu-system-x86_64" ] && { echo "$prefix/bin/qemu-system-x86_64"; exit 0; }
command -v apt-get >/dev/null || { echo "qemu: no apt-get here" >&2; exit 1; }

# One build at a time: a second one would take as long as the first, and its result would be moved into the first one's.
mkdir -p "$cache/pmon" || exit 1
if command -v flock >/dev/null; then
  exec 9>"$cache/pmon/qemu.lock"
  flock -n 9 || { echo "qemu: another build is running; waiting for it" >&2; flock 9; }
  [ -x "$prefix/bin/qemu-system-x86_64" ] && { echo "$prefix/bin/qemu-system-x86_64"; exit 0; }
fi

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/build" && private_sources "$work/apt" || { echo "qemu: apt has no source package here" >&2; exit 1; }
echo "qemu: building the QEMU that guests on Emerald Rapids need; this takes some minutes, once" >&2
# Moved into place when complete: an interrupted run leaves nothing that looks ready.
if sh "$here/../vm/qemu/build.sh" "$work/prefix" "$work/build" >"$work/log" 2>&1 && mv "$work/prefix" "$prefix"; then
  echo "$prefix/bin/qemu-system-x86_64"
else
  tail -n 5 "$work/log" >&2
  echo "qemu: cannot be built here" >&2
  exit 1
fi
