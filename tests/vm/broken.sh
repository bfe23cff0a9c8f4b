#!/bin/sh
# SPDX-License-Identifier: MIT
# A QEMU that is missing, too old, failing, killed or silent: the messages of `pmon vm`; and QEMU ends when pmon ends.
# No guest is booted: scripts take QEMU's place. Usage: broken.sh PMON
pmon=$1 failed=0
skip() { echo "SKIPPED: no broken QEMU was tried: $1"; exit 77; }
for tool in busybox xz; do command -v $tool >/dev/null || skip "$tool is not here"; done
cached=${XDG_CACHE_HOME:-$HOME/.cache}/pmon/vm/kernel/boot
[ -n "$(ls "$cached" 2>/dev/null)" ] || skip "no kernel has been downloaded yet; vm-guest does that"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
qemu() {     # name, what it has, what it does
  printf '#!/bin/sh\n[ "$1" = -device ] && { echo '\''%s'\''; exit 0; }\n%s\n' "$2" "$3" >"$work/$1"
  chmod +x "$work/$1"
}
expect() {   # exit code, part of the message, arguments...
  code=$1 part=$2
  shift 2
  output=$("$pmon" "$@" -- true 2>&1 >/dev/null)
  got=$?
  if [ $got -ne "$code" ]; then echo "pmon $*: exit code $got, not $code: $output"; failed=1; fi
  case $output in *"$part"*) ;; *) echo "pmon $*: \"$output\" does not contain \"$part\""; failed=1 ;; esac
}
proxy='"x-pci-proxy-dev"'
qemu old '"e1000"' 'exit 0'
qemu fails $proxy 'echo out of order >&2; exit 3'
qemu dies $proxy 'kill -9 $$'
qemu leaves $proxy 'exit 0'
qemu silent $proxy "exec sleep 300 >'$work/held'"
expect 125 "cannot be run; Debian's package is qemu-system-x86" vm --qemu "$work/none"
expect 125 "no device x-pci-proxy-dev" vm --qemu "$work/old"
expect 125 "vm/qemu/build.sh" -p emr vm --qemu "$work/leaves"
expect 125 "exited with code 3" vm --qemu "$work/fails"
expect 125 "out of order" vm --qemu "$work/fails"
expect 125 "QEMU was terminated by signal 9" vm --qemu "$work/dies"
expect 123 "ended before its command" vm --qemu "$work/leaves"
# A console whose lines are longer than the buffer, and whose last line is unterminated, is output unchanged.
{ seq -s , 900; printf 'login: '; } >"$work/said"
cat >"$work/console" <<'END'
#!/bin/bash
[ "$1" = -device ] && { echo '"x-pci-proxy-dev"'; exit 0; }
for word in "$@"; do case $word in socket,id=serial0,fd=*) line=${word##*=} ;; esac; done
cat "${0%/*}/said" >&$line
END
chmod +x "$work/console"
"$pmon" vm --qemu "$work/console" --initrd /dev/null >"$work/received" || { echo "console: exit code $?"; failed=1; }
cmp "$work/said" "$work/received" || failed=1
mkfifo "$work/held"
"$pmon" vm --qemu "$work/silent" -- true >/dev/null 2>&1 &
# Opens when QEMU runs; ends when its last writer closes it.
{ kill -9 $!; timeout 600 cat; } <"$work/held" || { echo "QEMU outlived pmon"; failed=1; }
exit $failed
