#!/bin/sh
# SPDX-License-Identifier: MIT
# `pmon exporter` in a guest of two sockets with two processors each, while its counters are disturbed: the processor
# through which the second socket is read goes offline and comes back, and the kernel's driver is loaded, which resets
# the CBos. Each scrape is answered; undisturbed counters are exact; counters that the driver reset keep their value.
# The log has this once at most: not at all if each interval had its own check, because the guest was slow. Usage:
# served.sh PMON SCENARIO
pmon=$1 scenario=$2 what="no exporter ran in a guest"
. "$(dirname "$0")/guest.sh"
need qemu-system-x86_64 busybox xz
# pmon loads this library when it serves.
http=$(ldconfig -p 2>/dev/null | sed -n 's/.*libmicrohttpd.so.12 .*=> //p' | head -n 1)
[ -n "$http" ] || skip "libmicrohttpd is not here"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
PATH=$(dirname "$(realpath "$pmon")"):$PATH
cat >"$work/script" <<'END'
ip link set lo up
rmmod intel_uncore
url=http://127.0.0.1:9001/metrics
pmon exporter --listen 127.0.0.1:9001 -e imc/CLOCKTICKS/,cbo/CLOCKTICKS/ >/tmp/log 2>&1 &
exporter=$!
until wget -q -O /tmp/first $url 2>/dev/null; do sleep 1; done
# Waits until that number of intervals has ended: the first of them may have begun before the event that they must
# observe.
later() {
  from=$(intervals)
  until [ $(($(intervals) - from)) -ge $1 ]; do sleep 1; done
}
intervals() {
  wget -q -O /tmp/metrics $url || echo "no answer: $step" >&2
  awk '$1 == "pmon_intervals_total" { print $2 }' /tmp/metrics
}
sum() { awk -v e="$1" '$1 ~ "^pmon_events_total" && index($1, e) { n += $2 } END { print n + 0 }' /tmp/metrics; }
for step in rest offline online load; do
  case $step in
    offline) echo 0 >/sys/devices/system/cpu/cpu2/online ;;
    online)
      echo 1 >/sys/devices/system/cpu/cpu2/online
      until grep -q '^0-3$' /sys/devices/system/cpu/online; do :; done ;;
    load) insmod /usr/pmon/modules/intel-uncore.ko || echo "the driver is not loaded" ;;
  esac
  later 2
  pmon-step 100000
  later 2
  echo "scrape $step $(sum imc/CLOCKTICKS) $(sum cbo/CLOCKTICKS)"
done
kill $exporter
wait $exporter
echo "ended $? $(grep -c 'another program changed' /tmp/log | tr 0 1)"
END
"$pmon" vm --sockets 2 --processors 2 --scenario "$scenario" --timeout 1800 --with pmon --with "$http" \
  -- sh -c "$(cat "$work/script")" >"$work/out" 2>"$work/errors"
booted $? "$work/out" "$work/errors"
# A step is 100 us: 80,000 clocks at 800 MHz in each of eight channels, 270,000 at 2.7 GHz in each of 16 CBos.
cat >"$work/want" <<'END'
scrape rest 640000 4320000
scrape offline 1280000 8640000
scrape online 1920000 12960000
scrape load 2560000 12960000
ended 0 1
END
diff "$work/want" "$work/out" || { cat "$work/errors"; exit 1; }
