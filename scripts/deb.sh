#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the Debian packages of the last commit, from the source tarball, into build/deb, and checks them with lintian.
# Usage: deb.sh [BUILD-FOLDER]
set -eu
cd "$(dirname "$0")/.."
build=${1-build}
version=$(sh scripts/version.sh)
command -v dpkg-buildpackage >/dev/null || { echo "deb: needs dpkg-dev and debhelper" >&2; exit 1; }
dpkg-checkbuilddeps debian/control
sh scripts/dist.sh "$build"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$build/dist/pmon-$version.tar.xz" "$work/pmon_$version.orig.tar.xz"
tar -xf "$work/pmon_$version.orig.tar.xz" -C "$work"
(cd "$work/pmon-$version" && dpkg-buildpackage -us -uc) >"$build/deb.log" 2>&1 || { tail -n 40 "$build/deb.log"; exit 1; }
rm -rf "$build/deb"
mkdir -p "$build/deb"
find "$work" -maxdepth 1 -type f -exec cp {} "$build/deb/" \;
(cd "$build/deb" && sha256sum ./*.deb)
# docs/releasing.md has the reason for each.
without=bogus-mail-host,bogus-mail-host-in-debian-changelog,initial-upload-closes-no-bugs,no-debian-changes
if command -v lintian >/dev/null; then
  (cd "$build/deb" && lintian --allow-root --suppress-tags $without --display-level '>=pedantic' --fail-on error,warning ./*.changes)
else
  echo "deb: not checked, no lintian" >&2
fi
