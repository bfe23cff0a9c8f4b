#!/bin/sh
# SPDX-License-Identifier: MIT
# The machine's MSRs and configuration space as files: a scenario's counts by plain reads and writes of the files, by
# Debian's rdmsr and wrmsr on a private /dev/cpu, by setpci, and by pmon with the mount as root equal those of pmon
# stat. Usage: mount.sh PMON SCENARIO [MODULE]
pmon=$1 scenario=$2 module=${3:-} failed=0
skip() { echo "SKIPPED: nothing was mounted: $1"; exit 77; }
[ -c /dev/fuse ] || skip "no /dev/fuse"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/cpu"
"$pmon" machine mount -p snbep "$work/cpu" true 2>"$work/why" || skip "$(cat "$work/why")"
is() { [ "$2" = "$3" ] || { echo "$1: \"$2\", and not \"$3\""; failed=1; }; }

cat >"$work/plain" <<'END'
put() { printf "$2" | dd of="$1/msr" bs=8 oflag=seek_bytes seek=$(($3)) conv=notrunc 2>/dev/null; }
get() { dd if="$1/msr" bs=8 iflag=skip_bytes skip=$(($2)) count=1 2>/dev/null | od -An -tu8 | tr -d ' '; }
cd "$1"
put 0 '\065\012\100\000\000\000\000\000' 0xd10
cat time
echo end >time
get 0 0xd16; get 15 0xd16
get 0 0x10
echo 1x >time || echo refused
ls | wc -l
END
"$pmon" machine mount -p snbep --scenario "$scenario" "$work/cpu" sh "$work/plain" "$work/cpu" >"$work/out" 2>/dev/null
want=$("$pmon" stat -p snbep --csv --per-unit --scenario "$scenario" -e cbo/TOR_INSERTS.MISS_ALL/ |
  awk -F , '$4 ~ /TOR_INSERTS/ { print $8; exit }')
set -- $(cat "$work/out")
[ "${want:-0}" -gt 0 ] || { echo "the scenario makes no miss"; failed=1; }
is "time at first" "$1" 0
is "misses of CBo 0" "$2" "$want"
is "CBo 0 of the other socket, where nothing was programmed" "$3" 0
is "what a processor's own MSR and a wrong number give, and what there is" "$4 $5" "refused 20"

# A write with reserved bits is an input/output error, and nothing is written; with --lenient, the other bits are
# written.
cat >"$work/reserved" <<'END'
cd "$1/0"
printf '\065\012\100\000\001\000\000\000' | dd of=msr bs=8 oflag=seek_bytes seek=$((0xd10)) conv=notrunc 2>/dev/null || echo refused
dd if=msr bs=8 iflag=skip_bytes skip=$((0xd10)) count=1 2>/dev/null | od -An -tx8 | tr -d ' '
END
for lenient in "" --lenient; do
  "$pmon" machine mount -p snbep $lenient "$work/cpu" sh "$work/reserved" "$work/cpu"
done >"$work/out"
is "reserved bits" "$(paste -sd ' ' "$work/out")" "refused 0000000000000000 0000000000400a35"
"$pmon" machine mount -p emr "$work/cpu" sh -c '
  cd '"$work/cpu"'; printf "\001\000\000\000\000\000\000\000" | dd of=127/msr bs=8 oflag=seek_bytes seek=$((0x2002)) conv=notrunc 2>/dev/null
  echo 1000 >time; cat time; dd if=127/msr bs=8 iflag=skip_bytes skip=$((0x2008)) count=1 2>/dev/null | od -An -tu8 | tr -d " "' >"$work/out"
is "1000 ns, and the clocks of an Emerald Rapids CHA in them" "$(paste -sd ' ' "$work/out")" "1000 2200"
printf 'thread 0 on core 0: stream read 64K\n' >"$work/short.scn"
"$pmon" machine mount -p snbep --scenario "$work/short.scn" "$work/cpu" sh -c '
  cd '"$work/cpu"'; for n in 100000 100000 end; do echo $n >time; cat time; done' >"$work/out"
is "times behind the end of a scenario" "$(paste -sd ' ' "$work/out")" "100000 200000 200000"
"$pmon" machine mount -p snbep "$work/cpu" sh -c 'exit 7'
is "the command's exit code" $? 7
# A signal is passed to the command, which has the files until it ends, by itself or by a second signal. The
# dispositions of other signals are unchanged in the command.
cat >"$work/stopped" <<'END'
go_on() { while :; do read x <time; done; }
trap "cat time; $2" TERM
cd "$1"
echo 30 >time
kill -INT $PPID
go_on
END
stop() { timeout -k 10 600 "$pmon" machine mount -p snbep "$work/cpu" sh "$work/stopped" "$work/cpu" "$1" >"$work/out"; }
stop 'exit 3'
is "a stopped command's exit code and time" "$? $(cat "$work/out")" "3 30"
stop 'kill -INT $PPID; go_on'
is "those of one that is stopped again" "$? $(cat "$work/out")" "137 30"
"$pmon" machine mount -p snbep "$work/cpu" sh -c 'kill -PIPE $$; kill -HUP $$; exit 0'
is "a broken pipe" $? 141
# Configuration space: by plain reads and writes, and by pmon on the mounted root, for either socket.
stat() { "$pmon" stat -p snbep --csv --per-unit -e imc/CAS_COUNT.RD/,cbo/TOR_INSERTS.MISS_ALL/ "$@" |
  awk -F , 'NR > 1 { print $4, $5, $7, $8 }'; }
