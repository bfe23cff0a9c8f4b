#!/bin/sh
# SPDX-License-Identifier: MIT
# capture, discover, doctor and restore on a host of plain files (fake_host.sh): files that are missing, damaged, full
# or of another processor, and the message for each. Usage: host.sh PMON FAKE-HOST
pmon=$(realpath "$1") fake_host=$(realpath "$2") failed=0
idle=$(realpath "$(dirname "$0")")/../../examples/scenarios/snbep-pcu-both.scn
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir runtime
export XDG_RUNTIME_DIR="$work/runtime"
expect() {   # exit code, part of the output, arguments...
  code=$1 part=$2
  shift 2
  output=$("$pmon" "$@" 2>&1)
  got=$?
  [ $got -eq "$code" ] || { echo "pmon $*: exit code $got, not $code: $output"; failed=1; }
  case $output in *"$part"*) ;; *) echo "pmon $*: \"$output\" does not contain \"$part\""; failed=1 ;; esac
}
sh "$fake_host" host
sh "$fake_host" other # of another processor
printf 'vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 207\nstepping\t: 2\n' >other/proc/cpuinfo
ln -s /dev/full full.platform

# ---- stat: a measurement without any value is not a success. Counters in plain files never advance. ----
none='no counter has a value: the unit'
for options in '' '-r 2' '-I 1' --csv; do
  expect 3 "$none" stat --root host --backend direct $options -e pcu/CLOCKTICKS/ -- true
done
expect 1 "$none" stat --root host --backend direct -e pcu/CLOCKTICKS/ -- false
expect 0 'denominator zero' stat --scenario "$idle" -m LLC_DRD_MISS_RATIO # the counters counted 0
printf 'dma read 1GB/s stack 99 for 1us\n' >wrong.scn
expect 2 'pmon stat: line 1 of the scenario: stack 99: the machine has 0 to ' stat -p emr --scenario wrong.scn -e imc/CAS_COUNT.WR/
# Each option of the emulated machine means the machine, and not the host.
for option in --set=cores=4 --place=1 --host-threads=2 '--fault=stuck cha0 at 2us'; do
  expect 2 '--fault require the emulated machine; use --backend machine' \
    stat --root host --backend direct "$option" -e pcu/CLOCKTICKS/ -- true
  expect 2 'pmon stat: no input; add -- COMMAND' stat -p emr "$option" -e imc/CAS_COUNT.RD/
done
# A malformed trace is wrong input like any other, wherever pmon detects it.
printf 'I  00400000,4\nhello\n' >wrong.trace
for command in 'stat -e imc/CAS_COUNT.RD/' 'stat -I 1 -e imc/CAS_COUNT.RD/' 'machine run'; do
  # shellcheck disable=SC2086 # words
  expect 2 'wrong.trace: line 2: expected' $command --trace wrong.trace
done

# ---- restore: the measured command copies the session's journal, as a killed session would leave it ----
"$pmon" stat --root host --backend direct --journal=journal -e cbo/CLOCKTICKS/ -- cp journal kept >/dev/null 2>&1
[ -s kept ] && [ ! -e journal ] || { echo "no journal of a session"; exit 1; }
again() { for name in "$@"; do cp kept "$name"; done; }
again j
expect 2 'the access method is unknown; add --backend direct or --backend machine' restore --root host j
expect 3 'j is a journal of platform snbep, and this processor is of platform emr' restore --root other --backend direct j
[ -e j ] || { echo "a journal of another processor is removed"; failed=1; }
expect 0 'j: 32 registers restored' restore --root host --backend direct j
[ ! -e j ] || { echo "a restored journal is kept"; failed=1; }
again j
expect 0 'j: 32 registers restored' restore --backend machine j
again pmon-1.journal
expect 0 'pmon-1.journal: 32 registers restored' restore --root host pmon-1.journal
again pmon-machine-1.journal
expect 3 'could not be restored: ' restore --preset emr pmon-machine-1.journal
head -c 60 kept >torn
expect 0 'torn: 0 registers restored' restore -p snbep --backend machine torn
echo 'no journal' >text
expect 2 'text:1: not a session journal' restore --backend machine text
expect 2 'none: cannot read: No such file' restore none
expect 2 'expected auto, direct or machine' restore --backend perf
expect 2 'no such parameter' restore --set bogus=1 j
expect 2 '--root none: No such file' restore --root none j
expect 2 'no platform "none"' restore -p none j
again pmon-1.journal
for options in '--root host --backend machine' '--backend machine --root host' '--root host --set cores=2'; do
  expect 2 'emulated machine' restore $options pmon-1.journal
