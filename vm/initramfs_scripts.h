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
    "off=$(grep -sl 0 /sys/devices/system/cpu/cpu*/online)\n" /* processors that the boot left out: vm/program.h */
    "if test \"$off\"; then\n"
    "  pmon-yield &\n"
    "  for c in $off; do echo 1 >$c; done\n"
    "  kill $!\n"
    "fi\n"
    "load() { test ! -f $1 || insmod $1 >/dev/ttyS0 2>&1; }\n"
    "load /usr/pmon/modules/msr.ko\n"
    "echo \"" GUEST_MARK "ready\" >/dev/ttyS0\n"
    "read -r word left </dev/ttyS0\n"
    /* A guest with a snapshot: it scans for the uncore's functions, and makes QEMU copy its other files to memory that
     * the kernel does not use, or takes its command from the terminal. Firmware enables memory decoding at a boot;
     * Linux enables it for a driver that requests it, which the uncore's driver does not. */
    "if test \"$word\" = find; then\n"
    "  echo 1 >/sys/bus/pci/rescan\n"
    "  for d in $left; do echo 1 >/sys/bus/pci/devices/$d/enable; done\n"
    "  echo \"" GUEST_MARK "found\" >/dev/ttyS0\n" /* here the guest can be saved again, and after its driver */
    "  read -r word left </dev/ttyS0\n"
    "fi\n"
    "test \"$left\" -eq 0 || pmon-fetch $left 0 <>/dev/mem >/usr/pmon/modules/intel-uncore.ko 2>/dev/ttyS0\n"
    /* The driver is loaded last, so that no other module gets the addresses of its initialization code
     * (vm/loaded.h). */
    "load /usr/pmon/modules/intel-uncore.ko\n"
    "echo \"" GUEST_MARK "loaded $?\" >/dev/ttyS0\n"
    "read -r go left over lines sections </dev/ttyS0\n"
    "test \"$left\" -eq 0 || (cd / && pmon-fetch $left $over <>/dev/mem | cpio -idu) 2>/dev/ttyS0\n"
    "while test \"$lines\" -gt 0; do\n"
    "  IFS= read -r line\n"
    "  printf '%s\\n' \"$line\" >&3\n"
    "  lines=$((lines - 1))\n"
    "done </dev/ttyS0 3>>/usr/pmon/command\n"
    "sections() {\n" /* the addresses of the modules' code (vm/loaded.h), if pmon requests them */
    "  test \"$sections\" = sections || return\n"
    "  for s in /sys/module/*/sections/.*text*; do\n"
    "    test -f \"$s\" && echo \"" GUEST_MARK "section $s $(cat \"$s\")\"\n"
    "  done >/dev/ttyS0\n"
    "}\n"
    "sections\n"
    /* At a time-out pmon requests the processes (vm/where.h). */
    "while read -r word; do\n"
    "  echo \"" GUEST_MARK "process $(cut -d ' ' -f 1 /proc/uptime) s of the guest's clock\"\n"
    "  ps -o pid,ppid,stat,args | sed '/\\]$/d;s/^/" GUEST_MARK "process /'\n"
    "  echo \"" GUEST_MARK "listed\"\n"
    "done </dev/ttyS0 >/dev/ttyS0 2>/dev/null &\n"
    "reader=$!\n"
    "cd /root\n"
    "sh /usr/pmon/command </dev/null >/dev/ttyS1 2>/dev/ttyS2\n"
    "code=$?\n"
    "kill $reader 2>/dev/null\n"
    "sections\n"
    /* pmon answers with the addresses whose functions it requests (vm/callers.h), or with an empty line. */
    "echo \"" GUEST_MARK "exit $code\" >/dev/ttyS0\n"
    "read -r wanted </dev/ttyS0\n"
    "test \"$wanted\" && grep -E \"^($wanted)\" /proc/kallsyms | sed 's/^/" GUEST_MARK "symbol /' >/dev/ttyS0\n"
    "poweroff -f\n";

/* The doorbell of vm/bus.h. A pause of 5 ms is longer than perf's multiplexing interval of 4 ms on the guest's clock,
 * so that each step falls into another interval. */
static const char step_script[] =
    "#!/bin/busybox sh\n"
    "# pmon-step [--interleave STEP] [NANOSECONDS]: advances simulated time, by default to the workload's end; with\n"
    "# --interleave in steps of STEP nanoseconds, between which perf changes the events that count.\n"
    "d=/sys/bus/pci/devices/0000:7f:1f.0/config\n"
    "pass() {\n"
    "  printf \"$(printf '\\\\%03o\\\\%03o\\\\%03o\\\\%03o' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) "
    "$(($1 >> 24 & 255)))\" | dd of=\"$d\" bs=4 seek=16 conv=notrunc 2>/dev/null\n"
    "}\n"
    "ended() { [ -n \"$(dd if=\"$d\" bs=4 skip=17 count=1 2>/dev/null | tr -d '\\000')\" ]; }\n"
    "step=0\n"
    "if [ \"${1-}\" = --interleave ]; then step=${2-}; shift $(($# < 2 ? 1 : 2)); fi\n"
    "case $step$*- in\n"
    "*[!0-9]*-|-) echo 'usage: pmon-step [--interleave STEP] [NANOSECONDS]' >&2; exit 2 ;;\n"
    "esac\n"
    "n=${1:-4294967295}\n"
    "while [ \"$step\" -gt 0 ] && [ \"$n\" -gt \"$step\" ] && ! ended; do\n"
    "  pass \"$step\"\n"
    "  [ \"$n\" = 4294967295 ] || n=$((n - step))\n"
    "  sleep 0.005\n"
    "done\n"
    "pass \"$n\"\n";

#endif
