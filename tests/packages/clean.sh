# SPDX-License-Identifier: MIT
# Sourced by the scripts of this folder: a clean Debian 12. PMON_CHROOT names its tarball; without it, clean_tarball
# makes one. Needs root.

# Sets PMON_CHROOT; exits if no such system can be made. Usage: clean_tarball FOLDER
clean_tarball() {
  [ -n "${PMON_CHROOT-}" ] && return
  command -v mmdebstrap >/dev/null || { echo "SKIPPED: no mmdebstrap" >&2; exit 77; }
  mmdebstrap --quiet --variant=minbase --include=ca-certificates bookworm "$1/clean.tar" \
    "deb http://deb.debian.org/debian bookworm main" >"$1/mmdebstrap.log" 2>&1 ||
    { echo "SKIPPED: no clean system: $(tail -n 2 "$1/mmdebstrap.log")" >&2; exit 77; }
  PMON_CHROOT=$1/clean.tar
  export PMON_CHROOT
}

# Unpacks the system, with device nodes of its own: removing the folder would remove the host's devices if /dev were a
# bind mount. Usage: clean_system FOLDER
clean_system() {
  mkdir "$1" && tar -xf "$PMON_CHROOT" -C "$1" && cp /etc/resolv.conf "$1/etc/resolv.conf" || return 1
  while read -r name major minor; do
    [ -e "$1/dev/$name" ] || mknod -m 666 "$1/dev/$name" c "$major" "$minor"
  done <<DEVICES
null 1 3
zero 1 5
full 1 7
random 1 8
urandom 1 9
tty 5 0
DEVICES
}

# Runs a command in the system. /proc is mounted in a mount namespace that ends with the command, so that nothing
# remains mounted below the folder when it is removed. Usage: in_clean FOLDER COMMAND...
in_clean() {
  at=$1
  shift
  timeout -s KILL 1200 unshare --mount --propagation private sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' \
    "$at" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@" </dev/null
}
