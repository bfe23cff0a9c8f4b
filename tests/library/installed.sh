#!/bin/sh
# SPDX-License-Identifier: MIT
# The installed files suffice to build programs outside the tree: the example is built with pkg-config alone, runs, and
# prints what the command prints. Usage: installed.sh SOURCE BUILD PMON COMPILER...
set -u
source=$1 build=$2 pmon=$3
shift 3
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
fail() { echo "installed: $*" >&2; exit 1; }

DESTDIR=$folder meson install -C "$build" --no-rebuild --quiet >"$folder/log" 2>&1 ||
  { cat "$folder/log"; fail "meson install"; }
pc=$(find "$folder" -name pmon.pc)
[ -n "$pc" ] || fail "no pmon.pc"
export PKG_CONFIG_SYSROOT_DIR="$folder" PKG_CONFIG_PATH="$(dirname "$pc")"
flags=$(pkg-config --cflags --libs pmon) || fail "pkg-config"
so=$(find "$folder" -name libpmon.so.0)
[ -n "$so" ] || fail "no libpmon.so.0"
"$@" -Wall -Wextra -Werror -o "$folder/five-minutes" "$source/examples/five-minutes.c" $flags ||
  fail "the example does not build"
# each header by itself; nothing is linked
# C++ programs, with the C++ compiler of the same kind
if command -v g++ >/dev/null; then
  g++ -std=c++17 -pedantic -Wall -Wextra -Werror -o "$folder/program" "$source/tests/library/program.cc" \
    $(pkg-config --cflags --libs pmon-record) || fail "the C++ program does not build"
  LD_LIBRARY_PATH=$(dirname "$so") "$folder/program" || fail "the C++ program failed"
  # and with the static libraries alone
  g++ -std=c++17 -o "$folder/program" "$source/tests/library/program.cc" $(pkg-config --cflags pmon-record) \
    "$(dirname "$so")/libpmon-record.a" "$(dirname "$so")/libpmon.a" -lsqlite3 -lm -pthread ||
    fail "the C++ program does not link statically"
  "$folder/program" || fail "the static C++ program failed"
else
  echo "SKIPPED: there is no g++; no C++ program was tried"
fi
if command -v gfortran >/dev/null; then
  module=$(find "$folder" -path '*/include/pmon/pmon_region.f90')
  (cd "$folder" && gfortran -o region "$module" "$source/examples/region.f90" $(pkg-config --libs pmon-region) && ./region) \
    >"$folder/out" || fail "the Fortran example does not build"
  grep -qx "343598694400." "$folder/out" || fail "the Fortran example: $(cat "$folder/out")"
else
  echo "SKIPPED: there is no gfortran; the Fortran example was not built"
fi
flags=$(pkg-config --cflags pmon)
for header in $(find "$folder" -path '*/pmon/*.h'); do
  echo "#include <pmon/$(basename "$header")>" | "$@" -std=c17 -Wall -Wextra -Werror -fsyntax-only $flags -x c - ||
    fail "$header does not compile alone"
done

# Completion scripts, documents and examples are in their standard folders, and everything is relocatable: the tree is
# moved, and the command finds its plugin relative to its own path.
for file in bash-completion/completions/pmon zsh/site-functions/_pmon fish/vendor_completions.d/pmon.fish \
  doc/pmon/formats.md doc/pmon/examples/five-minutes.c man/man1/pmon-stat.1; do
  [ -n "$(find "$folder" -path "*/share/$file*")" ] || fail "no share/$file"
done
# Each command that a page names has a page of its own.
for page in "$(dirname "$0")"/../../man/*.1; do
  for name in $(sed -n '/^\.SH NAME/{n;s/ \\-.*//;s/,//g;p;}' "$page"); do
    installed=$(find "$folder" -path "*/man1/$name.1")
    [ -n "$installed" ] && cmp -s "$page" "$installed" || fail "man $name is not $page"
  done
done
cp -a "$(dirname "$(dirname "$(find "$folder" -path '*/bin/pmon')")")" "$folder/moved" || fail "the tree cannot be copied"
if command -v qemu-x86_64 >/dev/null; then
  "$folder/moved/bin/pmon" -p emr stat --backend machine --json -- true >"$folder/true.json" 2>"$folder/true.err" ||
    fail "moved, pmon stat: $(cat "$folder/true.err")"
  plugin=$(find "$folder/moved" -name pmon-trace.so)
  mv "$plugin" "$plugin.away"
  "$folder/moved/bin/pmon" -p emr stat --backend machine -- true >/dev/null 2>"$folder/plugin.err" &&
    fail "moved, pmon took the plugin of another place"
  grep -q 'install the package pmon-machine' "$folder/plugin.err" || fail "no plugin: $(cat "$folder/plugin.err")"
  mv "$plugin.away" "$plugin"
  # A program that uses the library finds it relative to its own path.
  cat >"$folder/runs.c" <<'END'
#include <pmon/machine.h>
#include <stdio.h>
int main(void)
{
  char *const command[] = {"true", NULL};
  struct pmon_machine_options o = {.size = sizeof o, .command = command};
  struct pmon_reason reason = {{0}};
  struct pmon_machine *machine = NULL;
  const int status = pmon_machine_new(&o, &reason, &machine);
  puts(reason.text);
  pmon_machine_free(machine);
  return status != 0;
}
END
  "$@" -o "$folder/runs" "$folder/runs.c" $(pkg-config --cflags --libs pmon-machine) || fail "runs.c does not build"
  machine=$(dirname "$(find "$folder/moved" -name libpmon-machine.so.0)")
  LD_LIBRARY_PATH=$machine "$folder/runs" >"$folder/out" || fail "moved, a program: $(cat "$folder/out")"
else
  echo "SKIPPED: there is no qemu-x86_64; the moved command measured nothing"
fi

i=0
while [ $i -lt 4000 ]; do
  printf 'I  00400000,4\n L %08x,8\n' $((268435456 + 64 * i))
  i=$((i + 1))
done >"$folder/trace"
"$pmon" -p emr stat --log "$folder/accesses" --csv -m MEM_READ_BANDWIDTH --trace "$folder/trace" \
  --record "$folder/counts" >"$folder/csv" || fail "pmon stat"
want=$(awk -F, '$4 == "MEM_READ_BANDWIDTH" && $5 == "" { printf "%.0f", $8 }' "$folder/csv")
[ "${want:-0}" -gt 1000000 ] || fail "no bandwidth in $(cat "$folder/csv")"
LD_LIBRARY_PATH=$(dirname "$so") "$folder/five-minutes" "$folder/accesses" >"$folder/out" || fail "the example failed"
grep -q "0xcf05$" "$folder/out" || fail "the example's registers: $(cat "$folder/out")"
grep -q "^$want bytes/s" "$folder/out" || fail "the command has $want, the example $(cat "$folder/out")"

[ -n "$(find "$folder" -path '*/pmon/python/pmon/_abi.py')" ] || fail "the Python package is not there"
