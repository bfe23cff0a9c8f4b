/* SPDX-License-Identifier: MIT */
/* Built-in texts for each platform that has guests (gen/benches.py): its checks, and its stock driver's violations. */
#ifndef CLI_BENCH_BUILT_IN_H
#define CLI_BENCH_BUILT_IN_H

struct bench_built_in {
  const char *platform, *checks, *baseline;
};

enum { BENCH_BUILT_IN = 3 };
/* Terminated by platform NULL. */
extern const struct bench_built_in bench_built_in[BENCH_BUILT_IN + 1];

#endif
