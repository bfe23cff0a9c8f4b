#!/bin/sh
# SPDX-License-Identifier: MIT
# `pmon decode REGISTER` reads the register in each socket of a captured machine, with its event, and refuses another
# processor's host. Usage: register_read.sh PMON
pmon=$(realpath "$1")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
complain() { echo "$*"; failed=1; }

"$pmon" -p emr capture --machine -o idle || complain "no capture"
# Socket 1 counts lines read from memory on channel 2, and misses of data reads in all CHAs but the first.
awk '/^unit/ { package = $2; unit = $3; number = $4 }
  package == 1 && unit == "imc" && number == 2 && $5 == "MC_CHy_PCI_PMON_CTL0" { $4 = "0xcf05" }
  package == 1 && unit == "cha" && number && $5 == "Cn_MSR_PMON_CTL1" { $4 = "0xc817fe00000135" }
  { print }' idle >busy
cmp -s idle busy && complain "the capture has no such registers"

"$pmon" decode --replay busy imc2.ctl0 >text || complain "imc2.ctl0: exit status $?"
grep -E '^socket|MC_CHy|event  |umask' text | sed 's/   *.* = / = /; s/   */ /g' | tr '\n' '|' >seen
[ "$(cat seen)" = 'socket 0| = 0x00000000|socket 1| = 0x0000cf05| 15:8 umask=0xcf which of the event'"'"'s parts count| event imc2/CAS_COUNT.RD/|' ] ||
  complain "imc2.ctl0: $(cat seen)"

# A name without the number of an instance reads all instances that the machine has.
"$pmon" decode --replay busy --json cha.ctl1 >json || complain "cha.ctl1: exit status $?"
n=$(grep -c '"package":0' json)
[ "$n" -gt 1 ] && [ "$(grep -c '"package":1' json)" -eq "$n" ] || complain "cha.ctl1: $n registers of socket 0"
[ "$(grep -c '"event":"cha[0-9]*/TOR_INSERTS.IA_MISS_DRD/"' json)" -eq $((n - 1)) ] || complain "cha.ctl1: events"

# The addresses that the help names are of registers.
for address in $("$pmon" decode --help | grep -o '(0x2002, [^)]*)' | tr -d '(),'); do
  "$pmon" decode --replay busy "$address" >/dev/null 2>errors || complain "$address: $(cat errors)"
done

# A value is not read; an unknown register, and a host of another processor, are errors.
"$pmon" -p emr decode 0x2032=0xc817fe00000135 | grep -q '^socket' && complain "a given value has no socket"
"$pmon" decode --replay busy cha3.ctl9 >/dev/null 2>errors && complain "cha3.ctl9 was read"
grep -q 'cha3.ctl9' errors || complain "cha3.ctl9: $(cat errors)"
"$pmon" -p montecito decode PMC4 >text 2>errors
[ $? -eq 3 ] && grep -q "this host's processor is not of the platform; --replay FILE" errors ||
  complain "another host: $(cat errors)"
exit $failed
