/* SPDX-License-Identifier: MIT */
/* The scripts that run in the guest: init, and the command pmon-step. */
#ifndef VM_INITRAMFS_SCRIPTS_H
#define VM_INITRAMFS_SCRIPTS_H

#include "vm/initramfs.h"

static const char init_script[] =
    "#!/bin/busybox sh\n"
    "b=/bin/busybox\n"
    "$b mkdir -p /proc /sys /tmp /run /root /usr/pmon/applets\n"
    "$b mount -t devtmpfs dev /dev\n"
    "$b mount -t proc proc /proc\n"
    "$b mount -t sysfs sys /sys\n"
    "$b chmod 1777 /tmp\n" /* on the first file system, so that files of --with stay visible */
    "$b --install -s /usr/pmon/applets\n"
    "export PATH=/usr/local/bin:/usr/bin:/usr/sbin:/usr/pmon/bin:/usr/pmon/applets HOME=/root LC_ALL=C TERM=dumb\n"
    "for t in 1 2; do stty -F /dev/ttyS$t raw -echo; done\n"
    "stty -F /dev/ttyS0 -echo\n"
    "off=$(grep -sl 0 /sys/devices/system/cpu/cpu*/online)\n" /* what the boot left out: vm/yield.h */
    "if test \"$off\"; then\n"
    "  pmon-yield &\n"
    "  for c in $off; do echo 1 >$c; done\n"
    "  kill $!\n"
    "fi\n"
    "echo \"" GUEST_MARK "ready\" >/dev/ttyS0\n"
    "read go </dev/ttyS0\n"
    "for m in /usr/pmon/modules/*; do test -f \"$m\" && insmod \"$m\"; done >/dev/ttyS0 2>&1\n"
    /* At a time-out pmon asks for the processes (vm/where.h). */
    "while read -r word; do\n"
    "  echo \"" GUEST_MARK "process $(cut -d ' ' -f 1 /proc/uptime) s of the guest's clock\"\n"
    "  ps -o pid,ppid,stat,args | sed '/\\]$/d;s/^/" GUEST_MARK "process /'\n"
    "  echo \"" GUEST_MARK "listed\"\n"
    "done </dev/ttyS0 >/dev/ttyS0 2>/dev/null &\n"
    "cd /root\n"
    "sh /usr/pmon/command </dev/null >/dev/ttyS1 2>/dev/ttyS2\n"
    "echo \"" GUEST_MARK "exit $?\" >/dev/ttyS0\n"
    "poweroff -f\n";

/* The doorbell of vm/bus.h. */
static const char step_script[] =
    "#!/bin/busybox sh\n"
    "# pmon-step [NANOSECONDS]: advances simulated time, by default to the end of the workload.\n"
    "n=${1:-4294967295}\n"
    "d=/sys/bus/pci/devices/0000:7f:1f.0/config\n"
    "printf \"$(printf '\\\\%03o\\\\%03o\\\\%03o\\\\%03o' $((n & 255)) $((n >> 8 & 255)) $((n >> 16 & 255)) "
    "$((n >> 24 & 255)))\" | dd of=\"$d\" bs=4 seek=16 conv=notrunc 2>/dev/null\n";

#endif
