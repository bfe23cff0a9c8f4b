#!/bin/sh
# SPDX-License-Identifier: MIT
# scripts/qemu.sh builds once when it is started twice: the second instance waits and prints the same path. The build is
# a stand-in that waits until the second instance waits. Usage: qemu_once.sh SCRIPTS
for tool in flock mkfifo; do command -v $tool >/dev/null || { echo "SKIPPED: $tool is not here"; exit 77; }; done
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
mkdir -p "$T/scripts" "$T/vm/qemu" "$T/bin" "$T/cache"
cp "$1/qemu.sh" "$1/apt_sources.sh" "$T/scripts"
printf '#!/bin/sh\n' >"$T/bin/apt-get"
cat >"$T/vm/qemu/build.sh" <<'END'
#!/bin/sh
echo built >>"$T/builds"
cat "$T/go" >/dev/null
mkdir -p "$1/bin" && cp "$T/bin/apt-get" "$1/bin/qemu-system-x86_64"
END
: >"$T/vm/qemu/pmon.patch"
chmod +x "$T/bin/apt-get"
mkfifo "$T/go" "$T/first.says" "$T/second.says"
export T XDG_CACHE_HOME="$T/cache" PATH="$T/bin:$PATH"
sh "$T/scripts/qemu.sh" >"$T/first" 2>"$T/first.says" &
first=$!
read -r line <"$T/first.says" # it has the lock, and builds
echo "first: $line"
sh "$T/scripts/qemu.sh" >"$T/second" 2>"$T/second.says" &
second=$!
read -r line <"$T/second.says"
echo "second: $line"
case $line in *waiting*) ;; *) kill $first $second; echo "the second one does not wait"; exit 1 ;; esac
echo go >"$T/go"
wait $first && wait $second || { echo "one of them failed"; exit 1; }
[ "$(wc -l <"$T/builds")" -eq 1 ] && cmp "$T/first" "$T/second" && [ -x "$(cat "$T/first")" ] &&
  [ -z "$(ls "$XDG_CACHE_HOME/pmon" | grep -v -e '^qemu-' -e '^qemu.lock$')" ] || { cat "$T/builds" "$T/first" "$T/second"; exit 1; }
