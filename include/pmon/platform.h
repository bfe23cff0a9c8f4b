/* SPDX-License-Identifier: MIT */
/*
 * A platform: the monitoring hardware of one processor model. Units are numbered from 0 in the order of the facts, and
 * so are the instances, registers and fields of a unit. Addresses are relative to a package, which the caller selects.
 */
#ifndef PMON_PLATFORM_H
#define PMON_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pmon/access.h>
#include <pmon/api.h>
#include <pmon/context.h>

PMON_BEGIN_DECLS

struct pmon_platform;

struct pmon_platform_info {
  size_t size;
  const char *name, *title, *cite, *note;
  uint32_t units, metrics;
  const char *base;    /* the platform that it imports (docs/formats.md, `import`), on whose machine it runs; its own
                          name if it imports none */
  const char *package; /* the package of its addresses: "socket", or "thread" if each hardware thread has the
                          registers */
  const char *content; /* SHA-256 of the files of a user-supplied platform, in hexadecimal; "": it is compiled in */
  uint32_t processors; /* number of `cpu` lines in its facts; 0: the facts do not name the processors */
};

/* The function of a register in its unit. PMON_ROLES lists each constant with its name (pmon_role_name()). */
#define PMON_ROLES(X)                                                                                                  \
  X(PMON_ROLE_UNIT_CTL, "unit_ctl")                                                                                    \
  X(PMON_ROLE_UNIT_STATUS, "unit_status")                                                                              \
  X(PMON_ROLE_CTL, "ctl")                                                                                              \
  X(PMON_ROLE_CTR, "ctr")                                                                                              \
  X(PMON_ROLE_FILTER, "filter")                                                                                        \
  X(PMON_ROLE_FIXED_CTL, "fixed_ctl")                                                                                  \
  X(PMON_ROLE_FIXED_CTR, "fixed_ctr")                                                                                  \
  X(PMON_ROLE_FREERUNNING, "free")                                                                                     \
  X(PMON_ROLE_GLOBAL_CTL, "global_ctl")                                                                                \
  X(PMON_ROLE_GLOBAL_STATUS, "global_status")                                                                          \
  X(PMON_ROLE_INFO, "info")
#define PMON_ROLE_VALUE(id, name) id,
enum pmon_role { PMON_ROLES(PMON_ROLE_VALUE) PMON_ROLE_N };

struct pmon_unit_info {
  size_t size;
  const char *name, *title, *cite, *note;
  const char *prefix; /* prefix of its events in Intel's event files */
  const char *perf;   /* Linux PMU, without the instance's number */
  const char *pfm;    /* libpfm4 PMU, without the instance's number */
  const char *alias;  /* other names, separated by commas */
  const char *clock;  /* the clock whose cycles its counters count */
  uint32_t instances; /* 0: no hardware, only events that other units share (pmon_event_next()) */
  uint32_t counters;  /* number of counters; counters are numbered as in pmon_event_counters(), on Montecito 4 to 15 */
  uint32_t width_bits, registers;
  uint32_t discovery;     /* unit type in the discovery page; UINT32_MAX: not listed on the page */
  const char *source;     /* the facts' source if it is not the guide, or "" */
  bool unsure;            /* no other source confirms the facts */
  bool perf_only;         /* the addresses of its registers are not known: Linux perf counts its events */
  bool summed;            /* its one instance is the sum of all instances that the kernel has in a package */
  uint32_t root_port;     /* I/O stacks: the number of the PCI device on the stack's root bus that is the root port of
                             port 0; the other ports follow. UINT32_MAX: not known, or no I/O stack */
  const char *root_buses; /* I/O stacks: the instance that each bus number of the processor belongs to, by model and
                             size of the die (docs/formats.md, `root-buses`); "": none */
  const char *witness;    /* the unit's event, with attributes, that pmon may count as a witness
                             (pmon_plan_set_witness()); "": none */
  bool own_witness;       /* the witness serves events of its own unit only */
};

/* A device, that is a PCI function other than a bridge, and the port of an I/O stack behind which it lies. Reports and
 * recordings take devices (pmon_report_add_device(), pmon_record_add_device()), and so do captures
 * (pmon_capture_add_device()), which alone use the numbers of its configuration space. */
