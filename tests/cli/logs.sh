#!/bin/sh
# SPDX-License-Identifier: MIT
# Logs and states of all three machines through the command: a measurement's log is checked, replayed and compared; a
# loaded state is saved again as the same bytes. Usage: logs.sh PMON FOLDER (of scenarios)
set -u
pmon=$1 scenarios=$2 failed=0 passed=0
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

# expect STATUS WORD COMMAND...: the exit status, and a pattern in the output
expect()
{
  status=$1 word=$2
  shift 2
  "$@" >"$folder/out" 2>&1
  is=$?
  if [ $is -ne "$status" ] || { [ -n "$word" ] && ! grep -q -e "$word" "$folder/out"; }; then
    echo "ended with $is, expected $status and '$word': $*"
    head -5 "$folder/out"
    failed=$((failed + 1))
  else
    passed=$((passed + 1))
  fi
}

# A unit that the platform does not have is not an absent one: a mistyped line would have no effect.
for unit in 'cha 5' 'cbo 8'; do
  printf '# pmon-log 1\n# platform snbep\n# units 0\n# absent 0 %s\n' "$unit" >"$folder/absent"
  expect 2 "absent: line 4: the platform has no unit $(echo "$unit" | tr -d ' '); .pmon -p snbep units. lists them" \
    "$pmon" machine check "$folder/absent"
done
printf '# pmon-log 1\n# platform snbep\n# units 0\n# absent 0 cbo 7\n0 read 0 msr 0xd16 64 0x0\n' >"$folder/absent"
expect 0 "^1 access, 0 violations, 0 advisories" "$pmon" machine check "$folder/absent"

# A log is read more than once, which a pipe cannot be.
printf '# pmon-log 1\n# platform emr\n' >"$folder/log"
# shellcheck disable=SC2016 # the inner shell expands them
expect 2 "stat: --replay: /dev/stdin is a pipe, and is read more than once; write it to a file first" \
  sh -c 'cat "$2" | "$1" stat --replay /dev/stdin -e cha/CLOCKTICKS/' sh "$pmon" "$folder/log"

# An `asked` line names no unit that the platform lacks either, and only fields of the named unit's controls.
printf '# pmon-log 1\n# platform snbep\n# asked 0 cbo 99 ev_sel=1\n' >"$folder/asked"
expect 2 "asked: line 3: the platform has no unit cbo99; .pmon -p snbep units. lists them" "$pmon" machine check "$folder/asked"
printf '# pmon-log 1\n# platform snbep\n# asked 0 cbo 0 ev_sel=0x1ff\n' >"$folder/asked"
expect 2 "asked: line 3: ev_sel=0x1ff does not fit into the field, whose largest value is 0xff$" \
  "$pmon" machine check "$folder/asked"

printf '# pmon-log 1\n# platform snbep\n# units 0\n# absent 0 cbo 3\n# asked 0 cbo 3 ev_sel=1\n' >"$folder/asked"
expect 2 "asked: line 5: cbo3 of package 0 is absent according to line 4; remove the wrong line$" "$pmon" machine check "$folder/asked"

all_of_it()
{
  name=$1 events=$2
  shift 2
  log=$folder/$name.log state=$folder/$name.state
  expect 0 "" "$pmon" stat -p "$name" "$@" --check --log "$log" -e "$events"
  expect 0 "0 violations" "$pmon" machine check -p "$name" "$log"
  expect 0 " 0 answers differ" "$pmon" machine replay -p "$name" "$@" "$log"
  sed 's/\(.* write .*\) 0x0$/\1 0x1/' "$log" >"$log.other"
  expect 1 "differences" "$pmon" machine diff "$log" "$log.other"
  expect 0 "^0 differences" "$pmon" machine diff "$log" "$log"
  expect 0 "" "$pmon" machine run -p "$name" "$@" --save-state "$state"
  expect 0 "^platform $name" cat "$state"
  # nothing runs in between: the saved state equals the loaded one
  expect 0 "" "$pmon" machine run -p "$name" $nothing --load-state "$state" --save-state "$state.again"
  expect 0 "" cmp "$state" "$state.again"
}

