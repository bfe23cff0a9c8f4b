/* SPDX-License-Identifier: MIT */
/* Runs gnuplot, a program that may not be installed. */
#ifndef CLI_PAGE_GNUPLOT_H
#define CLI_PAGE_GNUPLOT_H

#include <stdio.h>

/* Runs gnuplot with a script, an open file, as its input, and writes its output to `to`: gnuplot itself does not notice
 * that its output cannot be written, for instance to a full disk. *ret_wait: how it ended, as of wait(). Returns 0, or
 * an errno; ENOENT: it is not installed. */
int gnuplot_run(int script, FILE *to, int *ret_wait);

#endif
