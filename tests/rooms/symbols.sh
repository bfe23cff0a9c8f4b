#!/bin/sh
# SPDX-License-Identifier: MIT
# The symbols of the Debian package (debian/libpmon0.symbols) are those of the symbol maps (src/*.map): each public function
# and version node of a library in its section, once, and nothing else. Private nodes are one pattern. With --write it
# corrects the file: missing symbols get the present version. Usage: symbols.sh SOURCE-ROOT [--write]
set -u
cd "$1" || exit 1
write=${2-} file=debian/libpmon0.symbols
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

for map in src/*.map; do
  awk -v library="lib$(basename "$map" .map).so.0" '
    $2 == "{" { node = $1 ; if (node !~ /^PMON_PRIVATE/) print library, node "@" node; part = "" }
    $1 ~ /^(global|local):$/ { part = $1 }
    part == "global:" && node !~ /^PMON_PRIVATE/ && $1 ~ /^pmon_/ { sub(/;.*/, "", $1); print library, $1 "@" node }
  ' "$map"
done | LC_ALL=C sort >"$work/maps"
awk '/^lib/ { library = $1 } $1 ~ /@/ && !/regex/ { print library, $1 }' $file | LC_ALL=C sort >"$work/file"
[ "$(wc -l <"$work/maps")" -ge 100 ] || { echo "only $(wc -l <"$work/maps") symbols in src/*.map"; exit 1; }
if [ "$write" = --write ]; then
  version=$(sh scripts/version.sh)
  # A library's lines before its symbols are kept, and so are the versions of existing symbols.
  awk -v version="$version" '
    FILENAME ~ /\.symbols$/ {
      if (/^lib/) library = $1
      if ($1 ~ /@/ && !/regex/) since[library " " $1] = $2
      else head[library] = head[library] $0 "\n"
      next
    }
    $1 != library { library = $1; printf "%s", head[library] }
    { print " " $2, ($0 in since ? since[$0] : version) }
  ' $file "$work/maps" >"$work/new" && cp "$work/new" $file
  exit
fi
diff "$work/maps" "$work/file" >"$work/diff" && exit 0
sed -n "s|^< |$file lacks: |p; s|^> |$file has what no map of src/ has, or has it twice: |p" "$work/diff"
echo "correct it: sh tests/rooms/symbols.sh . --write"
exit 1
