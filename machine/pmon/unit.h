/* SPDX-License-Identifier: MIT */
/*
 * A platform's description of its units for the PMON hardware: the addresses and behaviour of their registers, and the
 * events that the bits of a control register select. Constant tables (machine/emr/units.c, machine/snbep/units.c),
 * typed from the guides.
 */
#ifndef MACHINE_PMON_UNIT_H
#define MACHINE_PMON_UNIT_H

#include <stdbool.h>
#include <stdint.h>

enum { UNIT_SIGNALS = 3, UNIT_REGS = 10, BLOCK_COUNTERS = 8, BLOCK_FREERUNNING = 17, BLOCK_FILTERS = 5 };
enum { SIGNAL_CODE_0 = 0x100 }; /* stands for event code 0 in a table of signals, where 0 ends the list */

/* The behaviour of a register's bits. A bit in none of the masks is reserved: it reads 0, and software must write 0. */
struct reg_layout {
  const char *name, *section; /* section: of the guide, for violation records */
  uint64_t rw, ro, wo, w1c, w0c, ign;
  uint64_t reset;
};

enum reg_role {
  REG_UNIT_CTL,
  REG_UNIT_STATUS,
  REG_CTL,
  REG_CTR,
  REG_FIXED_CTL,
  REG_FIXED_CTR,
  REG_FREERUNNING,
  REG_FILTER,
  REG_GLOBAL_CTL,
  REG_GLOBAL_STATUS,
  REG_INFO,
  REG_MODEL /* the processor model has its value: pmon_unit.read and .write */
};

/* `count` registers of one role in each block, `step` apart. `offset` is relative to the block's base or, when
 * `elsewhere` is not 0, to that absolute address, which advances by `unit_step` from block to block. When `device`
 * is not 0, it replaces the block's device and advances by `device_step`. `every`: only every n-th block of the unit
 * has the registers (the free-running counters of a controller: every second channel). */
struct reg_rows {
  const char *name; /* the guide's name: %u is the block's number, # the register's number */
  const struct reg_layout *layout;
  uint32_t offset, elsewhere, unit_step;
  uint8_t role, width_bits, count, step, index, every;
  uint32_t device, device_step;
  const char *constant; /* for a REG_MODEL or free-running counter: why it does not count; NULL: it counts */
};

struct unit_place {
  uint32_t device;
  uint32_t base;
}; /* device as in struct pmon_address */

struct unit_limit {
  uint8_t code, counters;
}; /* an event that not every counter can count */
/* The largest increment of an event in a cycle, the guide's "Max Inc/Cyc": a cycle adds no more to a counter.
 * MOST_SPREAD: occurrences that come faster wait for the next cycles, so that none is lost. MOST_UNITED: the event
 * counts cycles in which a condition holds, however often it is reported; further reports add no cycles. MOST_ENTRIES:
 * the entries of a queue, which holds no more. `code` has the ninth event bit (pmon_unit.ninth) as bit 8. */
enum unit_most_kind { MOST_SPREAD, MOST_UNITED, MOST_ENTRIES };
struct unit_most {
  uint16_t code;
  uint8_t most, kind;
};
/* A constant level of 1: the unit's clock under an event code. halved: every second cycle. */
struct unit_signal {
  uint16_t code;
  bool halved;
  uint64_t attr;
};

/* Common rules of all units of a platform: the enable bits of counters, and the meaning of a unit (box) control's
 * bits. */
struct pmon_rules {
  uint64_t enable;                /* in a counter's control; 0: any event code other than 0 enables */
  uint64_t freeze, freeze_enable; /* in a unit control; freeze_enable 0: freezing is always enabled */
  uint64_t reset_controls, reset_counters;
  uint64_t overflow_report, fixed_overflow_report; /* in a counter's control: report overflows to the global control */
  const char *shape_section;                       /* section of the guide: invert and edge_det need a threshold */
  const char *info_section;                        /* section of the guide: registers that cannot be written */
};

struct traffic; /* machine/common/traffic.h */

/* A register with role REG_MODEL of a block, which the model reads and writes. */
struct model_register {
  unsigned socket, instance;
  uint64_t address; /* its MSR number */
};

struct pmon_unit {
  const char *name, *section;
  const char *clock; /* name of one of the platform's clocks; of none of them: it has the last one */
  /* The amount that one occurrence described by attr adds to a counter that is programmed with ctl; 0 when ctl does
   * not select it. The event codes are equal. */
  uint32_t (*weight)(uint64_t ctl, uint64_t attr);
  const struct unit_limit *limits; /* ends with code 0 */
  struct unit_signal signals[UNIT_SIGNALS];
  const struct unit_most *most; /* ends with most 0; NULL: the guide states none */
  uint64_t ninth;               /* the bit of a control register that is the ninth of the event's code; 0: none */
  /* As weight(), for a unit whose filter registers (by reg_rows.index) affect the selection; NULL: weight() alone. */
  uint32_t (*filtered)(const uint64_t *filter, uint64_t ctl, uint64_t attr);
  /* Returns one occurrence, of one kind, that a counter programmed with ctl and filters counts: where ctl adds up
   * several kinds, the first of them. NULL: the lowest bit of the umask. */
  uint64_t (*occurrence)(const uint64_t *filter, uint64_t ctl);
  /* Returns bits that a state of the event gets in addition to its attr when it begins, from the filter registers at
   * that time; it has them while it lasts. NULL: none. */
  uint64_t (*latch)(const uint64_t *filter, uint8_t code);
  /* Bits of a filter register's value that violate a rule of the guide, and the rule; NULL: the guide has none. */
  uint64_t (*filter_violation)(uint64_t value, const char **ret_rule);
  /* Registers with REG_MODEL. write: the value to hold, which software writes; a saved state also has bits that
   * software cannot write. */
  const char *part; /* the part that makes them count, for coverage */
  uint64_t (*read)(struct traffic *t, const struct model_register *r);
  void (*write)(struct traffic *t, const struct model_register *r, uint64_t value);
  const struct unit_place *places; /* one per block; NULL: places from `first` on, `step` apart */
  struct unit_place first;
  uint32_t step;
  uint64_t thresh_mask, tid_enable; /* in a control register; tid_enable 0: the unit has no thread filter */
  uint64_t tid_mask;                /* the thread field of the first filter register */
  uint64_t event_bits;              /* in a control register with occupancy_code: the bits that select an event */
  uint64_t occ_invert, occ_edge;    /* invert and edge_det of occupancies */
  uint32_t silent;                  /* blocks (one bit each) whose overflows are not reported to the global control */
  uint8_t occupancy_code; /* event code of the occupancy; as a bit in another event's code, it makes the occupancy gate
                             that event */
  uint8_t follow_code;    /* event code that counts the events of counter 0; 0: none */
  /* The bit of an event's code that distinguishes two sets of events; a block counts one set at a time; 0: it counts
   * all together. If software programs both, the first of the enabled counters decides. */
  uint8_t set_bit;
  uint8_t width_bits, fixed_bits, freerunning_bits; /* widths of counters; 0: 48 */
  uint8_t space, instances, counters;
  uint8_t freerunning_counters, freerunning_clock; /* freerunning_clock: index + 1 of the free-running clock counter */
  uint8_t type;                                    /* its type in the discovery page */
  bool unlisted;                                   /* the discovery page does not list it */
  bool fixed;                                      /* has a fixed counter, which counts clock cycles */
  uint16_t status_position;                        /* bit of block 0 in the global status */
  struct reg_rows regs[UNIT_REGS];                 /* ends with name NULL */
};

#endif
