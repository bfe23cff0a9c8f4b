#!/bin/sh
# SPDX-License-Identifier: MIT
# Static analysis of the sources: `clang --analyze`, `gcc -fanalyzer` and cppcheck, one file at a time. Fails on a finding
# that tests/analysis/accepted.tsv does not list. Needs the headers that building needs; a tool that is not installed is
# left out, with a line that says so. A file that includes a header of the build needs one in build/.
# Usage: scripts/analyze.sh [--findings FILE] [FOLDER|FILE.c ...]      (default: all of the C that is built into the programs)
set -u
cd "$(dirname "$0")/.." || exit 1
accepted=tests/analysis/accepted.tsv
findings=
[ "${1-}" = --findings ] && { findings=$2; shift 2; }
whole=no
[ $# -gt 0 ] || { whole=yes; set -- src machine cli plugin helper vm gen fuzz; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find "$@" -name '*.c' -not -path '*/qemu/*' | sort >"$work/files"
[ -s "$work/files" ] || { echo "analyze: no C files in $*"; exit 1; }

# The build's options for every file, except its warnings, which the build reports itself. build/: generated headers.
packages='jansson libzstd sqlite3 ncursesw libmicrohttpd cmocka fuse3'
cflags="-std=gnu17 -D_GNU_SOURCE -DPMON_VERSION=\"0\" -I. -Iinclude -Ivm -Iplugin -Ibuild"
for package in $packages; do
  cflags="$cflags $(pkg-config --cflags "$package" 2>/dev/null)"
done

has() { command -v "$1" >/dev/null || { echo "SKIPPED: no $1" >&2; return 1; }; }
tools=
has clang && tools="$tools clang"
has gcc && tools="$tools gcc"
has cppcheck && tools="$tools cppcheck"
[ "$tools" ] || { echo "analyze: no analyzer is installed"; exit 77; }

# Prints TOOL, check, file and message, separated by tabs: without line numbers, so that a list of them survives edits.
compiler_findings() { # TOOL PATTERN
  sed -nE "s/^([^:]+):[0-9]+:[0-9]+: (warning|error): (.*) \[$2\]\$/$1\t\4\t\1\t\3/p; t
    s/^([^:]+):[0-9]+:[0-9]+: (fatal )?error: (.*)\$/$1\tcompile\t\1\t\3/p" | sed 's/ \[CWE-[0-9]*\]//'
}
analyze_one() { # FILE
  case $tools in *clang*)
    nice -n 15 clang --analyze --analyzer-output text $cflags -o "$work/out" "$1" 2>&1 |
      compiler_findings clang '([A-Za-z]+[A-Za-z.]*\.[A-Za-z.]+)' ;;
  esac
  case $tools in *gcc*)
    nice -n 15 gcc -fanalyzer -O1 $cflags -c -o "$work/out" "$1" 2>&1 | compiler_findings gcc '-W(analyzer-[a-z-]+)' ;;
  esac
  case $tools in *cppcheck*)
    nice -n 15 cppcheck -q --std=c11 --enable=warning,performance,portability --inline-suppr -I. -Iinclude -D_GNU_SOURCE \
      -D__linux__ -D__x86_64__ '-DPMON_VERSION="0"' '--template=cppcheck\t{id}\t{file}\t{message}' "$1" 2>&1 |
      grep '^cppcheck	' ;;
  esac
}
while read -r file; do
  analyze_one "$file"
done <"$work/files" | sort -u >"$work/found"

# The list may have a shell pattern with `*` in place of a file or a message.
awk -F'\t' -v list="$accepted" -v unused="$work/unused" '
  function like(pattern, text,   parts, n, i, at) {
    n = split(pattern, parts, "*")
    if (n == 1) return pattern == text
    if (substr(text, 1, length(parts[1])) != parts[1]) return 0
    text = substr(text, length(parts[1]) + 1)
    for (i = 2; i <= n; i++) {
      at = parts[i] == "" ? 1 : index(text, parts[i])
      if (!at) return 0
      text = substr(text, at + length(parts[i]))
    }
    return parts[n] == "" || text == ""
  }
  BEGIN {
    while ((getline line < list) > 0)
      if (line != "" && line !~ /^#/) { n++; split(line, row, "\t"); for (i = 1; i <= 4; i++) own[n, i] = row[i] }
  }
  {
    for (i = 1; i <= n; i++)
      if (own[i, 1] == $1 && own[i, 2] == $2 && like(own[i, 3], $3) && like(own[i, 4], $4)) { used[i] = 1; next }
    print
  }
  END { for (i = 1; i <= n; i++) if (!used[i]) print own[i, 1] "\t" own[i, 2] "\t" own[i, 3] "\t" own[i, 4] >unused }
' "$work/found" >"$work/new"

[ -z "$findings" ] || cp "$work/found" "$findings"
cat "$work/new"
[ $whole = no ] || [ ! -s "$work/unused" ] || { echo "analyze: accepted, but not found:" >&2; cat "$work/unused" >&2; }
echo "$(wc -l <"$work/files") files with$tools: $(wc -l <"$work/found") findings, $(wc -l <"$work/new") not accepted"
[ ! -s "$work/new" ]
