#!/bin/sh
# SPDX-License-Identifier: MIT
# The privileged helper: on a tree of files, and the program itself with borrowed privileges.
# Usage: helper.sh TEST-PROGRAM PMON-ACCESS FAKE-HOST
set -u
test_program=$1 helper=$2 fake_host=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
"$fake_host" "$work/host" || exit 1
truncate -s 4G "$work/host/dev/cpu/0/msr"
bad=0
"$test_program" "$work/host" || bad=1
"$helper" </dev/null 2>"$work/err"; code=$?
[ $code = 2 ] && grep -q 'started by pmon' "$work/err" || { echo "without a socket: $code"; bad=1; }
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  cp "$helper" "$work/pmon-access"
  chown 0:0 "$work/pmon-access"; chmod 4755 "$work/pmon-access"
  for words in '' --help "--root $work/host"; do
    setpriv --reuid 65534 --regid 65534 --clear-groups "$work/pmon-access" $words </dev/null >"$work/out" 2>"$work/err"
    code=$?
    [ $code = 2 ] || { echo "set-user-ID, \"$words\": $code"; bad=1; }
  done
else
  echo "SKIPPED: only root with setpriv can make a set-user-ID program" >&2
fi
exit $bad
