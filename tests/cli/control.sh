#!/bin/sh
# SPDX-License-Identifier: MIT
# --control and -D -1: counts are those of the enabled times, on the machine exactly from where a program waits for the
# acknowledgement, and on a host of plain files; with intervals, recordings and logs. Usage: control.sh PMON FAKE-HOST
pmon=$(realpath "$1") fake_host=$(realpath "$2")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
complain() { echo "$*"; failed=1; }
mkfifo commands answers
exec 5<>commands 6<>answers
run() { timeout -s KILL 100 "$pmon" stat "$@" </dev/null 2>errors; }
number() { tr -d '\r' <"$1" | awk -F, -v name="$2" -v package="$3" '$4 == name && $5 == package { n += $8 } END { printf "%.0f\n", n }'; }

# ---- a program on the machine that enables and disables the counters itself ----
cat >windows.sh <<'END'
send() { echo "$1" >commands; read -r answer <answers; [ "$answer" = ack ] || exit 9; }
work() { i=0; while [ $i -lt "$1" ]; do i=$((i + 1)); done; }
work 300; send enable; work 200; send disable; work 500; send enable; send ping; work 200; send disable; work 300
END
sed 's/send disable; work 500; send enable; send ping/:/' windows.sh >one.sh
machine() { run -p emr --backend machine -m INSTRUCTIONS -e cha/TOR_INSERTS.IA/ "$@"; }
controlled() { machine -D -1 --control fifo:commands,answers "$@"; }
controlled --csv --log log --record recording -- sh windows.sh >csv || complain "windows: $(cat errors)"
controlled --csv -- sh windows.sh | cmp - csv || complain "another run has other counts"
controlled --csv -- sh one.sh >one || complain "one window: $(cat errors)"
windows=$(number csv INSTRUCTIONS) whole=$(number one INSTRUCTIONS)
# The shell's own work depends on the text before it.
[ "$((windows * 100 / whole))" -ge 90 ] && [ "$((windows * 100 / whole))" -le 110 ] ||
  complain "$windows instructions in two windows, $whole in one of the same work"
# The measured time is that of the windows; the begin is that of the first.
tr -d '\r' <csv | awk -F, 'NR == 2 { exit !($1 > 0 && $3 > 0 && $3 < 0.6 * ($2 - $1)) }' || complain "times: $(sed -n 2p csv)"
[ "$(grep -c '^# control' log)" -eq 4 ] || complain "the log has other commands: $(grep '^# control' log)"
machine -D -1 --csv --replay log | cmp - csv || complain "a replay differs: $(cat errors)"
"$pmon" report --csv recording >again && [ "$(number again INSTRUCTIONS)" = "$windows" ] || complain "the recording differs"
controlled -- sh windows.sh | grep -q ' of simulated time, within ' || complain "the text has one time only"

# Intervals end where counters are disabled, and none has disabled time; their sum is the whole.
controlled -I 20us --csv --summary --log log -- sh windows.sh >intervals || complain "intervals: $(cat errors)"
tr -d '\r' <intervals | awk -F, '$4 == "INSTRUCTIONS" && $5 == "" {
    if (last != "" && $27 != "") { gaps += $1 > end + 1e-8; short += $3 < 0.0000199 }
    if (($2 - $1 - $3) ^ 2 > 1e-16 && $27 != "") { print "times " $0; bad = 1 }
    end = $2; last = $8; if ($27 != "") n += $8 }
  END { if (gaps != 1 || short < 2 || n != last) { print gaps " gaps, " short " short intervals, sum " n " of " last; bad = 1 }
    exit bad }' || complain "intervals"
machine -D -1 -I 20us --csv --summary --replay log | cmp - intervals || complain "a replay of intervals differs: $(cat errors)"
# Multiplexed events: each has its estimate of the same enabled time.
controlled --slice 5us --csv -e imc/CLOCKTICKS/ -e 'imc/CAS_COUNT.RD,thresh=1/,imc/CAS_COUNT.RD,thresh=2/' \
  -e 'imc/CAS_COUNT.WR,thresh=1/,imc/CAS_COUNT.WR,thresh=2/,imc/CAS_COUNT.ALL/' -- sh windows.sh >shared || complain "$(cat errors)"
tr -d '\r' <shared | awk -F, '$4 ~ /^imc.CLOCKTICKS/ && $5 == 0 { n++; off = $8 / $3 / 2.8e9 / 8 - 1; exit !(off * off < 0.0001) }
  END { if (!n) exit 1 }' || complain "clock ticks: $(grep CLOCKTICKS shared)"

# A program that goes on is controlled from outside, and ended.
machine -D -1 --control fd:5,6 --csv -- sh -c 'while :; do :; done' >csv &
for command in ping enable disable enable stop; do
  echo $command >&5
  read -r answer <&6
  [ "$answer" = ack ] || complain "$command: $answer"
done
wait $! || complain "a running program: $(cat errors)"
tr -d '\r' <csv | awk -F, '$4 == "INSTRUCTIONS" && $5 == "" { ok = $8 > 0 && $3 > 0 && $3 < $2 - $1 } END { exit !ok }' ||
  complain "a running program: $(cat csv)"

