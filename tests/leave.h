/* SPDX-License-Identifier: MIT */
/* Ends a test's forked process. */
#ifndef PMON_TESTS_LEAVE_H
#define PMON_TESTS_LEAVE_H

#include <unistd.h>

#ifdef WITH_GCOV
void __gcov_dump(void);
#endif

/* Calls _exit(), so that no handler of the test's libraries runs. Writes the coverage counters of gcov first. */
static inline _Noreturn void leave(int code)
{
#ifdef WITH_GCOV
  __gcov_dump();
#endif
  _exit(code);
}

#endif