done
for options in '--backend direct --set cores=2' '--preset snbep --backend direct'; do
  expect 2 '--backend direct: --preset and --set apply to the emulated machine' restore $options pmon-1.journal
done
[ -e pmon-1.journal ] || { echo "options that contradict each other removed a journal"; failed=1; }
rm pmon-1.journal
expect 0 'no journal found; nothing to restore' restore
again runtime/pmon-1.journal runtime/pmon-machine-1.journal
expect 0 'pmon-machine-1.journal: 32 registers restored' restore --backend machine
[ -e runtime/pmon-1.journal ] || { echo "--backend machine took the host's journal"; failed=1; }
echo 'no journal' >runtime/pmon-0.journal # the other journals are restored nevertheless
expect 2 'pmon-1.journal: 32 registers restored' restore --root host --backend auto
rm runtime/*

# ---- capture ----
expect 2 'none/file: cannot be written: No such file' capture --root host -o none/file
expect 1 '/dev/full: cannot be written: No space left' capture --root host -o /dev/full
expect 2 'more: unexpected argument' capture --root host more
expect 2 'no platform "none"' capture --root host -p none
expect 2 'none: cannot be read: No such file' capture --replay none
expect 2 'its machine has no uncore; use -p emr, snbep or spr' capture --machine -p montecito
expect 2 'no such parameter' capture --set bogus=1
expect 0 'package 0: no registers of pci: no UBox' capture --root host
expect 0 'package 0: the discovery page is incomplete: no UBox' capture --root other
sh "$fake_host" unknown && rm -r unknown/proc/cpuinfo
expect 0 'the processor is omitted' capture --root unknown -p snbep
expect 0 '' capture -p emr --machine -o emr.capture
expect 0 '' capture --replay emr.capture -o again.capture
cmp emr.capture again.capture || failed=1

# ---- the command uses the platform of its capture or log, unless -p names one ----
expect 0 '' capture -p snbep --machine -o snbep.capture
echo 'thread 0 on core 0: sleep 1us' >short.scn
expect 0 '' stat -p snbep --scenario short.scn --log snbep.log -e pcu/CLOCKTICKS/
expect 3 'snbep on capture' stat -e pcu/CLOCKTICKS/ --replay snbep.capture
expect 0 'EMULATED: snbep' stat -e pcu/CLOCKTICKS/ --replay snbep.log
expect 0 'msr 0xd10' decode C0_MSR_PMON_CTL0=1 --replay snbep.capture
expect 2 'the capture is of platform snbep; add -p snbep' stat -p emr -e cha/CLOCKTICKS/ --replay snbep.capture

# ---- options that choose another machine than the captured one ----
while read -r option arguments; do
  # shellcheck disable=SC2086 # words
  expect 2 "--replay cannot be combined with $option" $arguments --replay emr.capture
done <<'END'
--machine discover --machine
--root discover --root host
--root doctor --root host
--machine capture --machine
--root capture --root host
--set capture --set cores=2
--root stat --root host -e imc/CAS_COUNT.RD/
END

# ---- discover ----
expect 2 'mine: expected a name that ends in .platform' discover --machine -p emr -o mine
expect 2 'none/mine.platform: cannot be written: No such file' discover --machine -p emr -o none/mine.platform
expect 1 'full.platform: cannot be written: No space left' discover --machine -p emr -o full.platform
expect 2 'none/mine.platform: cannot be written: No such file' discover --machine -p emr --repair none/mine.platform
expect 2 'more: unexpected argument' discover --machine more
expect 2 'none: cannot be read: No such file' discover --replay none
expect 3 'the processors of snbep have no discovery page; pmon units -p snbep lists' discover --root host
expect 3 'the processors of snbep have no discovery page' discover --machine -p snbep
expect 2 'mine: expected a name that ends in .platform' discover --root host -o mine
expect 0 '"unit":"cha","type":0,"id":0,"space":"msr","address":"0x2000"' discover --replay emr.capture --json
expect 2 'text: line 1: expected pmon-capture' discover --replay text

# ---- doctor ----
expect 3 '! -p emr: this processor is of platform snbep: omit -p, or use -p snbep' doctor --root host -p emr
expect 2 '--root none: No such file' doctor --root none
: >a-file
expect 2 '--root a-file: Not a directory' doctor --root a-file
expect 2 'none: cannot be read: No such file' doctor --replay none
expect 2 'text: line 1: expected pmon-capture' doctor --replay text
expect 2 'more: unexpected argument' doctor more
expect 3 'this processor is unknown: neither CPUID nor /proc/cpuinfo' doctor --root unknown
expect 3 'only register access is available' doctor --root host
cp -r host bare
rm -r bare/dev
expect 3 'the kernel has no uncore PMUs (modprobe intel_uncore), and registers are not accessible either' doctor --root bare
mkdir -p host/sys/bus/event_source/devices/uncore_cbox_0 host/sys/kernel/security host/proc/sys/kernel
echo 20 >host/sys/bus/event_source/devices/uncore_cbox_0/type
echo 'none [integrity] confidentiality' >host/sys/kernel/security/lockdown
echo 2 >host/proc/sys/kernel/perf_event_paranoid
echo 1 >host/proc/sys/kernel/nmi_watchdog
expect 3 '! the kernel is locked down' doctor --root host
for part in 'perf_event_paranoid is above 0' 'the NMI watchdog uses' 'the kernel has no PMU for uncore_'; do
  case $output in *"$part"*) ;; *) echo "doctor does not say \"$part\": $output"; failed=1 ;; esac
done
printf 'vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 250\nstepping\t: 1\nflags\t\t: hypervisor\n' >host/proc/cpuinfo
expect 3 '! this processor (GenuineIntel, family 6, model 250, stepping 1): pmon has no tables for it' doctor --root host
rm -r host/sys/bus/event_source
expect 3 'this virtual machine has no uncore counters' doctor --root host
case $output in *'pmon import DIRECTORY adds'*) ;; *) echo "doctor does not name import: $output"; failed=1 ;; esac

# ---- a file on the command line that cannot be opened, whatever its purpose, is wrong usage: one exit code ----
while read -r arguments; do
  # shellcheck disable=SC2086 # words
  expect 2 'No such file' $arguments </dev/null
done <<'END'
stat --scenario none/file
stat --trace none/file
stat --replay none/file
stat --capture none/file --scenario short.scn
stat -p montecito --bundles none/file
stat --scenario short.scn --output none/file
stat --scenario short.scn --log none/file
stat --scenario short.scn --record none/file
stat --scenario short.scn --html none/file
stat --scenario short.scn --journal=none/file
report none/file
diff none/file none/other
top none/file
exporter --config none/file
restore --backend machine none/file
decode --replay none/file U_MSR_PMON_GLOBAL_STATUS=1
machine run --scenario none/file
machine run --scenario short.scn --save-state none/file
machine check none/file
machine replay none/file
machine record -o none/file -- true
sample -p montecito --bundles none/file
sample -p montecito --generate mixed:10:1 --log none/file
import none/file
END
exit $failed
