/* SPDX-License-Identifier: MIT */
/* Counts instructions with Callgrind, which writes one dump for each counted section; without Valgrind's headers
 * nothing is counted. */
#ifndef BENCH_COUNTED_H
#define BENCH_COUNTED_H

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define COUNTED_BEGIN() CALLGRIND_ZERO_STATS
#define COUNTED_END() CALLGRIND_DUMP_STATS
#else
#define COUNTED_BEGIN() (void)0
#define COUNTED_END() (void)0
#endif

#define COUNTED_TIMES 20 /* repetitions of the counted work in a section */

#endif
