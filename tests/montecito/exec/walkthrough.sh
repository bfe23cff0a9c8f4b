#!/bin/sh
# SPDX-License-Identifier: MIT
# The commands of docs/montecito.md run, and print the output that the page shows, where it shows any. Usage:
# walkthrough.sh PMON SOURCE-ROOT
set -u
pmon=$(realpath "$1") root=$(realpath "$2")
command -v ia64-linux-gnu-ld >/dev/null || { echo "skipped: no binutils-ia64-linux-gnu"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$pmon" "$work/bin/pmon"
ln -s "$root/examples" "$work/examples"
PATH=$work/bin:$PATH
export PATH
cd "$work" || exit 1
awk '/^```/ { inside = !inside; next } inside' "$root/docs/montecito.md" >page
passed=0 failed=0 command=''
finish() {
  [ -n "$command" ] || return 0
  sh -c "$command" >is 2>&1 </dev/null
  status=$?
  if [ $status -eq 0 ] && { [ ! -s wanted ] || diff wanted is; }; then
    passed=$((passed + 1))
  else
    echo "FAILED: $command (status $status)"
    head -n 5 is
    failed=$((failed + 1))
  fi
}
while IFS= read -r line; do
  case $line in
    '$ '*) finish; command=${line#'$ '}; : >wanted ;;
    *) printf '%s\n' "$line" >>wanted ;;
  esac
done <page
finish
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -ge 3 ]
