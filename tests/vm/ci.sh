#!/bin/sh
# SPDX-License-Identifier: MIT
# The lines of docs/ci.md work: the step of the CI, its test, and with kernel headers the developer's loop. Usage: ci.sh PMON
# DOCS-FOLDER BASELINE
pmon=$1 docs=$(realpath "$2") baseline=$(realpath "$3") what="the lines of docs/ci.md were not run"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/guest.sh"
need qemu-system-x86_64 busybox xz perf
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/repo"
ln -s "$(realpath "$pmon")" "$work/bin/pmon"
export PATH="$work/bin:$PATH"
block() {    # number of a fenced block, its language
  awk -v want="$1" -v language="$2" '$0 == "```" { inside = 0 } inside { print }
    $0 == "```" language { inside = ++n == want }' "$docs/ci.md"
}
kernel_6_1
KERNEL=$kernel RELEASE=${kernel##*/vmlinuz-}
export KERNEL RELEASE
cd "$work/repo" || exit 1
cp "$baseline" known.baseline
find "${KERNEL%/boot/*}" -name 'intel-uncore.ko*' | while read -r module; do
  case $module in *.xz) xz -dc "$module" ;; *) cat "$module" ;; esac
done >intel-uncore.ko
[ -s intel-uncore.ko ] || skip "the kernel has no module of the driver"
block 1 sh >test.sh
block 1 yaml | sed -n 's/^ *- run: \(pmon vm\) \(.*\)/\1 --timeout 900 \2/p' >step
[ -s step ] && [ -s test.sh ] || { echo "docs/ci.md has no step, or no test"; exit 1; }
sh step >out 2>&1
booted $? out
[ "$(grep -c uncore_ kept/output.log)" -eq 2 ] && grep -q 'failures="0" errors="0"' junit.xml || { cat out junit.xml; exit 1; }
source=$(sh "$here/../../scripts/driver_source.sh" "$RELEASE" 2>why) || skip "the step of the CI works; the loop: $(cat why)"
cp -a "$source/." "$work/"
cp -a test.sh known.baseline "$work/intel/"
cd "$work/intel" || exit 1
block 2 sh | sed 's/^pmon vm /&--timeout 900 /' >../loop
sh -e ../loop >out 2>&1 || { cat out; exit 1; }
[ "$(grep -c uncore_ out)" -ge 2 ] || { cat out; exit 1; }
