/* SPDX-License-Identifier: MIT */
/*
 * Hears everything that a whole machine's traffic reports to its blocks, before any counter does: the functions of
 * machine/pmon/block.h by which it reports are replaced (the linker's --wrap), and their arguments are added up by
 * unit, event code and attributes.
 */
#ifndef TESTS_COVERAGE_RECORDER_H
#define TESTS_COVERAGE_RECORDER_H

#include <stddef.h>
#include <stdint.h>
#include "whole.h"

/* amount: pulses, and for spans and levels how much there was times how many femtoseconds it lasted. */
struct record {
  const char *unit;
  uint16_t code;
  uint64_t attr;
  double amount;
};
struct recorder;

struct recorder *recorder_new(void);
void recorder_free(struct recorder *r);

/* Runs a scenario file on a machine of its own to the end; fails the test when it cannot. */
void recorder_run(struct recorder *r, const char *path, whole_resolve_fn resolve);

/* The same, a step (femtoseconds) at a time; returns the time of the end. */
uint64_t recorder_run_in_steps(struct recorder *r, const char *path, whole_resolve_fn resolve, uint64_t step);

/* The records so far, in no order. */
const struct record *recorder_records(const struct recorder *r, size_t *ret_n);

#endif
