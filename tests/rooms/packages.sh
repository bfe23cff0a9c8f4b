#!/bin/sh
# SPDX-License-Identifier: MIT
# Every example and manual page is in a Debian package, or in debian/not-installed: otherwise dh_missing fails the build
# of the packages, which takes too long to run for each change. Usage: packages.sh SOURCE-ROOT
set -u
cd "$1" || exit 1
failed=0
patterns=$(awk '{ print $1 }' debian/*.install debian/not-installed)
# listed PATH: true if a line of the lists matches it, or names a folder above it
listed() {
  set -f
  for pattern in $patterns; do
    case $1 in
    $pattern | $pattern/*) set +f; return 0 ;;
    esac
  done
  set +f
  return 1
}
# A page has a link for each command in its NAME section.
pages=$(sed -n "/^\\.SH NAME/{n;s/ .-.*//;s/,//g;p;}" man/*.1 | sed "s,[^ ]*,man/&.1,g")
for file in examples/* man/*.[1-8] $pages; do
  case $file in
  examples/*) path=usr/share/doc/pmon/$file ;;
  *) section=${file##*.} path=usr/share/man/man$section/${file#man/} ;;
  esac
  listed "$path" || { echo "$file: in no debian/*.install, nor in debian/not-installed"; failed=1; }
done
listed usr/share/doc/pmon/examples/none && { echo "packages.sh finds everything"; failed=1; }
exit $failed
