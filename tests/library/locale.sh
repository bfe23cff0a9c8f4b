#!/bin/sh
# SPDX-License-Identifier: MIT
# The library in a program with another locale: German numbers have a comma, and Turkish has other lower-case letters.
# The locales are generated in the test's own folder. Usage: locale.sh TEST-PROGRAM
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
command -v localedef >/dev/null && [ -e /usr/share/i18n/locales/de_DE ] ||
  { echo 'SKIPPED: no locale was tried: localedef or its sources are not here (Debian: locales)'; exit 77; }
bad=0
for locale in de_DE tr_TR; do
  localedef -i $locale -f UTF-8 "$work/$locale.UTF-8" >"$work/log" 2>&1
  [ -d "$work/$locale.UTF-8" ] || { cat "$work/log"; exit 1; }
  LOCPATH=$work LC_ALL=$locale.UTF-8 "$1" || { echo "$locale: failed"; bad=1; }
done
exit $bad
