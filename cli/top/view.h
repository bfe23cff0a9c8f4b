/* SPDX-License-Identifier: MIT */
/* Functions that the views share. */
#ifndef CLI_TOP_VIEW_H
#define CLI_TOP_VIEW_H

#include "cli/top/screen.h"
#include "cli/top/top.h"

/* Bytes of a line; columns of a value. */
enum { VIEW_TEXT = 256, VIEW_VALUE = 13 };

/* Returns the row of a name in a scope; NULL: none. */
const struct top_row *view_find_row(const struct top *t, const char *name, uint32_t package, uint32_t instance);
/* The number of packages. */
uint32_t view_packages(const struct top *t);
/* Returns the largest value that an instance of this name has had: its full load. */
double view_most(const struct top *t, const char *name);
/* Formats a valid value of a row. */
void view_format(const struct top_row *row, const struct pmon_value *value, char *text, size_t size);
/* Formats the value shown for a row. Returns the style, which says whether it is of the newest interval. */
enum screen_style view_value(const struct top_row *row, char *text, size_t size);
/* Returns the load of a row as a part of `most`; negative: no value. */
double view_load(const struct top_row *row, double most);
/* Draws the last values of a row in `width` columns, the newest at the right. */
void view_draw_spark(struct top *t, const struct top_row *row, int line, int column, int width);
/* Draw the bar at the top; and a table of names with their values and past values, from `line` to `end`. */
void view_draw_title(struct top *t, int columns);
void view_draw_table(struct top *t, int line, int end, int columns);

/* Draws a row as a line from `column` on: its text, a bar of its load, and its last values. */
void view_draw_bar(struct top *t, const struct top_row *row, double most, int line, const char *text);
/* Returns a device behind the ports of an I/O unit's instance; `at` counts from 0. NULL: there are no more. */
const struct pmon_device *view_device(const struct top *t, const char *unit, uint32_t package, uint32_t at);

/* Draw the views, between the bars. */
void view_draw_dies(struct top *t, int lines, int columns);
void view_draw_units(struct top *t, int lines, int columns);
void view_draw_devices(struct top *t, int lines, int columns);
void view_draw_detail(struct top *t, int lines, int columns);
void view_draw_help(struct top *t, int lines, int columns);

#endif
