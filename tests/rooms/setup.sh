#!/bin/sh
# SPDX-License-Identifier: MIT
# The optional set-up installs the headers of the guests' kernel: of the one that pmon vm keeps, else of the one that it
# would download; nothing that is already installed. apt's lists are updated once. Scripts stand in for Debian's tools.
# Usage: setup.sh SOURCE
failed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/scripts"
cp "$1/scripts/setup.sh" "$work/scripts/"
echo "exit 0" >"$work/scripts/libpfm4.sh"
tool() {     # name, what it does
  printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}
tool sudo 'exec "$@"'
tool dpkg 'echo $ARCHITECTURE'
tool dpkg-query "for package in \"\$@\"; do :; done
grep -qsx \"\$package\" '$work/absent' && exit 1
case \$package in linux-headers-*) grep -qx \$package '$work/there' ;; esac && echo installed"
tool apt-cache 'echo "  Depends: linux-image-6.1.0-9-amd64"'
tool apt-get "[ \"\$1\" = update ] && echo >>'$work/updates' || echo \"\$*\" | sed 's/.*-recommends //' >>'$work/log'"
expect() {     # what, option, architecture, what is installed then
  : >"$work/log"
  PATH="$work/bin:$PATH" XDG_CACHE_HOME="$work/cache" ARCHITECTURE=$3 sh "$work/scripts/setup.sh" "$2" >"$work/out" 2>&1 &&
    [ "$(cat "$work/log")" = "$4" ] || { echo "$1"; cat "$work/log" "$work/out"; failed=1; }
}
: >"$work/there"
expect "no guest has run" --optional amd64 linux-headers-6.1.0-9-amd64
expect "headers of another architecture's kernel cannot build here" --optional arm64 ""
expect "packages are made without them" --packages amd64 ""
mkdir -p "$work/cache/pmon/vm/kernel/boot"
: >"$work/cache/pmon/vm/kernel/boot/vmlinuz-6.1.0-7-amd64"
expect "a guest's kernel is kept" --optional amd64 linux-headers-6.1.0-7-amd64
echo linux-headers-6.1.0-7-amd64 >"$work/there"
expect "its headers are there" --optional amd64 ""
printf 'gcc\nvalgrind\n' >"$work/absent"
: >"$work/there" >"$work/updates"
expect "three groups are missing" --optional amd64 "gcc
valgrind
linux-headers-6.1.0-7-amd64"
[ "$(wc -l <"$work/updates")" -eq 1 ] || { echo "$(wc -l <"$work/updates") updates of apt's lists"; failed=1; }
exit $failed
