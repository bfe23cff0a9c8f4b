#!/bin/sh
# SPDX-License-Identifier: MIT
# The symbol maps (src/*.map) list exactly the functions of the public headers: each function in one map, and the
# functions of one header in one map. Usage: maps.sh SOURCE-ROOT
set -u
cd "$1" || exit 1

awk '
  FNR == 1 { node = "" }
  FILENAME ~ /\.map$/ {
    if ($2 == "{") node = $1
    if (node ~ /^PMON_PRIVATE/ || $1 !~ /^pmon_/) next
    name = $1
    sub(/;.*/, "", name)
    if (name in map_of) { print FILENAME ": " name " is in " map_of[name] " too"; bad = 1 }
    map_of[name] = FILENAME
    listed++
    next
  }
  /^PMON_API/ {
    text = $0
    while (text !~ /\(/ && (getline line) > 0) text = text " " line
    sub(/\(.*/, "", text)
    sub(/.*[ *]/, "", text)
    declared[text] = 1
    if (!(text in map_of)) { print FILENAME ": " text " is in no map of src/"; bad = 1; next }
    if (FILENAME in of_header && of_header[FILENAME] != map_of[text]) {
      print FILENAME ": functions of one header in " of_header[FILENAME] " and " map_of[text]
      bad = 1
    }
    of_header[FILENAME] = map_of[text]
  }
  END {
    for (name in map_of)
      if (!(name in declared)) { print map_of[name] ": " name " is in no public header"; bad = 1 }
    if (listed < 100) { print "only " listed " functions listed"; bad = 1 }
    exit bad
  }
' src/*.map include/pmon/*.h
