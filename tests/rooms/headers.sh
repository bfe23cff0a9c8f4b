#!/bin/sh
# SPDX-License-Identifier: MIT
# Public headers are the manual: each compiles by itself, as C17 and as C++17, and describes its functions; functions
# that return a status list its values. Functions in one block below a comment share it. Usage: headers.sh
# INCLUDE-FOLDER COMPILER...
set -u
include=$1
shift
bad=0 n=0
for header in "$include"/pmon/*.h; do
  n=$((n + 1))
  name=$(basename "$header")
  printf '#include <pmon/%s>\n#include <pmon/%s>\nextern int alone;\n' "$name" "$name" |
    "$@" -std=c17 -pedantic -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Werror -I"$include" -fsyntax-only \
      -x c - || { echo "$name does not compile alone"; bad=1; }
  command -v g++ >/dev/null || continue
  printf '#include <pmon/%s>\n#include <pmon/%s>\nextern int alone;\n' "$name" "$name" |
    g++ -std=c++17 -pedantic -Wall -Wextra -Wconversion -Wshadow -Werror -I"$include" -fsyntax-only -x c++ - ||
    { echo "$name does not compile alone as C++17"; bad=1; }
  grep -q '^PMON_API' "$header" || continue
  grep -qx PMON_BEGIN_DECLS "$header" && grep -qx PMON_END_DECLS "$header" ||
    { echo "$name declares no C linkage for C++"; bad=1; }
done
command -v g++ >/dev/null || echo "SKIPPED: there is no g++; headers were not compiled as C++17"
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
