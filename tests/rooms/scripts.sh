#!/bin/sh
# SPDX-License-Identifier: MIT
# Each script of the tree can be parsed, also those that run only each night or on a server. Usage: scripts.sh ROOT
set -u
cd "$1" || exit 1
bad=0
shells=$(find .ci bench cli examples fuzz gen packaging debian scripts tests vm -name '*.sh' -o -path .ci/run)
[ "$(printf '%s\n' $shells | wc -l)" -gt 150 ] || { echo "too few files"; exit 1; }
for file in $shells; do
  sh -n "$file" || bad=1
done
command -v python3 >/dev/null || { echo "not run: scripts in Python (no python3)"; exit $bad; }
find bench examples fuzz gen python scripts tests -name '*.py' -exec python3 -c '
import ast, sys
for path in sys.argv[1:]:
    ast.parse(open(path, encoding="utf-8").read(), path)' {} + || bad=1
exit $bad
