#!/bin/sh
# SPDX-License-Identifier: MIT
# Every reader of files has limits (docs/limits.md): endless files, long lines and small files that ask for much end within
# 10 s of processor time and 512 MB, and the message states the limit. Usage: limits.sh PMON [sanitized]
set -u
pmon=$1 bad=0
kilobytes=524288 seconds=10
most_kilobytes=524288
# The sanitizers keep what was freed for a while.
[ "${2-}" = sanitized ] && kilobytes=unlimited seconds=100 most_kilobytes=1048576
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; bad=1; }

# ends CODE TEXT COMMAND...
ends() {
  want=$1 text=$2
  shift 2
  (ulimit -v $kilobytes; ulimit -t $seconds; timeout 200 "$pmon" "$@") >"$work/out" 2>"$work/err" </dev/null
  code=$?
  [ $code = "$want" ] || fail "$*: exit code $code, not $want: $(head -c 300 "$work/err")"
  [ -z "$text" ] || grep -q -- "$text" "$work/err" || fail "$*: \"$(head -c 300 "$work/err")\" lacks \"$text\""
}
ends 2 'has a zero byte' machine check /dev/zero
ends 2 'has a zero byte' machine replay /dev/zero
ends 2 'has a zero byte' machine diff /dev/zero /dev/zero
ends 2 'text of less than 64 MiB' -p /dev/zero list
ends 2 'not a log' stat -p emr --replay /dev/zero -e cha/CLOCKTICKS/
ends 2 'scenario is too long' stat -p emr --scenario /dev/zero
ends 2 'longer than any capture' doctor --replay /dev/zero
ends 2 'longer than any capture' machine describe --capture /dev/zero
ends 2 'no regular file' report /dev/zero
ends 3 'not a regular file' restore /dev/zero
ends 2 'expected near end of file' import /dev/zero
ends 1 'line of text of at most 4095 bytes' -p montecito stat --bundles /dev/zero

# Without line ends.
tr '\0' x </dev/zero | head -c 300000000 >"$work/long"
ends 2 'longer than 256 MiB' machine check "$work/long"
ends 2 'text of less than 64 MiB' -p "$work/long" list
ends 1 'line of text of at most 4095 bytes' -p montecito stat --bundles "$work/long"
{ echo '# pmon-log 1'; cat "$work/long"; } >"$work/log"
ends 2 'line of text of at most 4095 bytes' stat -p emr --replay "$work/log" -e cha/CLOCKTICKS/
rm "$work/long" "$work/log"

# A kernel image of 3 MB that unpacks to 2 GB.
if command -v gzip >/dev/null && command -v qemu-system-x86_64 >/dev/null; then
  head -c 2000000000 /dev/zero | gzip -9 >"$work/payload"
  size=$(wc -c <"$work/payload")
  bytes() { for n in "$@"; do printf "\\$(printf %03o "$n")"; done; }
  at() { dd of="$work/kernel" bs=1 seek="$1" conv=notrunc 2>/dev/null; }
  truncate -s 1024 "$work/kernel"
  bytes 1 | at 497
  bytes 85 170 | at 510
  printf HdrS | at 514
  bytes 12 2 | at 518
  bytes $((size & 255)) $((size >> 8 & 255)) $((size >> 16 & 255)) 0 | at 588
  cat "$work/payload" >>"$work/kernel"
  kilobytes=unlimited # the emulated machine's caches
  ends 1 'kernel' vm --kernel "$work/kernel" -- true
  ends 1 'File too large' vm --kernel /dev/zero -- true
  [ -x /usr/bin/time ] && { /usr/bin/time -f %M "$pmon" vm --kernel "$work/kernel" -- true 2>&1 | tail -n 1 |
    { read -r most; [ "$most" -lt "$most_kilobytes" ] || echo "kernel: $most kB"; }; } | grep . && bad=1
else
  echo 'SKIPPED: no gzip or no qemu-system-x86_64: no kernel image was tried'
fi

# A platform of 100,000 events, and one of 87,000 imports.
cat >"$work/own.platform" <<'END'
platform own
title own
cite X 1
clock uclk 1000000000 a clock
file own.reg
file own.unit
file own.evt
END
cat >"$work/own.reg" <<'END'
cite X 1
register CTL width 64
  63:8 umask rw 0 umask
  7:0 ev_sel rw 0 alias=event which
register CTR width 64
  63:0 count rw 0 volatile the count
END
cat >"$work/own.unit" <<'END'
cite X 1
unit own
  title own
  instances 1
  counters 1 width 64
  clock uclk
  events own
  at msr 0x2000
  register ctl OWN_CTL CTL 0x0 count 1
  register ctr OWN_CTR CTR 0x20 count 1
END
{ printf 'cite X 1\nevents own\n'; seq 0 99999 | awk '{ printf "event E%d 0x%x\n  brief e\n", $1, $1 % 256 }'; } >"$work/own.evt"
ends 0 '' -p "$work/own.platform" list
[ "$(grep -c '^own/E' "$work/out")" = 100000 ] || fail "$(wc -l <"$work/out") events"
{ echo 'platform many'; yes 'import emr' | head -n 87000; } >"$work/many.platform"
ends 2 'imported already' -p "$work/many.platform" list
exit $bad
