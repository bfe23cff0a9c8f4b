#!/bin/sh
# SPDX-License-Identifier: MIT
# At each moment of a session, `pmon restore` finds no journal, or the journal of a running session: it neither removes
# the journal nor writes a register. If the session ends while `pmon restore` looks at its journal, nothing is written
# either. A journal gets its name also on a file system without hard links, or without renaming without replacing. A
# session that is killed while it makes its journal leaves no file, or a file that `pmon restore` removes. Usage:
# journals.sh PMON FAKE-HOST AT-CALL FAILING-CALLS
set -u
pmon=$1 fake_host=$2 at_call=$3 failing_calls=$4
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bad=0
fail() { echo "$*"; bad=1; }
mkdir "$work/run"
export XDG_RUNTIME_DIR="$work/run"
"$fake_host" "$work/host" || exit 1
registers=$work/host/dev/cpu/0/msr
cp "$registers" "$work/original"

# Runs `pmon restore` before each call of the session.
cat >"$work/look" <<END
before=\$(cksum <'$registers')
'$pmon' restore --root '$work/host' --backend direct >'$work/said' 2>&1
case "\$? \$(cat '$work/said')" in
'0 '*'no journal found'*) echo none >>'$work/seen' ;;
*'belongs to a session that is running'*) echo running >>'$work/seen' ;;
*) echo "call \$CALL: \$(cat '$work/said')" >>'$work/wrong' ;;
esac
[ "\$before" = "\$(cksum <'$registers')" ] || echo "call \$CALL: a register was written" >>'$work/wrong'
END
: >"$work/seen"
before=$(cksum <"$registers")
"$at_call" "$work/run" "sh '$work/look'" "$pmon" stat -p snbep --root "$work/host" --backend direct -e cbo/CLOCKTICKS/ \
  -- true >"$work/out" 2>"$work/err"; code=$?
[ $code != 77 ] || { cat "$work/err"; exit 77; }
[ $code = 3 ] && grep -q 'no counter has a value' "$work/err" || fail "the session: exit code $code, $(cat "$work/err")"
[ ! -e "$work/wrong" ] || fail "$(cat "$work/wrong")"
[ "$(sort -u "$work/seen" | tr '\n' ' ')" = 'none running ' ] || fail "restore found: $(sort "$work/seen" | uniq -c)"
[ "$before" = "$(cksum <"$registers")" ] || fail 'the registers are not as they were before'
[ -z "$(ls "$work/run")" ] || fail "left: $(ls "$work/run")"

# Before the first call of `pmon restore`, which has the journal open, the session ends, and another program writes a
# register of the session. This is an error if the file was named, not if it was found.
mkfifo "$work/begun" "$work/go"
for named in '' yes; do
"$pmon" stat -p snbep --root "$work/host" --backend direct -e cbo/CLOCKTICKS/ \
  -- sh -c "echo begun >'$work/begun'; read -r go <'$work/go'" >"$work/out" 2>"$work/err" &
session=$!
read -r begun <"$work/begun"
cp "$registers" "$work/programmed"
cat >"$work/end" <<END
[ \$CALL = 1 ] || exit 0
echo go >'$work/go'
timeout 120 tail --pid=$session -s 0.02 -f /dev/null
cmp -l '$registers' '$work/programmed' | while read -r at ended programmed; do
  printf '\\125' | dd of='$registers' bs=1 seek=\$((at - 1)) conv=notrunc 2>/dev/null
done
cksum <'$registers' >'$work/of_others'
END
"$at_call" "$work/run" "sh '$work/end'" "$pmon" restore --root "$work/host" --backend direct \
  ${named:+"$work/run/pmon-$session.journal"} >"$work/restored" 2>&1; code=$?
wait $session; code_of_session=$?
[ $code_of_session = 3 ] || fail "the session: exit code $code_of_session, $(cat "$work/err")"
case "$named $code $(cat "$work/restored")" in
' 0 '|'yes 2 '*'no longer exists: its session has ended'*) ;;
*) fail "restore $named: exit code $code, $(cat "$work/restored")" ;;
esac
[ "$(cksum <"$registers")" = "$(cat "$work/of_others")" ] || fail 'restore wrote registers of another program'
[ "$(cat "$work/of_others")" != "$before" ] || fail 'no register was programmed'
cp "$work/original" "$registers"
done

# stat EXIT-CODE VARIABLES...: a session with a journal while calls fail.
stat() {
  want=$1; shift
  env LD_PRELOAD="$failing_calls" "$@" "$pmon" stat -p snbep --root "$work/host" --backend direct -e cbo/CLOCKTICKS/ \
    --journal="$work/run/journal" -- cp "$work/run/journal" "$work/kept" >"$work/out" 2>"$work/err"; code=$?
  [ $code = "$want" ] || fail "$*: exit code $code, $(cat "$work/err")"
  [ "$(cksum <"$registers")" = "$before" ] || fail "$*: the registers are not as they were before"
}
no_links=FAIL_LINK=EPERM no_flags=FAIL_RENAMEAT2=EINVAL
for calls in "$no_links" "$no_flags"; do
  rm -f "$work/kept"
  stat 3 "$calls"
  grep -q '^end ' "$work/kept" || fail "$calls: no journal during the session"
  [ -z "$(ls "$work/run")" ] || fail "$calls left: $(ls "$work/run")"
  cp "$work/kept" "$work/run/journal"
  stat 2 "$calls"
  grep -q 'is the journal of another session' "$work/err" || fail "$calls beside a journal: $(cat "$work/err")"
  cmp -s "$work/kept" "$work/run/journal" || fail "$calls: another session's journal was changed"
  [ "$(ls "$work/run")" = journal ] || fail "$calls left: $(ls "$work/run")"
  rm "$work/run/journal"
