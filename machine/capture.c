/* SPDX-License-Identifier: MIT */
#include "machine/capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/platform.h>
#include <pmon/status.h>
#include "machine/config.h"
#include "machine/machine.h"
#include "machine/model.h"
#include "machine/pmon/state.h"
#include "machine/pmon/save.h"

/* Number of instances of `unit` in a package of the capture. */
static unsigned captured_instances(const struct pmon_capture *c, uint32_t package, const char *unit)
{
  const struct pmon_captured *r, *last = NULL;
  unsigned n = 0;
  for (uint32_t i = 0; (r = pmon_capture_register(c, i)); i++)
    if (r->address.package == package && !strcmp(r->unit, unit)) {
      n += !last || last->instance != r->instance;
      last = r;
    }
  return n;
}

static int shape_refuse(char *error, size_t error_size, const char *unit, unsigned n, const char *why)
{
  snprintf(error, error_size, "the capture has %u %s units: %s", n, unit, why);
  return PMON_E_RANGE;
}

static int config_set_shape(const struct pmon_capture *c, struct machine_config *config,
                            const struct model_shape *shape, char *error, size_t error_size)
{
  const struct config_parameter *p = machine_config_parameter(shape->id);
  const unsigned n = captured_instances(c, 0, shape->unit), packages = (unsigned)config->value[CONFIG_SOCKETS];
  for (uint32_t i = 1; i < packages; i++)
    if (captured_instances(c, i, shape->unit) != n)
      return shape_refuse(error, error_size, shape->unit, n,
                          "another package has a different number, but the machine's sockets are identical");
  /* A unit that the capture could not reach keeps the platform's default count. */
  if (n && (n < p->least || n > p->most))
    return shape_refuse(error, error_size, shape->unit, n, "the machine does not support this number");
  if (n)
    config->value[shape->id] = n;
  return PMON_OK;
}

/* Sets the memory clock: half of the captured transfer rate. */
static void config_set_memory(const struct pmon_capture *c, struct machine_config *config)
{
  const struct config_parameter *p = machine_config_parameter(CONFIG_DRAM_GHZ);
  struct pmon_limit limit;
  for (uint32_t i = 0; !pmon_capture_machine_limit(c, i, &limit); i++) {
    const double mhz = limit.number / 2e6;
    if (!strcmp(limit.name, "ddr") && mhz >= (double)p->least && mhz <= (double)p->most)
      config->value[CONFIG_DRAM_GHZ] = (uint64_t)(mhz + 0.5);
  }
}

int machine_capture_configure(const struct pmon_capture *capture, struct machine_config *config, char *error,
                              size_t error_size)
{
  struct pmon_capture_info info = {.size = sizeof info};
  const struct config_parameter *sockets = machine_config_parameter(CONFIG_SOCKETS);
  pmon_capture_describe(capture, &info);
  int status = machine_config_preset(config, info.platform);
  if (status) {
    snprintf(error, error_size, "no emulated machine for the captured platform \"%s\"", info.platform);
    return status;
  }
  if (info.packages < sockets->least || info.packages > sockets->most) {
    snprintf(error, error_size, "the capture has %u packages: the machine supports one or two", info.packages);
    return PMON_E_RANGE;
  }
  config->value[CONFIG_SOCKETS] = info.packages;
  config_set_memory(capture, config);
  for (const struct model_shape *shape = model_of(config)->shapes; !status && shape->unit; shape++)
    status = config_set_shape(capture, config, shape, error, error_size);
  return status ? status : machine_config_check(config, error, error_size);
}

/* Appends the register as dwords; an MSR stays one word. */
static void overlay_add_register(struct overlay_word *words, size_t *n, const struct pmon_captured *r)
{
  const bool halves = r->address.space != PMON_SPACE_MSR && r->address.width_bits == 64;
  words[*n] = (struct overlay_word){r->address, halves ? (uint32_t)r->value : r->value};
  ++*n;
  if (!halves)
    return;
  words[*n] = (struct overlay_word){r->address, r->value >> 32};
  words[(*n)++].address.offset += 4;
}

