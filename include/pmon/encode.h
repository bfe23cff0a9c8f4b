/* SPDX-License-Identifier: MIT */
/*
 * Encodes a resolved event and a counter into the register values that make the hardware count it, and decodes register
 * values into names. Each resolved event can be encoded. An encoded value never sets a reserved bit.
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

#define PMON_IMAGE_REGISTERS 16

/* The required contents of one register: `value` in the bits of `mask`. Bits outside `mask` are not changed. In a
 * filter register, bits outside the event's fields have their reset values. */
struct pmon_image_register {
  struct pmon_address address;
  struct pmon_register_id id;
  uint64_t value, mask;
};

/* The registers to write, in this order (filters first, the control register that starts the count last), and the
 * address of the count. A free-running counter needs no writes: n is 0. */
struct pmon_image {
  uint32_t n;
  struct pmon_image_register registers[PMON_IMAGE_REGISTERS];
  struct pmon_address counter;
  struct pmon_register_id counter_id;
  uint32_t width_bits; /* the counter wraps at 2^width_bits */
};

/* Encodes an event for counter `counter` of unit instance `instance` in package `package` into the caller's *image.
 * Allocates nothing. An attribute that is relative to the package (nid=my_node of the E5-2600) is resolved for node
 * `package`; a session resolves it for the node that the package's CPUNODEID names. Control fields: guide
 * 817509 1.4.0.1 and each unit's tables; E5-2600 guide 2.1. PMON_OK; PMON_E_RANGE (no such instance or counter);
 * PMON_E_UNSCHEDULABLE (the event cannot use that counter); PMON_E_UNSUPPORTED (the addresses of the unit are not
 * known, pmon_unit_info.perf_only: Linux perf counts it). */
PMON_API int pmon_event_encode(const struct pmon_event *event, uint32_t package, uint32_t instance, uint32_t counter,
                               struct pmon_image *image);

/* A field of a register and its value. */
struct pmon_field_value {
  const char *name, *meaning;
  const char *value_name; /* the name of the value, "" when it has none */
  const char *overlay;    /* the overlay that defines the field, or "" */
  uint32_t hi, lo;
  uint64_t value;
};

/* Splits a register value into its fields, high bits first, without reserved bits. The fields of overlay `overlay`
 * (NULL: none) follow. Writes up to `n` fields and returns the number of all fields. */
PMON_API size_t pmon_value_fields(const struct pmon_platform *platform, const struct pmon_register_id *id,
                                  uint64_t value, const char *overlay, struct pmon_field_value *fields, size_t n);

/* Writes the name of a field's value (pmon_value_fields()) into `text`: value_name, or for a number that the facts give
 * a form the composed name (tid 0x1b is core3.3); "" when the value has no name. Returns the length of the whole name;
 * the name was truncated when the length is not less than `size`. */
PMON_API size_t pmon_value_name(const struct pmon_platform *platform, const struct pmon_register_id *id,
                                const struct pmon_field_value *field, char *text, size_t size);

/* A programming rule that a value violates. */
struct pmon_rule_violation {
  char text[120];
  const char *cite;
};

struct pmon_decoded {
  size_t size;
  struct pmon_register_id id;
  bool any_instance; /* the text named a register without an instance */
  bool any_index;    /* the text named one of several registers without its index */
  uint64_t value;
  uint64_t reserved; /* reserved bits that are set */
  bool has_event;    /* the control register selects an event of the facts */
  struct pmon_event_info event;
  char event_text[256]; /* the event in a spelling that encodes to this value, except for bits that no event can set;
                           "" when the value selects no event. The contents of filter registers are not part of it:
                           to an event that counts only with a filter (E5-2600: TOR_INSERTS.OPCODE), add the filter's
                           fields */
  struct pmon_rule_violation violations[8];
  uint32_t n_violations;
  const struct pmon_image *beside; /* set by the caller of pmon_decode_value(): the contents of other registers of
                                      the instance, for rules about several registers; NULL: not known. Borrowed */
};

/* Decodes `REGISTER=VALUE`. REGISTER is a register as pmon_register_resolve() finds it. PMON_OK, PMON_E_SYNTAX,
 * PMON_E_UNKNOWN (no such register), PMON_E_RANGE (no such instance, or the value is wider than the register). */
PMON_API int pmon_decode(struct pmon_context *context, const struct pmon_platform *platform, const char *text,
                         struct pmon_decoded *decoded);

/* Decodes a value of a known register. PMON_OK, PMON_E_RANGE. */
PMON_API int pmon_decode_value(const struct pmon_platform *platform, const struct pmon_register_id *id, uint64_t value,
                               struct pmon_decoded *decoded);

PMON_END_DECLS

#endif
