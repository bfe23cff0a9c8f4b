#!/bin/sh
# SPDX-License-Identifier: MIT
# Build folders of kernels, packages, and missing options of their configurations: docs/bench.md lists the options of
# guest.config, and messages name missing ones. A signal ends a bench. No guest is booted. Usage: kernels.sh PMON
# DOCUMENT OPTIONS
pmon=$1 document=$2 options=$3 failed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; failed=1; }

# ---- the document has the options of the file, in its groups and order ----
sed -n 's/^# for //p;s/^CONFIG_\([^=]*\)=.*/\1/p' "$options" >"$work/file"
sed -n '/^### A kernel for guests/,/^### /s/^| \(.*\) | \(`.*`\) |$/\1\n\2/p' "$document" | sed 's/^`//;s/`$//;s/`, `/\n/g' >"$work/document"
[ "$(wc -l <"$work/file")" -gt 40 ] && diff "$work/file" "$work/document" || fail "$document has other options than $options"

# ---- missing options are reported before guests run: QEMU's place is taken ----
tree=$work/tree
mkdir -p "$tree/arch/x86/boot" "$tree/include/config"
echo 6.1.9 >"$tree/include/config/kernel.release"
echo kernel >"$tree/arch/x86/boot/bzImage"
lacks() {    # a sed script for the configuration, then the message; "" if there is none
  sed "$1" "$options" >"$tree/.config"
  "$pmon" bench-driver --qemu false --check units --kernel "$tree" >"$work/out" 2>"$work/errors"
  grep "the kernel's configuration lacks" "$work/errors" >"$work/got"
  printf '%s' "${2:+pmon bench-driver: --kernel $tree: the kernel's configuration lacks $2; scripts/kconfig/merge_config.sh .config guest.config adds it (docs/bench.md)
}" | diff - "$work/got" || failed=1
}
lacks '' ''
lacks 's/=m$/=y/' ''
lacks '/CONFIG_PM_DEBUG=/d;s/^CONFIG_NUMA=y/# CONFIG_NUMA is not set/' \
  'CONFIG_NUMA=y (for two sockets, and more than one processor of each), CONFIG_PM_DEBUG=y (for the check resume)'
# An option whose name is the beginning of another one's does not get the other's value.
lacks 's/^CONFIG_PERF_EVENTS=y/CONFIG_PERF_EVENTS_OTHER=y/' 'CONFIG_PERF_EVENTS=y (for the uncore driver and perf; =m also for --module, --snapshot and the check reload)'
mv "$tree/include/config/kernel.release" "$work/release"
"$pmon" bench-driver --qemu false --kernel "$tree" >"$work/out" 2>&1
[ $? -eq 2 ] && grep -q "no kernel was built in this folder (include/config/kernel.release is missing); run .make" "$work/out" ||
  fail "$(cat "$work/out")"
mv "$work/release" "$tree/include/config/kernel.release"
echo none >"$work/none.deb"
"$pmon" bench-driver --qemu false --kernel "$work/none.deb" >"$work/out" 2>&1
[ $? -eq 2 ] && grep -q -- "--kernel $work/none.deb: not a package that contains a kernel; give linux-image-VERSION-amd64" "$work/out" &&
  [ "$(wc -l <"$work/out")" -le 2 ] || fail "$(cat "$work/out")"

# ---- drivers ----
"$pmon" bench-driver --qemu false --module "$0" >"$work/out" 2>&1
[ $? -eq 2 ] && grep -q -- "--module $0: not a kernel module" "$work/out" || fail "$(cat "$work/out")"
if command -v cc >/dev/null; then
  printf '%s\n' 'const char m[] __attribute__((section(".modinfo"))) = "name=intel_uncore\0vermagic=6.0.1-other SMP ";' >"$work/m.c"
  cc -c -o "$work/m.ko" "$work/m.c" || failed=1
  "$pmon" bench-driver --qemu false --kernel "$tree" --module "$work/m.ko" >"$work/out" 2>&1
  [ $? -eq 2 ] && grep -q "built for kernel 6.0.1-other, but the guest's kernel is 6.1.9;" "$work/out" || fail "$(cat "$work/out")"
fi

# ---- files and messages of a run without a guest ----
"$pmon" bench-driver --qemu false --check units >"$work/out" 2>&1
grep -q -- '--artifacts DIR keeps its files$' "$work/out" && grep -q 'again: .* --sockets 1 .*--check units$' "$work/out" ||
  fail "$(cat "$work/out")"
"$pmon" bench-driver --qemu false --check units --artifacts "$work/kept" >"$work/out" 2>&1
grep -q "; its files are in $work/kept/cell-1\$" "$work/out" || fail "$(cat "$work/out")"
# Two runs in one folder would mistake each other's files for their own.
if command -v flock >/dev/null; then
  flock "$work/kept/.pmon-lock" "$pmon" bench-driver --qemu false --check units --artifacts "$work/kept" >"$work/out" 2>&1
  [ $? -eq 2 ] && grep -q -- "--artifacts $work/kept: another pmon process is writing there; choose another folder" "$work/out" ||
    fail "$(cat "$work/out")"
  flock "$work/kept/.pmon-lock" "$pmon" vm --qemu false --artifacts "$work/kept" -- true >"$work/out" 2>&1
  [ $? -eq 2 ] && grep -q -- "--artifacts $work/kept: another pmon process is writing there" "$work/out" || fail "$(cat "$work/out")"
