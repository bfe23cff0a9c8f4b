# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by tests of `pmon exporter`: a temporary folder, clean-up, and the verdict. $exporter: the `timeout` that runs
# the exporter; $others: further processes to kill; $tools: further programs that the test needs.
for tool in curl $tools; do
  command -v "$tool" >/dev/null || { echo "SKIPPED: no $tool" >&2; exit 77; }
done
tests=$(realpath "$(dirname "$0")/..")
work=$(mktemp -d) || exit 1
exporter='' others=''
trap '[ -z "$exporter" ] || kill $(pgrep -P "$exporter") 2>/dev/null; kill -9 $exporter $others 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0
free_port() { python3 "$tests/exporter/ports.py" $$; }
check() {   # WHAT COMMAND...
  what=$1
  shift
  if "$@" >>log 2>&1; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $what"; tail -n 4 log err; fi
}
# Waits until the command succeeds, at most a minute.
await() {
  tries=1200
  while ! "$@" >/dev/null 2>&1; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] || return 1
    timeout 0.05 tail -f /dev/null
  done
  return 0
}
