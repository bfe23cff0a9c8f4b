#!/bin/sh
# SPDX-License-Identifier: MIT
# README's picture of the rooms and its table of folders name each room and each folder of the tree, and nothing else;
# so does the decision record on the machine's rooms (docs/design/010-rooms.md). The table of coverage in
# docs/testing.md has a row for each folder of C files. Usage: picture.sh SOURCE-ROOT
set -u
cd "$1" || exit 1
bad=0
fail() { echo "$1"; bad=1; }

section=$(sed -n '/^## How it is built inside/,/^## /p' README.md)
picture=$(printf '%s\n' "$section" | sed -n '/^```/,/^```/p' | sed '/^```/d')
folders=$(printf '%s\n' "$section" | sed -n 's/^| \(`[^|]*\) |.*/\1/p')
[ -n "$picture" ] && [ -n "$folders" ] || { echo "README has no picture of the rooms"; exit 1; }

# Below machine/ the picture omits that word.
below=$(printf '%s\n' "$picture" | sed -n '/ machine\/ /,$p')
rooms=$(for folder in src/* machine/*; do [ -d "$folder" ] && echo "$folder"; done)
[ "$(printf '%s\n' $rooms | wc -l)" -ge 20 ] || fail "only these rooms found: $rooms"
for room in $rooms; do
  case $room in
  src/*) printf '%s\n' "$picture" | grep -qE "(^|[^a-z])$room([^a-z]|$)" ;;
  *) printf '%s\n' "$below" | grep -qE "(^|[^a-z])${room#machine/}/" ;;
  esac || fail "README's picture lacks $room"
done
for word in $(printf '%s\n' "$picture" | grep -oE '[a-z]+(/[a-z]+)*/?' | grep / ); do
  [ -e "$word" ] || [ -e "machine/$word" ] || [ -e "${word%/}.h" ] || fail "README's picture has $word, and the tree has not"
done

for folder in */; do
  folder=${folder%/}
  [ "$(git ls-files "$folder" 2>/dev/null | head -n 1)" ] || continue
  printf '%s\n%s\n' "$picture" "$folders" | grep -qE "(^|[^a-z])$folder/" || fail "README's picture and table lack $folder/"
done
for folder in $(printf '%s\n' "$folders" | grep -oE '`[^`]*`' | tr -d '`'); do
  [ -d "$folder" ] || fail "README's table of folders has $folder, and the tree has not"
done

# The table of coverage has a row for each folder that scripts/coverage.py reports.
table=$(sed -n '/^## Coverage/,/^## Flaky/s/^| `\([^`]*\)` |.*/\1/p' docs/testing.md | grep -v '^all$')
reported=$(sed -n 's/^ROOMS = (\(.*\))$/\1/p' scripts/coverage.py | tr -d "',")
[ "$(printf '%s\n' $reported | wc -l)" -ge 5 ] || fail "coverage.py lists these rooms only: $reported"
for folder in $(find $reported -name '*.c' | sed 's|/[^/]*$||' | sort -u); do
  printf '%s\n' "$table" | grep -qx "$folder" || fail "docs/testing.md: the table of coverage lacks $folder"
done
for folder in $table; do
  ls "$folder"/*.c >/dev/null 2>&1 || fail "docs/testing.md: the table of coverage has $folder, which has no C files"
done

design=docs/design/010-rooms.md
for room in machine/*/; do
  room=${room%/}
  grep -qE "$room([^a-z]|$)" "$design" || fail "$design lacks $room"
done
for word in $(grep -oE '(machine|tests|src)/[a-z_]+(/[a-z_]+)*(\.[a-z]+)?' "$design" | sort -u); do
  [ -e "$word" ] || fail "$design names $word, and the tree has not"
done
exit $bad
