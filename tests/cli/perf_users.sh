#!/bin/sh
# SPDX-License-Identifier: MIT
# docs/perf-users.md names options, functions, files and events that exist: options of pmon's commands, functions of the
# headers, and the table of libpfm4's texts with the events that they select. Each option of other tools is an option of
# pmon, or is answered with the counterpart. Usage: perf_users.sh PMON SOURCE
set -u
pmon=$(realpath "$1") source=$2 page=$2/docs/perf-users.md
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
bad=0
complain() { echo "perf_users: $*" >&2; bad=1; }
code() { grep -o '`[^`]*`' | tr -d '`'; }

# pmon's column is the second one; an option in it is one of stat's, or of the command named before it.
"$pmon" --help | sed -n 's/^  \([a-z][a-z-]*\)  *[a-z].*/\1/p' >"$folder/commands"
options() { "$pmon" "$1" --help | grep -oE -- '(^|[ ,])--?[a-zA-Z][a-z-]*' | tr -d ' ,' | sort -u; }
for command in $(cat "$folder/commands"); do options "$command" >"$folder/options.$command"; done
sed -n 's/^| [^|]* | \(.*\) |$/\1/p' "$page" | code >"$folder/code"
[ "$(wc -l <"$folder/code")" -gt 90 ] || complain "few commands in the page"
n=0
while read -r text; do
  command=stat
  for word in $text; do
    [ "$word" = -- ] && break # a command
    word=${word%%=*}
    if [ "$word" = pmon ]; then command=; continue; fi
    if grep -qx -e "$word" "$folder/commands"; then command=$word; fi
    case $word in
      -p) ;;
      -[a-zA-Z-]*)
        n=$((n + 1))
        grep -qx -e "$word" "$folder/options.${command:-stat}" || complain "pmon ${command:-stat} has no $word: $text" ;;
    esac
  done
done <"$folder/code"
[ $n -gt 40 ] || complain "only $n options in the page"

grep -o '`\(pmon_[a-z_]*\)()`' "$page" | tr -d '`()' | sort -u | while read -r name; do
  grep -qrw "$name" "$source/include/pmon" || echo "$name"
done >"$folder/missing"
[ -s "$folder/missing" ] && complain "no such functions: $(cat "$folder/missing")"

grep '^| `[^`]*` | `[^`]*/` | `[a-z]*` |$' "$page" | code | paste - - - >"$folder/texts"
[ "$(wc -l <"$folder/texts")" -ge 6 ] || complain "few texts of libpfm4"
while read -r text name platform; do
  is=$("$pmon" -p "$platform" encode "$text" 2>&1 | head -n 1)
  case $is in "$name  "*) ;; *) complain "$text: $is, not $name" ;; esac
done <"$folder/texts"

# Options of perf stat, list and record (6.1), of likwid-perfctr (5.2) and of PCM's tools. -p, -P, -k, -m and others of
# perf record that concern its file and its processes alone are left out.
answered() {   # command, platform, options...
  command=$1 platform=$2
  shift 2
  options "$command" >"$folder/own"
  for option in "$@"; do
    grep -qx -e "$option" "$folder/own" && continue
    is=$("$pmon" -p "$platform" "$command" "$option" -- true 2>&1 </dev/null)
    case $is in
      *'lists the options'*) complain "$command $option is not answered: $is" ;;
      "pmon $command: $option: no such option; "*|"pmon $command: $option: missing value before --; "*) ;;
      *) complain "$command $option: $is" ;;
    esac
  done
}
answered stat emr -a --all-cpus -A --no-aggr -B --big-num --no-big-num -C --cpu -D --delay -d --detailed -e --event -G \
  --cgroup -I --interval-print -i --no-inherit -j --json-output -M --metrics -n --null -o --output --pid -r --repeat -S \
  --sync -t --tid -T --transaction -v --verbose -x --field-separator --all-kernel --all-user --append --control --cputype \
  --filter --for-each-cgroup --hybrid-merge --interval-clear --interval-count --iostat --log-fd --metric-no-group \
  --metric-no-merge --metric-only --no-csv-summary --no-merge --per-core --per-die --per-node --per-socket --per-thread \
  --percore-show-thread --post --pre --quiet --scale --no-scale --smi-cost --summary --table --td-level --timeout \
  --topdown -b --bpf-prog --bpf-counters --bpf-attr-map
answered stat emr -c -E -f -H -i -M -O -s -S -T -t -V -v --stats --marker
answered stat emr -i -csv -csv-delimiter -nc -ns -nsys -pid -silent -f -yc -ync -rank -partial -mixed -columns -all -tr \
  -json -out -el -ep -list -root-port -human-readable
answered list emr -d --desc --no-desc -v --long-desc --debug --details --deprecated --cputype -j --json -o --raw-dump
answered sample montecito -a --all-cpus -b --branch-any -c --count -C --cpu -d --data -D --delay -e --event -F --freq -g \
  --call-graph -G --cgroup -i --no-inherit -j --branch-filter -o --output --period -q --quiet -R --raw-samples -t --tid -T \
  --timestamp -u --uid -v --verbose -W --weight --all-kernel --all-user --per-thread --phys-data --pid --control
# The letters of one group are options of pmon: they measure nothing else.
for option in -g --group -m; do
  is=$("$pmon" -p emr stat $option -- true 2>&1)
  case $is in "pmon stat: $option: missing value before --; "*) ;; *) complain "stat $option: $is" ;; esac
done
is=$("$pmon" -p emr stat -out="$folder/out" -- true 2>&1)
case $is in "pmon stat: -out: no such option; pcm-raw's -out FILE is -o FILE") ;; *) complain "stat -out=: $is" ;; esac
exit $bad
