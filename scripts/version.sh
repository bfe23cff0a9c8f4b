#!/bin/sh
# SPDX-License-Identifier: MIT
# The version is defined in project() of meson.build. Without an argument: prints it, and fails if a file that repeats
# it differs. With an argument: writes it to all of these files (NEWS.md and debian/changelog get their entries by hand,
# docs/releasing.md). Usage: version.sh [MAJOR.MINOR.PATCH]
set -u
cd "$(dirname "$0")/.." || exit 1
version=$(sed -n "s/^project('pmon'.* version: '\([0-9.]*\)'.*/\1/p" meson.build)
new=${1-$version}
echo "$new" | grep -Eqx '[0-9]+\.[0-9]+\.[0-9]+' || { echo "version: \"$new\" is not MAJOR.MINOR.PATCH" >&2; exit 2; }
IFS=. read -r major minor patch <<END
$new
END
bad=0

# place FILE PATTERN TEXT: the lines of FILE that match PATTERN must be TEXT.
place() {
  [ -f "$1" ] || return 0   # some are not in a tarball
  if ! grep -Eq "^$2\$" "$1"; then
    echo "version: $1 has no line \"$2\"" >&2
    bad=1
  elif [ $# -eq 3 ] && grep -Ex "$2" "$1" | grep -Fqvx "$3"; then
    if [ "$new" != "$version" ]; then
      sed -i -E "s|^$2\$|$3|" "$1"
    else
      echo "version: $1 is not of $new: $(grep -Ex "$2" "$1")" >&2
      bad=1
    fi
  fi
}

if [ "$new" != "$version" ]; then
  sed -i "s/^\(project('pmon'.* version: '\)[0-9.]*'/\1$new'/" meson.build
fi
place include/pmon/api.h '#define PMON_VERSION_MAJOR [0-9]+' "#define PMON_VERSION_MAJOR $major"
place include/pmon/api.h '#define PMON_VERSION_MINOR [0-9]+' "#define PMON_VERSION_MINOR $minor"
place include/pmon/api.h '#define PMON_VERSION_PATCH [0-9]+' "#define PMON_VERSION_PATCH $patch"
place python/pyproject.toml 'version = "[0-9.]+"' "version = \"$new\""
place src/pmon.map 'PMON_PRIVATE_[0-9.]+ \{' "PMON_PRIVATE_$new {"
place tests/cli/names.cases 'pmon [0-9]+\.[0-9]+\.[0-9]+' "pmon $new"
place packaging/pmon.spec 'Version: +[0-9.]+' "Version:        $new"
# Entries written by hand.
if [ "$new" = "$version" ]; then
  head -n 1 debian/changelog | grep -Fq "pmon ($new-" || { echo "version: debian/changelog has no entry of $new" >&2; bad=1; }
  grep -Fqx "## $new" NEWS.md || { echo "version: NEWS.md has no section $new" >&2; bad=1; }
fi
echo "$new"
exit $bad
