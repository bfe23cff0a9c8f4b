#!/bin/sh
# SPDX-License-Identifier: MIT
# The layout of C files (docs/style.md): the licence first, lines of at most 120 columns without tabs and trailing
# blanks, functions of at most 60 lines, files of at most 400 (tests: 460) except tables; and in the second line, or in
# that of the header of the same name, what the file is for. And the tree's root and the rooms of sources: no file that
# is not named here, or whose kind is not, such as a recording of a trial. Usage: layout.sh SOURCE-ROOT
set -u
cd "$1" || exit 1
export LC_ALL=C               # bytes; those that go on in a character are left out below

# Files that are tables, one record a line, of any length.
tables='machine/montecito/events/umasks.c'

find bench cli examples fuzz gen helper include machine plugin src tests vm -name '*.[ch]' | sort |
  xargs awk -v tables="$tables" '
  # Whether the header of the same name begins with a comment.
  function explained(name,   line) {
    sub(/\.c$/, ".h", name)
    if ((getline line <name) > 0) getline line <name
    close(name)
    return line ~ /^\/\*/
  }
  function report(what) { print FILENAME ":" FNR ": " what; bad = 1 }
  function ended() {
    most = file ~ /^tests\// ? 460 : 400
    if (file != "" && lines > most && index(" " tables " ", " " file " ") == 0) {
      print file ": " lines " lines; at most " most ", unless it is a table that layout.sh names"
      bad = 1
    }
  }
  FNR == 1 {
    ended()
    file = FILENAME
    files++
    begin = 0
    if ($0 != "/* SPDX-License-Identifier: MIT */" && $0 != "/* SPDX-License-Identifier: GPL-2.0-or-later */")
      report("the licence is not in the first line")
  }
  FNR == 2 && /^[^\/]|^$/ && FILENAME ~ /^(cli|gen|helper|machine|plugin|src|vm)\/.*\.c$/ && !explained(FILENAME) {
    report("no comment says what the file is for")
  }
  { lines = FNR }
  length($0) > 120 {
    text = $0
    gsub(/[\200-\277]/, "", text)
    if (length(text) > 120) report(length(text) " columns; at most 120")
  }
  /\t/ { report("a tab") }
  / $/ { report("a blank at the end") }
  /^{/ { begin = FNR }
  /^}/ && begin { if (FNR - begin - 1 > 60) report(FNR - begin - 1 " lines in a function; at most 60"); begin = 0 }
  END { ended(); if (files < 400) { print "only " files " files found"; bad = 1 }; exit bad }
'
status=$?

# Only files in version control: a user may keep recordings here.
for file in $(git ls-files 2>/dev/null | grep -v /); do
  case $file in
    .clang-format | .gitignore | LICENSE | Makefile | NEWS.md | README.md | meson.build | meson_options.txt) ;;
    *) echo "$file: does not belong in the root"; status=1 ;;
  esac
done

# Kinds of files in each room of sources; without a dot: a whole name. Deeper rooms come first.
kinds='
bench       .c .h .py .sh .tsv meson.build
cli/bench   .c .h .checks
cli/page    .c .h .css .js
cli         .c .h .inc meson.build
fuzz/corpus *
fuzz        .c .h meson.build
gen         .c .h .py
helper      .c .h meson.build
include     .h
machine     .c .h .inc meson.build
plugin      .c .h meson.build
python/pmon .py py.typed
python      .py pyproject.toml meson.build
scripts     .py .sh
src         .c .h .inc .map meson.build
vm/qemu     .patch .sh
vm          .c .h meson.build
'
git ls-files 2>/dev/null | awk -v kinds="$kinds" '
  BEGIN {
    n = split(kinds, lines, "\n")
    for (i = 1; i <= n; i++) {
      words = split(lines[i], word, " +")
      if (!words) continue
      room[++rooms] = word[1] "/"
      for (k = 2; k <= words; k++) allowed[word[1] "/", word[k]] = 1
    }
  }
  {
    for (i = 1; i <= rooms && index($0, room[i]) != 1; i++) continue
    if (i > rooms) next
    name = kind = $0
    sub(/.*\//, "", name)
    kind = name
    if (!sub(/.*\./, ".", kind)) kind = ""
    if ((room[i], name) in allowed || (room[i], kind) in allowed || (room[i], "*") in allowed) next
    print $0 ": files of this kind do not belong in " room[i]
    bad = 1
  }
  END { exit bad }' || status=1
exit $status
