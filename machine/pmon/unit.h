/* SPDX-License-Identifier: MIT */
/*
 * What a platform tells the PMON hardware about its units: where their registers are, how these behave, and how a
 * control register's bits select events. Constant tables (machine/emr/units.c, machine/snbep/units.c), typed from the
 * guides.
 */
#ifndef MACHINE_PMON_UNIT_H
#define MACHINE_PMON_UNIT_H

#include <stdbool.h>
#include <stdint.h>

enum { UNIT_SIGNALS = 3, UNIT_REGS = 10, UNIT_PLACES = 16, BLOCK_COUNTERS = 8, BLOCK_FREE = 17, BLOCK_FILTERS = 5 };
enum { SIGNAL_CODE_0 = 0x100 }; /* in a table of signals, where 0 ends the list: event code 0 */

/* How a register's bits behave; a bit in none of the masks is reserved: reads 0, and software must write 0. */
struct reg_layout {
  const char *name, *section; /* section: of the guide, for the record of violations */
  uint64_t rw, ro, wo, w1c, ign;
  uint64_t reset;
};

enum reg_role {
  REG_UNIT_CTL,
  REG_UNIT_STATUS,
  REG_CTL,
  REG_CTR,
  REG_FIXED_CTL,
  REG_FIXED_CTR,
  REG_FREE,
  REG_FILTER,
  REG_GLOBAL_CTL,
  REG_GLOBAL_STATUS,
  REG_INFO
};

/* `count` registers of one role in each block, `step` apart. `offset` is from the block's base, or from `elsewhere`
 * (an absolute address, `unit_step` apart from block to block) when that is not 0; `device`, when it is not 0, is where
 * instead of in the block's own, `device_step` apart. `every`: only every n-th block of the unit has it (a controller's
 * free-running counters: every second channel). */
struct reg_rows {
  const char *name; /* as the guide's: %u is the block's number, # the register's */
  const struct reg_layout *layout;
  uint32_t offset, elsewhere, unit_step;
  uint8_t role, width_bits, count, step, index, every;
  uint32_t device, device_step;
};

struct unit_place {
  uint32_t device;
  uint32_t base;
}; /* device as in struct pmon_address */

struct unit_limit {
  uint8_t code, counters;
}; /* an event that not every counter can count */
/* Level 1 for ever: the unit's clock under an event code; halved: every second cycle only. */
struct unit_signal {
  uint16_t code;
  bool halved;
  uint64_t attr;
};

/* What all units of a platform have in common: how counters are enabled, and what a unit (box) control's bits do. */
struct pmon_rules {
  uint64_t enable;                /* of a counter's control; 0: an event code other than 0 enables */
  uint64_t freeze, freeze_enable; /* of a unit control; freeze_enable 0: it always freezes */
  uint64_t reset_controls, reset_counters;
  uint64_t tells, fixed_tells; /* of a control: an overflow is told to the global control */
  const char *shape_section;   /* of the guide: invert and edge_det need a threshold */
  const char *info_section;    /* ... what cannot be written */
};

struct pmon_unit {
  const char *name, *section;
  const char *clock; /* of machine_set_clock() */
  /* How much one occurrence described by attr adds to a counter that is programmed with ctl: 0 when it does not
   * select it. The event codes are equal already. */
  uint32_t (*weight)(uint64_t ctl, uint64_t attr);
  const struct unit_limit *limits; /* ends with code 0 */
  struct unit_signal signals[UNIT_SIGNALS];
  /* The same for a unit whose filter registers (by reg_rows.index) have a say; NULL: weight() alone. */
  uint32_t (*filtered)(const uint64_t *filter, uint64_t ctl, uint64_t attr);
  /* One occurrence that a counter programmed with ctl and filters counts, and of one kind only: where ctl adds up
   * several, the first of them. NULL: the lowest bit of the umask. */
  uint64_t (*occurrence)(const uint64_t *filter, uint64_t ctl);
  /* Bits of a filter register's value that break a rule of the guide, and the rule; NULL: there is none. */
  uint64_t (*misfiltered)(uint64_t value, const char **ret_rule);
  const struct unit_place *places; /* one a block; or NULL: places of `first`, `step` apart */
  struct unit_place first;
  uint32_t step;
  uint64_t thresh_mask, tid_enable; /* in a control register; tid_enable 0: the unit cannot */
  uint64_t tid_mask;                /* of the first filter register: the thread */
  uint64_t event_bits;              /* in a control register, with occupancy_code: what selects an event */
  uint64_t occ_invert, occ_edge;    /* ... and invert and edge_det of occupancies */
  uint32_t silent;                  /* blocks (a bit each) whose overflows are not told to the global control */
  uint8_t occupancy_code;           /* bit of an event code that brings in what this code alone counts */
  uint8_t follow_code;              /* event by which other counters see what counter 0 adds; 0: none */
  uint8_t width_bits, fixed_bits, free_bits; /* of counters; 0: 48 */
  uint8_t space, instances, counters;
  uint8_t free_counters, free_clock; /* free_clock: index + 1 of the one that counts cycles */
  uint8_t type;                      /* in the discovery page */
  bool fixed;                        /* has a fixed counter, which counts cycles */
  uint16_t status_position;          /* of block 0 in the global status */
  struct reg_rows regs[UNIT_REGS];   /* ends with name NULL */
};

#endif