done
stat 1 "$no_links" "$no_flags"
grep -q 'Operation not permitted.*another file system (--journal=FILE)' "$work/err" || fail "no name: $(cat "$work/err")"
[ -z "$(ls "$work/run")" ] || fail "without a name left: $(ls "$work/run")"

# Kills a session before each of its calls until the journal has its name: with files that have no name before, and
# without such files. killed NAMES-A-FILE VARIABLES...: sets `left` to the number of leftover files without a journal's
# name.
restore() { "$pmon" restore --root "$work/host" --backend direct "$@" >"$work/restored" 2>&1; }
killed() {
  left=0 call=0
  while call=$((call + 1)); [ $call -le 40 ]; do
    env LD_PRELOAD="$failing_calls" "$@" "$at_call" "$work/run" "[ \$CALL -lt $call ]" "$pmon" stat -p snbep \
      --root "$work/host" --backend direct -e cbo/CLOCKTICKS/ -- true >"$work/out" 2>&1
    case "$(ls "$work/run")" in
    pmon-*.journal) cmp -s "$registers" "$work/original" || fail "$*: call $call: a register was written"
      rm "$work/run"/*; break ;;
    pmon-*.journal.new-*) left=$((left + 1))
      grep -q '^end ' "$work/run"/* && reported='not removed: the journal is complete' || reported='removed; a session was killed'
      restore && grep -q ": $reported" "$work/restored" || fail "$*: call $call: $(cat "$work/restored")"
      # A file that may be somebody's copy stays.
      [ "$reported" = 'removed; a session was killed' ] || { [ -s "$work/run"/* ] && rm "$work/run"/*; } || fail "$*: call $call: nothing is left" ;;
    esac
    [ -z "$(ls "$work/run")" ] || fail "$*: call $call left $(ls "$work/run")"
  done
  [ $call -le 40 ] || fail "$*: no journal"
}
killed FAIL_NOTHING=
[ $left = 0 ] || fail "files without a name left $left"
killed "$no_links"
[ $left -gt 1 ] || fail "files with a name left $left"
# Other files stay: one that a process has locked, files with another text, mode or name, and those that are not regular
# files.
umask 077
mkdir "$work/run/pmon-1.journal.new-folder"
mkfifo "$work/run/pmon-1.journal.new-fifo00"
ln -s "$work/original" "$work/run/pmon-1.journal.new-linked"
echo 'a diary' >"$work/run/pmon-1.journal.new-diary0"
echo 'pmon journal 2' >"$work/run/mine.new-abcdef"
echo 'pmon journal 2' >"$work/run/pmon-1.journal.new-longer7"
echo 'pmon journal 2' >"$work/run/pmon-1.journal.new-201-27"
echo 'pmon journal 2' >"$work/run/pmon-1.journal.new-readby"
chmod 644 "$work/run/pmon-1.journal.new-readby"
echo 'pmon journal 2' >"$work/run/pmon-1.journal.new-locked"
ls "$work/run" >"$work/before"
flock "$work/run/pmon-1.journal.new-locked" "$pmon" restore --root "$work/host" --backend direct 2>"$work/restored"
ls "$work/run" | cmp -s - "$work/before" || fail "restore removed: $(ls "$work/run" | diff "$work/before" -)"
for named in -p/nonsense "$work/run/mi*e" "$work/run/mine"; do
  [ -e "$work/run/mine.new-abcdef" ] || fail "removed before $named was accepted as a journal's name: $(cat "$work/restored")"
  case $named in -p/*) set -- -p "${named#*/}" "$work/run/mine" ;; *) set -- "$named" ;; esac
  "$pmon" restore --root "$work/host" --backend direct "$@" >"$work/restored" 2>&1 && fail "restored: $*"
done
[ ! -e "$work/run/mine.new-abcdef" ] || fail "the rest beside a named journal stays: $(cat "$work/restored")"
# A user's copy: it is removed only next to its journal, which holds at least as much.
cp "$work/kept" "$work/run/mine.new-backup"
restore "$work/run/mine" && fail 'a journal that does not exist was restored'
cmp -s "$work/kept" "$work/run/mine.new-backup" || fail "a kept copy was removed: $(cat "$work/restored")"
cp "$work/kept" "$work/run/mine"
restore "$work/run/mine" || fail "not restored: $(cat "$work/restored")"
[ ! -e "$work/run/mine.new-backup" ] || fail "what was to replace a journal stays: $(cat "$work/restored")"
echo "$(wc -l <"$work/seen") calls"
exit $bad
