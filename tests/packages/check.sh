#!/bin/sh
# SPDX-License-Identifier: MIT
# Debian packages: two builds in different folders, with different umasks, locales and time zones, are identical byte by
# byte; in a clean system the packages install, work, and leave nothing after removal and purge. Then RPM packages and
# the container (rpm.sh, container.sh). Needs root, mmdebstrap and Debian's archive. PMON_CHROOT names an existing
# tarball of a clean system. With `installed`, the packages in the build folder are tested as they are. Usage: check.sh
# BUILD-FOLDER [installed]
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/packages/clean.sh
build=$1 passed=0 failed=0
[ "$(id -u)" -eq 0 ] || { echo "SKIPPED: needs root" >&2; exit 77; }
work=$(mktemp -d) || exit 1
root=$work/root
trap 'rm -rf --one-file-system "$work"' EXIT
verdict() {   # STATUS TEXT
  if [ "$1" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
  [ "$1" -eq 0 ] && echo "ok: $2" || echo "FAILED: $2"
}

build_twice() {
  commit=$(git rev-parse HEAD) # the second build must be of the same commit, even if a new one is made meanwhile
  sh scripts/deb.sh "$build"
  verdict $? "packages, lintian"
  git clone -q . "$work/a-longer-name-of-the-second-folder" && (
    cd "$work/a-longer-name-of-the-second-folder" || exit 1
    git checkout -q "$commit" || exit 1
    umask 027
    export TZ=Pacific/Auckland LC_ALL=C.UTF-8 HOME="$work"
    meson setup other >/dev/null && sh scripts/deb.sh other >second.log 2>&1 || { tail second.log; exit 1; }
  )
  verdict $? "a second build"
  (cd "$build/deb" && sha256sum ./*.deb ./*.orig.tar.xz) >"$work/first.sums"
  (cd "$work/a-longer-name-of-the-second-folder/other/deb" && sha256sum ./*.deb ./*.orig.tar.xz) >"$work/second.sums"
  diff "$work/first.sums" "$work/second.sums"
  verdict $? "both builds are the same ($(wc -l <"$work/first.sums") files)"
}
[ "${2-}" = installed ] || build_twice

clean_tarball "$work"
clean_system "$root" || exit 1
in_root() { in_clean "$root" "$@"; }
# Files left by dependencies are not pmon's: dependencies are installed first and stay.
mkdir "$root/packages" && cp "$build"/deb/*.deb "$root/packages/" && rm -f "$root"/packages/*dbgsym*
cp debian/tests/smoke "$root/packages/"
in_root apt-get update -qq >"$work/log" 2>&1 &&
  in_root sh -c 'apt-get install -y -qq --no-install-recommends python3-minimal /packages/*.deb' >>"$work/log" 2>&1
verdict $? "installation" || tail "$work/log"
in_root dpkg -l libpmon0 pmon pmon-machine pmon-exporter libpmon-dev python3-pmon | tail -n 6
in_root sh /packages/smoke
verdict $? "smoke test"
in_root setpriv --reuid=65534 --regid=65534 --clear-groups sh /packages/smoke >/dev/null 2>&1
verdict $? "smoke test without privileges"
ours="libpmon-dev libpmon0 pmon pmon-exporter pmon-machine python3-pmon"
# Purges the packages only: afterwards the system equals the one without them.
# shellcheck disable=SC2086
in_root apt-get purge -y -qq $ours >>"$work/log" 2>&1
verdict $? "purge"
left=$(find "$root" -xdev -path "$root/packages" -prune -o -iname '*pmon*' -print)
[ -z "$left" ]
verdict $? "nothing is left${left:+: $left}"
in_root dpkg --audit | grep . && verdict 1 "dpkg --audit"

# Packages for other systems, if their tools are installed; 77: they are not.
other() { # TEXT COMMAND...
  text=$1
  shift
  "$@"
  status=$?
  if [ $status -eq 77 ]; then skipped="$skipped; skipped: $text"; else verdict $status "$text"; fi
}
skipped=
other "RPM packages" sh tests/packages/rpm.sh "$build" "$root"
other "container" sh tests/packages/container.sh "$build"
echo "$passed passed, $failed failed$skipped"
[ "$failed" -eq 0 ]
