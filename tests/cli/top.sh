#!/bin/sh
# SPDX-License-Identifier: MIT
# `pmon top` in a real terminal (tmux): each view at four sizes, in colour and monochrome, UTF-8 and ASCII; keys; a
# resize; an emulated run that is paused and stepped; a terminal that disappears; unsuitable terminals. Usage: top.sh
# PMON [few: two of the sizes]
few=${2-}
pmon=$(realpath "$1")
. "$(dirname "$(realpath "$0")")/terminal.sh"

printf 'set numa=interleave\nthread 0 on core 0: stream read 2M stride 64\nthread 0 on core 0: random modify 4M count 20k\n' >s.scn
printf 'device 0000:17:00.0 stack 2 port 1 Ethernet controller: X710\ndma write 2GB/s stack 2 port 1 for 400us\n' >>s.scn
"$pmon" -p emr stat --scenario s.scn -g DEFAULT -m IIO_PART1_MEM_WRITE_BANDWIDTH -I 20us --record r.pmon >/dev/null || complain "not recorded"

escape=$(printf '\033')
fits() { screen | awk -v most="$1" 'length > most * 3 { bad = 1 } END { exit bad || NR == 0 }'; }
plain() { ! screen | LC_ALL=C grep -q '[^ -~]'; }
for size in '80 24' '120 40' '200 60' '300 70'; do
  for look in 'C.UTF-8 auto' 'C never'; do
    case $few-$size-$look in -* | few-'80 24-C.UTF-8 auto' | few-'300 70-C never') ;; *) continue ;; esac
    # shellcheck disable=SC2086
    set -- $size $look
    start "$1" "$2" "$3" "'$pmon' top --color $4 r.pmon"
    await 'MEM_READ_BANDWIDTH' || continue
    mux send-keys End
    await ' of ' && await ENDED
    if [ "$3" = C ]; then arrow='->'; else arrow=→; fi
    [ "$1" -ge 90 ] || { if [ "$3" = C ]; then arrow=sent; else arrow=→; fi; }
    await "$arrow"
    for text in 'EMULATED emr' 'socket 0' 'socket 1' 'upi' 'LLC_REQUESTS' 'F1 help'; do
      holds "$*: the die shows no $text" shows "$text"
    done
    holds "$*: too wide" fits "$1"
    holds "$*: a name below the die is cut" like '^ imc: MEM_[A-Z_]+, cha: [A-Z_]+(, [a-z0-9]+: [A-Z0-9_]+)* +0 '
    if [ "$3" = C ]; then
      holds "$*: characters beyond ASCII" plain
      holds "$*: no shades" shows '@'
    else
      holds "$*: no history" like '[▁▂▃▄▅▆▇█]'
      holds "$*: no colours" like "$escape\[.*48;5;" -e
    fi
    mux send-keys u
    await 'by instance'
    [ "$2" -lt 30 ] || holds "$*: units" shows 'socket 1 imc 7 '
    mux send-keys v
    await '0000:17:00.0 Ethernet controller: X710 (socket 0, stack 2, port B)'
    await 'IIO_PART1_MEM_WRITE_BANDWIDTH'
    mux send-keys v
    await 'LLC_REQUESTS'
    mux send-keys t
    await '  socket 0'
    [ "$2" -lt 30 ] || await '    socket 0 imc 0'
    holds "$*: a name that is not there once" once '^ MEM_VOLUME '
    mux send-keys t
    mux send-keys Enter
    await 'mean of intervals'
    await 'Source:'
    mux send-keys F1
    await 'pmon top: keys'
    await 'coloured by load'
    mux send-keys x
    mux send-keys / D R A M
    await 'filter: DRAM_'
    holds "$*: the filter does not filter" unlike '^ MEM_READ_BANDWIDTH'
    mux send-keys Escape
    await 'MEM_READ_BANDWIDTH'
    mux send-keys q
    await 'status 0'
  done
done

# Terminals of 256 colours get shades of their own. On eight colours, light loads are white on black and blue, others
# black.
start 120 40 C.UTF-8 "'$pmon' top r.pmon"
await MEM_READ_BANDWIDTH
mux send-keys End
await ENDED
holds "256 colours: shades of eight" unlike "$escape\[4[0-5]m" -e
terminal=xterm
start 120 40 C.UTF-8 "'$pmon' top r.pmon"
await MEM_READ_BANDWIDTH
mux send-keys End
await ENDED
holds "eight colours: no light loads in white" like "$escape\[37m$escape\[4[04]m" -e
holds "eight colours: black on black" unlike "$escape\[30m$escape\[40m" -e
unset terminal

# More kinds of units than fit next to the LLC slices: each is shown somewhere.
"$pmon" -p emr stat --scenario s.scn -e cha/CLOCKTICKS/,imc/CLOCKTICKS/,upi/CLOCKTICKS/,m2m/CLOCKTICKS/,iio/CLOCKTICKS/ \
  -e irp/CLOCKTICKS/,mdf/CLOCKTICKS/ -I 20us --record many.pmon >/dev/null || complain "not recorded"
start 200 60 C.UTF-8 "'$pmon' top many.pmon"
await 'cha/CLOCKTICKS/'
await ' iio   0'
await ' irp   0'
await ' mdf   0'

# Packages have the platform's term: hardware threads of Montecito.
"$pmon" -p montecito stat --generate threads:2000 -I 5us -e IA64_INST_RETIRED --record threads.pmon >/dev/null || complain "threads"
start 120 40 C "'$pmon' top --color never threads.pmon"
await ' thread 0 '
mux send-keys t
await '  thread 3 '
holds 'no sockets' unlike 'socket'

