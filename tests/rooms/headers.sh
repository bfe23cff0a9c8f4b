#!/bin/sh
# SPDX-License-Identifier: MIT
# Public headers are the manual: each compiles by itself without warnings, as C11, C17 and C++17, with gcc and with
# clang, and describes its functions; functions that return a status list its values. Functions in one block below a
# comment share it. Usage: headers.sh INCLUDE-FOLDER COMPILER...
set -u
include=$1
shift
bad=0 n=0
common="-pedantic -Wall -Wextra -Wconversion -Wshadow -Werror -fsyntax-only"
has_compiler() {
  command -v "$1" >/dev/null || { echo "SKIPPED: there is no $1; headers were not compiled with it"; return 1; }
}
cs= cxxs=
for compiler in gcc clang; do has_compiler $compiler && cs="$cs $compiler"; done
for compiler in g++ clang++; do has_compiler $compiler && cxxs="$cxxs $compiler"; done

compiles() { # HEADER LANGUAGE STANDARD COMPILER...
  file=$1 language=$2 standard=$3
  shift 3
  # shellcheck disable=SC2086
  printf '#include <pmon/%s>\n#include <pmon/%s>\nextern int alone;\n' "$file" "$file" |
    "$@" -std="$standard" $common -I"$include" -x "$language" - ||
    { echo "$file does not compile alone as $standard: $*"; bad=1; }
}

for header in "$include"/pmon/*.h; do
  n=$((n + 1))
  name=$(basename "$header")
  compiles "$name" c c17 "$@" -Wstrict-prototypes
  for compiler in $cs; do
    [ "$compiler" = "$*" ] || compiles "$name" c c17 $compiler -Wstrict-prototypes
    compiles "$name" c c11 $compiler -Wstrict-prototypes
  done
  for compiler in $cxxs; do
    compiles "$name" c++ c++17 $compiler -Wold-style-cast
  done
  [ "$name" = region.h ] && for compiler in $cxxs; do
    compiles "$name" c++ c++17 $compiler -Wold-style-cast -DPMON_REGION_EMULATED_ONLY
  done
  grep -q '^PMON_API' "$header" || continue
  grep -qx PMON_BEGIN_DECLS "$header" && grep -qx PMON_END_DECLS "$header" ||
    { echo "$name declares no C linkage for C++"; bad=1; }
done
[ "$n" -gt 10 ] || { echo "only $n headers in $include"; bad=1; }

awk '
  /^$/ { said = "" }
  /\/\*/ && !inside && !/^ *[a-z].*;/ { said = ""; inside = 1 }
  inside { said = said " " $0 }
  /\*\// { inside = 0 }
  /^PMON_API/ {
    text = $0
    while (text !~ /;/ && (getline line) > 0) text = text " " line
    functions++
    sub(/^PMON_API /, "", text)
    if (said == "") { print FILENAME ": nothing is said about: " text; bad = 1 }
    else if (text ~ /^int / && said !~ /PMON_(OK|E_)|[Ss]tatus|[Ee]rrors as|as above|[Aa]s pmon_/) {
      print FILENAME ": no status is stated of: " text; bad = 1
    }
  }
  END { if (functions < 80) { print "only " functions " functions found"; bad = 1 }; exit bad }
' "$include"/pmon/*.h || bad=1
exit $bad
