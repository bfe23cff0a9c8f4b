#!/bin/sh
# SPDX-License-Identifier: MIT
# `pmon exporter` under hostile clients: a well-behaved scraper gets each answer in time, and memory stays bounded.
# Usage: clients.sh PMON CLIENTS.PY [sanitized]: memory is not checked under a sanitizer.
pmon=$(realpath "$1")
clients=$(realpath "$2")
command -v python3 >/dev/null || { echo "SKIPPED: no python3" >&2; exit 77; }
work=$(mktemp -d) || exit 1
exporter=
trap '[ -z "$exporter" ] || kill -9 "$exporter" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
for _ in $(seq 100); do echo 'thread 0 on core 0: sleep 1s'; done >s.scn
port=$(python3 "$(dirname "$clients")/ports.py" $$)
"$pmon" -p emr exporter --listen "127.0.0.1:$port" --scenario s.scn -I 100ms </dev/null >out 2>err &
exporter=$!
timeout -s KILL 500 python3 "$clients" "$port" "$exporter" ${3:+"$3"} || { cat err; exit 1; }
