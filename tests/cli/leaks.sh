#!/bin/sh
# SPDX-License-Identifier: MIT
# Each command, and each action of `pmon machine`, ends without a leak of memory, with success and with an error, in an
# environment in which the address sanitizer searches for leaks (`leaks` in meson.build), as a planted leak shows. The
# command alone does not search (cli/sanitized.c). Usage: leaks.sh PMON LEAKING-MODULE SOURCE
set -u
pmon=$(realpath "$1") module=$(realpath "$2") source=$(realpath "$3") bad=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export XDG_RUNTIME_DIR="$work" XDG_CACHE_HOME="$work" XDG_DATA_HOME="$work"
fail() { echo "$*"; bad=1; }

leaks() { LD_PRELOAD=$module ASAN_OPTIONS=$1:verify_asan_link_order=0 "$pmon" --version >out 2>&1 && return 1
  grep -q 'LeakSanitizer: detected memory leaks' out; }
leaks "${ASAN_OPTIONS-}" || fail "a leak is not detected in this environment, ${ASAN_OPTIONS-}: $(head -c 300 out)"
leaks 'color=never' && fail 'leaks are searched for without this environment, too, which takes the tests minutes'

# Files that the commands read.
sh "$source/tests/attack/fake_host.sh" host
printf 'thread 0 on core 0: stream read 64K stride 64\n' >s.scn
event=imc/CAS_COUNT.RD/
"$pmon" -p emr stat --scenario s.scn -I 1us -e $event --record r.pmon --log log >/dev/null 2>err || fail "stat: $(cat err)"
"$pmon" -p emr capture --machine -o captured 2>err || fail "capture: $(cat err)"
"$pmon" -p emr list --format perf-json >events.json 2>err || fail "list: $(cat err)"

# The exit status and the arguments. Of commands in `elsewhere`, the named test has the success, which needs a terminal, a
# client or a guest; the guests of bench-tool run with the plain build alone.
elsewhere='top=top exporter=exporter vm=vm-scenario bench-tool=none'
cat >commands <<END
0 list -u imc CAS --json
0 list --format perf-json
2 list -u nosuchunit
0 search read bandwidth
2 search xyzzyplugh
0 units --json
2 units nosuchunit
0 registers --json
2 registers --nosuchoption
0 metrics --json
2 metrics --nosuchoption
0 show $event
0 show MEM_READ_BANDWIDTH
2 show nosuchname
0 encode --json $event
2 encode imc/NOSUCHEVENT/
2 encode imc/CAS_COUNT.RD,nosuchattribute=1/
0 decode 0x2002=0x00C817FE00000135
2 decode 0x2002=x
0 explain $event
2 explain nosuchname
0 stat --scenario s.scn -e $event -m MEM_READ_BANDWIDTH --per-unit --json
0 stat --scenario s.scn -r 2 -e $event --csv
2 stat --scenario none -e $event
2 stat -e imc/NOSUCHEVENT/ --scenario s.scn
2 stat -m MEM_READ_BANDWIDTH,nosuchmetric --scenario s.scn
1 stat --root host -p snbep --backend direct -e cbo/CLOCKTICKS/ -- false
0 sample -p montecito --generate mixed:2000 --source addresses -c 500
2 sample -p montecito --generate nosuchkind:1
0 report r.pmon --per-unit --json
0 report --html page.html r.pmon
2 report captured
0 diff r.pmon r.pmon
2 diff r.pmon none
2 top none
2 exporter --config none
0 restore --root host
2 restore captured
0 machine describe --json
2 machine describe --set nosuchparameter=1
0 machine run --scenario s.scn
2 machine run --scenario none
0 machine record -o trace -- true
2 machine record -o none/trace -- true
0 machine check log
2 machine check captured
0 machine rules --json
2 machine rules --nosuchoption
0 machine replay --scenario s.scn log
2 machine replay none
0 machine diff log log
2 machine diff log none
0 machine coverage --totals
2 machine coverage -u nosuchunit
0 machine mount -p snbep folder true
2 machine mount none
2 vm
0 bench-driver --list
2 bench-driver --nosuchoption
2 bench-tool none.bench
0 import events.json
2 import captured
0 discover --replay captured
2 discover --replay none
0 capture --machine -o again
2 capture --machine -o none/again
0 doctor --replay captured
2 doctor --replay log
0 completion bash
2 completion nosuchshell
END
mkdir folder
while read -r status arguments; do
  case $arguments in
  *' -p '*) ;;
  'machine r'*' -- '*) command -v qemu-x86_64 >/dev/null || continue ;;
  esac
  # shellcheck disable=SC2086
  "$pmon" -p emr $arguments >out 2>err </dev/null
  is=$?
  # Without FUSE, or where it may not be used, nothing is mounted.
  case $is-$arguments in 3-*' mount '*) continue ;; esac
  [ $is -eq "$status" ] || fail "pmon $arguments: exit status $is, not $status: $(head -c 2000 err)"
done <commands

# The list above has each command twice.
for command in $("$pmon" __complete '') $("$pmon" __complete machine '' | sed 's/^/machine./'); do
  [ "$command" = machine ] && continue
  words=$(echo "$command" | tr . ' ')
  grep -q "^0 $words\b" commands || case " $elsewhere " in *" $command="*) ;; *) fail "no success of pmon $words" ;; esac
  grep -q "^[1-9] $words\b" commands || fail "no error of pmon $words"
done
exit $bad
