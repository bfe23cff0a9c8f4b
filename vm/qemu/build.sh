#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds a QEMU in which `pmon -p emr vm` can run: Debian's source package of QEMU 7.2 with pmon.patch (GPL-2.0-or-later, as
# QEMU is). Usage: build.sh PREFIX [BUILD-FOLDER]; PREFIX/bin/qemu-system-x86_64 is then for --qemu. Needs Debian 12 with
# sources in apt (deb-src), and the packages that are named when they are missing. Some minutes; JOBS is for ninja -j.
set -eu
[ $# -ge 1 ] || { sed -n 's/^# //p' "$0" | sed -n '2,4p' >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
prefix=$(cd "$1" && pwd)
work=${2-$(mktemp -d)}
missing=
for p in gcc make ninja-build python3 pkg-config dpkg-dev xz-utils patch libglib2.0-dev libpixman-1-dev libfdt-dev seabios \
         qemu-system-common qemu-system-data; do
  dpkg-query -W -f='${db:Status-Status}' $p 2>/dev/null | grep -qx installed || missing="$missing $p"
done
[ -z "$missing" ] || { echo "build.sh: not here (remedy: apt-get install$missing)" >&2; exit 3; }
mkdir -p "$work"
cd "$work"
if ! [ -f source/VERSION ]; then
  apt-get source -q --download-only qemu || { echo "build.sh: no source package; is there a deb-src line for apt?" >&2; exit 3; }
  rm -rf source
  dpkg-source -x qemu_7.2*.dsc source
  patch -s -d source -p1 <"$here/pmon.patch"
fi
mkdir -p build
cd build
# Not what PATH has in front: Debian's own python3, meson and compiler.
PATH=/usr/bin:/usr/sbin:/bin:/sbin
../source/configure --prefix="$prefix" --target-list=x86_64-softmmu --without-default-features --without-default-devices \
  --with-devices-x86_64=pmon --enable-tcg --enable-kvm --enable-plugins --enable-multiprocess --enable-fdt=system \
  --disable-werror --disable-debug-info --with-git-submodules=ignore --firmwarepath=/usr/share/qemu:/usr/share/seabios \
  ${CC:+--cc="$CC"} >configure.log ||
  { tail configure.log >&2; exit 1; }
ninja -j "${JOBS-2}" qemu-system-x86_64
mkdir -p "$prefix/bin"
cp qemu-system-x86_64 "$prefix/bin/"
"$prefix/bin/qemu-system-x86_64" -device help | grep -q pmon-pages
echo "$prefix/bin/qemu-system-x86_64"
