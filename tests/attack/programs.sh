#!/bin/sh
# SPDX-License-Identifier: MIT
# A measured program whose file would give it privileges runs without them, and pmon warns; other programs cause no
# warning. Usage: programs.sh PMON
set -u
pmon=$1 bad=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
fail() { echo "$*"; bad=1; }
unprivileged=''
[ "$(id -u)" != 0 ] || { command -v setpriv >/dev/null && unprivileged='setpriv --reuid 65534 --regid 65534 --clear-groups'; }
cp "$pmon" "$work/pmon"
cp "$(dirname "$pmon")/plugin/pmon-trace.so" "$work/" && chmod 755 "$work"/pmon*
cp "$(command -v id)" "$work/id" && chmod 755 "$work/id"

# warned TEXT COMMAND...: standard error has TEXT once; with an empty TEXT, no warning about a program's file.
warned() {
  text=$1
  shift
  (cd "$work" && timeout 600 "$@") >"$work/out" 2>"$work/err" || fail "$*: $?, $(cat "$work/err")"
  n=$(grep -c "its file is $text.*, but a measured program runs with its caller's privileges" "$work/err")
  if [ -n "$text" ]; then
    [ "$n" = 1 ] || fail "$*: $n warnings of $text: $(cat "$work/err")"
  else
    [ "$n" = 0 ] || fail "$*: $(cat "$work/err")"
  fi
}
stat="$unprivileged $work/pmon stat -p emr --backend machine -e cha/CLOCKTICKS/ --"
if command -v qemu-x86_64 >/dev/null; then
  warned '' $stat "$work/id" -u
  if [ "$(id -u)" = 0 ] && [ -n "$unprivileged" ]; then
    chmod 4755 "$work/id"
    warned set-user-ID $stat "$work/id" -u
    grep -qx 65534 "$work/out" || fail "it ran as $(head -n 1 "$work/out")"
    chmod 2755 "$work/id"
    warned set-group-ID $stat "$work/id" -u
    PATH=$work:$PATH warned set-group-ID $stat id -u
    warned set-group-ID $unprivileged "$work/pmon" machine run -p emr -- "$work/id" -u
    chmod 755 "$work/id"
    if command -v setcap >/dev/null && setcap cap_net_raw+ep "$work/id" 2>/dev/null; then
      warned 'one with capabilities' $stat "$work/id" -u
    else
      echo 'SKIPPED: no file capabilities here'
    fi
    chmod 4755 "$work/id" # a set-user-ID program of root gives root nothing
    warned '' "$work/pmon" stat -p emr --backend machine -e cha/CLOCKTICKS/ -- "$work/id" -u
  else
    echo 'SKIPPED: only root can make a program that gives another user privileges'
  fi
else
  echo 'SKIPPED: no qemu-x86_64'
fi
exit $bad
