/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes what `pmon top http://...` reads: the /json of an exporter. The input is a series of answers, separated by
 * lines "@"; each arrives in pieces. What is shown is formatted as a report.
 */
#include <stdarg.h>
#include <stdint.h>
#include "cli/top/remote.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SIZE_MOST = 1 << 15, PIECE = 1000, ANSWERS_MOST = 8 };

static struct cli cli;
static struct top top;
static struct remote answers_remote;
static const char *answers_text;
static size_t answers_size;

struct live_stop stat_stop;

/* Stubs for the parts of the command that show values. */
int cli_fail(const struct cli *c, const char *format, ...)
{
  (void)c;
  return *format ? CLI_FAILED : CLI_DONE;
}

int cli_fail_memory(const struct cli *c)
{
  return cli_fail(c, "no memory");
}

const struct http_library *http_load(struct cli *c, const char *what)
{
  (void)c;
  (void)what;
  return NULL;
}

struct top_screen *screen_open(struct cli *c, bool monochrome)
{
  (void)c;
  (void)monochrome;
  return NULL;
}

void top_draw(struct top *t)
{
  (void)t;
}

void top_take_keys(struct top *t, int wait_ms)
{
  (void)t;
  (void)wait_ms;
}

void top_wait(struct top *t, double seconds)
{
  (void)t;
  (void)seconds;
}

void history_clear(struct top_history *h)
{
  h->n = 0;
}

static int answers_drop(void *user, const char *bytes, size_t n)
{
  (void)user;
  return memchr(bytes, 0, n) ? PMON_E_INVALID : 0;
}

void top_show(struct top *t, const struct pmon_report *report, double seconds, double end_seconds)
{
  (void)t;
  if (!(seconds > 0) || end_seconds != end_seconds)
    abort();
  for (int format = PMON_FORMAT_TEXT; format <= PMON_FORMAT_JSON; format++)
    if (pmon_report_format(report, (enum pmon_format)format, answers_drop, NULL))
      abort();
}

/* libcurl, for one request. */
static CURLcode answers_perform(CURL *curl)
{
  static char piece[PIECE];
  (void)curl;
  for (size_t at = 0, n; at < answers_size; at += n) {
    n = answers_size - at < PIECE ? answers_size - at : PIECE;
    memcpy(piece, answers_text + at, n);
    if (remote_take(piece, 1, n, &answers_remote) != n)
      return CURLE_WRITE_ERROR;
  }
  return CURLE_OK;
}

static CURLcode answers_getinfo(CURL *curl, CURLINFO info, ...)
{
  va_list ap;
  (void)curl;
  va_start(ap, info);
  *va_arg(ap, long *) = 200;
  va_end(ap);
  return CURLE_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const struct http_library http = {.perform = answers_perform, .getinfo = answers_getinfo};
  if (size > SIZE_MOST || (!cli.context && pmon_context_new(&cli.context)))
    return 0;
  memset(&top, 0, sizeof top);
  top.stat.cli = &cli;
  cli.platform = NULL;
  answers_remote = (struct remote){.top = &top, .http = &http};
  answers_text = (const char *)data;
  for (unsigned i = 0; i < ANSWERS_MOST && size; i++) {
    const char *const next = memmem(answers_text, size, "\n@\n", 3);
    const size_t used = next ? (size_t)(next - answers_text) + 3 : size;
    answers_size = next ? used - 3 : size;
    if (!remote_update(&answers_remote))
      abort();
    answers_text += used;
    size -= used;
  }
  remote_close(&answers_remote);
  return 0;
}