: >"$folder/none.bundles"
# Nothing is checked, repeated or counted without an access or a bundle: this is an error.
for name in check replay; do
  expect 2 "none.bundles: the log has no register access$" "$pmon" machine $name -p emr "$folder/none.bundles"
done
expect 2 "none.bundles: the file has no bundle$" \
  "$pmon" stat -p montecito --bundles "$folder/none.bundles" -e pmu/CPU_OP_CYCLES.ALL/
expect 2 "none.bundles: the file has no bundle$" "$pmon" machine run -p montecito --bundles "$folder/none.bundles"
printf 'set sockets=1 cores=2 chas=4\nthread 0 on core 0: stream read 64K stride 64\n' >"$folder/work-emr.scn"
printf 'set platform=snbep sockets=1 cores=2\nthread 0 on core 0: stream read 64K stride 64\n' >"$folder/work-snbep.scn"
nothing="--bundles $folder/none.bundles"
all_of_it montecito pmu/IA64_INST_RETIRED/,pmu/CPU_OP_CYCLES/ --generate loops:2000
expect 1 "answers differ" "$pmon" machine replay -p montecito "$folder/montecito.log"
expect 2 "/dev/zero: cannot be read: File too large" \
  "$pmon" machine run -p emr --scenario "$folder/work-emr.scn" --load-state /dev/zero
expect 2 "another platform" "$pmon" machine run -p emr --scenario "$folder/work-emr.scn" --load-state "$folder/montecito.state"

# A thread's own registers are in the log, so that rules about them are checked there: a stream that counts without
# PSR.up, and one whose software has lost its privilege.
bundles()
{
  echo "psr $1"
  i=0
  while [ $i -lt 400 ]; do
    echo "b 0x$i""000 mii alu alu nop"
    i=$((i + 1))
  done
}
off=$folder/off.log
bundles 0 >"$folder/off.bundles"
expect 0 "" "$pmon" stat -p montecito --bundles "$folder/off.bundles" -I 0.005 --log "$off" -e pmu/IA64_INST_RETIRED/
expect 0 "^0 state 0 psr 0x0" cat "$off"
expect 0 "sw.monitor-off" "$pmon" machine check -p montecito "$off"
expect 0 " 0 answers differ" "$pmon" machine replay -p montecito --bundles "$folder/off.bundles" "$off"
expect 0 "" "$pmon" stat -p montecito --replay "$off" -I 0.005 -e pmu/IA64_INST_RETIRED/
bundles 0x300000000 >"$folder/user.bundles"
privileged=pmu/IA64_INST_RETIRED,pm/
expect 0 "" "$pmon" stat -p montecito --bundles "$folder/user.bundles" -I 0.005 --log "$off" -e $privileged
expect 1 "sw.unprivileged" "$pmon" machine check -p montecito "$off"
expect 1 "sw.unprivileged" "$pmon" stat -p montecito --bundles "$folder/user.bundles" -I 0.005 --check -e $privileged

for name in emr snbep; do
  log=$folder/$name.log
  expect 0 "" "$pmon" stat -p $name --scenario "$folder/work-$name.scn" --check --log "$log" -e imc/CAS_COUNT.RD/
  expect 0 "0 violations" "$pmon" machine check -p $name "$log"
  expect 0 " 0 answers differ" "$pmon" machine replay -p $name --scenario "$folder/work-$name.scn" "$log"
  expect 0 "" "$pmon" machine run -p $name --scenario "$folder/work-$name.scn" --save-state "$folder/$name.state"
  expect 0 "^platform $name" cat "$folder/$name.state"
done

# A FIFO without a reader is reported, and then waited for.
mkfifo "$folder/fifo"
"$pmon" stat -p emr --scenario "$folder/work-emr.scn" --log "$folder/fifo" -e imc/CAS_COUNT.RD/ 2>&1 >"$folder/out" | {
  while read -r line; do
    case $line in *"fifo: waiting for a reader of this FIFO; Ctrl-C ends") cat "$folder/fifo" >"$folder/waited" & ;; esac
  done
  wait # the reader is a child of this part of the pipe
}
expect 0 "0 violations" "$pmon" machine check -p emr "$folder/waited"

