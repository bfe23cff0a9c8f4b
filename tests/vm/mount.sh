#!/bin/sh
# SPDX-License-Identifier: MIT
# The machine's MSRs as files: a scenario's count by plain reads and writes of them, and by Debian's rdmsr and wrmsr on a
# /dev/cpu of their own, is what pmon stat counts. Usage: mount.sh PMON SCENARIO
pmon=$1 scenario=$2 failed=0
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
is "what a processor's own MSR and a wrong number give, and what there is" "$4 $5" "refused 17"

"$pmon" machine mount -p emr "$work/cpu" sh -c '
  cd '"$work/cpu"'; printf "\001\000\000\000\000\000\000\000" | dd of=127/msr bs=8 oflag=seek_bytes seek=$((0x2002)) conv=notrunc 2>/dev/null
  echo 1000 >time; cat time; dd if=127/msr bs=8 iflag=skip_bytes skip=$((0x2008)) count=1 2>/dev/null | od -An -tu8 | tr -d " "' >"$work/out"
is "1000 ns, and the clocks of an Emerald Rapids CHA in them" "$(paste -sd ' ' "$work/out")" "1000 2200"
"$pmon" machine mount -p snbep "$work/cpu" sh -c 'exit 7'
is "the command's exit code" $? 7
grep -q "$work" /proc/mounts && { echo "still mounted"; failed=1; }

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
