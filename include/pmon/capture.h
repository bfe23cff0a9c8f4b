/* SPDX-License-Identifier: MIT */
/*
 * A capture: what a machine shows of its uncore, as text (docs/capture.md): processor, packages, PCI functions,
 * discovery pages and the registers that the fact tables describe. Nothing else is read, so nothing in it tells one
 * computer of a kind from another. The emulated machine can be made like it, and a backend answers from it.
 */
#ifndef PMON_CAPTURE_H
#define PMON_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pmon/access.h>
#include <pmon/api.h>
#include <pmon/context.h>
#include <pmon/hardware.h>
#include <pmon/platform.h>
#include <pmon/status.h>

PMON_BEGIN_DECLS

struct pmon_capture;

/* Most packages of a capture, and the rooms of its names with the NUL. */
enum pmon_capture_limit { PMON_CAPTURE_PACKAGES = 64, PMON_CAPTURE_NAME = 48, PMON_CAPTURE_UNIT = 16 };

/* One register of one instance. status: PMON_OK, or how the backend refused to read it; value is then 0. */
struct pmon_captured {
  struct pmon_address address;
  uint64_t value;
  int status;
  uint32_t instance;
  char unit[PMON_CAPTURE_UNIT];
  char name[PMON_CAPTURE_NAME]; /* the register's, as pmon_register_name() writes it */
};

/* A PCI function of a package, by the guide's numbers (`device` as in struct pmon_address). */
struct pmon_captured_function {
  uint32_t package, device;
  uint16_t vendor, id, class_code;
};

struct pmon_capture_info {
  size_t size;
  const char *platform; /* whose tables the registers are of */
  bool has_cpu;         /* the processor is told in `cpu` */
  struct pmon_cpu cpu;
  uint32_t packages, functions, registers;
};

/* What to look at. Begin with all zeros but `size`. */
struct pmon_capture_source {
  size_t size;
  struct pmon_backend *backend;        /* only read from */
  const struct pmon_cpu *cpu;          /* NULL: not told */
  const struct pmon_package *packages; /* NULL: numbered from 0, with no CPUs */
};

/* Reads everything that belongs in a capture. What the backend has not is left out; what it refuses to read for
 * another reason is there with that status. The result is the caller's, needs neither source nor platform any more.
 * PMON_OK, PMON_E_MEMORY, PMON_E_RANGE (more than 64 packages). */
PMON_API int pmon_capture_take(const struct pmon_platform *platform, const struct pmon_capture_source *source,
                               struct pmon_capture **ret_capture);

/* Reads `n` bytes of text, which may be hostile; `name` stands for it in errors. The result is the caller's.
 * PMON_OK, PMON_E_SYNTAX and PMON_E_RANGE (line and what was expected in the context's error record), PMON_E_CONFLICT
 * (a register, function or word of a page given twice), PMON_E_MEMORY. */
PMON_API int pmon_capture_parse(struct pmon_context *context, const char *name, const char *text, size_t n,
                                struct pmon_capture **ret_capture);

/* Reads a file. As pmon_capture_parse(), and PMON_E_IO. */
PMON_API int pmon_capture_load(struct pmon_context *context, const char *path, struct pmon_capture **ret_capture);

/* Whether the text begins as a capture does, comments apart. */
PMON_API bool pmon_capture_is(const char *text, size_t n);

/* NULL is fine. */
PMON_API void pmon_capture_free(struct pmon_capture *capture);

/* Writes the text that pmon_capture_parse() reads; the same capture always makes the same bytes. Returns the length
 * that it has; it was cut when that is not less than `size`. */
PMON_API size_t pmon_capture_format(const struct pmon_capture *capture, char *text, size_t size);

/* Fills info; its texts are the capture's. PMON_OK, PMON_E_INVALID (size 0). */
PMON_API int pmon_capture_describe(const struct pmon_capture *capture, struct pmon_capture_info *info);

/* The i-th package, PCI function, register; NULL past the last one. Registers of a package stand together. */
PMON_API const struct pmon_package *pmon_capture_package(const struct pmon_capture *capture, uint32_t i);
PMON_API const struct pmon_captured_function *pmon_capture_function(const struct pmon_capture *capture, uint32_t i);
PMON_API const struct pmon_captured *pmon_capture_register(const struct pmon_capture *capture, uint32_t i);

/* The discovery page of a package: its quadwords, and their number in *ret_n; NULL: it showed none. */
PMON_API const uint64_t *pmon_capture_page(const struct pmon_capture *capture, uint32_t package, uint32_t *ret_n);

/*
 * A backend that answers as the captured machine would: each register reads as it was captured, keeps what is written
 * to its writable fields, and stands still; any wait ends at once, because nothing runs. What was not captured is not
 * there. The capture must outlive it, and so must `platform`, which knows the fields; the file is not changed.
 * PMON_OK, PMON_E_MEMORY.
 */
PMON_API int pmon_backend_capture_new(const struct pmon_capture *capture, const struct pmon_platform *platform,
                                      struct pmon_backend **ret_backend);

PMON_END_DECLS

#endif
