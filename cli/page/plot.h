/* SPDX-License-Identifier: MIT */
/* Plots for papers and slides, drawn by gnuplot. */
#ifndef CLI_PAGE_PLOT_H
#define CLI_PAGE_PLOT_H

#include "cli/page/page.h"

enum plot_kind { PLOT_SVG, PLOT_PNG };

/* Draws the values of a recording over time, a chart for each name: in total, or for each package or instance as
 * `breakdown` (enum pmon_breakdown) says. `path` "-" is standard output. CLI_DONE, or an exit code after printing an
 * error. */
int plot_write(struct cli *cli, const struct page_request *request, enum plot_kind kind, uint32_t breakdown,
               const char *path);

#endif
