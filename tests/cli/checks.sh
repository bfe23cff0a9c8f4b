# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# A temporary folder with a small scenario, and comparisons, for tests that source this.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0
check() {   # what, expected, found
  if [ "$2" = "$3" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "$1: \"$3\", not \"$2\""; fi
}
contains() {   # what, part, text
  case $3 in *"$2"*) passed=$((passed + 1)) ;; *) failed=$((failed + 1)); echo "$1: \"$3\" does not contain \"$2\"" ;; esac
}
printf 'set cores=1\nthread 0: stream 64K\n' >"$folder/small.scn"
