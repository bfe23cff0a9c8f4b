#!/bin/sh
# SPDX-License-Identifier: MIT
# User-supplied files on top of a platform that are unusual or wrong: each works, or is refused with its line and a
# remedy. Usage: own_files.sh PMON
pmon=$(realpath "$1") work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
fail() { : >"$work/failed"; }   # functions at the end of a pipe run in a shell of their own
printf 'set sockets=1 cores=1 chas=2 imcs=1 channels=1\nthread 0: stream 64K\n' >"$work/small.scn"
expect() {   # exit code, part of the output, the file's kind, the command; the file: standard input
  code=$1 part=$2 file=$work/mine.$3
  shift 3
  cat >"$file"
  output=$("$pmon" -p "emr,$file" "$@" 2>&1)
  got=$?
  [ $got -eq "$code" ] || { echo "$*: exit code $got, not $code: $output"; fail; }
  case $output in *"$part"*) ;; *) echo "$*: \"$output\" does not contain \"$part\""; fail ;; esac
}
measure() { code=$1 part=$2 kind=$3; shift 3; expect "$code" "$part" "$kind" stat "$@" --scenario "$work/small.scn"; }

# A metric above any `unit` line may use events of any unit, and its recording can be read.
metric='cite none\nmetric MINE\n  brief b\n  equation %s\n'
printf "$metric" 'imc/CAS_COUNT.RD * 2' | measure 0 2,050 met -m MINE
printf "$metric" 'imc/CAS_COUNT.RD * 2' | measure 0 2,050 met -m MINE,MINE --record "$work/mine.db"
output=$("$pmon" -p "emr,$work/mine.met" report "$work/mine.db")
case $output in *2,050*) ;; *) echo "a recording: $output"; fail ;; esac
printf "$metric" 7 | measure 0 'MINE         7' met -m MINE
printf "$metric" 'MINE + 1' | measure 2 'metric MINE: metrics that use each other: MINE uses MINE' met -m MINE
printf "unit imc\n$metric" 'CAS_COUNT.RD' | tr '\n' '\t' | sed 's/\t/\r\n/g' | measure 0 1,025 met -m MINE

# Units of sums and results are checked where they are known: metrics have units, counts and numbers have none. A rate
# whose equation already gives a rate is not divided by the time again.
units='cite none\nmetric MINE\n  brief b\n  result %s\n  equation %s\n'
printf "$units" ratio LLC_MISS_LATENCY_NS |
  measure 2 'metric MINE: its result is declared in ratio, but its equation is in ns' met -m MINE
printf "$units" bytes 'MEM_READ_VOLUME * 2 + MEM_WRITE_VOLUME' | measure 0 'MINE' met -m MINE
printf "$units" bytes/s MEM_READ_VOLUME | measure 0 'MINE                15.72 GB/s' met -m MINE,MEM_READ_BANDWIDTH
printf "$units" bytes/s 'MEM_READ_BANDWIDTH + MEM_WRITE_BANDWIDTH' | measure 0 'MINE                15.72 GB/s' met -m MINE,MEM_READ_BANDWIDTH
printf '' | measure 2 'metric X: a value in bytes is added to or compared with one in s' met -m 'X=MEM_VOLUME+SAMPLE_INTERVAL'
printf '' | measure 2 'a value in bytes is added to or compared with one in ns' met -m 'X=IF(MEM_VOLUME<LLC_MISS_LATENCY_NS,1,2)'
printf '' | measure 2 'metric Y: a value in bytes is added' met -m 'X=imc/CAS_COUNT.WR*64+MEM_VOLUME,Y=MAX(X,CLOCK_HZ(imc))'

# `machine rules` prints a rule to its end, however long its text is.
printf 'unit imc\nrule own.long\n  cite none\n  brief %s end\n  when edge_det=1\n  needs thresh!=0\n' "$(printf '%01500d' 0)" |
  expect 0 '0 end [none]' rule machine rules

# A metric needs no citation: its file is the source. A platform file accepts further files, too.
printf 'unit imc\nmetric MINE\n  brief b\n  result bytes/s\n  equation CAS_COUNT.RD * 64\n' |
  measure 0 'MINE' met -m MINE
