#!/bin/sh
# SPDX-License-Identifier: MIT
# An example prints the expected text. Usage: example.sh PROGRAM TEXT
set -u
got=$("$1") || { echo "exit code $?"; exit 1; }
[ "$got" = "$2" ] || { echo "\"$got\", not \"$2\""; exit 1; }
