#!/bin/sh
# SPDX-License-Identifier: MIT
# The privileged helper in a guest, on its kernel's own devices: a user of the group counts through it, in MSRs,
# configuration space and memory of two sockets; the registers are restored; the same user without it, and a user
# outside the group, are refused. While it serves, the helper is the user's process without capabilities, with a filter
# of system calls. Usage: helper.sh PMON HELPER PLATFORM SCENARIO [QEMU]
pmon=$1 helper=$2 platform=$3 scenario=$4 qemu=${5-} what="no helper ran in a guest"
. "$(dirname "$0")/guest.sh"
need busybox xz setpriv
case $platform in
emr) need_qemu && events=imc/CAS_COUNT.RD/,cha/CLOCKTICKS/,m2m/CLOCKTICKS/,upi/CLOCKTICKS/,pcu/CLOCKTICKS/ ;;
*) need qemu-system-x86_64 && qemu= events=imc/CAS_COUNT.RD/,cbo/CLOCKTICKS/,ha/CLOCKTICKS/,pcu/CLOCKTICKS/ ;;
esac
program=$(grep -ao '/[[:alnum:]_./-]*/pmon-access' "$pmon" | head -n 1)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
PATH=$(dirname "$(realpath "$pmon")"):$PATH
cat >"$work/script" <<END
copy=$(realpath "$helper") program=$program events=$events setpriv=$(command -v setpriv)
END
cat >>"$work/script" <<'END'
rmmod intel_uncore
mkdir -p "$(dirname "$program")" /var/user
chmod 1777 /var/user
cp "$copy" "$program"
cd /var/user
mkfifo ready go
chmod 666 ready go
# Without those that run freely.
registers() { pmon capture | grep -v '^#\|FRCTR\|ENERGY\|RESIDENCY\|CORE_C[36]_CTR\|THERM_STATUS'; }
as() {       # user, group, command; not busybox's setpriv
  $setpriv --reuid "$1" --regid "$2" --clear-groups sh -c "$3"
}
measure='pmon stat --backend direct --csv --per-socket -e $events -o counts.$(id -u) -- sh -c "echo ready >ready; read -r word <go"'
export events HOME=/var/user XDG_RUNTIME_DIR=/var/user
registers >before
as 1000 2000 "$measure" 2>errors
echo "without privileges $? $(grep -c 'ermission' errors | tr 1-9 1)"
chown 0:2000 "$program"
chmod 4750 "$program"
as 1001 1001 "$measure" 2>errors
echo "outside the group $? $(grep -c 'ermission' errors | tr 1-9 1)"
as 1000 2000 "$measure" 2>errors &
read -r -t 300 word <>ready
for process in /proc/[0-9]*; do
  case $(cat $process/comm) in
  pmon-access) awk '$1 == "Uid:" { uid = $2 } $1 == "CapEff:" { held = $2 + 0 } $1 == "Seccomp:" { filter = $2 }
    END { print "helper", uid, held, filter }' $process/status ;;
  esac
done
pmon-step
echo go >go
wait $!
echo "through the helper $?"
cat errors >&2
registers | cmp - before && echo restored
awk -F , '$4 ~ "/" { print $4, $5, $8 }' counts.1000
END
"$pmon" -p "$platform" vm ${qemu:+--qemu "$qemu"} --sockets 2 --scenario "$scenario" --timeout 1800 --with pmon \
  --with "$helper" --with "$(command -v setpriv)" -- sh -c "$(cat "$work/script")" >"$work/out" 2>"$work/errors"
booted $? "$work/out" "$work/errors"
{
  printf '%s\n' 'without privileges 3 1' 'outside the group 3 1' 'helper 1000 0 2' 'through the helper 0' restored
  "$pmon" -p "$platform" stat --csv --per-socket -e "$events" --scenario "$scenario" 2>/dev/null |
    awk -F , '$4 ~ "/" { print $4, $5, $8 }'
} >"$work/want"
diff "$work/want" "$work/out" || { cat "$work/errors"; exit 1; }