output=$("$pmon" -p "emr,$work/mine.met" show MINE)
case $output in *'bytes/s a second'*) echo "a rate: $output"; fail ;; esac
case $output in *"see         $work/mine.met"*) ;; *) echo "no origin: $output"; fail ;; esac
printf 'platform mine\ntitle mine\ncite none\nimport emr\n' >"$work/mine.platform"
for name in "$work/mine.platform,$work/mine.met" mine.platform,mine.met "./mine.platform,$work/mine.met"; do
  output=$(cd "$work" && "$pmon" -p "$name" metrics MINE 2>&1)
  case $output in *MINE*) ;; *) echo "-p $name: $output"; fail ;; esac
done
(cd "$work" && "$pmon" -p mine.platform,absent.met metrics) >/dev/null 2>"$work/err"
[ $? -eq 2 ] && grep -q "absent.met' cannot be read: No such file or directory; " "$work/err" || { echo "absent: $(cat "$work/err")"; fail; }

# A file that cannot be read is named with the reason, however long its path is.
long=$work/$(printf '%0200d' 0)
mkdir -p "$long/folder.met" && ln -s /proc/self/mem "$work/mem.met"
unread() { # the file, the reason
  output=$("$pmon" -p "emr,$1" metrics 2>&1)
  [ $? -eq 2 ] || { echo "$1: another exit code"; fail; }
  case $output in *"$2") ;; *) echo "$1: $output"; fail ;; esac
}
unread "$long/absent.met" "/absent.met' cannot be read: No such file or directory; expected an absolute path, or one relative to the current directory"
unread "$long/folder.met" "/folder.met' cannot be read: Is a directory"
unread "$work/mem.met" "/mem.met' cannot be read: Input/output error"

# Equations accept events in the syntax of event lists; a slash before an operand divides.
equation() { # the value, the equation
  output=$("$pmon" stat --csv -m "R=$2" --scenario "$work/small.scn" 2>&1 | awk -F, '$4 == "R" && $5 == 0 { print $8 }')
  [ "$output" = "$1" ] || { echo "R=$2: $output, not $1"; fail; }
}
# Cycles of a channel with a CAS: how many of the 1025 share a cycle depends on the machine's timing.
busy=$("$pmon" stat --csv -e imc/CAS_COUNT.RD,thresh=1/ --scenario "$work/small.scn" 2>&1 |
  awk -F, '$1 != "begin_seconds" && $6 == 0 { print $9 }')
[ "${busy:-0}" -gt 512 ] && [ "$busy" -lt 1025 ] || { echo "thresh=1: $busy cycles"; fail; }
equation 65600 'imc/CAS_COUNT.RD/*64'
equation $((64 * busy)) '64*imc/CAS_COUNT.RD,thresh=1/'
equation 1 'imc/CAS_COUNT.RD/imc/CAS_COUNT.RD'
equation 1 'imc/CAS_COUNT.RD//imc/CAS_COUNT.RD/'
equation 41 "imc/CAS_COUNT.RD * $((40 << 20)) / gb_conversion + 0.9609375"
equation 1025 '(imc/CAS_COUNT.RD/)'
equation 512.5 'imc/CAS_COUNT.RD / 2'
equation $((1025 + busy)) 'imc/CAS_COUNT.RD,thresh=1/ + imc/CAS_COUNT.RD'
equation 1025 'MAX(imc/CAS_COUNT.RD/,imc/CAS_COUNT.RD,thresh=5/),B=imc/CAS_COUNT.RD,C=imc/CAS_COUNT.RD,thresh=1/'
equation 1025 'uncore_imc/event=0x05,umask=0xcf/'
output=$("$pmon" stat -m 'R=imc/CAS_COUNT.RD*' -- true 2>&1)
case $output in *'an equation consists of'*) ;; *) echo "no syntax: $output"; fail ;; esac

# Signs within an event's attributes are not taken for the invariant's comparison.
invariant='unit imc\ncite none\ninvariant mine\n  brief b\n  holds %s\n'
printf "$invariant" 'CAS_COUNT.RD{thresh=1} <= CAS_COUNT.RD' | measure 0 '' rule -e imc/CAS_COUNT.RD/ --check
printf "$invariant" 'CAS_COUNT.RD' | expect 2 'mine.rule:3:11: two sides with ==' rule list

# A platform file replaces a block that others use.
printf 'events imc\ncite none\nevent CAS_COUNT 5\n  brief b\n' |
  expect 2 "not 'CAS_COUNT.RD'; the row is imported: a block that replaces an imported one must" evt list
printf 'cite none\nregister CTL width 64\n  brief b\n  63:0 all rw 0 b\n' |
  expect 2 "expected, not 'ev_sel'; the row is imported" reg list
[ ! -e "$work/failed" ]
