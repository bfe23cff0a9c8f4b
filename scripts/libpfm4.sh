#!/bin/sh
# SPDX-License-Identifier: MIT
# Fetches Debian's source package of libpfm4 into FOLDER, for the test that reads libpfm4's own test vectors. With
# --examples builds its example syst_count there, which counts events by libpfm4's names (needs libpfm4-dev). Needs no
# root. Usage: libpfm4.sh FOLDER [--examples]
set -u
examples=${2-}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/apt_sources.sh"
mkdir -p "$1" && folder=$(cd "$1" && pwd) || exit 1
[ -f "$folder/tests/validate_x86.c" ] && { [ -z "$examples" ] || [ -x "$folder/syst_count" ]; } && exit 0
command -v apt-get >/dev/null && command -v tar >/dev/null || { echo "libpfm4: no apt-get here" >&2; exit 1; }

apt=$(mktemp -d) || exit 1
trap 'rm -rf "$apt"' EXIT
mkdir -p "$apt/source" && cd "$apt/source" || exit 1
private_sources "$apt" && apt-get -qq source --download-only libpfm4 >/dev/null 2>&1
archive=$(find . -name 'libpfm4_*.orig.tar.*' | head -n 1)
[ -n "$archive" ] || { echo "libpfm4: the source package cannot be downloaded here" >&2; exit 1; }
mkdir -p "$apt/tree" && tar -xf "$archive" -C "$apt/tree" --strip-components=1 &&
  mkdir -p "$folder/tests" && cp "$apt/tree/tests/validate_x86.c" "$folder/tests/" &&
  { [ -z "$examples" ] || cc -O2 -w -D_GNU_SOURCE -I "$apt/tree/perf_examples" "$apt/tree/perf_examples/syst_count.c" \
    "$apt/tree/perf_examples/perf_util.c" -lpfm -o "$folder/syst_count"; }
