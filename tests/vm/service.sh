#!/bin/sh
# SPDX-License-Identifier: MIT
# The systemd units of `pmon exporter` in a guest, under systemd. With Debian's kernel.perf_event_paranoid of 3 the
# service ends, and its message has the remedy; with 2 it counts, without any privilege once it has opened its counters,
# and ends properly. Usage: service.sh PMON SCENARIO FOLDER-OF-UNITS
pmon=$1 scenario=$2 units=$3 what="no service ran in a guest"
. "$(dirname "$0")/guest.sh"
need qemu-system-x86_64 busybox xz /lib/systemd/systemd systemctl
http=$(ldconfig -p 2>/dev/null | sed -n 's/.*libmicrohttpd.so.12 .*=> //p' | head -n 1)
[ -n "$http" ] || skip "libmicrohttpd is not here"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
PATH=$(dirname "$(realpath "$pmon")"):$PATH
# systemd's own libraries are not on the loader's path; and the targets that each unit requires.
set --
for file in $(ldd /lib/systemd/systemd | sed -n 's|.*=> \(.*/systemd/.*\) (.*|\1|p') \
  /lib/systemd/system/sysinit.target /lib/systemd/system/shutdown.target; do
  set -- "$@" --with "$file"
done
cat >"$work/script" <<END
units=$units
END
cat >>"$work/script" <<'END'
ip link set lo up
mount -t tmpfs run /run
mount -t cgroup2 cgroup /sys/fs/cgroup
mkdir -p /etc/systemd/system/pmon-exporter.service.d /usr/bin /var/tmp
ln -s "$(command -v pmon)" /usr/bin/pmon
echo root:x:0:0:root:/root:/bin/sh >/etc/passwd
echo root:x:0: >/etc/group
cp $units/pmon-exporter.s* /etc/systemd/system
printf '[Service]\nStandardError=append:/run/log\n' >/etc/systemd/system/pmon-exporter.service.d/log.conf
# PID 1 of a namespace, since the guest's own is pmon's init.
container=pmon unshare -f -p -m --mount-proc /lib/systemd/systemd --system --unit=pmon-exporter.socket &
control() { nsenter -t "$(pidof systemd | tr ' ' '\n' | sort -n | head -n 1)" -m -p systemctl "$@"; }
until control is-active pmon-exporter.socket >/dev/null 2>&1; do sleep 1; done
level=/proc/sys/kernel/perf_event_paranoid
echo 3 >$level
wget -q -O /tmp/first http://127.0.0.1:9738/metrics 2>/dev/null & # not answered
client=$!
until grep -q CAP_SYS_ADMIN /run/log 2>/dev/null; do sleep 1; done
sed 's/.*\(`sysctl\)/\1/' /run/log | sort -u
echo 2 >$level
control stop pmon-exporter.socket pmon-exporter.service
kill $client 2>/dev/null
control reset-failed pmon-exporter.service pmon-exporter.socket
control start pmon-exporter.socket
until wget -q -O /tmp/first http://127.0.0.1:9738/metrics 2>/dev/null; do sleep 1; done
pmon-step
intervals() { awk '$1 == "pmon_intervals_total" { print $2 }' /tmp/metrics; }
wget -q -O /tmp/metrics http://127.0.0.1:9738/metrics
from=$(intervals)
until [ $(($(intervals) - from)) -ge 2 ]; do
  sleep 1
  wget -q -O /tmp/metrics http://127.0.0.1:9738/metrics
done
awk '/^pmon_memory_(read|written)_bytes_total/ { split($1, name, "{"); n[name[1]] += $2 }
     END { for (i in n) printf "%s %.0f\n", i, n[i] }' /tmp/metrics | sort
for status in /proc/[0-9]*/status; do
  grep -q '^Name:.pmon$' $status && awk '
    $1 == "Uid:" { uid = $2 } $1 == "CapEff:" || $1 == "CapPrm:" { held = held $2 } $1 == "Seccomp:" { filter = $2 }
    END { print "process of " (uid >= 61184 && uid <= 65519 ? "a dynamic user" : uid), held + 0, "filter", filter }' $status
done
control stop pmon-exporter.socket pmon-exporter.service
control show -p Result -p ExecMainStatus pmon-exporter.service | sort
END
"$pmon" vm --processors 1 --scenario "$scenario" --timeout 1800 --with "$units" --with pmon --with "$http" \
  --with /lib/systemd/systemd --with "$(command -v systemctl)" "$@" -- sh -c "$(cat "$work/script")" \
  >"$work/out" 2>"$work/errors"
booted $? "$work/out" "$work/errors"
# What socket 0's memory transfers in the scenario, in lines of 64 bytes.
bytes() {
  "$pmon" stat --csv --per-socket -e "$1" --scenario "$scenario" 2>/dev/null |
    awk -F , -v e="$1" '$4 == e && $5 == 0 { printf "%.0f\n", $8 * 64 }'
}
cat >"$work/want" <<END
\`sysctl kernel.perf_event_paranoid=0\`, or =2 and give pmon CAP_PERFMON
pmon_memory_read_bytes_total $(bytes imc/CAS_COUNT.RD/)
pmon_memory_written_bytes_total $(bytes imc/CAS_COUNT.WR/)
process of a dynamic user 0 filter 2
process of a dynamic user 0 filter 2
ExecMainStatus=0
Result=success
END
diff "$work/want" "$work/out" || { cat "$work/errors"; exit 1; }
