#!/bin/sh
# SPDX-License-Identifier: MIT
# scripts/weak_tests.py names a test that passes whatever the command does, one that ignores its exit status, and no
# other. Usage: weak.sh SOURCE-ROOT
set -u
command -v python3 >/dev/null || { echo "SKIPPED: no python3" >&2; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/meson-info"
printf '#!/bin/sh\necho counts\n' >"$work/pmon"
chmod +x "$work/pmon"
cat >"$work/meson-info/intro-tests.json" <<'END'
[{"name": "blind", "suite": ["pmon:some"], "env": {}, "workdir": null, "cmd": ["sh", "-c", "\"$0\"; true", "./pmon"]},
 {"name": "lost", "suite": ["pmon:some"], "env": {}, "workdir": null, "cmd": ["sh", "-c", "\"$0\" | grep -q counts", "./pmon"]},
 {"name": "good", "suite": ["pmon:some"], "env": {}, "workdir": null,
  "cmd": ["sh", "-c", "is=$(\"$0\") && [ \"$is\" = counts ]", "./pmon"]},
 {"name": "other", "suite": ["pmon:some"], "env": {}, "workdir": null, "cmd": ["true"]}]
END
bad=0
python3 "$1/scripts/weak_tests.py" "$work" some >"$work/is"; code=$?
[ $code = 1 ] || { echo "exit code $code"; bad=1; }
printf 'nothing\tblind\tpasses\nstatus\tblind\tpasses\nstatus\tlost\tpasses\n3 tests, 3 times a test is weak\n' |
  diff - "$work/is" || bad=1
python3 "$1/scripts/weak_tests.py" "$work" good >"$work/is" || { echo 'a good test is weak:'; cat "$work/is"; bad=1; }
exit $bad
