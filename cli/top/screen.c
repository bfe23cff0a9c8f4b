/* SPDX-License-Identifier: MIT */
#include "cli/top/screen.h"
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>
#include "cli/common/cli.h"
#include "src/base/escape.h"

/* After the includes, because term.h defines ordinary words as macros. */
#include <ncurses.h>
#include <term.h>
#undef lines
#undef columns

enum { LOADS = 12, FIRST_LOAD = 8, PAIR_BAR = 1, PAIR_WARN, PAIR_SELECTED, KEY_ESC = 27, ESCAPE_MS = 25 };

struct top_screen {
  SCREEN *curses;
  FILE *in, *out;
  int saved[3]; /* the previous standard input, output and error */
  int errors;   /* receives standard error while the screen is open */
  bool color, utf8;
  int clicked;
};

/* From low to high load: grey, blue, green, yellow, red. The brightness increases up to yellow. */
static const short loads256[LOADS] = {236, 17, 18, 19, 25, 31, 37, 107, 143, 178, 208, 196};
static const short loads8[LOADS] = {COLOR_BLACK, COLOR_BLUE,  COLOR_BLUE,   COLOR_BLUE,   COLOR_CYAN, COLOR_CYAN,
                                    COLOR_GREEN, COLOR_GREEN, COLOR_YELLOW, COLOR_YELLOW, COLOR_RED,  COLOR_RED};

static void open_colors(struct top_screen *s)
{
  s->color = has_colors() && start_color() == OK;
  if (!s->color)
    return;
  use_default_colors();
  init_pair(PAIR_BAR, COLOR_BLACK, COLOR_CYAN);
  init_pair(PAIR_WARN, COLOR_YELLOW, -1);
  init_pair(PAIR_SELECTED, COLOR_BLACK, COLOR_WHITE);
  for (short i = 0; i < LOADS; i++)
    init_pair((short)(FIRST_LOAD + i), COLORS >= 256 && i < 6 ? COLOR_WHITE : COLOR_BLACK,
              COLORS >= 256 ? loads256[i] : loads8[i]);
  if (COLORS < 256)
    for (short i = 0; i < 4; i++)
      init_pair((short)(FIRST_LOAD + i), COLOR_WHITE, loads8[i]);
}

static volatile int screen_fd = -1; /* the terminal, while it is open */

void screen_discard(void)
{
  const int before = errno, fd = screen_fd;
  struct pollfd end = {.fd = fd, .events = POLLOUT};
  if (fd >= 0 && poll(&end, 1, 0) == 0)
    tcflush(fd, TCOFLUSH);
  errno = before;
}

/* Redirects the standard streams: the measured program and pmon's messages must not write to the screen. */
static bool redirect(struct top_screen *s)
{
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  s->errors = memfd_create("pmon-top-messages", MFD_CLOEXEC);
  for (int i = 0; i < 3; i++)
    s->saved[i] = fcntl(i, F_DUPFD_CLOEXEC, 3);
  const bool good = null >= 0 && s->errors >= 0 && s->saved[0] >= 0 && s->saved[1] >= 0 && s->saved[2] >= 0 &&
                    dup2(null, 0) == 0 && dup2(null, 1) == 1 && dup2(s->errors, 2) == 2;
  if (null >= 0)
    close(null);
  return good;
}

static void put_back(struct top_screen *s)
{
  char text[4096];
  ssize_t n;
  for (int i = 0; i < 3; i++) {
    if (s->saved[i] < 0)
      continue;
    dup2(s->saved[i], i);
    close(s->saved[i]);
  }
  for (off_t at = 0; s->errors >= 0 && (n = pread(s->errors, text, sizeof text, at)) > 0; at += n)
    cli_write_error(text, (size_t)n);
  if (s->errors >= 0)
    close(s->errors);
}

