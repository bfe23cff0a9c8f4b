#!/bin/sh
# SPDX-License-Identifier: MIT
# Input and output are independent of the locale: the library, which runs in any program's locale, compares and parses
# with its own functions (src/base/text.h, real.h); the command stays in the C locale, except for the characters of
# `top`. Usage: locale.sh SOURCE
set -u
cd "$1" || exit 1
bad=0
# refuse PATTERN ALLOWED-FILES FOLDER...
refuse() {
  pattern=$1 allowed=$2
  shift 2
  found=$(grep -nEr --include='*.[ch]' --exclude-dir=qemu "(^|[^a-z_/\"\`])($pattern)\(" "$@" | grep -vE "^($allowed):|: *(/?\*|//)|/\*.*($pattern)")
  [ -z "$found" ] || { echo "depends on the locale:"; echo "$found"; bad=1; }
}
refuse 'setlocale' 'cli/top/screen\.c' src machine cli plugin helper vm gen
grep -q 'setlocale(LC_CTYPE, "")' cli/top/screen.c || { echo "cli/top/screen.c: more than LC_CTYPE"; bad=1; }
refuse 'strtod|strtof|strtold|atof' 'src/base/real\.c' src machine cli plugin helper vm gen
refuse 'strcasecmp|strncasecmp|strcasestr|strcoll|strxfrm' 'none' src machine plugin helper
refuse 'strcasecmp|strncasecmp|strcasestr|strcoll|strxfrm' 'none' cli/top cli/stat
exit $bad
