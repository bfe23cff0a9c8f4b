#!/bin/sh
# SPDX-License-Identifier: MIT
# `--html`: the page has the recording's values, loads nothing, and escapes hostile names; Chromium shows it without an
# error, in both colour schemes and at phone width. Usage: page.sh PMON [data: without Chromium]
pmon=$(realpath "$1")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
complain() { echo "$*"; failed=1; }
command -v python3 >/dev/null || { echo "SKIPPED: no python3" >&2; exit 77; }

# A path that, unescaped, would end the data and begin a script.
hostile='x</script><script>document.title="taken"<b>.scn'
mkdir -p "$(dirname "$hostile")"
printf 'set numa=interleave core.mlp=8\nthread 0 on core 0: stream read 2M stride 64\nthread 0 on core 0: random modify 4M count 20k\n' >"$hostile"
names='imc/CAS_COUNT.RD/,imc/CAS_COUNT.WR/,cha/TOR_INSERTS.IA_MISS/,upi/TxL_FLITS.ALL_DATA/'
for k in 1 2; do
  [ $k -eq 1 ] || sed -i 's/2M/4M/' "$hostile"
  "$pmon" -p emr stat --scenario "$hostile" --set prefetch=off -I 50us -m MEM_READ_BANDWIDTH,LLC_DRD_MISS_RATIO -e "$names" \
    --record $k.pmon >/dev/null || complain "the scenario is not measured"
done
"$pmon" report --html - 1.pmon >page.html 2>err
case $?-$(cat err) in
  0-) ;;
  *dygraphs*) echo "SKIPPED: built without dygraphs" >&2; exit 77 ;;
  *) complain "report --html: $(cat err)"; exit 1 ;;
esac
"$pmon" report --html file.html 1.pmon || complain "report --html file.html"
cmp page.html file.html || complain "standard output and file differ"
[ "$(stat -c %a file.html)" = "$(touch plain && stat -c %a plain)" ] || complain "the file has other permissions than usual"
"$pmon" diff --html diff.html 1.pmon 2.pmon >/dev/null || complain "diff --html"
"$pmon" report --html none/file.html 1.pmon 2>err && complain "a folder that is not there"
grep -q 'none/file.html: cannot be written' err || complain "$(cat err)"
"$pmon" diff --html x.html -- true -- true 2>err && complain "--html with commands"
# A file that cannot be written is refused before anything is measured.
for wrong in none/file.html .; do
  "$pmon" -p emr stat --scenario "$hostile" -e "$names" --html $wrong >out 2>err && complain "stat --html $wrong"
  [ ! -s out ] && grep -q "$wrong: cannot be written" err || complain "stat --html $wrong: $(cat out err)"
done
# A measurement writes the same page as its recording does, except for the file's name.
"$pmon" -p emr stat --scenario "$hostile" -I 50us -m MEM_READ_BANDWIDTH --record own.pmon --html own.html >/dev/null 2>err ||
  complain "stat --html: $(cat err)"
"$pmon" -p emr stat --scenario "$hostile" -I 50us -m MEM_READ_BANDWIDTH --html unnamed.html >/dev/null 2>err ||
  complain "stat --html: $(cat err)"
"$pmon" report --html own-report.html own.pmon && cmp own.html own-report.html || complain "stat --html and report --html"
sed 's/"file":"own.pmon"/"file":null/' own.html | cmp - unnamed.html ||
  complain "with and without --record"
# If nothing is measured, no page is written: neither an empty one, nor one of an earlier recording.
for record in '' '--record own.pmon'; do
  "$pmon" -p emr stat $record --html x.html -e "$names" -- nosuchcommand >out 2>err && complain "stat --html -- nosuchcommand"
  [ ! -e x.html ] && ! grep -q 'recording' err || complain "a page without a measurement: $(cat err)"
done
"$pmon" -p emr stat --scenario "$hostile" -r 2 --html x.html >/dev/null 2>err && complain "-r with --html"
[ "$(find . -name '*.html.*' | wc -l)" -eq 0 ] || complain "temporary files remain"

# Times are on the clock of the measurement: a delay remains.
"$pmon" -p emr stat --scenario "$hostile" -D 100us -I 40us -m MEM_READ_BANDWIDTH,MEM_VOLUME --record late.pmon >/dev/null || complain "-D"
"$pmon" report --html late.html late.pmon && "$pmon" report --json -I late.pmon >late.json || complain "after a delay"

# The page's data are those of the recording, interval by interval; nothing is loaded from elsewhere.
"$pmon" report --json --per-socket --per-unit -I 1.pmon >intervals.json
"$pmon" report --json --per-socket --per-unit 1.pmon >whole.json
"$pmon" diff --json --per-socket --per-unit 1.pmon 2.pmon >diff.json
cat >check.py <<'PY'
import json, re, sys

