#!/bin/sh
# SPDX-License-Identifier: MIT
# Fetches Debian's source package of libpfm4 into FOLDER, for the test that reads its own test vectors. The system's apt
# settings stay as they are: the source lists are read from a copy that asks for sources. No root needed.
# Usage: libpfm4.sh FOLDER
set -u
mkdir -p "$1" && folder=$(cd "$1" && pwd) || exit 1
[ -f "$folder/tests/validate_x86.c" ] && exit 0
command -v apt-get >/dev/null && command -v tar >/dev/null || { echo "libpfm4: no apt-get here" >&2; exit 1; }

apt=$(mktemp -d) || exit 1
trap 'rm -rf "$apt"' EXIT
mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/source"
for list in /etc/apt/sources.list.d/*.sources; do
  [ -f "$list" ] && sed 's/^Types:.*/Types: deb-src/' "$list" >"$apt/parts/$(basename "$list")"
done
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
  [ -f "$list" ] && sed -n 's/^deb /deb-src /p' "$list" >"$apt/parts/$(basename "$list" .list)-src.list"
done
sources="-qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=$apt/parts -o Dir::State::lists=$apt/lists
         -o Dir::Cache=$apt/cache -o APT::Sandbox::User="
cd "$apt/source" || exit 1
# shellcheck disable=SC2086
apt-get $sources update >/dev/null 2>&1 && apt-get $sources source --download-only libpfm4 >/dev/null 2>&1
archive=$(find . -name 'libpfm4_*.orig.tar.*' | head -n 1)
[ -n "$archive" ] || { echo "libpfm4: the source package cannot be had here" >&2; exit 1; }
mkdir -p "$apt/tree" && tar -xf "$archive" -C "$apt/tree" --strip-components=1 &&
  mkdir -p "$folder/tests" && cp "$apt/tree/tests/validate_x86.c" "$folder/tests/"