fi
printf 'sw.reserved HA_*\n' >"$work/known"
"$pmon" bench-driver --qemu false --baseline "$work/known" >"$work/out" 2>&1
[ $? -eq 2 ] && grep -q "$work/known:1: the reason is missing" "$work/out" || fail "$(cat "$work/out")"
# Numbers in pmon's own messages are not values of the tool: 1 occurs in "line 1".
echo hello >"$work/scenario"
"$pmon" bench-tool --qemu false --value 'a 1 0 (1)' --scenario "$work/scenario" --json "$work/json" -- true >"$work/out" 2>&1
[ $? -eq 1 ] && grep -q 'no guest was started (exit code 2 of the guest)' "$work/out" && grep -q '^a .*missing$' "$work/out" ||
  fail "$(cat "$work/out")"

# ---- a signal: no process and no folder remains, and pmon's exit is due to the signal ----
cat >"$work/qemu" <<'END'
#!/bin/sh
[ "$1" = -device ] && { echo '"x-pci-proxy-dev" "pmon-msr"'; exit 0; }
echo $$ >"$STARTED"
exec sleep 1000
END
chmod +x "$work/qemu"
mkdir "$work/temporary" "$work/programs"
python3 "$(dirname "$0")/../vm/fake_qemu.py" --kernel "$work/bzImage" || exit $failed
# Starts a program in its own process group, in which these signals are ignored, and the others are not: a shell's
# background jobs ignore SIGINT.
cat >"$work/with" <<'END'
import os, signal, sys
for name in ('SIGINT', 'SIGTERM', 'SIGHUP', 'SIGCHLD'):
    signal.signal(getattr(signal, name), signal.SIG_IGN if name in sys.argv[1].split(',') else signal.SIG_DFL)
os.setpgid(0, 0)
os.execv(sys.argv[2], sys.argv[2:])
END
ended() {    # the signal's name, its number, to whom ("-": to the group), the signals that are ignored, arguments...
  name=$1 number=$2 whom=$3 ignored=$4
  shift 4
  export TMPDIR="$work/temporary" STARTED="$work/started"
  rm -f "$STARTED"
  python3 "$work/with" "$ignored" "$pmon" "$@" >"$work/out" 2>&1 &
  pid=$!
  until [ -s "$STARTED" ] || ! kill -0 $pid 2>/dev/null; do :; done
  kill -s "$name" -- "$whom$pid"
  wait $pid
  code=$?
  [ $code -eq $((128 + number)) ] || fail "pmon $*: exit code $code after SIG$name: $(cat "$work/out")"
  while state=$(sed 's/.*) //;s/ .*//' "/proc/$(cat "$STARTED")/stat" 2>/dev/null) && [ -n "$state" ] && [ "$state" != Z ]; do
    :        # the kernel ends it when its parent has ended; the test's time limit is the limit
  done
  [ -z "$(ls "$TMPDIR")" ] || fail "pmon $* leaves $(ls "$TMPDIR")"
}
if command -v busybox >/dev/null; then
  ended TERM 15 '' none bench-driver --qemu "$work/qemu" --kernel "$work/bzImage" -j 2
  ended TERM 15 '' none bench-tool --qemu "$work/qemu" --vm "--kernel $work/bzImage" --value 'a 1 0 b' -- true
  # A pmon that ignores SIGTERM still ends its guest; the end of the last guest is not a result.
  rm -f "$work/json"
  ended INT 2 '' SIGTERM,SIGCHLD bench-driver -p snbep --sockets 1 --qemu "$work/qemu" --kernel "$work/bzImage" --json "$work/json"
  ended INT 2 - SIGTERM bench-driver -p snbep --sockets 1 --qemu "$work/qemu" --kernel "$work/bzImage" --json "$work/json"
  [ ! -s "$work/json" ] || fail "a report of guests that a signal ended: $(cat "$work/json")"
fi

# ---- ^C also ends programs that decompress a kernel ----
cat >"$work/programs/dpkg-deb" <<'END'
#!/bin/sh
echo $$ >"$STARTED"
exec sleep 1000
END
chmod +x "$work/programs/dpkg-deb"
: >"$work/linux.deb"
before=$PATH PATH=$work/programs:$PATH
ended INT 2 - none bench-driver --qemu "$work/qemu" --kernel "$work/linux.deb"
PATH=$before
grep -qx "pmon bench-driver: --kernel $work/linux.deb: interrupted" "$work/out" || fail "$(cat "$work/out")"

# ---- the end of a guest is detected although the parent ignores SIGCHLD ----
unseen() {   # arguments...
  python3 "$work/with" SIGCHLD "$pmon" "$@" >"$work/out" 2>&1
  code=$?
  [ $code -eq 1 ] && grep -q 'no guest (exit code 125' "$work/out" || fail "pmon $*: exit code $code: $(cat "$work/out")"
}
unseen bench-driver --qemu false -p snbep --sockets 1
unseen bench-tool --qemu false --value 'a 1 0 b' -- true
exit $failed
