# SPDX-License-Identifier: MIT
# Sourced by the tests that boot a guest: conditions for skipping, and comparison of counts. The caller sets `what`,
# with which the message of a skip begins.
skip() { echo "SKIPPED: $what: $1"; exit 77; }
need() {     # programs of this host
  for tool in "$@"; do
    command -v "$tool" >/dev/null || skip "$tool is not here"
  done
}
need_qemu() {     # the one that `qemu` names, with what vm/qemu/pmon.patch adds; and programs
  [ -n "$qemu" ] || skip "neither PMON_VM_QEMU nor the option vm_qemu names a QEMU that vm/qemu/build.sh made"
  need "$qemu" "$@"
}
kernel_6_1() { # sets kernel: Debian's, as pmon vm keeps it after its first guest
  for i in 1 2; do
    kernel=$(ls "${XDG_CACHE_HOME:-$HOME/.cache}"/pmon/vm/kernel/boot/vmlinuz-6.1.* 2>/dev/null | tail -n 1)
    [ -z "$kernel" ] || return 0
    [ $i -eq 2 ] || "$pmon" vm --timeout 900 -- true >/dev/null 2>&1
  done
  skip "no kernel 6.1 has been downloaded"
}
booted() {   # exit code of pmon vm, and files that say more when it is not 0
  result=$1
  shift
  if [ "$result" -eq 125 ]; then cat "$@"; skip "this QEMU cannot, or there is no kernel"; fi
  [ "$result" -eq 0 ] || { cat "$@"; echo "the guest's exit code is $result"; exit 1; }
}
# Reads lines `NAME WANTED COUNT...` from standard input: every count must equal WANTED. Sets failed, and moved, the
# number of lines with WANTED greater than 0.
compare() {
  failed=0 moved=0
  while read -r name want counts; do
    echo "$name $want, counted $counts"
    [ -n "$counts" ] || failed=1
    for got in $counts; do [ "$got" = "$want" ] || failed=1; done
    [ "$want" = 0 ] || moved=$((moved + 1))
  done
}
# Joins a list `EVENT PERF'S-EVENT` with socket 0's counts of `pmon stat --csv --per-socket` and of `perf stat -x ' '`.
join_counts() {
  while read -r event perf; do
    echo "$event $(awk -F , -v e="$event" '$4 == e && $5 == 0 { print $8 }' "$1")" \
      "$(awk -v e="$perf" '$2 == e { print $1 }' "$2")"
  done
}
# Sets events of all ten kinds of Emerald Rapids' units: `ours` for pmon, `theirs` for perf; $work/events has them side
# by side. The kernel's event is the control register value that pmon encodes.
emr_events() {
  for event in cha/TOR_INSERTS.IA_MISS/ imc/CAS_COUNT.RD/ m2m/IMC_READS.ALL/ upi/TxL_FLITS.ALL_DATA/ \
    iio/DATA_REQ_OF_CPU.MEM_WRITE.PART0/ cha/CLOCKTICKS/ m2m/CLOCKTICKS/ upi/CLOCKTICKS/ iio/CLOCKTICKS/ \
    irp/CLOCKTICKS/ m2pcie/CLOCKTICKS/ m3upi/CLOCKTICKS/ mdf/Clockticks/ pcu/CLOCKTICKS/; do
    code=$("$pmon" -p emr encode "$event" | sed -n 's/.*_CTL0 .*= \(0x[0-9a-f]*\).*/\1/p' | head -n 1)
    echo "$event uncore_${event%%/*}/config=$code/"
  done >"$work/events"
  ours=$(cut -d ' ' -f 1 "$work/events" | paste -sd , -) theirs=$(cut -d ' ' -f 2 "$work/events" | paste -sd , -)
}
# For a guest's script: makes /tmp/step, to be used as `sh /tmp/step NANOSECONDS [wake]` as the command of a tool that
# starts it before it counts. Time advances by NANOSECONDS ("": to the end) once the tool sleeps; with `wake`, this
# lasts until a signal arrives, and the command stays.
tool_step() {
  cat <<'END'
cat >/tmp/step <<'STEP'
until grep -q nanosleep /proc/$PPID/wchan; do :; done
pmon-step $1
[ "$2" = wake ] || exit 0
kill -CONT $PPID
exec sleep 1000 >/dev/null 2>&1
STEP
END
}
