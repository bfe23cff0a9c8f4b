#!/bin/sh
# SPDX-License-Identifier: MIT
# Each descriptor is close-on-exec from the call that makes it, so that no program which is started meanwhile inherits
# it. The exceptions are those that a program is to inherit, and the standard descriptors of a new one.
# Usage: descriptors.sh SOURCE
set -u
cd "$1" || exit 1
bad=0
[ "$(grep -rl --include='*.c' CLOEXEC src cli helper machine plugin vm gen | wc -l)" -gt 20 ] ||
  { echo "too few files"; exit 1; }
# refuse PATTERN FILES-WITH-EXCEPTIONS: lines that match, outside comments, without CLOEXEC.
refuse() {
  found=$(grep -nEr --include='*.[ch]' --exclude-dir=qemu "$1" src cli helper machine plugin vm gen |
    grep -vE "^($2):|CLOEXEC|: *(/?\*|//)|/\*.*($1)")
  [ -z "$found" ] || { echo "inherited by programs that are started:"; echo "$found"; bad=1; }
}
calls='open|openat|open64|socket|socketpair|pipe2|accept4|epoll_create1|eventfd|signalfd|timerfd_create|inotify_init1|memfd_create|mkostemp|dup3'
# helper/main.c, launcher.c: standard descriptors that are closed are opened
refuse "(^|[^a-z_>.])($calls)\(" 'helper/main\.c|machine/trace/launcher\.c'
# these have no flag for it
refuse '(^|[^a-z_>.])(pipe|accept|epoll_create|inotify_init|mkstemp|tmpfile|creat|dup|popen)\(' 'none'
# cli/stat/region_channel.c: the measured command inherits the memory of its regions
refuse 'F_DUPFD([^_]|$)' 'cli/stat/region_channel\.c'
refuse 'fopen(64)?\([^"]*"[rwab+]*"' 'none'
exit $bad
