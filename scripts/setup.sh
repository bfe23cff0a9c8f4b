#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the Debian packages for building, running and testing pmon that are not installed yet. With --optional it
# also tries those that only some tests use, and continues if they are not available; with --packages those for building
# and testing Debian packages.
set -u

needed="gcc libc6-dev clang meson ninja-build pkg-config libjansson-dev libzstd-dev libsqlite3-dev libcmocka-dev libjs-dygraphs libncurses-dev libmicrohttpd-dev libyaml-dev libcurl4-openssl-dev libzydis-dev qemu-user"
optional="clang-format valgrind jq zstd libpfm4-dev libclang-rt-14-dev lld cppcheck python3 python3-pip qemu-system-x86 busybox-static linux-perf linux-cpupower msr-tools pciutils xz-utils lz4 pcm likwid papi-tools libfuse3-dev binutils-ia64-linux-gnu zsh fish g++ gfortran abigail-tools locales chromium tmux curl prometheus gnuplot-nox patch dpkg-dev libglib2.0-dev libpixman-1-dev libfdt-dev seabios qemu-system-common qemu-system-data"
packages="dpkg-dev debhelper dh-python lintian fakeroot xz-utils libfuse3-dev git mmdebstrap rpm rpmlint buildah curl python3"

missing() {
  for package in $1; do
    dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || printf '%s ' "$package"
  done
}

updated= # apt's lists, once

install() {
  as_root=
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "setup: not root and no sudo; as root: apt-get install $1" >&2; return 1; }
    as_root=sudo
  fi
  echo "setup: installing $1" >&2
  [ "$updated" ] || $as_root apt-get update -qq >/dev/null && updated=yes &&
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $1 >/dev/null
}

# The headers for building drivers for the guests' kernel: of the one that `pmon vm` keeps, or would download.
kernel_headers() {
  [ "$(dpkg --print-architecture)" = amd64 ] || return 0
  kept=$(ls "${XDG_CACHE_HOME:-${HOME-}/.cache}"/pmon/vm/kernel/boot/vmlinuz-* 2>/dev/null)
  [ -n "$kept" ] || kept=$(apt-cache depends linux-image-amd64 2>/dev/null |
    sed -n 's/^ *Depends: *linux-image-\([0-9].*\)/\1/p' | head -n 1)
  for kernel in $kept; do echo "linux-headers-${kernel##*/vmlinuz-}"; done
}

command -v dpkg-query >/dev/null || { echo "setup: not a Debian system; needed here: $needed" >&2; exit 0; }
want=$(missing "$needed")
if [ -n "$want" ] && ! install "$want"; then
  echo "setup: could not install: $want" >&2
  exit 1
fi
[ "${1-}" = --packages ] && optional=$packages
if [ "${1-}" = --optional ] || [ "${1-}" = --packages ]; then
  want=$(missing "$optional")
  if [ -n "$want" ] && ! install "$want"; then
    # An unavailable package must not prevent the others.
    for package in $want; do install "$package" || echo "setup: continuing without $package" >&2; done
  fi
  if [ "$1" = --optional ]; then     # after the update of apt's lists
    for package in $(missing "$(kernel_headers)"); do
      install "$package" || echo "setup: continuing without $package" >&2
    done
  fi
  [ "$1" = --packages ] || sh "$(dirname "$0")/libpfm4.sh" "$(dirname "$0")/../peers/libpfm4" || echo "setup: continuing without libpfm4's test vectors" >&2
fi
exit 0
