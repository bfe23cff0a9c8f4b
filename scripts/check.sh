#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs all tests in the two ways they must pass: with gcc as users have it, and with clang and its address and
# undefined-behaviour sanitizers. Closes with the line `N passed, N failed, N skipped` over both.
set -u
cd "$(dirname "$0")/.." || exit 1

passed=0 failed=0 skipped=0

count() {   # of results $2 in the test log of build folder $1
  grep -c "\"result\": \"$2\"" "$1/meson-logs/testlog.json" 2>/dev/null || true
}

run() {     # build folder, CC, then options of meson setup
  build=$1 compiler=$2
  shift 2
  echo "== $build ($compiler $*)"
  # Configured anew each time: packages may have come since the last.
  again=
  if [ -f "$build/build.ninja" ]; then again=--reconfigure; else rm -rf "$build"; fi
  if ! log=$(CC=$compiler meson setup $again "$build" "$@" 2>&1); then
    echo "$log"
    failed=$((failed + 1))
    return
  fi
  ninja -C "$build" --quiet || { echo "$build: does not build"; failed=$((failed + 1)); return; }
  # The tests' time limits are for a machine that does nothing else.
  meson test -C "$build" --no-rebuild --print-errorlogs --timeout-multiplier 5
  ok=$(count "$build" OK) bad=$(count "$build" '\(FAIL\|TIMEOUT\|ERROR\|UNEXPECTEDPASS\|INTERRUPT\)')
  skip=$(count "$build" SKIP)
  [ "$((ok + bad + skip))" -gt 0 ] || { echo "$build: no test ran"; bad=1; }
  passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
}

# Guests on Emerald Rapids need a patched QEMU; without it their tests are skipped, with a line that says so.
if [ -z "${PMON_VM_QEMU-}" ] && qemu=$(sh scripts/qemu.sh); then export PMON_VM_QEMU="$qemu"; fi

# The first build is the users' own, and boots the guests, which take minutes and are of one compiler's making in any. The
# second takes as much time in code that is optimised less, which compiles in half.
run build gcc
sanitizers='-Db_sanitize=address,undefined -Db_lundef=false -Dsanitized=true -Dguests=one -Doptimization=1 -Ddebug=false
  -Dc_args=-g1'
if echo 'int main(void) { return 0; }' | clang -fsanitize=address,undefined -x c - -o /dev/null 2>/dev/null; then
  # shellcheck disable=SC2086
  run build-sanitize clang $sanitizers
else
  echo "== no sanitizers for clang (Debian: libclang-rt-14-dev): gcc's instead, in a third build"
  run build-clang clang -Dguests=none -Ddebug=false -Dc_args=-g1
  # shellcheck disable=SC2086
  run build-sanitize gcc $sanitizers
fi

# A red run says at its end why.
[ "$failed" -eq 0 ] || python3 scripts/failures.py build build-clang build-sanitize
echo
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
