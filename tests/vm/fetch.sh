#!/bin/sh
# SPDX-License-Identifier: MIT
# The kernel is downloaded once, however many runs request it at the same time, and its modules are found wherever its
# package has them. Scripts take the place of the package tools, and no guest is booted: the kernel is a dummy. Usage:
# fetch.sh PMON
pmon=$1 failed=0
command -v flock >/dev/null || { echo "SKIPPED: nothing was downloaded: flock is not here"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
tool() {     # name, what it does
  printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}
arch=usr/lib/modules/6/kernel/arch/x86
mkdir -p "$work/bin" "$work/package/boot" "$work/package/$arch/kernel" "$work/package/$arch/events/intel"
for f in boot/vmlinuz-6 boot/config-6 $arch/kernel/msr.ko $arch/events/intel/intel-uncore.ko; do echo none >"$work/package/$f"; done
mkfifo "$work/begun" "$work/go"
tool apt-cache 'echo "  Depends: linux-image-6"'
tool apt-get "echo download >>'$work/log'; : >linux-image-6_1.deb
[ -e '$work/first' ] || { : >'$work/first'; echo >'$work/begun'; read x <'$work/go'; }"
tool dpkg-deb "tar -c -C '$work/package' ."
export PATH="$work/bin:$PATH" XDG_CACHE_HOME="$work/cache"
vm() { "$pmon" vm -- true >/dev/null 2>"$work/$1"; }
"$pmon" vm --qemu "$work/none" -- true 2>"$work/none.output" && failed=1
grep -q "$work/none cannot be run" "$work/none.output" && [ ! -e "$work/log" ] ||
  { echo "a kernel was downloaded for a QEMU that is not there"; cat "$work/none.output"; failed=1; }
vm one &
one=$!
read -r line <"$work/begun"
vm other &
other=$!
echo >"$work/go"
wait $one; wait $other
kept="$work/cache/pmon/vm/kernel"
[ "$(cat "$work/log")" = download ] || { echo "downloaded $(wc -l <"$work/log") times"; failed=1; }
for f in boot/vmlinuz-6 boot/config-6 $arch/kernel/msr.ko $arch/events/intel/intel-uncore.ko; do
  cmp "$work/package/$f" "$kept/$f" || failed=1
done
for output in one other; do
  grep -q "boot/vmlinuz-6: not a Linux kernel" "$work/$output" || { cat "$work/$output"; failed=1; }
done
exit $failed
