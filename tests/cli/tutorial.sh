#!/bin/sh
# SPDX-License-Identifier: MIT
# The commands of docs/tutorial.md print the output shown there. Usage: tutorial.sh PMON SOURCE
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
awk '/^```/ { inside = !inside; next } inside' "$2/docs/tutorial.md" >"$work/tutorial.cases"
[ "$(grep -c '^[$] pmon ' "$work/tutorial.cases")" -ge 10 ] || { echo "few commands"; exit 1; }
ln -s "$2/examples" "$work/examples"
"$2/tests/cli/run.sh" "$1" "$work/tutorial.cases"
