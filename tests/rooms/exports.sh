#!/bin/sh
# SPDX-License-Identifier: MIT
# A private header declares a function only if a file other than the function's own needs it; otherwise the function is
# static, or nothing calls it. An inline function of a header has at least one caller. Tests count as callers;
# plugin/qemu.h declares QEMU's functions. Usage: exports.sh SOURCE-ROOT
set -u
cd "$1" || exit 1

{
  find cli gen helper machine plugin src vm -name '*.h' ! -path plugin/qemu.h | sort
  echo -
  find bench cli fuzz gen helper include machine plugin src tests vm -name '*.[ch]' -o -name '*.inc' | sort
} | awk '
  # Returns a file as one text, without comments and attributes.
  function code_of(file,   line, text) {
    text = ""
    while ((getline line <file) > 0) text = text line "\n"
    close(file)
    gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, " ", text)
    gsub(/__attribute__\(\([^()]*(\([^()]*\))?\)\) */, "", text)
    return text
  }
  # Notes the functions that a header declares or, if inline, defines.
  function declare(file,   lines, n, i, name) {
    n = split(code_of(file), lines, "\n")
    for (i = 1; i <= n; i++) {
      name = lines[i]
      if (name !~ /^[a-z][A-Za-z0-9_ *]*[ *][a-z][a-z0-9_]*\(/ || name ~ /^typedef/) continue
      sub(/\(.*/, "", name)
      sub(/.*[ *]/, "", name)
      header[name] = file
      needed[name] = lines[i] ~ /^static/ ? 1 : 2
    }
  }
  # Counts the files that have each name; the header that declares it only if it has the name once more.
  function count(file,   words, n, i, here, name) {
    n = split(code_of(file), words, /[^A-Za-z0-9_]+/)
    for (i = 1; i <= n; i++)
      if (words[i] in header) here[words[i]]++
    for (name in here) files[name] += header[name] != file || here[name] > 1
  }
  $0 == "-" { declared = 1; next }
  !declared { declare($0); next }
  { count($0) }
  END {
    for (name in header) {
      functions++
      if (files[name] >= needed[name]) continue
      print header[name] ": " name "(): no other file calls it; make it static, or remove it"
      bad = 1
    }
    if (functions < 1500) { print "only " functions + 0 " functions found"; bad = 1 }
    exit bad
  }'