def data_of(path):
    text = open(path, encoding='utf-8').read()
    assert not re.search(r'(src|href)\s*=\s*["\']?(https?:|//)', text), 'the page refers to the network'
    assert not re.search(r'@import|url\(\s*["\']?http', text), 'its style refers to the network'
    assert '<script>document.title' not in text, 'a name became a script'
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    return json.loads(found.group(1))

def same(shown, value):
    if value is None or shown is None:
        return value is None and shown is None
    return abs(shown - value) <= 1e-5 * abs(value) + 1e-9

def key(row):
    return row['name'], row.get('package'), row.get('instance')

page = data_of('page.html')
run, = page['runs']
whole = {(r['name'], r['package'], r['instance']): r for r in json.load(open('whole.json'))['values']}
intervals = [json.loads(line) for line in open('intervals.json')]
assert run['intervals'] == len(intervals) == len(run['ends']) > 10 and run['machine'] == 'emr'
compared = 0
for row in run['rows']:
    if row['package'] is None:
        continue
    assert same(row['v'], whole[key(row)]['value']), (row, whole[key(row)])
    assert ('reason' in row) == (row['v'] is None), row
    for i, interval in enumerate(intervals):
        value = next(v for v in interval['values'] if key(v) == key(row))['value'] if i % 7 == 0 else None
        shown = row['over'][i][1] if isinstance(row['over'][i], list) else row['over'][i]
        if i % 7 == 0:
            assert same(shown, value), (key(row), i, shown, value)
            compared += 1
assert compared > 200, compared
late, = data_of('late.html')['runs']
times = [(i['seconds'], i['end_seconds']) for i in map(json.loads, open('late.json'))]
assert times[0][1] > 0.0001 and len(times) > 3, times
for a, b in zip(zip(late['lengths'], late['ends']), times):
    assert abs(a[0] - b[0]) < 1e-12 and abs(a[1] - b[1]) < 1e-12, (a, b)
# Amounts are shown over time as rates.
assert {r['name']: r.get('rate') for r in late['rows']} == {'MEM_READ_BANDWIDTH': None, 'MEM_VOLUME': 'bytes/s'}
for name in ('MEM_READ_BANDWIDTH', 'imc/CAS_COUNT.RD/'):
    assert run['meanings'][name]['brief'] and run['meanings'][name]['cite'], name
both = data_of('diff.html')
assert len(both['runs']) == 2 and len(both['comparisons']) == 1
changes = {key(r): r['change'] for r in json.load(open('diff.json'))['values']}
seen = [r for r in both['comparisons'][0]['values'] if key(r) in changes]
assert len(seen) > 50 and all(same(r['change'], changes[key(r)]) for r in seen)
PY
python3 check.py || complain "the page's data are not the recording's"

[ "${2-}" != data ] || exit $failed
if ! command -v chromium >/dev/null; then
  echo "not shown: no chromium"
  exit $failed
fi
# Runs the page in Chromium: checks the DOM after the scripts, and their console output.
show() {
  timeout 200 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --virtual-time-budget=5000 \
    --enable-logging=stderr --window-size="$2" --dump-dom "file://$work/$1" >"$1.dom" 2>"$1.log" </dev/null
}
ended() {
  grep -q 'data-ready="yes"' "$1.html.dom" || complain "$1: the scripts did not end"
  grep -E 'CONSOLE' "$1.html.log" && complain "$1: errors on the console"
}
for file in page diff; do
  show $file.html 1280,900 || { echo "not shown: chromium does not run here"; exit $failed; }
  ended $file
done
grep -q 'EMULATED: these values' page.html.dom || complain "the page does not say EMULATED"
grep -q '<title>taken' page.html.dom && complain "a name ran as a script"
[ "$(grep -o '<canvas' page.html.dom | wc -l)" -ge 6 ] || complain "there are no charts"
[ "$(grep -o '<rect' page.html.dom | wc -l)" -gt 100 ] || complain "there is no map of the units"
# At phone width each caption is within the window, however wide the table is, and names break at their words.
for file in page diff; do
  sed 's|</html>||; s/MEM_READ_BANDWIDTH/&_&_&/g' $file.html >narrow.html
  cat >>narrow.html <<'HTML'
<script>addEventListener('load', () => setTimeout(() => { document.title = 'captions beyond ' +
  (Math.max(...[...document.querySelectorAll('caption')].map((c) => Math.ceil(c.getBoundingClientRect().right))) -
  innerWidth); }, 0));</script>
HTML
  show narrow.html 390,800
  ended narrow
  beyond=$(sed -n 's/.*<title>captions beyond \(-*[0-9]*\)<.*/\1/p' narrow.html.dom)
  [ "${beyond:-1}" -le 0 ] || complain "captions of $file end ${beyond:-somewhere} beyond the window"
