#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the source tarball of the last commit: build/dist/pmon-VERSION.tar.xz, by `meson dist`. Meson does not fix the
# time and the permissions of the top folder; the tarball is repacked, so that two runs give the same bytes. Usage:
# dist.sh [BUILD-FOLDER]
set -eu
cd "$(dirname "$0")/.."
build=${1-build}
version=$(sh scripts/version.sh)
[ -f "$build/build.ninja" ] || meson setup "$build" >/dev/null
git diff --quiet HEAD 2>/dev/null || echo "dist: uncommitted changes are omitted" >&2
umask 022
meson dist -C "$build" --no-tests --allow-dirty --formats xztar >"$build/dist.log" 2>&1 || { cat "$build/dist.log"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xf "$build/meson-dist/pmon-$version.tar.xz" -C "$work"
mkdir -p "$build/dist"
tar -c -C "$work" --format=gnu --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
  --mtime="@$(git log -1 --format=%ct)" "pmon-$version" | xz -T1 >"$build/dist/pmon-$version.tar.xz"
(cd "$build/dist" && sha256sum "pmon-$version.tar.xz")
