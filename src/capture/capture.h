/* SPDX-License-Identifier: MIT */
/* A capture inside the library. */
#ifndef PMON_CAPTURE_INTERNAL_H
#define PMON_CAPTURE_INTERNAL_H

#include <pmon/capture.h>
#include "src/base/vec.h"

/* Lines and words of the text that are always the same. */
enum {
  CAPTURE_VERSION = 2,
  CAPTURE_VERSION_DEVICES = 3, /* with devices or limits */
  CAPTURE_WORDS_A_LINE = 4,
  CAPTURE_ADDRESS = 16,
  CAPTURE_DEVICE_NAME = 160
};
#define CAPTURE_HEAD "pmon-capture"

struct capture_page {
  uint64_t *words;
  uint32_t n;
};

struct pmon_capture {
  char platform[32];
  bool has_cpu;
  struct pmon_cpu cpu;
  uint32_t n_packages;
  struct pmon_package packages[PMON_CAPTURE_PACKAGES];
  struct capture_page pages[PMON_CAPTURE_PACKAGES];
  struct vec functions, registers; /* rows of the public structs, those of a package together */
  struct vec devices;              /* rows of struct captured_device */
  struct vec limits;               /* rows of struct captured_limit */
  uint32_t *by_address;            /* registers' numbers, sorted; set by capture_sort() */
};

struct captured_device {
  uint32_t package, instance, port, class_code;
  uint16_t vendor, id;
  char unit[PMON_CAPTURE_UNIT], address[CAPTURE_ADDRESS], name[CAPTURE_DEVICE_NAME];
};

/* What the machine says of itself, beside its registers. */
struct captured_limit {
  uint32_t package; /* UINT32_MAX: of each */
  double number;
  char name[PMON_CAPTURE_UNIT];
};

/* What stands behind `device` on its line: PACKAGE UNIT INSTANCE PORT ADDRESS VENDOR DEVICE CLASS [NAME]. Adds the
 * device. NULL; else what was expected instead of *ret_got, with *ret_status PMON_E_MEMORY or PMON_E_SYNTAX. */
struct text;
const char *capture_take_device(struct pmon_capture *c, struct text *rest, struct text *ret_got, int *ret_status);
struct writer;
void capture_put_device(struct writer *w, const struct captured_device *d);

/* What stands behind `limit` on its line: NAME PACKAGE NUMBER, where PACKAGE may be `-`. As capture_take_device(). */
const char *capture_take_limit(struct pmon_capture *c, struct text *rest, struct text *ret_got, int *ret_status);
void capture_put_limit(struct writer *w, const struct captured_limit *l);

/* An empty one; NULL: no memory. */
struct pmon_capture *capture_new(void);

/* Brings the rows into the order of their packages and makes by_address. PMON_OK; PMON_E_CONFLICT: registers
 * *ret_row and another one stand on the same bytes; PMON_E_MEMORY. */
int capture_sort(struct pmon_capture *c, uint32_t *ret_row);

/* Below, equal or above 0 as the addresses of two registers are in order: by package, space, device, offset. */
int capture_compare(const struct pmon_address *a, const struct pmon_address *b);

/* The number of the register in which the bytes at `a` stand, which may be the high half of it; UINT32_MAX: none. */
uint32_t capture_find(const struct pmon_capture *c, const struct pmon_address *a);

#endif
