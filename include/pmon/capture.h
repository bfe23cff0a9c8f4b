/* SPDX-License-Identifier: MIT */
/*
 * A capture describes the uncore of a machine as text (docs/capture.md): processor, packages, PCI functions, devices
 * behind I/O stacks, discovery pages and the registers that the fact tables describe. It contains nothing else, so it
 * does not identify one machine among others of its kind. The emulated machine can be configured from a capture, and a
 * backend can answer from one.
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

/* Limits of a capture: packages, and the sizes of its names including the NUL. */
enum pmon_capture_limit { PMON_CAPTURE_PACKAGES = 64, PMON_CAPTURE_NAME = 48, PMON_CAPTURE_UNIT = 16 };

/* One register of one instance. `status` is PMON_OK or the status of the failed read, and `value` is then 0. */
struct pmon_captured {
  struct pmon_address address;
  uint64_t value;
  int status;
  uint32_t instance;
  char unit[PMON_CAPTURE_UNIT];
  char name[PMON_CAPTURE_NAME]; /* the register's name as pmon_register_name() formats it */
};

/* A PCI function of a package. `device` is encoded as in struct pmon_address, with the guide's numbers. */
struct pmon_captured_function {
  uint32_t package, device;
  uint16_t vendor, id, class_code;
};

struct pmon_capture_info {
  size_t size;
  const char *platform; /* the platform whose tables describe the registers */
  bool has_cpu;         /* `cpu` is valid */
  struct pmon_cpu cpu;
  uint32_t packages, functions, registers;
  uint32_t devices; /* devices behind the ports of I/O stacks */
};

/* The subject of a capture. Zero all members except `size` first. */
struct pmon_capture_source {
  size_t size;
  struct pmon_backend *backend;        /* only read */
  const struct pmon_cpu *cpu;          /* NULL: unknown */
  const struct pmon_package *packages; /* NULL: numbered from 0, without CPUs */
};

/* Reads the registers and pages of a capture. A register that the backend does not have is left out. A register whose
 * read fails for another reason is recorded with that status. The caller owns the result, which refers neither to the
 * source nor to the platform. PMON_OK, PMON_E_MEMORY, PMON_E_RANGE (more than 64 packages), PMON_E_CONFLICT (registers
 * of the platform overlap). */
PMON_API int pmon_capture_take(const struct pmon_platform *platform, const struct pmon_capture_source *source,
                               struct pmon_capture **ret_capture);

/* Parses `n` bytes of text, which may be hostile. `name` identifies the text in errors. The caller owns the result.
 * PMON_OK, PMON_E_SYNTAX and PMON_E_RANGE (the context's error record has the line and what was expected),
 * PMON_E_CONFLICT (a duplicate register, function or page word), PMON_E_MEMORY. */
PMON_API int pmon_capture_parse(struct pmon_context *context, const char *name, const char *text, size_t n,
                                struct pmon_capture **ret_capture);

/* Reads and parses a file. Status as pmon_capture_parse(), and PMON_E_IO. */
PMON_API int pmon_capture_load(struct pmon_context *context, const char *path, struct pmon_capture **ret_capture);

/* True if the text begins like a capture. Leading comments are skipped. */
PMON_API bool pmon_capture_is(const char *text, size_t n);

/* Adds a device behind a port of an I/O stack. The capture copies all of it; unprintable characters of its name become
 * '?'. PMON_OK, PMON_E_INVALID (an argument is NULL, or the device's size, unit or address is not set), PMON_E_CONFLICT
 * (another device has the same address), PMON_E_RANGE (the capture does not have the device's package; unit, address or
 * name is too long; too many devices), PMON_E_MEMORY. */
PMON_API int pmon_capture_add_device(struct pmon_capture *capture, const struct pmon_device *device);

struct pmon_limit; /* pmon/platform.h */
/* Adds a limit of the captured machine that its registers do not state. PMON_OK, PMON_E_INVALID (no name), PMON_E_RANGE
 * (no such package, too many limits, a name longer than 15 characters, or a number that is not above 0),
 * PMON_E_CONFLICT (a duplicate), PMON_E_MEMORY. */
PMON_API int pmon_capture_add_machine_limit(struct pmon_capture *capture, const struct pmon_limit *limit);

/* Fills *limit with the i-th limit, whose name belongs to the capture. PMON_OK, PMON_E_RANGE (past the last one). */
PMON_API int pmon_capture_machine_limit(const struct pmon_capture *capture, uint32_t i, struct pmon_limit *limit);

/* Fills *device with the i-th device. Its texts belong to the capture and are valid until another device is added.
 * PMON_OK, PMON_E_RANGE (past the last one), PMON_E_INVALID (size 0). */
PMON_API int pmon_capture_device(const struct pmon_capture *capture, uint32_t i, struct pmon_device *device);

/* Frees a capture. NULL is allowed. */
PMON_API void pmon_capture_free(struct pmon_capture *capture);

/* Writes the text that pmon_capture_parse() reads. The same capture gives the same bytes. Returns the length of the
 * whole text; the text was truncated when the length is not less than `size`. */
PMON_API size_t pmon_capture_format(const struct pmon_capture *capture, char *text, size_t size);

/* Fills *info. Its texts belong to the capture. PMON_OK, PMON_E_INVALID (size 0). */
PMON_API int pmon_capture_describe(const struct pmon_capture *capture, struct pmon_capture_info *info);

/* The i-th package, PCI function or register; NULL past the last one. The registers of a package are adjacent. */
PMON_API const struct pmon_package *pmon_capture_package(const struct pmon_capture *capture, uint32_t i);
PMON_API const struct pmon_captured_function *pmon_capture_function(const struct pmon_capture *capture, uint32_t i);
PMON_API const struct pmon_captured *pmon_capture_register(const struct pmon_capture *capture, uint32_t i);

/* Returns the quadwords of a package's discovery page, and their number in *ret_n. NULL: the capture has no page of
 * this package. */
PMON_API const uint64_t *pmon_capture_page(const struct pmon_capture *capture, uint32_t package, uint32_t *ret_n);

/*
 * A backend that answers like the captured machine. A register has its captured value; writes change its writable
 * fields; counters do not count. A wait ends at once because there is no workload. Registers that were not captured do
 * not exist. The capture and `platform`, which describes the fields, must outlive the backend. The capture is not
 * changed. PMON_OK, PMON_E_MEMORY.
 */
PMON_API int pmon_backend_capture_new(const struct pmon_capture *capture, const struct pmon_platform *platform,
                                      struct pmon_backend **ret_backend);

PMON_END_DECLS

#endif
