#!/bin/sh
# SPDX-License-Identifier: MIT
# A user-supplied kernel and file system: the guest runs their commands, and its console is standard output.
# Usage: own.sh PMON
pmon=$1
skip() { echo "SKIPPED: no user-supplied guest was booted: $1"; exit 77; }
for tool in qemu-system-x86_64 busybox xz; do command -v $tool >/dev/null || skip "$tool is not here"; done
kernel=$(ls "${XDG_CACHE_HOME:-$HOME/.cache}"/pmon/vm/kernel/boot/vmlinuz-* 2>/dev/null | tail -n 1)
[ -n "$kernel" ] || skip "no kernel has been downloaded yet; vm-guest does that"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/root/bin" "$work/root/sys" "$work/root/dev" "$work/mine"
cp "$kernel" "$work/mine/vmlinuz"
cp "$(command -v busybox)" "$work/root/bin/"
cat >"$work/root/init" <<'END'
#!/bin/busybox sh
b=/bin/busybox
$b mount -t devtmpfs dev /dev
$b mount -t sysfs sys /sys
exec >/dev/ttyS0
echo "mine: $($b cat /sys/bus/pci/devices/0000:7f:10.1/device)"
$b poweroff -f
END
chmod +x "$work/root/init"
(cd "$work/root" && find . | busybox cpio -o -H newc 2>/dev/null) >"$work/initrd" || exit 1
output=$("$pmon" vm --timeout 900 --kernel "$work/mine/vmlinuz" --initrd "$work/initrd" 2>"$work/why")
result=$?
echo "$output"
[ $result -eq 0 ] || { cat "$work/why"; echo "exit code $result"; exit 1; }
case $output in *"mine: 0x3cb1"*) exit 0 ;; esac
echo "the guest did not see the memory controller's second function"
exit 1