static size_t overlay_add_functions(struct overlay_word *words, const struct pmon_capture *c)
{
  const struct pmon_captured_function *f;
  size_t n = 0;
  for (uint32_t i = 0; (f = pmon_capture_function(c, i)); i++) {
    const struct pmon_address a = {
        .package = f->package, .space = PMON_SPACE_PCI, .width_bits = 32, .device = f->device};
    words[n++] = (struct overlay_word){a, (uint32_t)f->id << 16 | f->vendor};
    words[n] = (struct overlay_word){a, (uint32_t)f->class_code << 16};
    words[n++].address.offset = 8;
  }
  return n;
}

static size_t overlay_add_pages(struct overlay_word *words, const struct pmon_capture *c, uint32_t packages)
{
  size_t n = 0;
  for (uint32_t p = 0; p < packages; p++) {
    uint32_t length = 0;
    const uint64_t *page = pmon_capture_page(c, p, &length);
    for (uint32_t i = 0; page && i < 2 * length; i++)
      words[n++] = (struct overlay_word){{.package = p,
                                          .space = PMON_SPACE_MMIO,
                                          .width_bits = 32,
                                          .device = PMON_BAR_DISCOVERY,
                                          .offset = 4 * (uint64_t)i},
                                         (uint32_t)(page[i / 2] >> 32 * (i & 1))};
  }
  return n;
}

static size_t overlay_words_needed(const struct pmon_capture *c, const struct pmon_capture_info *info)
{
  size_t n = 2 * ((size_t)info->registers + info->functions) + 1;
  for (uint32_t p = 0; p < info->packages; p++) {
    uint32_t length = 0;
    n += pmon_capture_page(c, p, &length) ? 2 * (size_t)length : 0;
  }
  return n;
}

/* True if the capture lists the function of a register in configuration space; a capture without functions counts as
 * listing all. */
static bool function_is_listed(const struct pmon_capture *c, const struct pmon_address *a)
{
  const struct pmon_captured_function *f = pmon_capture_function(c, 0);
  if (!f || a->space != PMON_SPACE_PCI)
    return true;
  for (uint32_t i = 0; (f = pmon_capture_function(c, i)); i++)
    if (f->package == a->package && f->device == a->device)
      return true;
  return false;
}

static void register_report_difference(const struct pmon_captured *r, int status, machine_diagnostic diagnostic,
                                       void *user)
{
  char text[200];
  snprintf(text, sizeof text, "package %u, %s %u, %s: %s", r->address.package, r->unit, r->instance, r->name,
           r->status                  ? "the capture has no value: reading it failed"
           : status == PMON_E_UNKNOWN ? "the capture lists no such PCI function"
           : status == PMON_E_RANGE   ? "the machine's register lacks some of the bits that are set"
                                      : "the machine has no such register");
  if (diagnostic)
    diagnostic(user, text);
}

int machine_capture_load(struct machine *m, const struct pmon_capture *capture, machine_diagnostic diagnostic,
                         void *user)
{
  struct pmon_capture_info info = {.size = sizeof info};
  const struct pmon_captured *r;
  int unlike = 0;
  pmon_capture_describe(capture, &info);
  struct overlay_word *words = calloc(overlay_words_needed(capture, &info), sizeof *words);
  if (!words)
    return PMON_E_MEMORY;
  size_t n = overlay_add_functions(words, capture);
  n += overlay_add_pages(words + n, capture, info.packages);
  for (uint32_t i = 0; (r = pmon_capture_register(capture, i)); i++) {
    uint64_t unused;
    int status = r->status                                  ? r->status
                 : function_is_listed(capture, &r->address) ? machine_register_load(m, &r->address, r->value)
                                                            : PMON_E_UNKNOWN;
    /* A captured register that is not a monitoring register is one that a driver reads during discovery. */
    if (!r->status && status == PMON_E_NO_DEVICE && !machine_read(m, &r->address, &unused)) {
      overlay_add_register(words, &n, r);
      status = PMON_OK;
    }
    if (status) {
      unlike++;
      register_report_difference(r, status, diagnostic, user);
    }
  }
  overlay_set(&m->overlay, words, n);
  return unlike;
}