/* Whether the terminal can move its cursor. */
static bool can_draw(struct cli *cli, const char *name)
{
  int error = 0;
  if (!name || !*name || setupterm(name, STDOUT_FILENO, &error) != OK) {
    cli_fail(cli,
             "TERM=%s: ncurses does not know this terminal; set TERM (for instance xterm-256color), or use pmon stat "
             "-I",
             name ? name : "");
    return false;
  }
  const char *move = tigetstr("cup");
  const bool good = move && move != (char *)-1;
  del_curterm(cur_term);
  if (!good)
    cli_fail(cli, "TERM=%s: this terminal cannot move its cursor; use pmon stat -I", name);
  return good;
}

struct top_screen *screen_open(struct cli *cli, bool monochrome)
{
  const char *const name = getenv("TERM");
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
    cli_fail(cli, "standard input and output: not a terminal; use pmon stat -I, or pmon report -I for a recording");
    return NULL;
  }
  if (!can_draw(cli, name))
    return NULL;
  struct top_screen *s = calloc(1, sizeof *s);
  if (!s) {
    cli_fail_memory(cli);
    return NULL;
  }
  s->errors = s->saved[0] = s->saved[1] = s->saved[2] = -1;
  setlocale(LC_CTYPE, "");
  s->utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
  s->in = fopen("/dev/tty", "re");
  s->out = fopen("/dev/tty", "we");
  if (!s->in || !s->out || !(s->curses = newterm(name, s->out, s->in)) || !redirect(s)) {
    screen_close(s);
    cli_fail(cli, "the terminal cannot be opened: %s", strerror(errno));
    return NULL;
  }
  screen_fd = fileno(s->out);
  cbreak();
  noecho();
  nonl();
  keypad(stdscr, TRUE);
  curs_set(0);
  set_escdelay(ESCAPE_MS);
  mousemask(BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
  mouseinterval(0);
  if (!monochrome)
    open_colors(s);
  return s;
}

void screen_close(struct top_screen *s)
{
  if (!s)
    return;
  if (s->curses) {
    endwin();
    delscreen(s->curses);
  }
  screen_fd = -1;
  if (s->in)
    fclose(s->in);
  if (s->out)
    fclose(s->out);
  put_back(s);
  free(s);
}

void screen_size(const struct top_screen *s, int *ret_lines, int *ret_columns)
{
  (void)s;
  getmaxyx(stdscr, *ret_lines, *ret_columns);
}

void screen_clear(struct top_screen *s)
{
  (void)s;
  erase();
}

void screen_flush(struct top_screen *s)
{
  (void)s;
  refresh();
}

static attr_t attributes_of(const struct top_screen *s, enum screen_style style)
{
  switch (style) {
  case SCREEN_BOLD: return A_BOLD;
  case SCREEN_DIM: return A_DIM;
  case SCREEN_BAR: return s->color ? (attr_t)COLOR_PAIR(PAIR_BAR) : A_REVERSE;
  case SCREEN_WARN: return s->color ? (attr_t)COLOR_PAIR(PAIR_WARN) : A_BOLD;
  case SCREEN_SELECTED: return s->color ? (attr_t)COLOR_PAIR(PAIR_SELECTED) : A_REVERSE;
  case SCREEN_PLAIN: break;
  }
  return A_NORMAL;
}

/* A text being written to the screen, and the number of columns left. */
struct writing {
  int left, used;
  bool utf8;
};

static void write_piece(void *user, const char *text, size_t n)
{
  struct writing *w = user;
  while (n && w->left > 0) {
    uint32_t code = 0;
    size_t length = escape_decode(text, n, &code);
    length = length ? length : 1;
    if (length > 1 && !w->utf8)
      addch(code == 0xb1 ? '+' : '?');
    else
      addnstr(text, (int)length);
    w->left--;
    w->used++;
    text += length;
    n -= length;
  }
}

int screen_text(struct top_screen *s, int line, int column, int width, enum screen_style style, const char *text)
{
  int height, all;
  struct writing w = {.utf8 = s->utf8};
  getmaxyx(stdscr, height, all);
  if (line < 0 || line >= height || column < 0 || column >= all || width <= 0)
    return 0;
  w.left = width < all - column ? width : all - column;
  attrset((int)attributes_of(s, style));
  move(line, column);
  escape_write(text, strlen(text), LINES_ESCAPED, write_piece, &w);
  attrset(A_NORMAL);
  return w.used;
}