# A scenario's register accesses during a measurement are made, and a wrong `expect` value fails the measurement.
printf 'set sockets=1 cores=2 chas=4\nwrite cha1 UNIT_CTL 0x301\nwrite cha1 CTL0 1\nwrite cha1 UNIT_CTL 0\nwait 5us\n' \
  >"$folder/beside.scn"
printf 'read cha1 CTR0 expect == 11000\n' >>"$folder/beside.scn"
expect 0 "CAS_COUNT" "$pmon" stat -e imc/CAS_COUNT.RD/ --scenario "$folder/beside.scn"
printf 'read cha1 CTR0 expect == 1\n' >>"$folder/beside.scn"
expect 1 "line 7 of the scenario" "$pmon" stat -e imc/CAS_COUNT.RD/ --scenario "$folder/beside.scn"
# The first access that names an unknown register ends the run: the second one is not attempted.
printf 'set sockets=1 cores=2 chas=4\nread cha1 NOTHING\nread cha1 NOWHERE\n' >"$folder/unknown.scn"
expect 2 "line 2 of the scenario: cha has no register NOTHING" "$pmon" machine run --scenario "$folder/unknown.scn"
"$pmon" machine run --scenario "$folder/unknown.scn" 2>&1 | grep -q NOWHERE &&
  { echo "the access behind a wrong one was tried"; failed=$((failed + 1)); }
# The message names the part of a device's place that the machine lacks.
while read -r preset message line; do
  echo "$line for 1us" >"$folder/lack.scn"
  expect 2 "line 1 of the scenario: $(echo "$message" | tr _ ' ')" \
    "$pmon" machine run --preset "$preset" --scenario "$folder/lack.scn"
done <<'LINES'
snbep stack_4:_the_machine_has_only_0 dma read 1GB/s stack 4
emr stack_10:_the_machine_has_0_to_9 mmio read 1GB/s stack 10
emr port_8:_the_machine_has_0_to_7 dma write 1GB/s port 8
emr node_3:_the_machine_has_0_to_1 dma write 1GB/s node 3
emr to-stack_22:_the_machine_has_0_to_9 dma write 1GB/s to-stack 22
emr device_6:_the_machine_has_0_to_5 cxl read 1GB/s device 6
snbep the_machine's_processor_does_not_support dma atomic 1GB/s
LINES
expect 0 "took the monitors' interrupt 2 times" "$pmon" machine run -p montecito \
  --bundles "$scenarios/montecito-overflow.bundles"
expect 0 '"pmis":1' "$pmon" machine run --json --scenario "$scenarios/emr-session.scn"

# The machine's account names each request type: 256 lines that are stored to as a whole, written back, flushed.
printf 'set sockets=1 cores=2 chas=4 prefetch=off\nthread 0: stream whole-lines 16K stride 64\n' >"$folder/lines.scn"
printf 'thread 0: stream write-back 16K stride 64\nthread 0: stream flush-opt 16K stride 64\n' >>"$folder/lines.scn"
for row in 'IA_ITOM\.miss' 'WBMTOE\.hit' 'CLFLUSHOPT\.hit'; do
  expect 0 "^tor\.$row\.local  *256$" "$pmon" machine run --scenario "$folder/lines.scn"
done
expect 0 '"op":"CLFLUSHOPT","miss":false,"remote":false,"entries":256,' \
  "$pmon" machine run --json --scenario "$folder/lines.scn"

# A log names its platform: neither replay nor check needs -p. The option may also precede the action or the command.
log=$folder/snbep.log
expect 0 " 0 answers differ" "$pmon" machine replay --scenario "$folder/work-snbep.scn" "$log"
expect 0 " 0 answers differ" "$pmon" -p snbep machine replay --scenario "$folder/work-snbep.scn" "$log"
expect 0 " 0 answers differ" "$pmon" machine -p snbep replay --scenario "$folder/work-snbep.scn" "$log"
expect 0 "0 violations, .*" "$pmon" machine check "$log"
expect 2 "snbep.log: the log is of platform snbep; omit -p, or add -p snbep" "$pmon" machine check -p emr "$log"
expect 1 "further differences are counted, but not listed" "$pmon" machine replay -p emr "$log"
expect 0 "instructions" "$pmon" machine -p snbep run --scenario "$folder/work-snbep.scn"

