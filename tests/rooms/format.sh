#!/bin/sh
# SPDX-License-Identifier: MIT
# clang-format (.clang-format) leaves the whole tree unchanged. Versions other than Debian 12's format slightly
# differently and are not used. Usage: format.sh SOURCE-ROOT
set -u
cd "$1" || exit 1
case $(clang-format --version 2>/dev/null) in
*'version 14.'*) ;;
*) echo "SKIPPED: no clang-format 14" >&2; exit 77 ;;
esac
files=$(find bench cli examples fuzz gen helper include machine plugin src tests vm -name '*.[ch]' -o -name '*.cc' | sort)
[ "$(echo "$files" | wc -l)" -gt 400 ] || { echo "only $(echo "$files" | wc -l) files found"; exit 1; }
if ! echo "$files" | xargs clang-format --dry-run -Werror 2>/dev/null; then
  echo "$files" | xargs clang-format --dry-run -Werror 2>&1 | grep ': error:' | cut -d: -f1 | sort -u
  echo "to format these files: clang-format -i FILE"
  exit 1
fi
