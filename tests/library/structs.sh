#!/bin/sh
# SPDX-License-Identifier: MIT
# Each struct that a public header defines begins with its size, or docs/stability.md lists it as fixed. Usage:
# structs.sh SOURCE-ROOT
set -u
cd "$1" || exit 1

awk '
  FILENAME ~ /stability/ {
    if (/^## /) fixed = /What is fixed/
    while (fixed && match($0, /`pmon_[a-z_]+`/)) {
      listed[substr($0, RSTART + 1, RLENGTH - 2)] = 1
      $0 = substr($0, RSTART + RLENGTH)
    }
    next
  }
  /^struct pmon_[a-z_]+ \{/ { name = $2; structs++; next }
  name != "" && NF && $1 !~ /^[\/*]/ {
    sized = $1 == "size_t" && $2 == "size;"
    if (!sized && !(name in listed)) { print FILENAME ": struct " name " neither begins with size_t size nor is fixed"; bad = 1 }
    if (sized && name in listed) { print FILENAME ": struct " name " begins with its size and is listed as fixed"; bad = 1 }
    seen[name] = 1
    name = ""
  }
  END {
    for (name in listed)
      if (!(name in seen)) { print "docs/stability.md: there is no struct " name; bad = 1 }
    if (structs < 40) { print "only " structs " structs found"; bad = 1 }
    exit bad
  }
' docs/stability.md include/pmon/*.h