void screen_fill(struct top_screen *s, int line, enum screen_style style)
{
  attrset((int)attributes_of(s, style));
  mvhline(line, 0, ' ', COLS);
  attrset(A_NORMAL);
}

void screen_load(struct top_screen *s, int line, int column, int width, double load, const char *label)
{
  static const char shades[] = " .:-=+*#%@";
  int height, all;
  getmaxyx(stdscr, height, all);
  if (line < 0 || line >= height || column < 0 || column + width > all)
    return;
  const double part = load < 0 ? 0 : load > 1 ? 1 : load;
  const int step = (int)(part * (LOADS - 1) + 0.5);
  char text[32];
  /* Without colours, a cell that has no room beside its label shows only the load. */
  const int fits = label && (int)strlen(label) < width + (s->color || load < 0);
  snprintf(text, sizeof text, "%*s", width < 31 ? width : 31, fits ? label : "");
  if (load < 0)
    memset(text, '-', strlen(text) < 31 ? strlen(text) : 31);
  else if (!s->color)
    for (char *c = text; *c; c++)
      *c = *c == ' ' ? shades[(int)(part * 9 + 0.5)] : *c;
  attrset(s->color && load >= 0 ? (int)COLOR_PAIR(FIRST_LOAD + step) : A_NORMAL);
  mvaddnstr(line, column, text, width);
  attrset(A_NORMAL);
}

void screen_spark(struct top_screen *s, int line, int column, double part)
{
  static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static const char levels[] = "_.-:=+*#";
  if (line >= LINES || column >= COLS || line < 0 || column < 0)
    return;
  const int step = part < 0 ? 0 : part > 1 ? 7 : (int)(part * 7 + 0.5);
  attrset(s->color ? (int)COLOR_PAIR(PAIR_WARN) : A_NORMAL);
  if (part < 0)
    mvaddch(line, column, ' ');
  else if (s->utf8)
    mvaddstr(line, column, blocks[step]);
  else
    mvaddch(line, column, (chtype)levels[step]);
  attrset(A_NORMAL);
}

bool screen_has_utf8(const struct top_screen *s)
{
  return s->utf8;
}

static int mouse_key(struct top_screen *s)
{
  MEVENT event;
  if (getmouse(&event) != OK)
    return SCREEN_NONE;
  s->clicked = event.y;
  if (event.bstate & BUTTON4_PRESSED)
    return SCREEN_UP;
  return event.bstate & BUTTON5_PRESSED ? SCREEN_DOWN : SCREEN_CLICK;
}

int screen_key(struct top_screen *s, int wait_ms)
{
  timeout(wait_ms);
  const int key = getch();
  switch (key) {
  case ERR: return SCREEN_NONE;
  case KEY_UP: return SCREEN_UP;
  case KEY_DOWN: return SCREEN_DOWN;
  case KEY_LEFT: return SCREEN_LEFT;
  case KEY_RIGHT: return SCREEN_RIGHT;
  case KEY_PPAGE: return SCREEN_PAGE_UP;
  case KEY_NPAGE: return SCREEN_PAGE_DOWN;
  case KEY_HOME: return SCREEN_HOME;
  case KEY_END: return SCREEN_END;
  case KEY_RESIZE: return SCREEN_RESIZED;
  case KEY_BACKSPACE:
  case 127:
  case '\b': return SCREEN_ERASE;
  case KEY_ENTER:
  case '\r':
  case '\n': return SCREEN_ENTER;
  case KEY_ESC: return SCREEN_ESCAPE;
  case KEY_MOUSE: return mouse_key(s);
  default: break;
  }
  return key >= KEY_F(1) && key <= KEY_F(10) ? SCREEN_F1 + key - KEY_F(1) : key < 256 ? key : SCREEN_NONE;
}

int screen_click_line(const struct top_screen *s)
{
  return s->clicked;
}
