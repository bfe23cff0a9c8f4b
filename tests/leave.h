/* SPDX-License-Identifier: MIT */
/* The end of a test's own process. */
#ifndef PMON_TESTS_LEAVE_H
#define PMON_TESTS_LEAVE_H

#include <unistd.h>

#ifdef WITH_GCOV
void __gcov_dump(void);
#endif

/* _exit(), which runs no handler of the test's libraries; what gcov counted in the process is kept. */
static inline _Noreturn void leave(int code)
{
#ifdef WITH_GCOV
  __gcov_dump();
#endif
  _exit(code);
}

#endif