done
grep -q 'MEM_<wbr>READ_<wbr>BANDWIDTH' diff.html.dom || complain "a compared name does not break at its words"
# The keyboard reaches each part of the time and of a wide table: buttons move the zoomed range to both ends, and the
# table takes the focus. A run without intervals is named.
sed 's|</html>||' diff.html >moved.html
cat >>moved.html <<'HTML'
<script>addEventListener('load', () => setTimeout(() => {
  const press = (name, times) => { for (let i = 0; i < times; i++) [...document.querySelectorAll('button')]
    .find((button) => button.textContent === name).click();
    return [...document.querySelectorAll('.chart')].map((chart) => [...chart.querySelectorAll('.dygraph-axis-label-x')]
      .map((label) => label.textContent.trim())); };
  const begins = (charts) => charts.every((labels) => labels.some((label) => /^0 /.test(label)));
  const zoomed = press('Zoom in', 2), early = press('Earlier', 9), late = press('Later', 9);
  const wide = [...document.querySelectorAll('.scroll')].filter((node) => node.scrollWidth > node.clientWidth);
  document.title = 'moved ' + (!begins(zoomed) && begins(early) && !begins(late) && late.join() !== zoomed.join() &&
    wide.length > 0 && wide.every((node) => node.tabIndex === 0)); }, 0));</script>
HTML
show moved.html 390,800
grep -q '<title>moved true<' moved.html.dom || complain "by keyboard: $(grep -o '<title>moved[^<]*' moved.html.dom)"
"$pmon" -p emr stat --scenario "$hostile" -m MEM_READ_BANDWIDTH --record whole.pmon >/dev/null
"$pmon" diff --html half.html 1.pmon whole.pmon >/dev/null
show half.html 1280,900
grep -q 'Without intervals: whole.pmon\.' half.html.dom || complain "a run without intervals is not named"
# The numbers of the table equal those that the command prints.
"$pmon" report -e imc/CAS_COUNT.RD/ --csv --per-socket 1.pmon | awk -F, 'NR > 1 { print $8 }' | tr -d '\r' >counts
while read -r count; do
  shown=$(python3 -c "print(f'{$count:,}')")
  grep -q ">$shown<" page.html.dom || complain "the page does not show $shown"
done <counts
[ "$(wc -l <counts)" -eq 2 ] || complain "two sockets: $(cat counts)"
# So does a small one, which has an exponent.
"$pmon" -p emr stat --scenario "$hostile" -m 'TINY=imc/CAS_COUNT.RD/ * 0 + 0.0000123456789' --html tiny.html >tiny || complain "TINY"
show tiny.html 1280,900
grep -q '^TINY  *1\.235e-05 ' tiny && grep -q '>1\.235e-05<' tiny.html.dom ||
  complain "$(cat tiny) $(grep -o '>[^<]*e-[^<]*<' tiny.html.dom)"
# A chart has a gap where nothing was measured: here the data of the second interval end later than they were recorded.
python3 - <<'PY'
import json, re
text = open('late.html', encoding='utf-8').read()
data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.S).group(1))
ends = data['runs'][0]['ends']
data['runs'][0]['ends'] = ends[:1] + [end + 0.001 for end in ends[1:]]
text = re.sub(r'(id="data">).*?(?=</script>)', lambda m: m.group(1) + json.dumps(data).replace('<', r'\u003c'), text, flags=re.S)
open('gap.html', 'w', encoding='utf-8').write(text.replace("page.dataset.ready = 'yes';", '''page.dataset.ready = 'yes';
const points = pointsOf(seriesOf('MEM_READ_BANDWIDTH').slice(0, 1), false);
document.title = 'gap ' + points.slice(0, 3).map((p) => Math.round(p[0] * 1e6) + (p[1] === null ? ' none' : ' some')).join(', ');
'''))
PY
show gap.html 1280,900
grep -q '<title>gap 100 some, 140 none, 1140 some<' gap.html.dom || complain "a gap: $(grep -o '<title>gap[^<]*' gap.html.dom)"
grep -q 'MEM_VOLUME a second<span[^>]*>from [0-9.]* [kMG]*B/s to ' gap.html.dom || complain "the chart of an amount is not a rate"
# Labels of axes are short: rates of requests are in thousands or millions. Names break between their words.
"$pmon" -p emr stat --scenario "$hostile" -I 50us -m LLC_REQUEST_RATE --html rate.html >/dev/null || complain "a rate"
show rate.html 360,640
grep -qE 'axis-label-y">[0-9.]+[KM]/s<' rate.html.dom || complain "axis: $(grep -o 'axis-label-y">[^<]*' rate.html.dom)"
grep -q 'LLC_<wbr>REQUEST_<wbr>RATE' rate.html.dom || complain "a name does not break at its words"
exit $failed
