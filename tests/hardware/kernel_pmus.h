/* SPDX-License-Identifier: MIT */
/* The PMUs of the small kernel, for kernel.c: one for each instance of a unit, with its files in the tree. */
#ifndef TESTS_HARDWARE_KERNEL_PMUS_H
#define TESTS_HARDWARE_KERNEL_PMUS_H

#include "tests/hardware/kernel.h"

enum { KERNEL_PMUS = 128, KERNEL_FIRST_TYPE = 20 };

struct kernel_pmu {
  char name[48];
  uint32_t unit, instance;
  bool own; /* of another driver: its events are in kernel_own_events */
};

extern struct kernel_pmus {
  struct kernel_pmu at[KERNEL_PMUS];
  unsigned n;
  const struct pmon_platform *platform;
  bool has_enable; /* the platform's controls have an enable bit */
} kernel_pmus;

/* Makes the PMUs of all units but `none`, and their files. */
void kernel_make_pmus(const struct tree *t, const struct pmon_platform *p, const char *none);
/* Gets the address of the register of this role and number. */
bool kernel_address_of(const struct kernel_pmu *p, enum pmon_role role, uint32_t number, struct pmon_address *a);

#endif
