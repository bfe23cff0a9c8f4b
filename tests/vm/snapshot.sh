#!/bin/sh
# SPDX-License-Identifier: MIT
# `pmon vm --snapshot`: the first run saves the guest's state after its boot; the second resumes from the state (it has
# the same boot time) with another command, file and driver, and has the counts of a guest that has just booted. Changes
# that one command makes in the guest are absent for the next. A guest resumed from the state after its kernel's search
# for PCI functions, or after its driver's load, has the same accesses, counts and findings as one that has executed
# these steps; where the answers could differ, the steps are executed. A matrix of bench-driver has the same verdicts
# with states as without. Needs a QEMU that vm/qemu/build.sh made. Usage: snapshot.sh PMON SCENARIO QEMU
pmon=$1 scenario=$2 qemu=${PMON_VM_QEMU:-$3} what="no guest was begun with its state"
. "$(dirname "$0")/guest.sh"
need_qemu busybox xz perf rdmsr wrmsr jq
kernel_6_1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
mkdir "$work/kept"
echo 'of this host' >"$work/file"
find "${kernel%/boot/*}" -name 'intel-uncore.ko*' | while read -r module; do
  case $module in *.xz) xz -dc "$module" ;; *) cat "$module" ;; esac
done >"$work/intel-uncore.ko"
count='perf stat -x " " -a -e uncore_cbox_0/event=0/,uncore_imc_0/event=4,umask=3/,uncore_ha/event=1,umask=3/ pmon-step 5000 2>&1'
# A QEMU wrapper that logs which guests boot, and which resume from which state.
cat >"$work/qemu" <<END
#!/bin/sh
case "\$*" in
*-incoming*) for f in /proc/self/fd/*; do readlink "\$f"; done | sed -n 's/.*\.guest\.//p' | grep -x 'functions\|driver' || echo 'goes on' ;;
*chardev*) echo boots ;;
esac >>"$work/calls"
exec "$qemu" "\$@"
END
chmod +x "$work/qemu"
run() {      # name, arguments of pmon vm
  name=$1
  shift
  : >"$work/calls"
  "$pmon" vm --qemu "$work/qemu" --kernel "$kernel" --scenario "$scenario" --timeout 900 --log "$work/$name.log" \
    --json "$work/$name.json" --console "$@" >"$work/$name" 2>"$work/why"
  booted $? "$work/$name" "$work/why"
  calls=$(tr '\n' ' ' <"$work/calls")
}
began() {    # how the last guest began, and why
  [ "$calls" = "$1 " ] || { echo "the guest began otherwise than $2: $calls"; failed=1; }
}
boot='grep btime /proc/stat'
run booted -- sh -c "$count"
run first --snapshot "$work/kept" -- sh -c "$boot; touch /tmp/left; $count"
began 'boots goes on' 'its boot'
run third --snapshot "$work/kept" -- sh -c "$boot; ls /tmp/left; $count"
began driver 'with its driver'
# A user's driver, with the file of --with after it in an archive; then with that state.
for name in second fourth; do
  run $name --snapshot "$work/kept" --with "$work/file" --module "$work/intel-uncore.ko" -- \
    sh -c "$boot; ls /tmp/left; cat $work/file; rdmsr -p 0 0xd04; $count"
  [ $name = second ] && want=functions || want=driver
  began "$want" 'with the module'
done
set -- "$work/kept"/*.guest
[ $# -eq 1 ] || { echo "$# states: $*"; failed=1; }
[ -s "$work/first" ] && [ "$(head -n 1 "$work/first")" = "$(head -n 1 "$work/second")" ] ||
  { echo "the second guest booted anew"; failed=1; }
grep -q 'of this host' "$work/second" || { echo "the file of --with is not there"; failed=1; }
! grep -q '^/tmp/left$' "$work/second" || { echo "what the first command left is there"; failed=1; }
for name in second third fourth; do
  [ "$(head -n 1 "$work/first")" = "$(head -n 1 "$work/$name")" ] || { echo "the $name guest booted anew"; failed=1; }
done
# The log, and the findings in it with their functions, equal those of a guest that has loaded its driver.
for name in first third; do
  cmp "$work/booted.log" "$work/$name.log" || { echo "the $name guest has other accesses"; failed=1; }
  jq -S . "$work/$name.json" >"$work/is" && jq -S . "$work/booted.json" | diff - "$work/is" || failed=1
done
grep -q '"violations":5' "$work/third.json" && grep -q '"function":"uncore_pci_pmu_register"' "$work/third.json" ||
  { cat "$work/third.json"; failed=1; }
for name in first second third fourth; do
  grep ' uncore_' "$work/$name" | cut -d ' ' -f 1-3 >"$work/counts"
  grep ' uncore_' "$work/booted" | cut -d ' ' -f 1-3 | diff - "$work/counts" || { echo "the $name guest counts otherwise"; failed=1; }
done
[ "$(grep -c ' uncore_' "$work/booted")" -eq 3 ] || { cat "$work/booted"; failed=1; }
# A typed command, and one that is longer than a terminal's buffer: each argument arrives unchanged. A tab is not typed.
tab=$(printf '\t') long=$(printf '%04000d' 7)
edge="one ' two \" three \\ four \\n \$HOME \`five\` \$(six) ; & | * ?  end
line two
"
for word in "$edge" "$edge$tab$edge" "$edge$long"; do
  run words --snapshot "$work/kept" -- printf '%s|' "$word" 'second '
  printf '%s|' "$word" 'second ' | cmp - "$work/words" || { echo "a word of the command arrives otherwise"; failed=1; }
done
[ "$(ls "$work/kept"/*.guest)" = "$1" ] || { echo "these commands made a state"; failed=1; }
# Accesses that could have other answers are made again: with faults, or when time advances with each access. A driver
# that is not loaded has no state, and the state of another driver remains.
states=$(ls -i "$work/kept" | sort)
run fault --snapshot "$work/kept" --fault 'gone cbo1 at 1us' -- true
began 'goes on' 'with a fault'
run passes --snapshot "$work/kept" --access-ns 5 -- true
began functions 'with time that passes'
run passed --access-ns 5 -- true
cmp "$work/passed.log" "$work/passes.log" || { echo "with time that passes a guest has other accesses"; failed=1; }
refused() {  # exit code, part of the message, module
  : >"$work/calls"
  "$pmon" vm --qemu "$work/qemu" --kernel "$kernel" --scenario "$scenario" --timeout 900 --snapshot "$work/kept" \
    --module "$3" -- true >"$work/none" 2>"$work/why"
  result=$?
  calls=$(tr '\n' ' ' <"$work/calls")
  [ $result -eq "$1" ] && grep -q "$2" "$work/why" || { echo "exit code $result: $(cat "$work/why")"; failed=1; }
}
echo 'no module' >"$work/none.ko"
refused 2 'not a kernel module; give' "$work/none.ko"
[ -z "$calls" ] || { echo "a guest was begun for what is no module: $calls"; failed=1; }
# The driver, without its signature, imports a function that the kernel does not have.
sed 's/pci_unregister_driver/pci_unregister_drivez/g;s/~Module signature appended~//' "$work/intel-uncore.ko" >"$work/none.ko"
! cmp -s "$work/intel-uncore.ko" "$work/none.ko" || { echo "the module calls no pci_unregister_driver"; failed=1; }
refused 123 "the guest's kernel rejects it: unknown symbol" "$work/none.ko"
began functions 'without a driver'
[ "$(ls -i "$work/kept" | sort)" = "$states" ] || { echo "these guests made states: $states"; ls -i "$work/kept"; failed=1; }
# A truncated state is made again.
name=$(ls "$work/kept"/*.driver)
truncate -s -8 "$name"
for want in functions driver; do
  run cut --snapshot "$work/kept" -- true
  began "$want" 'after its state was cut short'
  head -n "$(wc -l <"$work/cut.log")" "$work/booted.log" | cmp - "$work/cut.log" || failed=1
done
# On a machine with other PCI functions, the kernel searches for them again; the new state belongs to that machine, and
# serves every driver.
"$pmon" -p snbep capture --machine -o "$work/whole.capture" >"$work/why" 2>&1 || cat "$work/why"
grep -v '^function .*:16\.5 ' "$work/whole.capture" >"$work/less.capture"
while read -r machine want; do
  head -c 8 /dev/urandom >>"$work/intel-uncore.ko"
  : >"$work/calls"
  "$pmon" vm --qemu "$work/qemu" --kernel "$kernel" --timeout 900 --snapshot "$work/kept" --capture "$work/$machine.capture" \
    --sockets 1 --module "$work/intel-uncore.ko" -- ls -1 /sys/bus/pci/devices >"$work/devices" 2>"$work/why" </dev/null
  booted $? "$work/devices" "$work/why"
  calls=$(tr '\n' ' ' <"$work/calls")
  began "$want" "on the $machine machine"
  [ "$(grep -c ':10\.5$' "$work/devices")" -eq $([ $machine = whole ] && echo 1 || echo 0) ] ||
    { cat "$work/devices"; echo "the $machine machine has other functions"; failed=1; }
done <<'END'
whole functions
less goes on
less functions
whole goes on
END
# The resumed guest finds the discovery page of each socket of Emerald Rapids.
count='perf stat --per-socket -x " " -a -e uncore_cha/event=1/,uncore_imc/config=1/ pmon-step 1000 2>&1'
for name in kept again; do
  "$pmon" -p emr vm --qemu "$qemu" --kernel "$kernel" --sockets 2 --timeout 900 --snapshot "$work/kept" -- \
    sh -c "$boot; $count" >"$work/emr-$name" 2>"$work/why"
  booted $? "$work/emr-$name" "$work/why"
done
[ "$(head -n 1 "$work/emr-kept")" = "$(head -n 1 "$work/emr-again")" ] || { echo "Emerald Rapids booted anew"; failed=1; }
for name in kept again; do
  [ "$(grep -c '^S[01] 1 140800 .*uncore_cha' "$work/emr-$name")" -eq 2 ] &&
    [ "$(grep -c '^S[01] 1 11200 .*uncore_imc' "$work/emr-$name")" -eq 2 ] || { cat "$work/emr-$name"; failed=1; }
done
# The cells of a matrix use states, too: one and two sockets, for which another pass finds both states. Passes and
# failures are the same as without states (bench.sh).
cat >"$work/checks" <<'END'
check mine: a count that is expected otherwise
inject imc1 CAS_COUNT.WR 40
count uncore_imc_1/event=4,umask=0xc/ 40
count uncore_imc_1/event=4,umask=3/ 5
END
mkdir "$work/matrix-kept"
for pass in 1 2; do
  : >"$work/calls"
  "$pmon" -p snbep bench-driver --matrix -j 2 --qemu "$work/qemu" --kernel "$kernel" --timeout 900 --snapshot "$work/matrix-kept" \
    --check units,wrap,mine --checks "$work/checks" --json "$work/json" >"$work/matrix" 2>&1
  got=$(jq -c '[.cells[].checks[] | select(.verdict != "skipped") | "\(.name) \(.good)/\(.of)"]' "$work/json")
  [ "$got" = '["units 6/6","wrap 3/3","mine 1/2","rules 1/1","units 6/6","wrap 6/6","mine 3/4","rules 1/1"]' ] ||
    { echo "the matrix has $got"; cat "$work/matrix"; failed=1; }
  [ "$(find "$work/matrix-kept" -name '*.guest' | wc -l)" -eq 2 ] || { ls "$work/matrix-kept"; echo "not two states"; failed=1; }
  states=$(ls -i "$work/matrix-kept"/*.guest | sort)
  [ $pass -eq 1 ] || [ "$states" = "$before" ] || { echo "states were made anew: $before, $states"; failed=1; }
  [ $pass -eq 1 ] || { grep -q driver "$work/calls" && ! grep -v driver "$work/calls"; } ||
    { echo "a guest booted or loaded its driver though there is its state"; failed=1; }
  before=$states
done
[ $failed -eq 0 ] || cat "$work/first" "$work/second" "$work/why"
exit $failed
