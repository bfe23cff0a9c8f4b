#!/bin/sh
# SPDX-License-Identifier: MIT
# Every command that `pmon --help` lists has its paragraph in the manual page. Usage: man.sh PMON PAGE
missing=0
commands=$("$1" --help | sed -n 's/^  \([a-z][a-z]*\)  *[a-z].*/\1/p')
[ "$(printf '%s\n' "$commands" | wc -l)" -gt 8 ] || { echo "no commands in the help"; exit 1; }
for command in $commands; do
  grep -Eq "^\.BR? .*\b$command\b" "$2" || { echo "$command is not in $2"; missing=1; }
done
exit $missing
