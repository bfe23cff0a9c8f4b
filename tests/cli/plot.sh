#!/bin/sh
# SPDX-License-Identifier: MIT
# Plots of a recording: one chart per name, one curve per scope; no text is interpreted as a command; errors name the
# remedy and leave no file. Usage: plot.sh PMON
set -u
pmon=$(realpath "$1")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0 passed=0
check() {   # TEXT COMMAND...
  text=$1
  shift
  if "$@"; then passed=$((passed + 1)); else echo "FAILED: $text"; failed=$((failed + 1)); fi
}
run() { timeout -s KILL 600 "$pmon" "$@" </dev/null; }
refused() {   # REMEDY ARGUMENTS...
  remedy=$1
  shift
  run "$@" >out 2>err
  [ $? -eq 2 ] && grep -q -- "$remedy" err || { cat err; false; }
}
# A name that contains commands of gnuplot and of the shell.
hostile="s'; system 'touch made'; \`touch made\`.scn"
printf 'thread 0 on core 0: stream read 1M stride 64\n' >"$hostile"
run -p emr stat --scenario "$hostile" --set prefetch=off -I 20us -m MEM_READ_BANDWIDTH -e imc/CAS_COUNT.RD/ \
  --record r.pmon >/dev/null || exit 1
run -p emr stat --scenario "$hostile" --set prefetch=off --record whole.pmon >/dev/null || exit 1

check "without gnuplot" sh -c 'PATH=$PWD "$1" report --svg x.svg r.pmon 2>err </dev/null; [ $? -eq 2 ]' sh "$pmon"
check "its remedy" grep -q gnuplot-nox err
check "no intervals" refused 'record it with -I' report --svg x.svg whole.pmon
check "a folder that is not there" refused 'none/x.svg: cannot be written' report --svg none/x.svg r.pmon
check "no file is left" sh -c '[ -z "$(find . -name "x.svg*")" ]'
if ! command -v gnuplot >/dev/null; then
  echo "not drawn: no gnuplot"
  echo "$passed passed, $failed failed"
  exit $((failed > 0))
fi

check "drawn" run report --svg one.svg --png one.png r.pmon
check "standard output" sh -c '"$1" report --svg - r.pmon </dev/null | cmp - one.svg' sh "$pmon"
check "a picture" sh -c 'head -c 8 one.png | od -An -tx1 | grep -q "89 50 4e 47"'
check "emulated" grep -q "EMULATED: emr on pmon's emr machine" one.svg
check "the name as it is" grep -q 'touch made' one.svg
check "no command ran" test ! -e made
for name in MEM_READ_BANDWIDTH imc/CAS_COUNT.RD/; do check "$name" grep -q "$name" one.svg; done
check "one of them" sh -c '"$1" report -e imc/CAS_COUNT.RD/ --svg - r.pmon </dev/null >event.svg && ! grep -q MEM_READ event.svg' sh "$pmon"
run report --per-socket --svg sockets.svg r.pmon
check "a curve for each socket" test "$(grep -c '<title>socket [01]<' sockets.svg)" -eq 4
run report --per-unit -e imc/CAS_COUNT.RD/ --svg units.svg r.pmon
check "a curve for each channel" test "$(grep -c '<title>imc [01]\.[0-9]*<' units.svg)" -ge 16
# Values that no interval has: the chart reports it. All charts share one time axis. More values than charts: a warning.
run -p emr stat --scenario "$hostile" --set prefetch=off -I 20us -m '*' --record all.pmon >/dev/null 2>&1
check "values without a number" sh -c '"$1" report -m UPI_SPEED,MEM_READ_BANDWIDTH,IOTLB_MISS_RATIO --svg none.svg all.pmon 2>err </dev/null' sh "$pmon"
check "nothing of gnuplot's" test ! -s err
check "no data" grep -q 'no data' none.svg
# Few labels with units; amounts as rates, as on the page; each value holds for the whole of its interval: steps, the
# first from the beginning on.
for label in '0 GB/s' '0M/s'; do check "the label $label" grep -q ">.*$label<" one.svg; done
run -p emr stat --scenario "$hostile" --set prefetch=off --set dram.pipe=1000 -I 400us -m INSTRUCTIONS,LLC_MISS_LATENCY_NS \
  --record slow.pmon >/dev/null || exit 1
