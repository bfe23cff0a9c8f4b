#!/bin/sh
# SPDX-License-Identifier: MIT
# The event that pmon adds (the witness) when all events are multiplexed: --dry-run names it, results do not show it,
# recordings and logs have it, --witness off removes it. Scaled counts of units add up to their sums.
# usage: witness.sh PMON
. "$(dirname "$0")/in_folder.sh"

# counts NAME EXPECTED PATTERN FILE: the number of lines of the file that match the pattern.
counts() {
  n=$(grep -c -e "$3" "$4")
  [ "$n" = "$2" ] && return
  fail "$1: $n lines have \"$3\", expected $2:"
  head -20 "$4"
}
same() {
  cmp -s "$2" "$3" && return
  fail "$1:"
  diff "$2" "$3" | head
}

cat >burst.scn <<'E2'
set sockets=1 cores=2 chas=2 imcs=1 upi.links=1 iio.stacks=1 l2.size=64K
thread 0 on core 0: sleep 600us
thread 0 on core 0: stream modify 192K stride 64
thread 0 on core 0: sleep 600us
thread 1 on core 1: random read 48K count 200k
E2
events=cha/TOR_INSERTS.IA/,cha/TOR_INSERTS.IA_MISS/,cha/TOR_INSERTS.IO/,cha/LLC_LOOKUP.ALL/,cha/TOR_INSERTS.IA_HIT/,cha/TOR_INSERTS.IA_MISS_DRD/,cha/TOR_INSERTS.IA_MISS_RFO/,cha/TOR_INSERTS.IA_HIT_DRD/
measure() {
  "$pmon" -p emr stat --scenario burst.scn --slice 10us -e $events "$@" 2>error || fail "$(cat error)"
}

measure --dry-run >dry
counts dry 1 '^# also counted in every round, but not reported: imc/CAS_COUNT.ALL/, ' dry
counts dry_headings 0 '^# .*round.*:.*imc.* cha' dry
counts dry_writes 2 ' 0xff05 .*# imc[01] MC_CHy_PCI_PMON_CTL0' dry
measure --dry-run --witness off >dry
counts dry_off 0 imc dry

measure --csv --record with.db --log with.log >csv
counts shown 0 imc csv
counts rows 8 ',cha/' csv
measure --csv --witness off >off
counts unknown_without 5 'unknown: nonzero in [1-9]' off
counts unknown_with 0 'unknown: nonzero in [1-9]' csv
"$pmon" -p emr report --csv with.db >report
same 'a recording gives other values' csv report
"$pmon" -p emr report --csv -e imc/CAS_COUNT.ALL/ with.db >witness
counts recorded 1 ',imc/CAS_COUNT.ALL/,0,imc,,3844,' witness
"$pmon" -p emr stat --slice 10us -e $events --csv --replay with.log >replay 2>&1
same 'a replay gives other values' csv replay

"$pmon" -p emr show imc >shown
counts facts 1 'witness *CAS_COUNT.ALL' shown
"$pmon" -p emr stat --witness maybe --scenario burst.scn >out 2>&1 && fail 'the word maybe is accepted'
counts word 1 'invalid value "maybe" for --witness; expected off or on' out
# The values of units add up to their socket's, and those of sockets to the total, whether time or a witness scales. A
# difference below 0 is set to 0 in each scope by itself, so that the units' sum may be greater, and only then.
cat >links.scn <<'E2'
set platform=snbep sockets=2 cores=2 chas=2 numa=interleave
thread 0 on core 0: random 16M count 20k
thread 1 on core 1: stream read 8M
thread 2 on core 2: random 2M count 20k
E2
"$pmon" -p snbep stat --scenario links.scn --slice 10us -m DATA_FROM_QPI,DATA_FROM_QPI_TO_HA_OR_IIO,DATA_FROM_QPI_TO_LLC \
  -e qpi/RxL_INSERTS/,qpi/RxL_CYCLES_NE/,qpi/RxL_FLITS_G0.DATA/,qpi/TxL_FLITS_G0.DATA/,qpi/RxL_INSERTS_DRS/,qpi/RxL_INSERTS_NDR/,qpi/RxL_OCCUPANCY/,qpi/TxL_CYCLES_NE/ \
  --record links.db >out 2>&1 || fail "$(cat out)"
for scope in --per-unit --per-socket ''; do
  "$pmon" report --csv $scope links.db
done >scopes
awk -F, '
  function check(part, whole, name,  tolerance) {
    tolerance = 1e-9 * whole + 1e-6
    if (part < whole - tolerance || (part > whole + tolerance && !zero[name])) { print name, part, whole; bad = 1 }
    greater += part > whole + tolerance
    compared++
  }
  $4 == "name" || $8 == "" { next }
  $7 != "" { units[$4, $5] += $8; zero[$4] += $4 == "DATA_FROM_QPI_TO_HA_OR_IIO" && $8 == 0; next }
  $5 != "" { socket[$4, $5] = $8; next }
  { total[$4] = $8 }
  END {
    for (name in total) {
      for (p = 0; p < 2; p++)
        check(units[name, p], socket[name, p], name)
      check(units[name, 0] + units[name, 1], total[name], name)
    }
    print compared, greater
    exit bad || compared != 33 || !greater
  }' scopes >sums || fail "units do not add up: $(cat sums)"
[ $failed = 0 ]