# A replay with other events, or of a part of a log: the message is about the log, not about registers to restore.
one=$folder/one.log
expect 0 "" "$pmon" stat -p snbep --scenario "$folder/work-snbep.scn" --log "$one" -e imc/CAS_COUNT.RD/
head -n -3 "$one" >"$folder/part.log"
unfit='is incomplete, or --log wrote it with other events'
expect 2 "$unfit" "$pmon" stat -p snbep --replay "$one" -e ha/CLOCKTICKS/
cp "$folder/out" "$folder/other"
expect 1 "$unfit" "$pmon" stat -p snbep --replay "$folder/part.log" -e imc/CAS_COUNT.RD/
cp "$folder/out" "$folder/part"
expect 1 "" grep -h "could not be restored" "$folder/other" "$folder/part"
expect 2 "cannot be written" "$pmon" stat -p snbep --replay "$one" -e imc/CAS_COUNT.RD/ --record "$folder/none/record"
cp "$folder/out" "$folder/unrecorded"
expect 1 "" grep -h "$unfit" "$folder/unrecorded" # the log is not the reason

# Options may follow the log, as they may follow other commands' arguments.
expect 0 " 0 answers differ" "$pmon" machine replay "$log" --scenario "$folder/work-snbep.scn"
expect 0 "0 violations, .*" "$pmon" machine check "$log" -p snbep

# The status of an access is compared and printed; an unknown word in its place is an error.
printf '0 read 0 msr 0xd16 64 0x0\n1 end\n' >"$folder/read.log"
printf '0 read 0 msr 0xd16 64 0x0 PMON_E_NO_DEVICE\n1 end\n' >"$folder/no-device.log"
printf '0 read 0 msr 0xd16 64 0x0 NO_DEVICE\n1 end\n' >"$folder/word.log"
expect 1 "^< 1: 0 read 0 msr 0xd16 64 0x0 PMON_E_NO_DEVICE$" "$pmon" machine replay -p snbep "$folder/no-device.log"
expect 1 "^< 1: 0 read 0 msr 0xd16 64 0x0 PMON_E_NO_DEVICE$" "$pmon" machine diff "$folder/no-device.log" "$folder/read.log"
expect 2 "line 1: expected the name of a status" "$pmon" machine check -p snbep "$folder/word.log"

# A replay of another measurement than the log's reports the access that differs, not registers to be restored.
expect 2 "snbep.log:[0-9]*: the log has" "$pmon" stat --replay "$log" -e ha/CLOCKTICKS/,imc/PRE_COUNT.PAGE_MISS/
grep -q "restored" "$folder/out" && { echo "a replay that differs from its log: registers to restore"; failed=$((failed + 1)); }

# Output of a scenario's reads is not part of a measurement's report.
printf 'set platform=snbep\nread cbo0 BOX_CTL\nwait 1us\n' >"$folder/read.scn"
expect 0 "cbo0 BOX_CTL = 0x0" "$pmon" stat --csv --scenario "$folder/read.scn" -e imc/CAS_COUNT.RD/
"$pmon" stat --csv --scenario "$folder/read.scn" -e imc/CAS_COUNT.RD/ 2>/dev/null | head -1 | grep -q '^begin_seconds,' ||
  { echo "a line before the head of the CSV"; failed=$((failed + 1)); }

# An impossible cache size: the message suggests possible ones.
expect 2 "for example 5K or 10K with 20 ways" "$pmon" stat --set llc.size=7777 -- true
expect 0 "" "$pmon" stat --set llc.size=5K -e imc/CAS_COUNT.RD/ -- true
expect 2 "for example 5K with 20 ways" "$pmon" stat --set llc.size=1K -- true