struct pmon_device {
  size_t size;
  const char *unit;    /* the unit that counts its traffic: "iio" */
  uint32_t package;    /* the package that it is attached to */
  uint32_t instance;   /* the instance of the unit: the number of the I/O stack */
  uint32_t port;       /* the port of the stack, from 0 on; UINT32_MAX: not known */
  const char *address; /* its PCI address: "0000:17:00.0" */
  const char *name;    /* its class and name: "Ethernet controller: Ethernet Controller X710"; may be NULL */
  uint16_t vendor, id; /* from configuration space; 0: not known */
  uint32_t class_code; /* 24 bits: class, subclass, interface; 0: not known */
  /* Maximum rate of the link of its root port in one direction, from its speed and width; 0: not known. Reports mark
   * higher values of the port. */
  double link_bytes_per_second;
};

/*
 * A limit of a machine (pmon_session_options.limits). The bounds of units are computed from the limits
 * (docs/formats.md, `bound`); a value beyond its bound is PMON_VALUE_IMPLAUSIBLE.
 *
 * `name`: "ddr", transfers per second on a memory channel; "channels", the number of channels that have memory; "link",
 * transfers per second on a lane of a link between sockets; "lanes", the number of lanes of such a link; "stack", bytes
 * per second that the links of an I/O stack's ports move together in one direction, of the package's fastest stack;
 * "uncore" and "core", the highest frequencies in Hz of the uncore and of a core; "bus", the frequency in Hz that
 * ratios multiply. A limit of another name, or whose number is not above 0, has no effect.
 *
 * `package`: the package that has the limit; PMON_ALL: each package, and for "channels" the number in all packages
 * together.
 */
struct pmon_limit {
  const char *name;
  uint32_t package;
  double number;
};

struct pmon_register_info {
  size_t size;
  const char *name, *layout, *brief, *cite, *note;
  uint32_t role;  /* enum pmon_role */
  uint32_t count; /* the number of such registers per instance (one control register per counter, for example) */
  uint32_t index; /* its number among registers of that role in the unit */
  uint32_t width_bits;
  uint32_t fields;    /* fields of the layout; pmon_field_describe() numbers those of its overlays after them */
  const char *source; /* the layout's source if it is not the guide, or "" */
  const char *alias;  /* other names of the register and its layout, separated by commas */
  uint64_t reset;     /* its value after a reset */
  bool unsure;        /* no other source confirms the layout */
};

struct pmon_field_info {
  size_t size;
  const char *name, *alias, *meaning; /* name "-": bits without a name, reserved or ignored: `access` says which */
  const char *access;                 /* rw ro wo w1c w1s w0c rsvd ign; virt: the field has no bits in the hardware
                                         (docs/formats.md) */
  uint32_t hi, lo;                    /* bits, both included */
  uint64_t reset;
  const char *values;    /* name of the list of value names, or "" */
  const char *overlay;   /* the overlay that the field belongs to, or "" */
  const char *attribute; /* the access as the guides write it: RW, RW-V (the hardware changes it), RWS (a warm reset
                            keeps it), RO-V, WO, RW1C, RW0C, RV (reserved) */
};

/* A list of names for a field's values, or a table of numbers (cache geometry, latencies). */
struct pmon_values_info {
  size_t size;
  const char *name, *cite, *note, *source;
  uint32_t rows;
  bool unsure;
  const char *form; /* the text before the first of the two numbers that compose a value (core3.1); "": no form */
  uint32_t form_hi[2], form_lo[2]; /* the bits of the two numbers within the field */
};

struct pmon_value_info {
  size_t size;
  const char *name, *meaning;
  uint64_t value;
};

