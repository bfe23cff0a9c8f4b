/* SPDX-License-Identifier: MIT */
/* What the views share. */
#ifndef CLI_TOP_VIEW_H
#define CLI_TOP_VIEW_H

#include "cli/top/top.h"

/* The row of a name in a scope; NULL: none. */
const struct top_row *view_find_row(const struct top *t, const char *name, uint32_t package, uint32_t instance);
/* The number of packages. */
uint32_t view_packages(const struct top *t);
/* The largest value that an instance of this name has had: what full load means. */
double view_most(const struct top *t, const char *name);
/* A valid value as text. */
void view_format_row(const struct top_row *row, char *text, size_t size);
/* The last values of a row in `width` columns, the newest at the right. */
void view_draw_spark(struct top *t, const struct top_row *row, int line, int column, int width);
/* The bar at the top; and names with their values and last values, from `line` to `end`. */
void view_draw_title(struct top *t, int columns);
void view_draw_table(struct top *t, int line, int end, int columns);

/* The views, between the bars. */
void view_draw_dies(struct top *t, int lines, int columns);
void view_draw_units(struct top *t, int lines, int columns);
void view_draw_detail(struct top *t, int lines, int columns);
void view_draw_help(struct top *t, int lines, int columns);

#endif
