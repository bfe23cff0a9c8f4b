#!/bin/sh
# SPDX-License-Identifier: MIT
# `pmon restore` at each moment of a session finds no journal, or one of a session that runs: it neither removes it nor
# writes a register. Where the session ends while `pmon restore` looks at its journal, nothing is written either.
# Usage: journals.sh PMON FAKE-HOST AT-CALL
set -u
pmon=$1 fake_host=$2 at_call=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bad=0
fail() { echo "$*"; bad=1; }
mkdir "$work/run"
export XDG_RUNTIME_DIR="$work/run"
"$fake_host" "$work/host" || exit 1
registers=$work/host/dev/cpu/0/msr

# Before each call of the session.
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
[ $code = 0 ] || fail "the session: exit code $code, $(cat "$work/err")"
[ ! -e "$work/wrong" ] || fail "$(cat "$work/wrong")"
[ "$(sort -u "$work/seen" | tr '\n' ' ')" = 'none running ' ] || fail "restore found: $(sort "$work/seen" | uniq -c)"
[ "$before" = "$(cksum <"$registers")" ] || fail 'the registers are not as they were before'
[ -z "$(ls "$work/run")" ] || fail "left: $(ls "$work/run")"

# Before the first call of `pmon restore`, which has the journal open, the session ends, and another program writes a
# register that the session had.
mkfifo "$work/begun" "$work/go"
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
"$at_call" "$work/run" "sh '$work/end'" "$pmon" restore --root "$work/host" --backend direct >"$work/restored" 2>&1; code=$?
wait $session || fail "the session: $(cat "$work/err")"
grep -q 'was removed meanwhile' "$work/restored" || fail "restore: exit code $code, $(cat "$work/restored")"
[ "$(cksum <"$registers")" = "$(cat "$work/of_others")" ] || fail 'restore wrote registers of another program'
[ "$(cat "$work/of_others")" != "$before" ] || fail 'no register was programmed'
echo "$(wc -l <"$work/seen") calls"
exit $bad
