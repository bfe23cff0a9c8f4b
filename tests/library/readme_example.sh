#!/bin/sh
# SPDX-License-Identifier: MIT
# README shows examples/machine.c exactly as it is built and run. Usage: readme_example.sh README EXAMPLE
set -u
shown=$(sed -n '/^```c$/,/^```$/p' "$1" | sed '/^```/d')
built=$(sed -n '/^#include/,$p' "$2")
[ -n "$shown" ] || { echo "no C in $1"; exit 1; }
[ "$shown" = "$built" ] || { echo "the example in $1 is not $2"; exit 1; }
