#!/bin/sh
# SPDX-License-Identifier: MIT
# Section 3 of the manual: every public header has its page, every exported function is on a page with a text of its own
# and can be found by name, the formatter accepts every page, and no paragraph is empty, for which mandoc has a warning.
# Usage: manual.sh SOURCE BUILD
set -u
source=$1 build=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
wrong=0
complain() { echo "manual: $*" >&2; wrong=1; }

DESTDIR=$folder meson install -C "$build" --no-rebuild --quiet >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
pages=$(dirname "$(find "$folder" -name libpmon.3)")
for header in "$source"/include/pmon/*.h; do
  stem=$(basename "$header" .h)
  case $stem in api) continue ;; pmon) page=libpmon.3 ;; *) page=pmon_$stem.3 ;; esac
  [ -f "$pages/$page" ] || complain "no page for $stem.h"
done

functions=0
for function in $(nm -D --defined-only "$build"/libpmon*.so | grep -v pmon_private_ | sed -n 's/.* T \(pmon_[a-z_]*\).*/\1/p'); do
  functions=$((functions + 1))
  if [ -f "$pages/$function.3" ]; then
    # the prototype, and its text, which begins at .RS
    awk -v name="$function(" 'index($0, name) && bold { seen = 1 } /^\.ft B/ { bold = 1 } /^\.ft R/ { bold = 0 }
      seen && /^\.RS/ { getline; if ($0 !~ /^\./) found = 1 } END { exit !found }' "$pages/$function.3" ||
      complain "nothing about $function"
  else
    complain "no page for $function"
  fi
done
[ $functions -gt 100 ] || complain "only $functions functions"

for page in "$pages"/libpmon.3 "$pages"/pmon_*.3 "$source"/man/*.[18]; do
  [ -L "$page" ] && continue
  empty=$(awk '/^\.(PP|SH|RE)/ && after == ".PP" || /^\.PP/ && after ~ /^\.(SH|RS)$/ { n++ }
    { after = $1 } END { print n + 0 }' "$page")
  [ "$empty" -eq 0 ] || complain "$(basename "$page"): $empty macros of paragraphs that are empty"
done

if command -v groff >/dev/null; then
  for page in "$pages"/libpmon.3 "$pages"/pmon_*.3 "$source"/man/*.[18]; do
    [ -L "$page" ] && continue
    said=$(groff -man -Tutf8 -ww "$page" 2>&1 >/dev/null | grep -v "can't break line\|cannot adjust line")
    [ -z "$said" ] || complain "$said"
  done
else
  echo "manual: pages not formatted, groff is not installed"
fi
echo "manual: $functions functions"
exit $wrong
