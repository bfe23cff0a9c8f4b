#!/bin/sh
# SPDX-License-Identifier: MIT
# Errors that `pmon vm` and `pmon machine mount` report before anything is booted, with the reason. Usage: cli.sh PMON
pmon=$1 failed=0
expect() {   # exit code, part of the message, arguments...
  code=$1 part=$2
  shift 2
  output=$("$pmon" "$@" 2>&1 >/dev/null)
  got=$?
  if [ $got -ne "$code" ]; then echo "pmon $*: exit code $got, not $code"; failed=1; fi
  case $output in *"$part"*) ;; *) echo "pmon $*: \"$output\" does not contain \"$part\""; failed=1 ;; esac
}
cached=${XDG_CACHE_HOME:-$HOME/.cache}/pmon/vm/kernel/boot
work=$(mktemp -d) || exit 1
export XDG_CACHE_HOME="$work"
trap 'rm -rf "$work"' EXIT
expect 2 "no input; add -- COMMAND, or --initrd FILE" vm
expect 2 "the guest's own init loads modules; omit --module" vm --initrd "$0" --module "$0"
expect 2 "omit the command" vm --initrd "$0" -- true
expect 2 "use -p emr, snbep or spr" vm --machine montecito -- true
expect 2 "use -p emr, snbep or spr" -p montecito vm -- true
expect 2 "the machine has only one socket" vm --set sockets=1 --sockets 2 -- true
expect 2 'for --sockets; expected 1 or 2' vm --sockets 3 -- true
expect 2 'for --sockets; expected 1 or 2' -p emr vm --sockets 3 -- true
expect 2 "expected a number from 1 to 64" -p emr vm --sockets 2 --processors 65 -- true
expect 2 "expected a number from 1 to 4" vm --set cores=4 --processors 5 -- true
expect 2 "omit one of them" vm --traffic guest --trace "$0" -- true
expect 2 "expected a number" vm --timeout soon -- true
expect 2 'for --timeout; expected a number of seconds from 1' vm --timeout 0 -- true
expect 2 "$work/none: cannot be read: No such file" vm --capture "$work/none" -- true
for option in --json --junit; do   # before the guest takes minutes
  expect 2 "$option $work/none/file: No such file" vm $option "$work/none/file" --qemu false -- true
  expect 2 "$option $work: Is a directory" vm $option "$work" --qemu false -- true
done
expect 2 "expected a number" vm --access-ns -1 -- true
expect 2 "--bogus: no such option" vm --bogus -- true
expect 2 "--sockets: missing value" vm --sockets
expect 2 "use -p emr, snbep or spr" vm -p montecito -- true
expect 2 "a power of two" vm --instruction-ns 3 -- true
expect 2 "a power of two" vm --instruction-ns 2048 -- true
expect 2 "the guest has one processor" vm --instruction-ns 4 --sockets 2 --initrd /dev/null
expect 2 "the guest has one processor" vm --instruction-ns 4 --processors 2 --initrd /dev/null
expect 2 "with --initrd the guest has the files of that file system only" vm --with "$0" --initrd /dev/null
expect 2 "cannot be combined with --initrd or --traffic guest" vm --snapshot "$work/s" --initrd /dev/null
expect 2 "cannot be combined with --initrd or --traffic guest" vm --snapshot "$work/s" --traffic guest -- true
printf 'device 0000:17:00.0 stack 0 port 0 id 8086:1572\ndma read 1GB/s for 1us\n' >"$work/devices"
expect 2 "cannot be combined with devices of a scenario or capture" vm --snapshot "$work/s" --scenario "$work/devices" -- true
expect 2 "--snapshot $work/devices: the file exists and is not a guest snapshot; choose another name" vm --snapshot "$work/devices" -- true
expect 2 "--snapshot /dev/null: the file exists and is not a guest snapshot" vm --snapshot /dev/null -- true
: >"$work/empty"
printf 'pmon-guest 0 of another version' >"$work/state"
for kept in new empty state; do   # these go on to QEMU
  expect 125 "$work/none cannot be run" vm --snapshot "$work/$kept" --qemu "$work/none" -- true
done
expect 2 "cannot be opened" vm --scenario "$work/none" -- true
known() {    # the baseline's text, the part of the message
  printf '%b' "$1" >"$work/known"
  expect 2 "$work/known:$2" vm --baseline "$work/known" -- true
}
expect 2 "$work/none: No such file" vm --baseline "$work/none" -- true
known '# none\n\nsw.reserved HA_* 0x3' "3: the reason is missing; expected RULE REGISTER BITS REASON"
known 'sw.reserved' "1: the reason is missing"
known 'sw.reserved HA_* all of them' "1: the bits are neither a hexadecimal number nor -"
known 'sw.reserved HA_* 0 none' "1: the bits are neither a hexadecimal number nor -"
expect 2 "--artifacts $0: Not a directory" vm --artifacts "$0" -- true
expect 125 "not a Linux kernel" vm --kernel "$0" -- true
expect 125 "--kernel $work/none: No such file" vm --kernel "$work/none" -- true
expect 125 "$work/none cannot be run" vm --qemu "$work/none" --kernel "$work/none" --module "$work/none" -- true
expect 125 "--kernel $work: Is a directory; give a bzImage" vm --kernel "$work" -- true
if command -v busybox >/dev/null && [ -n "$(ls "$cached" 2>/dev/null)" ]; then
  XDG_CACHE_HOME=${cached%/pmon/vm/kernel/boot}
  mkdir "$work/many" && (cd "$work/many" && seq 4200 | xargs touch)
  expect 2 "--module $work/none: No such file" vm --module "$work/none" -- true
  expect 2 "--module $0: not a kernel module; give the driver's .ko file, uncompressed" vm --module "$0" -- true
  if command -v cc >/dev/null; then
    printf '%s\n' 'const char m[] __attribute__((section(".modinfo"))) = "name=intel_uncore\0vermagic=6.0.1-other SMP ";' >"$work/m.c"
    cc -c -o "$work/m.ko" "$work/m.c" || failed=1
    expect 2 "--module $work/m.ko: built for kernel 6.0.1-other, but the guest's kernel is " vm --module "$work/m.ko" -- true
  fi
  expect 2 "$work/none: no such program, file or folder" vm --with "$work/none" -- true
  expect 2 "at most 4096 files" vm --with "$work/many" -- true
  ln -s none "$work/dangling" && mkdir "$work/links" && ln -s none "$work/links/one" && mkfifo "$work/fifo"
  expect 2 "$work/links/one: cannot be copied to the guest: No such file" vm --with "$work/links" -- true
  expect 2 "$work/fifo: cannot be copied to the guest: it is neither" vm --with "$work/fifo" -- true
  expect 2 "$work/dangling: no such program" vm --with "$work/dangling" -- true
  expect 2 "/proc/cpuinfo: cannot be copied to the guest: the guest has its own files" vm --with /proc/cpuinfo -- true
  expect 2 "without //, . and .." vm --with "$work/../none" -- true
  expect 125 "$work/none: No such file" vm --initrd "$work/none"
else
  echo "no guest's file system was tried: busybox or a kernel is not here"
fi
expect 2 "DIR: missing argument" machine mount
expect 2 "is not a folder" machine mount "$work/none"
expect 2 "its registers are not MSRs" machine mount -p montecito "$work"
exit $failed
