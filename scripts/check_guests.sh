#!/bin/sh
# SPDX-License-Identifier: MIT
# The nightly check of guests: Debian's kernel, its real-time build and the current kernel of its backports each measure
# a scenario with perf, with the counts of the machine (tests/vm/scenario.sh); the kernel's driver passes pmon
# bench-driver on one and two sockets; the driver with deliberate bugs must fail it for each bug (tests/vm/driver.sh);
# and the longest tests of guests, which make check leaves out. Takes half an hour or more; kernels are fetched without
# root, and kept in the user's cache. With patterns, only the checks whose names match one:
# check_guests.sh build/pmon 'backports*' turbostat
# Usage: check_guests.sh PMON [PATTERN...]
set -u
cd "$(dirname "$0")/.." || exit 1
pmon=$(realpath "${1:?usage: check_guests.sh PMON [PATTERN...]}")
shift
. scripts/apt_sources.sh
cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}/pmon/kernels
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
printf '%s\n' "$@" >"$work/patterns"
some=$# passed=0 failed=0 skipped=0
if [ -z "${PMON_VM_QEMU-}" ] && qemu=$(sh scripts/qemu.sh); then export PMON_VM_QEMU="$qemu"; fi

wanted() {   # the name of a check: true if a pattern matches it, or if there are no patterns
  [ "$some" -gt 0 ] || return 0
  while read -r pattern; do
    case $1 in $pattern) return 0 ;; esac
  done <"$work/patterns"
  return 1
}
fetch() {    # name, metapackage, release of Debian: fetches its newest kernel into $cache/NAME
  private_binaries "$work/$1" "$3" || return 1
  package=$(apt-cache depends "$2" | sed -n 's/^ *Depends: *\(linux-image-[0-9].*\)/\1/p' | head -n 1)
  [ -n "$package" ] || return 1
  [ -d "$cache/$1/$package" ] && { kernel=$(echo "$cache/$1/$package"/boot/vmlinuz-*); return 0; }
  mkdir -p "$cache/$1" "$work/$1/out"
  (cd "$work/$1" && apt-get download -q "$package" && dpkg-deb --fsys-tarfile "$package"_*.deb |
    tar -x -C out --wildcards './boot/vmlinuz-*' './boot/config-*' '*/intel-uncore.ko*' '*/arch/x86/kernel/msr.ko*') \
    >/dev/null 2>&1 || return 1
  mv "$work/$1/out" "$cache/$1/$package" && kernel=$(echo "$cache/$1/$package"/boot/vmlinuz-*)
}
report() {   # what, exit status, output
  case $2 in
  0) passed=$((passed + 1)) word=passed ;;
  77) skipped=$((skipped + 1)) word=skipped ;;
  *) failed=$((failed + 1)) word=FAILED ;;
  esac
  echo "$1: $word"
  [ "$2" -eq 0 ] || tail -n 20 "$3"
}
# Tests of guests that make check leaves out.
each() {     # what, script, arguments
  what=$1 script=$2
  shift 2
  wanted "$what" || return 0
  sh "tests/vm/$script" "$pmon" "$@" >"$work/out" 2>&1
  report "$what ($script)" $? "$work/out"
}
each 'perf, pcm and likwid' tools.sh "$PWD/tests/vm/tools.scn"
each "likwid's sleep" likwid.sh "$PWD/tests/vm/tools.scn"
each "libpfm4's example, PAPI and pcm-iio" peers.sh "$PWD/examples/bench" "$PWD/scripts"
each 'a processor that goes offline' gone.sh "$PWD/tests/vm/tools.scn"
each 'an exporter while its counters are taken' served.sh "$PWD/tests/vm/rest.scn"
each "the exporter's units under systemd" service.sh "$PWD/tests/vm/tools.scn" "$PWD/examples/systemd"
for row in "snbep tools.scn" "emr emr.scn"; do
  set -- $row
  each "the privileged helper on $1" helper.sh "$(dirname "$pmon")/helper/pmon-access" "$1" "$PWD/tests/vm/$2" \
    "${PMON_VM_QEMU-}"
done
each "a guest's own accesses" traffic.sh "$(dirname "$pmon")/tests/vm/vm_stream"
each 'events that perf multiplexes' interleave.sh
each turbostat turbostat.sh
each "snapshots of a guest" snapshot.sh "$PWD/tests/vm/scenario.scn" "${PMON_VM_QEMU-}"
each 'bench-driver and bench-tool' bench.sh "$PWD/examples/bench/perf.bench"
each "perf's names on snbep" perf_names.sh snbep "$PWD/tests/vm/scenario.scn" "${PMON_VM_QEMU-}"
each "perf's names on spr" perf_names.sh spr "$PWD/tests/vm/emr.scn" "${PMON_VM_QEMU-}"
for platform in snbep spr emr; do
  each "each name of perf list on $platform" perf_list.sh "$platform" "${PMON_VM_QEMU-}"
done
for row in "linux linux-image-amd64 bookworm" "real-time linux-image-rt-amd64 bookworm" \
  "backports linux-image-amd64 bookworm-backports"; do
  set -- $row
  wanted "$1" || continue
  if (fetch "$@" && echo "$kernel") >"$work/kernel" 2>/dev/null; then
    kernel=$(tail -n 1 "$work/kernel")
    sh tests/vm/scenario.sh "$pmon" tests/vm/scenario.scn --kernel "$kernel" >"$work/out" 2>&1
    report "$1 (${kernel##*/vmlinuz-})" $? "$work/out"
  else
    echo "$2 of $3 cannot be downloaded" >"$work/out"
    report "$1" 77 "$work/out"
  fi
done
if wanted "bench of the kernel's driver"; then
  "$pmon" bench-driver --matrix -p snbep -j 1 --timeout 3600 ${PMON_VM_QEMU:+--qemu "$PMON_VM_QEMU"} >"$work/out" 2>&1
  report "bench of the kernel's driver" $? "$work/out"
fi
if wanted "driver with bugs"; then
  sh tests/vm/driver.sh "$pmon" examples/vm "${PMON_VM_QEMU-}" >"$work/out" 2>&1
  report "driver with bugs" $? "$work/out"
  sed -n 's/^/  /p' "$work/out"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $((passed + failed + skipped)) -gt 0 ] || { echo "no check has such a name: $(paste -sd ' ' "$work/patterns")"; exit 1; }
[ "$failed" -eq 0 ]
