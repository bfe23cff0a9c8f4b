/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes logs that are replayed as a backend. A first caller makes the accesses that the log has, line by line; a
 * second one is a session that measures with it. Answers are set only if the status is PMON_OK. After an access that
 * the log does not have, all others fail. Seeds: logs of that session.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <pmon/pmon.h>
#include "fuzz/walk.h"
#include "src/access/replay.h"
#include "src/platform/address.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SIZE_MOST = 1 << 14 };
static const uint64_t UNSET = 0x5e7;

static void replay_try_wait(struct pmon_backend *b)
{
  uint64_t now_ns = UNSET;
  bool ended = false;
  if (b->ops->wait(b, UINT64_MAX, &now_ns, &ended) && (now_ns != UNSET || ended))
    abort();
}

/* Makes the access of one line; other lines are waits. */
static void replay_try_line(struct pmon_backend *b, struct text line)
{
  struct pmon_address a = {.width_bits = 64};
  struct text got;
  uint64_t package = 0, width = 0, value = 0, answer = UNSET;
  text_take_word(&line);
  const struct text verb = text_take_word(&line);
  const bool write = text_is(verb, "write");
  if (!write && !text_is(verb, "read")) {
    replay_try_wait(b);
    return;
  }
  if (!text_number(text_take_word(&line), &package) || address_take(&line, &a, &got) ||
      !text_number(text_take_word(&line), &width))
    return;
  a.package = (uint32_t)package;
  a.width_bits = (uint8_t)width;
  text_number(text_take_word(&line), &value);
  if (write)
    b->ops->write(b, &a, value);
  else if (b->ops->read(b, &a, &answer) && answer != UNSET)
    abort();
}

static void replay_try_lines(struct pmon_backend *b, const char *text, size_t size)
{
  static const char *const keys[] = {"platform", "limit", "clock", "time"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    for (uint32_t k = 0; pmon_backend_replay_note(b, keys[i], k); k++)
      ;
  for (const char *end = text + size, *next; text < end; text = next) {
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    const struct text line = {text, (size_t)((newline ? newline : end) - text)};
    next = newline ? newline + 1 : end;
    if (line.n && *text != '#')
      replay_try_line(b, line);
    replay_take_note(b, REPLAY_REGION);
    replay_take_note(b, REPLAY_CONTROL);
  }
}

static void replay_try_session(struct pmon_context *c, const struct pmon_platform *p, struct pmon_backend *b)
{
  static const char *const names[] = {"cha0/CLOCKTICKS/", "cbo0/CLOCKTICKS/"};
  struct pmon_plan *plan;
  if (pmon_plan_new(c, p, &plan))
    abort();
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    pmon_plan_add_events(plan, names[i]); /* each is of one of the platforms */
  walk_plan(c, plan, b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct pmon_context *c;
  static int fd = -1;
  const struct pmon_platform *p;
  struct pmon_backend *b;
  char path[64];
  if (!c && (pmon_context_new(&c) || (fd = memfd_create("log", MFD_CLOEXEC)) < 0))
    abort();
  if (size > SIZE_MOST || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
    return 0;
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  if (pmon_backend_replay_new(c, path, &b)) {
    if (!*pmon_context_error(c))
      abort();
    return 0;
  }
  replay_try_lines(b, (const char *)data, size);
  const char *note = pmon_backend_replay_note(b, "platform", 0);
  if (!note || pmon_platform_find(c, note, &p))
    p = pmon_platform_get(c, 0);
  pmon_backend_close(b);
  if (pmon_backend_replay_new(c, path, &b))
    abort();
  replay_try_session(c, p, b);
  return 0;
}
