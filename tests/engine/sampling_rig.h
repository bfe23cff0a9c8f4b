/* SPDX-License-Identifier: MIT */
/* Collects the samples of a session. */
#ifndef TESTS_ENGINE_SAMPLING_RIG_H
#define TESTS_ENGINE_SAMPLING_RIG_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "tests/engine/cores.h"
#include "machine/check/check.h"
#include "machine/montecito/machine.h"

enum {
  MOST = 64,
  IP = PMON_SAMPLE_IP,
  DATA = PMON_SAMPLE_DATA,
  LATENCY = PMON_SAMPLE_LATENCY,
  LONGER = PMON_SAMPLE_LONGER,
  TARGET = PMON_SAMPLE_TARGET,
  TAKEN = PMON_SAMPLE_TAKEN,
  WRONG = PMON_SAMPLE_WRONG,
  FLUSHED = PMON_SAMPLE_FLUSHED
};

struct seen {
  struct pmon_sample sample[MOST];
  unsigned n;
};

static inline void sampling_take(void *user, const struct pmon_sample *sample)
{
  struct seen *seen = user;
  assert_true(seen->n < MOST);
  seen->sample[seen->n++] = *sample;
}

static const struct pmon_session_options usual = {
    .size = sizeof usual, .every_count = 1, .every_poll_ns = 1, .sample = sampling_take};

#endif
