#!/bin/sh
# SPDX-License-Identifier: MIT
# A signal that comes when the exporter has made its socket, before it serves: the socket is removed. Usage:
# socket_signal.sh PMON SIGNAL-AT-EXEC SCENARIO
set -u
pmon=$(realpath "$1") preloaded=$(realpath "$2") scenario=$(realpath "$3")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
timeout -s KILL 100 env --default-signal SIGNAL_AT=bind LD_PRELOAD="$preloaded" \
  "$pmon" exporter --backend machine --scenario "$scenario" --listen "unix:$work/socket" 2>err; code=$?
[ $code = 0 ] || { echo "exit code $code: $(cat err)"; exit 1; }
[ ! -e socket ] || { echo 'the socket remains'; exit 1; }
