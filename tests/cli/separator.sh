#!/bin/sh
# SPDX-License-Identifier: MIT
# -x: the values are those of --csv, whatever separates them; a field that contains a character of the separator is
# quoted, no other field is; separators that occur in values are refused. Usage: separator.sh PMON
pmon=$(realpath "$1")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
complain() { echo "$*"; failed=1; }
printf 'thread 0 on core 0: stream read 64K stride 64\nthread 0 on core 0: sleep 20us\n' >s.scn
# Texts with commas, quotes, blanks, a semicolon and a slash: names of events and metrics, and the reasons of missing
# values (wide: separated by semicolons).
measure() {
  "$pmon" -p emr stat --scenario s.scn -I 20us -e 'cha/TOR_INSERTS.IA_MISS_DRD,thresh=1/' \
    -m 'LLC_MISS_RATIO,LLC_MISS_LATENCY_NS' --per-socket --record "$recording" "$@" 2>errors || complain "$*: $(cat errors)"
}
cat >fields.py <<'END'
"""Prints the fields of CSV with the separator of the first argument, and checks that only fields that need quotes have
them. It splits the text itself: a module for CSV knows separators of one character only."""
import sys
separator, text = sys.argv[1], open(sys.argv[2], newline='').read()
assert text.endswith('\r\n')
for line in text.split('\r\n')[:-1]:
    fields, rest = [], line
    while True:
        if rest.startswith('"'):
            end = 1
            while rest[end:end + 2] == '""' or rest[end] != '"':
                end += 2 if rest[end] == '"' else 1
            field = rest[1:end].replace('""', '"')
            assert any(c in field for c in separator + '"'), line
            rest = rest[end + 1:]
            assert not rest or rest.startswith(separator), line
        else:
            end = rest.find(separator)
            field, rest = (rest, '') if end < 0 else (rest[:end], rest[end:])
            assert not any(c in field for c in separator + '"'), line
        fields.append(field)
        if not rest:
            break
        rest = rest[len(separator):]
    print(fields)
END
for form in long wide; do
  recording=$form.pmon
  measure --csv=$form >csv
  python3 fields.py , csv >expected || complain "the CSV has other quotes"
  [ "$(wc -l <expected)" -ge 3 ] || complain "few lines"
  grep -q '"' csv || complain "no quoted field"
  measure -x ';' --csv=$form >other
  python3 fields.py ';' other | cmp - expected || complain "-x ';', $form: other fields"
  "$pmon" report -I --per-socket --csv=$form $form.pmon >csv
  python3 fields.py , csv >expected
  for separator in ' ' '/' ';:;' '~~~~~~~~'; do
    "$pmon" report -I --per-socket -x "$separator" --csv=$form $form.pmon >other
    python3 fields.py "$separator" other | cmp - expected || complain "-x '$separator', $form: other fields"
  done
  "$pmon" report -I --per-socket --field-separator '\t' --csv=$form $form.pmon >other || complain "no report"
  python3 fields.py "$(printf '\t')" other | cmp - expected || complain "\\t, $form: other fields"
  grep -q "$(printf 'begin_seconds\tend_seconds\t')" other || complain "\\t is not a tab"
done
# CSV is the default form, and a comma the usual CSV. Without a recording a histogram is CSV, too.
measure -x ',' >other
measure --csv >csv
cmp other csv || complain "-x , differs from --csv"
measure --histogram --csv >csv
measure --histogram -x ';' -o other
python3 fields.py , csv >expected
python3 fields.py ';' other | cmp - expected || complain "histogram"
"$pmon" -p emr stat --scenario s.scn -x '123456789' -e imc/CAS_COUNT.RD/ >out 2>errors && complain "digits"
for wrong in '' 0 e - + . _ '"' ';"' ';;;;;;;;;' 'a b' "$(printf '\r;')" "$(printf '\033')" '\n'; do
  "$pmon" report -x "$wrong" long.pmon >out 2>errors
  [ $? -eq 2 ] || complain "-x '$wrong' is accepted"
  grep -q 'for -x; expected 1 to 8 characters' errors || complain "-x '$wrong': $(cat errors)"
done
exit $failed
