/* SPDX-License-Identifier: MIT */
/* Texts damaged in every way: each is refused with a status, a text and a column inside the text, or is an event whose
 * own spelling resolves to the same event. To be run under sanitizers, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/pmon.h>

static const char *const seeds[] = {
    "cha/TOR_INSERTS.IA_MISS_DRD,thresh=4,edge/",
    "uncore_cha_3/event=0x35,umask=0xc817fe01/",
    "cha0-7+12/CLOCKTICKS/",
    "UNC_IIO_DATA_REQ_OF_CPU.MEM_READ.PART0",
    "spr_unc_cha0::UNC_CHA_TOR_INSERTS:IA:e:t=1",
    "TOR_INSERTS.IA{edge_det,thresh=0x1} with:Cn_MSR_PMON_BOX_FILTER.tid=0x19",
    "cha/config=0x00c817fe00000135,config1=3/",
    "imc/ACT_COUNT.RD+WR/",
    "cha/TOR_INSERTS.IA,opc=RFO,tid=core3.1/",
    "m2m/CMS_CLOCKTICKS,umask_ext=0x800000/",
};
static const char letters[] = "abcxyzCTI0189_/,.:{}=+- \t\"\\\x7f\xff";

static uint32_t random_next(uint32_t *state)
{
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static void mutate(char *text, size_t size, uint32_t *state)
{
  size_t n = strlen(text), at = n ? random_next(state) % n : 0;
  char letter = letters[random_next(state) % (sizeof letters - 1)];
  switch (random_next(state) % 5) {
  case 0: text[at] = n ? letter : 0; break;
  case 1: memmove(text + at, text + at + (n > 0), n - at + (n == 0)); break;
  case 2:
    if (n + 2 < size) {
      memmove(text + at + 1, text + at, n - at + 1);
      text[at] = letter;
    }
    break;
  case 3: text[at] = 0; break;
  default:
    if (n < 60) { /* doubles the tail: repeats attributes */
      memmove(text + n, text + at, n - at);
      text[2 * n - at] = 0;
    }
  }
}

static void test_mutations(void **state)
{
  (void)state;
  struct pmon_context *context;
  const struct pmon_platform *p;
  assert_int_equal(pmon_context_new(&context), PMON_OK);
  assert_int_equal(pmon_platform_find(context, "emr", &p), PMON_OK);
  uint32_t random = 1, events = 0, refused = 0;
  for (uint32_t i = 0; i < 40000; i++) {
    char text[256];
    snprintf(text, sizeof text, "%s", seeds[i % (sizeof seeds / sizeof *seeds)]);
    for (uint32_t k = random_next(&random) % 4; k < 5; k++)
      mutate(text, sizeof text, &random);
    struct pmon_event *e = NULL, *again = NULL;
    struct pmon_decoded d = {.size = sizeof d};
    int status = pmon_event_resolve(context, p, text, &e);
    if (status) {
      refused++;
      assert_null(e);
      assert_int_equal(pmon_context_error_status(context), status);
      assert_true(*pmon_context_error(context) && pmon_context_error_column(context) <= strlen(text) + 1);
    } else {
      events++;
      if (pmon_event_resolve(context, p, pmon_event_name(e), &again) != PMON_OK)
        fail_msg("%s -> %s: %s", text, pmon_event_name(e), pmon_context_error(context));
      assert_string_equal(pmon_event_name(again), pmon_event_name(e));
    }
    assert_true(pmon_event_text_length(text) <= strlen(text));
    pmon_decode(context, p, text, &d);
    pmon_event_free(e);
    pmon_event_free(again);
  }
  assert_true(events > 100 && refused > 1000);
  pmon_context_free(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_mutations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