run report --svg slow.svg slow.pmon
for label in '20M instructions/s' '1000 ns'; do check "the label $label" grep -q ">$label<" slow.svg; done
check "no more than six labels" test "$(grep -c 'GB/s<' one.svg)" -le 6
check "labels of a ratio" sh -c '"$1" report -m LLC_MISS_RATIO --svg - all.pmon </dev/null | grep -q ">.*100 %<"' sh "$pmon"
check "a curve from the beginning, in steps" python3 - one.svg <<'END'
import re, sys
svg = open(sys.argv[1]).read()
left = float(re.search(r"<path stroke='gray' .*? d='M([0-9.]+),", svg).group(1))
curves = [re.findall(r"[ML]([0-9.]+),([0-9.]+)", d) for d in re.findall(r"d='([^']*)'", svg)]
curves = [c for c in curves if len(c) > 8]
steps = [all(a[0] == b[0] or a[1] == b[1] for a, b in zip(c, c[1:])) and abs(float(c[0][0]) - left) < 1 for c in curves]
sys.exit(not steps or not all(steps))
END
# After a delay (-D) the curve begins at the end of the delay, about a third of the chart.
run -p emr stat --scenario "$hostile" --set prefetch=off -D 20us -I 20us --duration 40us -m MEM_READ_BANDWIDTH --record late.pmon >/dev/null
check "a curve from the end of a delay on" sh -c '"$1" report --svg late.svg late.pmon </dev/null' sh "$pmon"
check "is not one from the beginning" python3 - late.svg <<'END'
import re, sys
svg = open(sys.argv[1]).read()
ends = lambda stroke: [float(x) for d in re.findall(f"<path stroke='{stroke}'.*? d='([^']*)'", svg) for x in re.findall(r"[ML]([0-9.]+),", d)]
grid, curve = ends('gray'), ends('rgb[^>]*')
sys.exit(abs((curve[0] - min(grid)) / (max(grid) - min(grid)) - 1 / 3) > 0.01)
END
check "curves beyond the colours are dashed" sh -c 'grep stroke-dasharray units.svg | grep -qv gridline'
check "no legend that does not fit" sh -c '"$1" report --per-unit -m LLC_MISSES --svg many.svg all.pmon </dev/null && ! grep -q ">cha 1.63<" many.svg' sh "$pmon"
check "all at once" sh -c '"$1" report --svg all.svg all.pmon 2>err </dev/null' sh "$pmon"
check "more than charts" grep -qx 'pmon report: warning: only the first 32 values are drawn; .*' err

# A plot never overwrites the recording that it draws; output that is not a regular file is not replaced by one.
cp r.pmon copy.pmon
ln -s r.pmon link.pmon
check "onto the recording" refused 'r.pmon: this is the recording itself' report --svg r.pmon r.pmon
check "as a page" refused 'r.pmon: this is the recording itself' report --html ./r.pmon r.pmon
check "through a link" refused 'link.pmon: this is the recording itself' report --png link.pmon r.pmon
check "of a comparison" refused 'copy.pmon: this is the recording itself' diff --html copy.pmon r.pmon copy.pmon
check "it is as it was" cmp r.pmon copy.pmon
mkfifo pipe
timeout 60 cat pipe >piped &
check "into a pipe" run report --svg pipe r.pmon
wait $!
check "which stays one" test -p pipe
check "and has all" cmp piped one.svg
for kind in svg png; do
  run report --$kind /dev/full r.pmon 2>err
  check "$kind onto a full disk" test $? -eq 1
  check "$kind: its reason" grep -q '/dev/full: cannot be written: No space left on device' err
done
echo "$passed passed, $failed failed"
exit $((failed > 0))