# Values of the recording equal those of the report: a rate, and an amount in an interval of 20 us, as a rate.
start 120 40 C "'$pmon' top --color never r.pmon"
await MEM_READ_BANDWIDTH
mux send-keys End
await ENDED
mux send-keys Home
await ' 1 of '
await PAUSED
first() { "$pmon" report -I -m "$1" r.pmon | awk '$2 == "us" { print $3, $4; exit }'; }
await "$(first MEM_READ_BANDWIDTH)"
await "$(first MEM_VOLUME | awk '$2 == "kB" { printf "%.2f GB/s", $1 / 20 }')"
# The last values are a time series: it excludes values later than the shown interval, and has no value twice.
last_values() { screen | sed -n 's/^ MEM_READ_BANDWIDTH .*B\/s *//p' | tr -d ' \n' | wc -c; }
one_value() { [ "$(last_values)" -eq 1 ]; }
holds 'last values of the first interval' one_value
mux send-keys End
await ENDED
some_values() { [ "$(last_values)" -ge 5 ]; }
holds 'last values after a seek' some_values
mux send-keys Home
await ' 1 of '
# The history includes the newest value, and no value that was not measured.
mux send-keys u
await 'by instance'
mux send-keys Enter
await 'mean of intervals'
in_order() {
  screen | awk '/^ +(now|lowest|highest) / { v[++n] = $(NF - 1) } END { exit n != 3 || v[2] <= 0 || v[2] > v[1] || v[1] > v[3] }'
}
holds 'now, lowest, highest' in_order
mux send-keys d
await MEM_READ_BANDWIDTH

# Another size, and a size that is too small.
mux resize-window -x 90 -y 30
await 'F1 help'
[ "$(screen | wc -l)" -le 30 ] || complain "not resized"
mux resize-window -x 30 -y 4
await '40x5 at least'
mux resize-window -x 100 -y 30
await 'MEM_READ_BANDWIDTH'
mux send-keys q
await 'status 0'

# Times are on the clock of the measurement, as on pages: a delay (-D) remains.
"$pmon" -p emr stat --scenario s.scn -D 20us -I 20us --duration 40us -m MEM_READ_BANDWIDTH --record late.pmon >/dev/null || complain "-D"
start 100 30 C "'$pmon' top --color never late.pmon"
await 'MEM_READ_BANDWIDTH'
mux send-keys End
await ENDED
mux send-keys Home
await 'emr  40.000 us  interval 20.000 us  1 of 2'
mux send-keys q
await 'status 0'

# Ctrl-C ends a recording's view as it ends a measurement's.
start 100 30 C "'$pmon' top r.pmon"
await 'MEM_READ_BANDWIDTH'
mux send-keys C-c
await 'status 130'

# An emulated run: while paused, simulated time does not pass, except for one step. The run lasts far longer than the
# test: a finished run is paused, too, but makes no step.
for _ in $(seq 2000); do echo 'thread 0 on core 0: stream read 2M stride 64'; done >long.scn
start 100 30 C "'$pmon' -p emr top --color never --scenario long.scn -I 20us"
await 'interval 20.000 us'
mux send-keys p
await PAUSED
time_of() { screen | sed -n '1s/.*emr  *\([0-9.]* [um]s\)  interval.*/\1/p'; }
# The interval that was running when the key was pressed is completed; a busy host may show it some time after the word
# PAUSED. The time of a run that is not paused never rests.
rests() {
  before=$(time_of)
  timeout 1.5 tail -f /dev/null
  [ -n "$before" ] && [ "$before" = "$(time_of)" ]
}
holds "simulated time went on" rests
mux send-keys .
stepped() { now=$(time_of); [ -n "$now" ] && [ "$now" != "$before" ]; }
holds "no step" stepped
mux send-keys q
await 'status 0'

# A run that has ended cannot be resumed or stepped, and top says so.
start 100 30 C "'$pmon' -p emr top --color never --scenario s.scn -I 100us"
await ENDED
holds 'a run that has ended offers to resume' unlike 'space resume'
holds 'a run that has ended offers a step' unlike '[.] step'
mux send-keys q
await 'status 0'

# The terminal disappears: top exits, and no process is left in a loop.
start 80 24 C "'$pmon' -p emr top --scenario long.scn -I 20us"
await 'F1 help'
mux send-keys p
await PAUSED
# A zombie does not run: the first process of a container may never wait for it.
runs() { case "$(cut -d' ' -f3 "/proc/$1/stat" 2>/dev/null)" in '' | Z | X) return 1 ;; esac; }
pids=$(pgrep -f "$pmon -p emr top --scenario long.scn") || complain "not running"
mux kill-server
for pid in $pids; do
  tries=6000
  while runs "$pid" && [ $((tries -= 1)) -gt 0 ]; do timeout 0.1 tail -f /dev/null; done
  [ $tries -gt 0 ] || { complain "it runs on without a terminal"; kill -9 "$pid"; }
done

# Unsuitable terminals.
terminal=dumb
start 80 24 C "'$pmon' top r.pmon"
await 'cannot move its cursor'
await 'status 2'
terminal=no-such-terminal
start 80 24 C "'$pmon' top r.pmon"
await 'does not know this terminal'
"$pmon" top r.pmon </dev/null >out 2>err
[ $? -eq 2 ] || complain "without a terminal"
grep -q 'not a terminal' err || complain "$(cat err)"
"$pmon" top a b 2>err
[ $? -eq 2 ] || complain "two arguments"
exit $failed