# ---- commands that are there before an input begins ----
printf 'thread 0 on core 0: stream read 64K stride 64\n' >s.scn
scenario() { run -p emr --scenario s.scn -e imc/CAS_COUNT.RD/ "$@" >out; }
scenario && cp out alone
printf 'enable \r\n' >file
scenario -D -1 --control fd:4 4<file || complain "a file of commands: $(cat errors)"
cmp out alone || complain "enabled from the beginning: $(cat out)"
printf 'ping\ndisable\000nonsense\n\nenable\nenable\n' >&5
scenario --control fd:5,6 || complain "commands at the beginning: $(cat errors)"
cmp out alone || complain "enabled at the beginning: $(cat out)"
grep -q 'pmon stat: --control: unknown command "nonsense"; expected enable, disable, evlist, ping or stop' errors || complain "$(cat errors)"
for command in ping disable enable enable; do read -r answer <&6 && [ "$answer" = ack ] || complain "$command: $answer"; done
printf 'ping\n' >&5
scenario --control fifo:commands,answers && read -r answer <&6 || complain "no answer"
[ "$answer" = ack ] || complain "an unknown command was acknowledged"
# The events are listed; a single one is not enabled or disabled, which nothing acknowledges.
printf 'evlist\ndisable imc/CAS_COUNT.RD/\n' >&5
scenario --control fd:5,6 || complain "evlist: $(cat errors)"
[ "$(dd if=answers iflag=nonblock bs=4096 count=1 2>/dev/null)" = ack ] || complain "evlist alone was to be acknowledged"
cmp out alone || complain "a single event was disabled: $(cat out)"
grep -qx 'imc/CAS_COUNT.RD/' errors || complain "no list of events: $(cat errors)"
grep -q 'pmon stat: --control: "disable imc/CAS_COUNT.RD/": a single event cannot be enabled or disabled' errors || complain "$(cat errors)"
for command in disable stop; do
  printf '%s\n' $command >&5
  scenario --control fd:5
  [ $? -eq 1 ] || complain "$command at the beginning has another status"
  [ ! -s out ] && grep -q 'ended before the counters were enabled; nothing was measured' errors || complain "$(cat out errors)"
done
# Answers that nothing reads end no measurement.
mkfifo unread
exec 8<>unread 7>unread 8<&-
printf 'ping\nping\n' >&5
scenario --control fd:5,7 || complain "unread answers: $(cat errors)"
cmp out alone || complain "unread answers: $(cat out)"
[ "$(grep -c 'acknowledgements cannot be written: .*; no more are sent' errors)" -eq 1 ] || complain "$(cat errors)"

# ---- a host, whose counters the command advances ----
XDG_RUNTIME_DIR=$work
export XDG_RUNTIME_DIR
sh "$fake_host" host
cat >add.py <<'END'
import os, struct, sys
fd = os.open('host/dev/cpu/0/msr', os.O_RDWR)
is_, = struct.unpack('<Q', os.pread(fd, 8, 0xc36))
os.pwrite(fd, struct.pack('<Q', is_ + int(sys.argv[1])), 0xc36)
END
cat >host.sh <<'END'
send() { echo "$1" >commands; read -r answer <answers; [ "$answer" = ack ] || exit 9; }
python3 add.py 1; send enable; python3 add.py 100; send disable; python3 add.py 1000; send enable; python3 add.py 10
send disable; python3 add.py 1
END
host() { run --root host --backend direct --freeze none -D -1 -e pcu/CLOCKTICKS/ --csv "$@"; }
host --control fifo:commands,answers --log log -- sh host.sh >csv || complain "a host: $(cat errors)"
[ "$(number csv pcu/CLOCKTICKS/ 0)" -eq 110 ] || complain "a host: $(cat csv)"
run -e pcu/CLOCKTICKS/ --csv --freeze none -D -1 --replay log | cmp - csv || complain "a replay differs: $(cat errors)"
# Without a command, another program ends the measurement.
host --control fd:5,6 >csv &
for command in ping enable disable enable; do
  echo $command >&5
  read -r answer <&6
  [ "$answer" = ack ] || complain "$command: $answer"
done
python3 add.py 7
echo stop >&5
read -r answer <&6
wait $! || complain "stop: $(cat errors)"
[ "$(number csv pcu/CLOCKTICKS/ 0)" -eq 7 ] || complain "until stop: $(cat csv)"

# ---- refusals ----
refuse() {
  part=$1
  shift
  scenario "$@"
  [ $? -eq 2 ] || complain "$*: not refused"
  grep -qF -e "$part" errors || complain "$*: $(cat errors)"
}
for value in '' fifo fifo: fifo:, fifo:commands, fd: fd:x fd:-1 commands; do
  refuse 'expected fifo:PATH[,PATH] or fd:NUMBER[,NUMBER]' --control "$value"
done
refuse 'none: cannot be opened: No such file or directory; create it with mkfifo' --control fifo:none
refuse 's.scn: is not a FIFO' --control fifo:commands,s.scn
refuse 'descriptor 77 is not open for reading commands' --control fd:77
refuse 'descriptor 0 is not open for writing acknowledgements' --control fd:5,0
refuse '-D -1 leaves the counters disabled until a command enables them; add --control' -D -1
refuse '--control cannot be combined with --every, or with a -D other than -1' --control fd:5 -D 1
refuse '--control cannot be combined with --every' --control fd:5 --every 5,imc/CAS_COUNT.RD/
exit $failed