/* A metric of the facts (docs/formats.md, "Metrics: `*.met`"). A text that the facts do not have is "". */
struct pmon_metric_info {
  size_t size;
  const char *name;
  const char *unit; /* the unit whose instances have values; "": only packages and the total have */
  const char *brief;
  const char *equation;    /* over names of events and metrics; "" if `stale` is not "" */
  const char *printed;     /* the guide's text of the equation where `equation` differs from it; "": it is the same */
  const char *result;      /* the unit of the value: "bytes", "bytes/s", "ratio", "ns", ...; "": a number */
  const char *cite, *note; /* the guide's section; a note on the equation */
  const char *source;      /* where the metric comes from, if not from the guide */
  const char *stale;       /* why it has no equation and cannot be measured: the guide's names an event that does not
                              exist; "": it has one */
  const char *param;       /* the letter of a parameter that completes the name ("x" of RANKx) */
  uint32_t param_lo, param_hi; /* the parameter's values, both included; 0 without a parameter */
  bool per_second;             /* the equation's result is divided by the measured seconds */
  uint32_t default_place;      /* position among the default metrics, from 1; 0: not a default metric */
  bool unsure;                 /* no other source confirms the equation */
  const char *of;    /* the denominator of a ratio, in the plural: "requests"; "": not a ratio, or not in the facts */
  const char *alias; /* other names, such as those of other tools' metrics, separated by commas */
};

/* A programming rule of the guide (`pmon machine check` applies it). */
struct pmon_rule_info {
  size_t size;
  const char *name, *brief, *cite, *note;
  const char *unit; /* the unit that it applies to; "": all units */
  const char *test; /* the checker's test, or "" if the following conditions define the rule: */
  const char *on, *when, *needs;
  bool advice; /* a recommendation */
};

/* Finds a platform by name (`emr`), ignoring case. Owned by the context. PMON_OK; PMON_E_UNKNOWN (the error record
 * lists the platforms). */
PMON_API int pmon_platform_find(struct pmon_context *context, const char *name,
                                const struct pmon_platform **ret_platform);

/* Finds the platform of a processor by its CPUID vendor text, family, model and stepping (the displayed values, which
 * include the extended parts). PMON_OK; PMON_E_NO_DEVICE (the facts have no such processor). */
PMON_API int pmon_platform_find_cpu(struct pmon_context *context, const char *vendor, const uint32_t signature[3],
                                    const struct pmon_platform **ret_platform);

/* The i-th platform of the context; NULL past the last one. Loading platforms puts them before the others, so that the
 * numbers of these change. */
PMON_API const struct pmon_platform *pmon_platform_get(struct pmon_context *context, uint32_t i);

/* Fills *info. PMON_OK. */
PMON_API int pmon_platform_describe(const struct pmon_platform *platform, struct pmon_platform_info *info);

/* Finds a unit by name or alias, without an instance (`cha`) or with one (`cha3`). The instance is not checked: the
 * unit may not have it. PMON_OK, PMON_E_UNKNOWN. */
PMON_API int pmon_unit_find(const struct pmon_platform *platform, const char *name, uint32_t *ret_unit);

/* Fills *info. PMON_OK, PMON_E_RANGE (no such unit). */
PMON_API int pmon_unit_describe(const struct pmon_platform *platform, uint32_t unit, struct pmon_unit_info *info);

/* Describes one instance, whose counters can differ in number and width from the unit's (`except` in docs/formats.md).
 * PMON_OK, PMON_E_RANGE (no such unit or instance). */
PMON_API int pmon_unit_describe_instance(const struct pmon_platform *platform, uint32_t unit, uint32_t instance,
                                         struct pmon_unit_info *info);

/* Stands for the platform's register layouts, overlays included, where a function takes a unit's number. Register `reg`
 * of it is the layout with that number, from 0 in the order of the facts. A layout has no instance and no address: it
 * can describe a register whose address is in no table (an entry of the discovery page, or a capability of a PCI
 * device). */
#define PMON_UNIT_NONE UINT32_MAX

/* Describes register `reg` of a unit, or with PMON_UNIT_NONE a layout. PMON_OK, PMON_E_RANGE. */
PMON_API int pmon_register_describe(const struct pmon_platform *platform, uint32_t unit, uint32_t reg,
                                    struct pmon_register_info *info);

/* One register of a unit: register `reg`, number `index` of its `count`, of instance `instance`. */
struct pmon_register_id {
  uint32_t unit, reg, instance, index;
};

