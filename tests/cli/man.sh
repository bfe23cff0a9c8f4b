#!/bin/sh
# SPDX-License-Identifier: MIT
# The manual page has a paragraph for every command that `pmon --help` lists, and a command's own page, where it exists,
# has every option of the command's help. Usage: man.sh PMON PAGE
missing=0
commands=$("$1" --help | sed -n 's/^  \([a-z][a-z-]*\)  *[a-z].*/\1/p')
[ "$(printf '%s\n' "$commands" | wc -l)" -gt 8 ] || { echo "no commands in the help"; exit 1; }
for command in $commands; do
  grep -Eq "^\.BR? .*\b$command\b" "$2" || { echo "$command is not in $2"; missing=1; }
done
pages=0
for command in $commands; do
  page=${2%.1}-$command.1
  [ -f "$page" ] || continue
  pages=$((pages + 1))
  for option in $("$1" "$command" --help | grep -oE '(^|[ ,(])--[a-z][a-z-]*' | tr -d ' ,(' | sort -u); do
    cat "$page" "$2" | sed 's/\\-/-/g' | grep -q -e "$option\b" || { echo "$option is not in $page"; missing=1; }
  done
done
[ $pages -gt 3 ] || { echo "only $pages pages of commands"; missing=1; }
exit $missing
