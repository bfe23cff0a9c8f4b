#!/bin/sh
# SPDX-License-Identifier: MIT
# Out of memory, a command exits with status 1, never with 2 (wrong usage), and reports that there is no memory. Each of
# the first 400 allocations fails once, then ever fewer of them, until the command succeeds.
# Usage: memory.sh PMON FAILING-MALLOC
pmon=$1 preload=$(realpath "$2")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0 short=0
for command in '-p montecito machine run --check --generate loops:100' '-p montecito stat --check --generate loops:100' \
  '-p emr list -u imc' '-p emr explain imc/CAS_COUNT.RD/'; do
  n=0 status=1
  while [ $status -ne 0 ] && [ $n -lt 20000 ]; do
    n=$((n + 1 + n / 400))
    LD_PRELOAD=$preload FAIL_AT=$n "$pmon" $command >"$work/out" 2>"$work/err"
    status=$?
    case $status in
      0) ;;
      1)
        short=$((short + 1))
        said= # without a process for each of some thousand runs
        while IFS= read -r line; do case $line in pmon*'no memory'*) said=1 ;; esac; done <"$work/err"
        if [ -z "$said" ]; then
          echo "pmon $command, allocation $n fails: no text says so: $(head -n 2 "$work/err")"
          failed=1
        fi ;;
      *) echo "pmon $command, allocation $n fails: status $status: $(head -n 2 "$work/err")"; failed=1 ;;
    esac
  done
  [ $status -eq 0 ] || { echo "pmon $command: still short of memory with $n allocations"; failed=1; }
done
[ $short -gt 20 ] || { echo "only $short runs had too little memory"; failed=1; }
exit $failed