# A log whose time goes backwards is refused: it is not checked, compared or replayed.
sed '$s/^[0-9]*/1/' "$folder/emr.log" >"$folder/back.log"
expect 2 "back.log: line [0-9]*: the time 1 is earlier than [0-9]*, the time of the previous line" "$pmon" machine check -p emr "$folder/back.log"
expect 2 "is earlier than" "$pmon" machine diff "$folder/emr.log" "$folder/back.log"
events=imc/CAS_COUNT.RD/
expect 0 "" "$pmon" stat -p emr --scenario "$folder/work-emr.scn" --log "$folder/forth.log" -e $events
last=$(awk '/ end$/ { last = NR } END { print last + 1 }' "$folder/forth.log")
sed "${last}s/^[0-9]*/1/" "$folder/forth.log" >"$folder/back.log"
expect 0 "CAS_COUNT" "$pmon" stat -p emr --replay "$folder/forth.log" -e $events
expect 2 "back.log:$last: the time is earlier than [0-9]* ns, that of the previous line" "$pmon" stat -p emr --replay "$folder/back.log" -e $events

# A log's comments describe the machine and its counts: a unit that is left out, unless it is absent; a wrong count.
cat >"$folder/few.log" <<'END'
# platform snbep
# units 0
0 write 0 pci 63:14.1 0xf4 32 0x10000
0 write 0 msr 0xc24 64 0x10000
0 write 0 pci 63:19.1 0xf4 32 0x10000
0 write 0 pci 63:19.5 0xf4 32 0x10000
0 write 0 pci 63:19.6 0xf4 32 0x10000
0 write 0 pci 63:16.0 0xf4 32 0x10000
0 write 0 pci 63:16.4 0xf4 32 0x10000
0 write 0 pci 63:16.5 0xf4 32 0x10000
END
expect 0 "MC_CHy_PCI_PMON_BOX_CTL.*63:16.1.*access 6 at 0 ns" "$pmon" machine check "$folder/few.log"
expect 0 "sw.left-out;" "$pmon" machine check "$folder/few.log"
{ echo '# absent 0 imc 1'; cat "$folder/few.log"; } >"$folder/fewer.log"
expect 0 "0 violations, 0 advisories" "$pmon" machine check "$folder/fewer.log"
printf '%s\n' '# counted 0 263882790666340 100' '# platform snbep' '0 read 0 msr 0xd16 64 0xffffffffff0' '1000 wait' \
  '1000 read 0 msr 0xd16 64 0x54' >"$folder/wide.log"
expect 1 "sw.count-width;" "$pmon" machine check "$folder/wide.log"
sed -i 1d "$folder/wide.log"
expect 0 "0 violations" "$pmon" machine check "$folder/wide.log"

# pmon follows the programming rules in measurements of many rounds, too: counters that a round does not use count
# nothing with another round's filter, or without the event that selects their set; a core's counters have enable bits
# of their own.
printf 'set platform=snbep sockets=1 cores=2 chas=2\nthread 0 on core 0: stream read 4M stride 64\n' >"$folder/long.scn"
expect 0 "0 violations, 0 advisories" "$pmon" stat -p emr --check --scenario "$folder/work-emr.scn" -g IPC,MEM,LLC
expect 0 "0 violations, 0 advisories" "$pmon" stat -p snbep --check --scenario "$folder/long.scn" -m '*'
# Bundles select their platform, as presets and scenarios do.
expect 0 "^IA64_IPC" "$pmon" stat --generate mixed:2000
expect 0 "samples, each after" "$pmon" sample --source dcache=16 --generate mixed:2000
expect 2 "-p emr: its machine cannot run bundles; use -p montecito" "$pmon" stat -p emr --generate mixed:2000
expect 0 "0 violations, 0 advisories" "$pmon" stat -p montecito --check --generate mixed:20000 -e 'pmu/L1D*/,pmu/L2D*/'
# All metrics, except the two that need a user-supplied range or opcode.
expect 0 "0 violations, 0 advisories" "$pmon" stat -p montecito --check --generate mixed:2000 -m '*'

# The reason why the machine does not count an event is specific to the event's row.
expect 0 "TOR_INSERTS.IA_MISS_LLCPREFCODE_CXL_ACC *constant *0: the L2 prefetches code" "$pmon" machine coverage -p emr -u cha
expect 0 "TOR_INSERTS.RRQ_MISS_RDCUR_CXL_EXP_LOCAL *constant *0: cores use the expanders" "$pmon" machine coverage -p emr -u cha

echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 20 ]
