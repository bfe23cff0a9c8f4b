/* SPDX-License-Identifier: MIT */
/* Machines of two platforms, captures of them, and machines made from captures. */
#ifndef TESTS_CAPTURE_CAPTURES_H
#define TESTS_CAPTURE_CAPTURES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/pmon.h>
#include "machine/capture.h"
#include "machine/config.h"
#include "tests/hardware/tree.h"

static const char *const small_emr[] = {"sockets=2",   "cores=1",      "chas=3", "imcs=4",
                                        "upi.links=2", "iio.stacks=1", NULL};
static const char *const small_snbep[] = {"sockets=2", "cores=2", "chas=5", "channels=2", "upi.links=1", NULL};
static struct pmon_context *context;
static const struct pmon_platform *platform;

static inline void capture_begin(const char *name)
{
  assert_int_equal(pmon_context_new(&context), 0);
  assert_int_equal(pmon_platform_find(context, name, &platform), 0);
}

static inline struct machine *new_machine(const char *name, const char *const *settings)
{
  struct machine_config config;
  struct machine *m = NULL;
  char error[256] = "";
  machine_config_init(&config);
  assert_int_equal(machine_config_preset(&config, name), 0);
  for (; *settings; settings++)
    assert_int_equal(machine_config_parse(&config, *settings, error, sizeof error), 0);
  if (machine_new(&config, error, sizeof error, &m))
    fail_msg("%s", error);
  return m;
}

static inline struct pmon_capture *capture_take(struct pmon_backend *b)
{
  const struct pmon_capture_source source = {.size = sizeof source, .backend = b};
  struct pmon_capture *c = NULL;
  assert_int_equal(pmon_capture_take(platform, &source, &c), 0);
  return c;
}

static inline struct pmon_capture *take_machine(struct machine *m)
{
  struct pmon_backend *b;
  assert_int_equal(machine_backend_new(m, &b), 0);
  struct pmon_capture *c = capture_take(b);
  pmon_backend_close(b);
  return c;
}

static inline char *text_of_capture(const struct pmon_capture *c)
{
  const size_t n = pmon_capture_format(c, NULL, 0);
  char *text = malloc(n + 1);
  assert_non_null(text);
  assert_int_equal(pmon_capture_format(c, text, n + 1), n);
  assert_int_equal(strlen(text), n);
  return text;
}

static inline struct pmon_capture *parse(const char *text)
{
  struct pmon_capture *c = NULL;
  if (pmon_capture_parse(context, "test", text, strlen(text), &c))
    fail_msg("%s", pmon_context_error(context));
  return c;
}

static inline void capture_note(void *user, const char *text)
{
  snprintf(user, 200, "%s", text);
}

/* Returns a machine made from the capture; *ret_unlike: the number of registers that it could not set, diagnostic: the
 * last one. */
static inline struct machine *capture_load(const struct pmon_capture *c, int *ret_unlike, char diagnostic[200])
{
  struct machine_config config;
  struct machine *m = NULL;
  char error[256] = "";
  *diagnostic = 0;
  if (machine_capture_configure(c, &config, error, sizeof error) || machine_new(&config, error, sizeof error, &m))
    fail_msg("%s", error);
  *ret_unlike = machine_capture_load(m, c, capture_note, diagnostic);
  return m;
}

#endif
