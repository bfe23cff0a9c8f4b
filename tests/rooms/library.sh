#!/bin/sh
# SPDX-License-Identifier: MIT
# Forbidden in a library: variables that outlive a context, and calls that print, end the process, read the environment
# or touch signals. Usage: library.sh LIBRARY.a
set -u
library=$1 bad=0
{ command -v nm && command -v objdump; } >/dev/null || { echo "SKIPPED: no binutils" >&2; exit 77; }

defined=$(nm "$library" 2>/dev/null | grep -c ' T pmon_')
[ "$defined" -gt 80 ] || { echo "only $defined public functions found in $library"; bad=1; }
variables=$(objdump -t "$library" | awk 'NF > 3 && $(NF-2) ~ /^\.(data|bss|tdata|tbss)(\.|$)/ && $(NF-2) !~ /^\.data\.rel\.ro/ &&
                                         $(NF-1) !~ /^0+$/ { print $NF }')
[ -z "$variables" ] || { echo "variables outside of any context: $variables"; bad=1; }
calls=$(nm -u "$library" 2>/dev/null | awk '{ print $NF }' | sort -u | grep -xE \
  '_*(v?printf|puts|putchar|perror|std(in|out|err)|(quick_)?exit|_Exit|abort|(secure_)?getenv|setenv|signal|sigaction|sigprocmask|raise|kill|system|popen|setlocale)(_chk)?')
[ -z "$calls" ] || { echo "calls that a library does not make: $calls"; bad=1; }
exit $bad
