# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by tests that get the program as their first argument and write files: changes to a temporary folder, with the
# program's path in $pmon; fail() prints a line and counts it in $failed.
pmon=$(realpath "$1")
T=$(mktemp -d) || exit 2
trap 'rm -rf "$T"' EXIT
cd "$T" || exit 2
failed=0

fail() {
  failed=$((failed + 1))
  echo "$@"
}
