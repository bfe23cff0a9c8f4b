#!/bin/sh
# SPDX-License-Identifier: MIT
# Files of a user's own that are unusual or wrong, on top of a platform: each works, or is refused with its place and a
# remedy. Usage: own_files.sh PMON
pmon=$1 failed=0 work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
printf 'set sockets=1 cores=1 chas=2 imcs=1 channels=1\nthread 0: stream 64K\n' >"$work/small.scn"
expect() {   # the exit code, part of the output, the file's kind, the command; the file: standard input
  code=$1 part=$2 file=$work/mine.$3
  shift 3
  cat >"$file"
  output=$("$pmon" -p "emr,$file" "$@" 2>&1)
  got=$?
  [ $got -eq "$code" ] || { echo "$*: exit code $got, not $code: $output"; failed=1; }
  case $output in *"$part"*) ;; *) echo "$*: \"$output\" does not contain \"$part\""; failed=1 ;; esac
}
measure() { code=$1 part=$2 kind=$3; shift 3; expect "$code" "$part" "$kind" stat "$@" --scenario "$work/small.scn"; }

# A metric above any `unit` line names events of any unit, and its recording is read again.
metric='cite none\nmetric MINE\n  brief b\n  equation %s\n'
printf "$metric" 'imc/CAS_COUNT.RD * 2' | measure 0 2,050 met -m MINE
printf "$metric" 'imc/CAS_COUNT.RD * 2' | measure 0 2,050 met -m MINE,MINE --record "$work/mine.db"
output=$("$pmon" -p "emr,$work/mine.met" report "$work/mine.db")
case $output in *2,050*) ;; *) echo "a recording: $output"; failed=1 ;; esac
printf "$metric" 7 | measure 0 'MINE         7' met -m MINE
printf "$metric" 'MINE + 1' | measure 2 'metric MINE: metrics that use each other, MINE among them' met -m MINE
printf "unit imc\n$metric" 'CAS_COUNT.RD' | tr '\n' '\t' | sed 's/\t/\r\n/g' | measure 0 1,025 met -m MINE

# Signs in an event's attributes are not the invariant's.
invariant='unit imc\ncite none\ninvariant mine\n  brief b\n  holds %s\n'
printf "$invariant" 'CAS_COUNT.RD{thresh=1} <= CAS_COUNT.RD' | measure 0 '' rule -e imc/CAS_COUNT.RD/ --check
printf "$invariant" 'CAS_COUNT.RD' | expect 2 'mine.rule:3:6: two sides with ==' rule list

# What replaces a block that others use.
printf 'events imc\ncite none\nevent CAS_COUNT 5\n  brief b\n' |
  expect 2 "not 'CAS_COUNT.RD'; it is taken over: what replaces a block of the same name here" evt list
printf 'cite none\nregister CTL width 64\n  brief b\n  63:0 all rw 0 b\n' |
  expect 2 "'ev_sel' is none; it is taken over" reg list
exit $failed
