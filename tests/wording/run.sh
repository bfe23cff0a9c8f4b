#!/bin/sh
# SPDX-License-Identifier: MIT
# The tool itself: what it must find, what it must accept, and its exit status without guides.
#   run.sh WORDING FOLDER
unset PMON_GUIDES
fail() { echo "wording: $1"; exit 1; }
"$1" "$2/guide" "$2/own.txt" || fail "own words were refused"
found=$("$1" "$2/guide" "$2/found.txt") && fail "shared words were let pass"
echo "$found"
[ "$(echo "$found" | wc -l)" = 2 ] || fail "two lines were to be found"
"$1" "$2/none" "$2/own.txt"
[ $? = 77 ] || fail "no guides, yet not skipped"