stat --scenario "$scenario" >"$work/machine"
reads=$(awk '/CAS_COUNT.RD/ { print $4; exit }' "$work/machine")
cat >"$work/pci" <<'END'
cd "$1/sys/bus/pci/devices/0000:7f:10.0"
put() { printf "$2" | dd of=config bs=4 oflag=seek_bytes seek=$(($1)) conv=notrunc 2>/dev/null; }
cat vendor device local_cpulist
put 0xd8 '\004\003\100\000'
put 0xa0 '\000\000\000\000'
echo end >"$1/time"
dd if=config bs=4 iflag=skip_bytes skip=$((0xa0)) count=1 2>/dev/null | od -An -tu4 | tr -d ' '
dd if=config bs=1 2>/dev/null | wc -c
echo 1 2>/dev/null >device || echo kept
END
"$pmon" machine mount -p snbep --scenario "$scenario" "$work/cpu" sh "$work/pci" "$work/cpu" >"$work/out" 2>/dev/null
[ "${reads:-0}" -gt 0 ] || { echo "the scenario reads nothing on channel 0"; failed=1; }
is "a function and its channel's reads" "$(paste -sd ' ' "$work/out")" "0x8086 0x3cb0 0-7 $reads 256 kept"
"$pmon" machine mount -p snbep --scenario "$scenario" "$work/cpu" "$pmon" stat -p snbep --root "$work/cpu" --backend direct \
  --csv --per-unit -e imc/CAS_COUNT.RD/,cbo/TOR_INSERTS.MISS_ALL/ -- sh -c "echo end >$work/cpu/time" 2>/dev/null |
  awk -F , 'NR > 1 { print $4, $5, $7, $8 }' >"$work/root"
[ "$(wc -l <"$work/machine")" -eq 24 ] || { echo "not 2 sockets of 4 channels and 8 CBos"; failed=1; }
diff "$work/machine" "$work/root" || { echo "pmon counts otherwise on the mounted root"; failed=1; }
if command -v setpci >/dev/null && command -v lspci >/dev/null; then
  sysfs="-A linux-sysfs -O sysfs.path=$work/cpu/sys/bus/pci"
  "$pmon" machine mount -p snbep --scenario "$scenario" "$work/cpu" sh -c "
    setpci $sysfs -s ff:10.0 0xd8.l=0x400304 0xa0.l=0; echo end >$work/cpu/time; setpci $sysfs -s ff:10.0 0xa0.l
    lspci $sysfs -n -s 7f:10.0" >"$work/out"
  other=$(awk '/CAS_COUNT.RD/ && $2 == 1 { print $4; exit }' "$work/machine")
  is "the other socket's reads by setpci" "$((0x$(sed -n 1p "$work/out")))" "$other"
  is "what lspci lists" "$(sed -n 2p "$work/out" | awk '{ print $1, $3 }')" "7f:10.0 8086:3cb0"
else
  echo "setpci and lspci were not tried: they are not here"
fi
grep -q "$work" /proc/mounts && { echo "still mounted"; failed=1; }
# A signal that arrives as soon as the files are mounted ends the mount, and a command as one that arrives later.
if [ -n "$module" ]; then
  LD_PRELOAD=$module "$pmon" machine mount -p snbep "$work/cpu"
  is "an early signal" $? 0
  grep -q "$work" /proc/mounts && { echo "still mounted after an early signal"; umount -l "$work/cpu"; failed=1; }
fi
# A killed pmon leaves no mount either: a second process removes it a moment later.
mkfifo "$work/runs"
"$pmon" machine mount -p snbep "$work/cpu" sh -c "echo yes >'$work/runs'; exec sleep 60" 2>/dev/null &
read -r runs <"$work/runs"
grep -q "$work" /proc/mounts || { echo "not mounted"; failed=1; }
kill -9 $!
wait $! 2>/dev/null
tries=0
while grep -q "$work" /proc/mounts && [ $tries -lt 1200 ]; do tries=$((tries + 1)); timeout 0.05 tail -f /dev/null; done
grep -q "$work" /proc/mounts && { echo "still mounted after a kill"; umount -l "$work/cpu"; failed=1; }

if [ -d /dev/cpu ] && command -v rdmsr >/dev/null && unshare -m true 2>/dev/null; then
  unshare -m "$pmon" machine mount -p snbep --scenario "$scenario" /dev/cpu \
    sh -c 'wrmsr 0xd10 0x400a35; echo end >/dev/cpu/time; rdmsr -d 0xd16; rdmsr -a -x 0xd10 | sort | uniq -c' >"$work/out"
  set -- $(cat "$work/out")
  is "misses of CBo 0 by rdmsr" "$1" "$want"
  is "what was written, on eight processors of each socket" "$2 $3 $4 $5" "8 0 8 400a35"
else
  echo "rdmsr and wrmsr were not tried: they, /dev/cpu or the right to a mount namespace are not here"
fi
exit $failed