/* The register that a text names. */
struct pmon_register_match {
  size_t size;
  struct pmon_register_id id; /* the first instance and index of those that the text names */
  bool any_instance;          /* the text names a register of all instances */
  bool any_index;             /* the text names all of several registers */
};

/* Finds a register by name: as in the facts (Cn_MSR_PMON_CTL, Cn_MSR_PMON_CTL2, Cn_MSR_PMON_CTL{3-0}), with an instance
 * in place of the letter n or y before an underscore (C3_MSR_PMON_CTL2), by unit and role (cha.ctl, cha3.ctl0), or by
 * address (0x2002, msr:0x2002, msr:cpu5:0x309, pci:30:1.1:0x318, mmio:MEM0+0x22840; or as pmon_address_format() writes
 * it). An MSR that each hardware thread has is also found without the thread; any_instance is then set. A layout that
 * no register uses is found by its name; the unit of the result is then PMON_UNIT_NONE. Fills *match. PMON_OK;
 * PMON_E_UNKNOWN (no such register; the error record has similar names), PMON_E_RANGE (no such instance). */
PMON_API int pmon_register_resolve(const struct pmon_platform *platform, const char *name,
                                   struct pmon_register_match *match);

/* The address of a register. `package` of the result is 0; the caller sets it. PMON_OK, PMON_E_RANGE (also for a
 * layout, PMON_UNIT_NONE); PMON_E_UNSUPPORTED (the addresses of the unit are not known: `perf_only`). */
PMON_API int pmon_register_address(const struct pmon_platform *platform, const struct pmon_register_id *id,
                                   struct pmon_address *ret_address);

/* Finds the register at an address; if several instances or units share it, the first one. PMON_OK, PMON_E_UNKNOWN (the
 * platform has no monitoring register at this address). */
PMON_API int pmon_register_find(const struct pmon_platform *platform, const struct pmon_address *address,
                                struct pmon_register_id *ret_id);

/* Writes the name of a register into `text`, with its index if the unit has several (`Cn_MSR_PMON_CTL2`). Returns the
 * length of the whole name; the name was truncated when the length is not less than `size`. */
PMON_API size_t pmon_register_name(const struct pmon_platform *platform, const struct pmon_register_id *id, char *text,
                                   size_t size);

/* Describes field `field` of a register. The fields of the layout come first, then those of its overlays, each high
 * bits first. PMON_OK, PMON_E_RANGE (past the last). */
PMON_API int pmon_field_describe(const struct pmon_platform *platform, uint32_t unit, uint32_t reg, uint32_t field,
                                 struct pmon_field_info *info);

/* Describes the platform's i-th derived metric. PMON_OK, PMON_E_RANGE. */
PMON_API int pmon_metric_describe(const struct pmon_platform *platform, uint32_t metric, struct pmon_metric_info *info);

/* Describes the platform's i-th list of values, and one row of it. PMON_OK, PMON_E_RANGE. */
PMON_API int pmon_values_describe(const struct pmon_platform *platform, uint32_t values, struct pmon_values_info *info);
PMON_API int pmon_value_describe(const struct pmon_platform *platform, uint32_t values, uint32_t row,
                                 struct pmon_value_info *info);

/* Describes the platform's i-th programming rule. PMON_OK, PMON_E_RANGE. */
PMON_API int pmon_rule_describe(const struct pmon_platform *platform, uint32_t rule, struct pmon_rule_info *info);

/* The name of an enum pmon_space: "msr", "pci" and so on (PMON_SPACES); "?" for any other number. */
PMON_API const char *pmon_space_name(uint32_t space);
/* The name of an enum pmon_role as the fact files spell it: "ctl", "ctr", "filter" and so on; "?" for any other number.
 * */
PMON_API const char *pmon_role_name(uint32_t role);

/* Formats an address as text: `msr 0x2002`, `msr cpu5:0x309`, `pci 30:1.1 0x318`, `mmio MEM0+0x22840`, `pmc 4`. Returns
 * the length of the whole text; the text was truncated when the length is not less than `size`. */
PMON_API size_t pmon_address_format(const struct pmon_address *address, char *text, size_t size);

PMON_END_DECLS

#endif
