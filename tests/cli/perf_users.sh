#!/bin/sh
# SPDX-License-Identifier: MIT
# docs/perf-users.md names options, functions, files and events that exist: options of pmon's commands, functions of the
# headers, and the table of libpfm4's texts with the events that they select. Usage: perf_users.sh PMON SOURCE
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
exit $bad
