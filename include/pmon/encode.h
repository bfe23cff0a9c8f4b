/* SPDX-License-Identifier: MIT */
/*
 * From a resolved event and a counter to the register values that make the hardware count it, and back from register
 * values to names. Encoding is total on resolved events and never sets a reserved bit.
 */
#ifndef PMON_ENCODE_H
#define PMON_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pmon/access.h>
#include <pmon/api.h>
#include <pmon/event.h>
#include <pmon/platform.h>

PMON_BEGIN_DECLS

#define PMON_IMAGE_REGISTERS 8

/* One register as it has to be: `value` in the bits of `mask`. Other bits are somebody else's; those of filter
 * registers show their reset values. */
struct pmon_image_register {
  struct pmon_address address;
  struct pmon_register_id id;
  uint64_t value, mask;
};

/* What to write, in this order (filters first, the control register that starts counting last), and where the count
 * then is. A free-running counter needs no writes: n is 0. */
struct pmon_image {
  uint32_t n;
  struct pmon_image_register registers[PMON_IMAGE_REGISTERS];
  struct pmon_address counter;
  struct pmon_register_id counter_id;
  uint32_t width_bits; /* the counter wraps at 2^width_bits */
};

/* Encodes an event for counter `counter` of unit instance `instance` in package `package`. `image` is the caller's;
 * nothing is allocated. Control fields: guide 817509 1.4.0.1 and each unit's tables; E5-2600 guide 2.1.
 * PMON_OK; PMON_E_RANGE (no such instance or counter); PMON_E_UNSCHEDULABLE (the event may not use that counter). */
PMON_API int pmon_event_encode(const struct pmon_event *event, uint32_t package, uint32_t instance, uint32_t counter,
                               struct pmon_image *image);

/* A field of a register with the value that it has. */
struct pmon_field_value {
  const char *name, *meaning;
  const char *value_name; /* the value's name where it has one, else "" */
  const char *overlay;    /* the overlay whose reading it is, or "" */
  uint32_t hi, lo;
  uint64_t value;
};

/* Splits a register's value into its fields, high bits first, reserved bits left out; fields of overlay `overlay`
 * (NULL: none) follow. Writes up to `n` and returns how many there are. */
PMON_API size_t pmon_value_fields(const struct pmon_platform *platform, const struct pmon_register_id *id,
                                  uint64_t value, const char *overlay, struct pmon_field_value *fields, size_t n);

/* A rule of the guide that a value breaks. */
struct pmon_rule_violation {
  char text[120];
  const char *cite;
};

struct pmon_decoded {
  size_t size;
  struct pmon_register_id id;
  bool any_instance; /* the text named a register, not an instance of it */
  bool any_index;    /* nor which of several */
  uint64_t value;
  uint64_t reserved; /* reserved bits that are set */
  bool has_event;    /* it is a control register that selects an event of the facts */
  struct pmon_event_info event;
  char event_text[256]; /* the event in a spelling that encodes to this value, bits aside that no event may
                           set; "" when it selects none */
  struct pmon_rule_violation broken[8];
  uint32_t n_broken;
};

/* Reads `REGISTER=VALUE`. REGISTER is a name as in the facts (Cn_MSR_PMON_CTL, Cn_MSR_PMON_CTL2), unit and role
 * (cha.ctl, cha3.ctl0), or an address (0x2002, msr:0x2002, pci:30:1.0:0x318, mmio:MEM0+0x22840).
 * PMON_OK, PMON_E_SYNTAX, PMON_E_UNKNOWN (no such register), PMON_E_AMBIGUOUS, PMON_E_RANGE (wider than it). */
PMON_API int pmon_decode(struct pmon_context *context, const struct pmon_platform *platform, const char *text,
                         struct pmon_decoded *decoded);

/* The same for a register that is known. PMON_OK, PMON_E_RANGE. */
PMON_API int pmon_decode_value(const struct pmon_platform *platform, const struct pmon_register_id *id, uint64_t value,
                               struct pmon_decoded *decoded);

PMON_END_DECLS

#endif
