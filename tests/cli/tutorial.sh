#!/bin/sh
# SPDX-License-Identifier: MIT
# The commands of docs/tutorial.md print the output shown there. Usage: tutorial.sh PMON SOURCE
source=$(realpath "$2")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
awk '/^```/ { inside = !inside; next } inside' "$source/docs/tutorial.md" >"$work/tutorial.cases"
[ "$(grep -c '^[$] pmon ' "$work/tutorial.cases")" -ge 10 ] || { echo "few commands"; exit 1; }
ln -s "$source/examples" "$work/examples"
"$source/tests/cli/run.sh" "$1" "$work/tutorial.cases"
