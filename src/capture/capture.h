/* SPDX-License-Identifier: MIT */
/* The library's internal representation of a capture. */
#ifndef PMON_CAPTURE_INTERNAL_H
#define PMON_CAPTURE_INTERNAL_H

#include <pmon/capture.h>
#include "src/base/vec.h"

/* Constants of the text format. */
enum {
  CAPTURE_VERSION = 2,
  CAPTURE_VERSION_DEVICES = 3, /* version of a text with devices or limits */
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
  struct vec functions, registers; /* rows of the public structs, grouped by package */
  struct vec devices;              /* rows of struct captured_device */
  struct vec limits;               /* rows of struct captured_limit */
  uint32_t *by_address;            /* numbers of registers, sorted by address; set by capture_sort() */
};

struct captured_device {
  uint32_t package, instance, port, class_code;
  uint16_t vendor, id;
  char unit[PMON_CAPTURE_UNIT], address[CAPTURE_ADDRESS], name[CAPTURE_DEVICE_NAME];
};

/* A limit of the machine (struct pmon_limit). */
struct captured_limit {
  uint32_t package; /* UINT32_MAX: each package */
  double number;
  char name[PMON_CAPTURE_UNIT];
};

/* Parses the rest of a `device` line: PACKAGE UNIT INSTANCE PORT ADDRESS VENDOR DEVICE CLASS [NAME], and adds the
 * device. Returns NULL on success. Otherwise *ret_status is a negative status; for PMON_E_SYNTAX the result is what was
 * expected instead of *ret_got, for PMON_E_RANGE, PMON_E_CONFLICT and PMON_E_MEMORY it is the reason. The second
 * function writes the line. */
struct text;
const char *capture_take_device(struct pmon_capture *c, struct text *rest, struct text *ret_got, int *ret_status);
struct writer;
void capture_put_device(struct writer *w, const struct captured_device *d);

/* Parses the rest of a `limit` line: NAME PACKAGE NUMBER, where PACKAGE may be `-`. As capture_take_device(). */
const char *capture_take_limit(struct pmon_capture *c, struct text *rest, struct text *ret_got, int *ret_status);
void capture_put_limit(struct writer *w, const struct captured_limit *l);

/* Makes an empty capture; NULL: no memory. */
struct pmon_capture *capture_new(void);

/* Sorts the rows by package and makes by_address. PMON_OK; PMON_E_CONFLICT: register *ret_row overlaps another one;
 * PMON_E_MEMORY. */
int capture_sort(struct pmon_capture *c, uint32_t *ret_row);

/* Compares two registers' addresses by package, space, device and offset: below, equal to or above 0. */
int capture_compare(const struct pmon_address *a, const struct pmon_address *b);

/* Returns the number of the register that contains the bytes at `a`, possibly in its high half; UINT32_MAX: none. */
uint32_t capture_find(const struct pmon_capture *c, const struct pmon_address *a);

#endif
