/* SPDX-License-Identifier: MIT */
/* Drawing functions for views: text and cells in a style, clipped at the terminal's edges. */
#ifndef CLI_TOP_SCREEN_H
#define CLI_TOP_SCREEN_H

#include <stdbool.h>

struct cli;
struct top_screen;

/* Opens the terminal. NULL after printing an error. `monochrome`: no colours, even if it has some. */
struct top_screen *screen_open(struct cli *cli, bool monochrome);
/* Restores the terminal, and prints what was written on standard error meanwhile. NULL is allowed. */
void screen_close(struct top_screen *screen);

/* For signal handlers: if the terminal takes no output, discards what waits there. A write that waits then continues,
 * so that the terminal and registers are restored. */
void screen_discard(void);

enum screen_style { SCREEN_PLAIN, SCREEN_BOLD, SCREEN_DIM, SCREEN_BAR, SCREEN_WARN, SCREEN_SELECTED };

/* A key: a character, or one of these. */
enum screen_key {
  SCREEN_NONE = -1,
  SCREEN_UP = 1000,
  SCREEN_DOWN,
  SCREEN_LEFT,
  SCREEN_RIGHT,
  SCREEN_PAGE_UP,
  SCREEN_PAGE_DOWN,
  SCREEN_HOME,
  SCREEN_END,
  SCREEN_RESIZED,
  SCREEN_ENTER,
  SCREEN_ESCAPE,
  SCREEN_ERASE,
  SCREEN_CLICK, /* screen_click_line() has the line */
  SCREEN_F1     /* F1 to F10 are SCREEN_F1 + 0 to 9 */
};

void screen_size(const struct top_screen *s, int *ret_lines, int *ret_columns);
void screen_clear(struct top_screen *s);
void screen_flush(struct top_screen *s);
/* Writes text of at most `width` columns (six parameters: a place and a style belong to each text); characters that a
 * terminal would act on are escaped. Returns its columns. */
int screen_text(struct top_screen *s, int line, int column, int width, enum screen_style style, const char *text);
/* Fills a line with blanks in a style. */
void screen_fill(struct top_screen *s, int line, enum screen_style style);
/* Draws a cell of `width` columns (six parameters, as above) that shows a load from 0 to 1 as colour, or without
 * colours as a character; negative: no value. `label` is written into it if it fits; NULL: none. */
void screen_load(struct top_screen *s, int line, int column, int width, double load, const char *label);
/* Draws a character of a sparkline, for a part from 0 to 1; negative: none. */
void screen_spark(struct top_screen *s, int line, int column, double part);
/* Whether the terminal shows UTF-8. */
bool screen_has_utf8(const struct top_screen *s);

/* Returns the next key; waits up to `wait_ms` for it (0: not at all). */
int screen_key(struct top_screen *s, int wait_ms);
int screen_click_line(const struct top_screen *s);

#endif
