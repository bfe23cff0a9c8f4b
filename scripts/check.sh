#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs all tests in two configurations: with gcc as users build, and with clang and its address and undefined-behaviour
# sanitizers. Ends with the line `N passed, N failed, N skipped` over both.
set -u
cd "$(dirname "$0")/.." || exit 1

# A version manager's python3 is a script that starts some hundred processes before the interpreter. Build steps and
# tests start python3 hundreds of times, and shall find the interpreter itself.
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null)
if [ -x "$python" ] && [ "$python" != "$(command -v python3)" ]; then
  PATH=$(dirname "$python"):$PATH
  export PATH
fi

passed=0 failed=0 skipped=0

count() {   # the number of results $2 in the test log of build folder $1
  grep -c "\"result\": \"$2\"" "$1/meson-logs/testlog.json" 2>/dev/null || true
}

prepare() { # build folder, CC, then options of meson setup
  build=$1 compiler=$2
  shift 2
  echo "== $build ($compiler $*)"
  # Configured anew each time: packages may have been installed since the last run.
  again=
  if [ -f "$build/build.ninja" ]; then again=--reconfigure; else rm -rf "$build"; fi
  rm -f "$build/meson-logs/testlog.json"
  if ! log=$(CC=$compiler meson setup $again "$build" "$@" 2>&1); then
    echo "$log"
    failed=$((failed + 1))
  elif ninja -C "$build" --quiet; then
    builds="$builds $build"
  else
    echo "$build: does not build"
    failed=$((failed + 1))
  fi
}

run() {     # build folder
  echo "== tests of $1"
  # The tests' time limits are for an idle machine. Many tests wait: for a guest, a scrape, an interval. One job more
  # than there are processors fills the time.
  meson test -C "$1" --no-rebuild --print-errorlogs --timeout-multiplier 5 --num-processes $(($(nproc) + 1))
  ok=$(count "$1" OK) bad=$(count "$1" '\(FAIL\|TIMEOUT\|ERROR\|UNEXPECTEDPASS\|INTERRUPT\)')
  skip=$(count "$1" SKIP)
  [ "$((ok + bad + skip))" -gt 0 ] || { echo "$1: no test ran"; bad=1; }
  passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
}

# Guests on Emerald Rapids need a patched QEMU; without it their tests are skipped with a message. It is built in
# parallel with the first build, as each leaves processors idle while the other does not.
qemu=$(mktemp) || exit 1
trap 'rm -f "$qemu"' EXIT
[ -n "${PMON_VM_QEMU-}" ] || sh scripts/qemu.sh >"$qemu" &

# The first build is compiled as users build, and boots the guests, which take minutes and test the same with any
# compiler. The second is optimized only where speed matters (`hot` in meson.build). LLVM's linker takes half the time
# of the other one for some three hundred programs.
builds=
if command -v ld.lld >/dev/null; then export CC_LD=lld; fi
prepare build gcc
sanitizers='-Db_sanitize=address,undefined -Db_lundef=false -Dsanitized=true -Dguests=one -Doptimization=0 -Ddebug=false
  -Dc_args=-g1'
if echo 'int main(void) { return 0; }' | clang -fsanitize=address,undefined -x c - -o /dev/null 2>/dev/null; then
  # shellcheck disable=SC2086
  prepare build-sanitize clang $sanitizers
else
  unset CC_LD
  echo "== no sanitizers for clang (Debian: libclang-rt-14-dev): gcc's instead, in a third build"
  prepare build-clang clang -Dguests=none -Ddebug=false -Dc_args=-g1
  # shellcheck disable=SC2086
  prepare build-sanitize gcc $sanitizers
fi
wait
if [ -s "$qemu" ]; then PMON_VM_QEMU=$(cat "$qemu"); export PMON_VM_QEMU; fi
for build in $builds; do run "$build"; done

# A failed run ends with the reasons.
[ "$failed" -eq 0 ] || python3 scripts/failures.py build build-clang build-sanitize
echo
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
