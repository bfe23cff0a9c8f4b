/* SPDX-License-Identifier: MIT */
/* Output that several subcommands share. */
#ifndef CLI_FACTS_DESCRIBE_H
#define CLI_FACTS_DESCRIBE_H

#include "cli/common/cli.h"

/* Writes unit/EVENT.UMASK/. */
void describe_event_name(struct out *o, const struct pmon_event_info *e);
size_t describe_event_name_length(const struct pmon_event_info *e);
/* Writes the object that `pmon list --json` prints for an event, without the newline. */
void describe_event_json(struct out *o, const struct pmon_event_info *e);
/* Whether the event matches a pattern; whether it matches the options' patterns, code and counter (wanted.c). */
bool describe_event_matches(const struct cli *cli, const struct pmon_event_info *e, const char *pattern);
bool describe_wanted(const struct cli *cli, const struct pmon_event_info *e, const struct cli_options *o);
/* Writes the members of an object that state where a fact comes from. */
void describe_origin_json(struct out *o, const char *source, bool unsure, const char *cite);
/* Writes "label    text", wrapped; nothing if the text is empty. */
void describe_line(struct out *o, const char *label, const char *text);
/* The same with a format; the text is cut after 1023 bytes. */
void describe_format(struct out *o, const char *label, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Formats what one count of an event with a scale is. */
void describe_scale(const struct pmon_event_info *e, char *text, size_t size);
/* Writes where a fact comes from; what pmon's authors chose is pmon's own. */
void describe_source(struct out *o, const char *source);
/* Writes a headline: the name and what it is. */
void describe_heading(struct out *o, const char *text, const char *what);
/* Writes one line for each line of the notes. */
void describe_notes(struct out *o, const char *label, const char *text);
/* The notes of the event, then those of its umask. */
void describe_event_notes(struct out *o, const struct pmon_event_info *e);
/* Writes the codes and fields that select an event. */
void describe_selection(struct out *o, const struct pmon_event_info *e);
/* Writes the event's name in the spelling of Intel's event files ("event files" if it was taken from them, else
 * "Intel style": pmon accepts the name, but the files may lack it), and Linux perf's where that is known. */
void describe_other_names(struct out *o, const struct pmon_unit_info *u, const struct pmon_event_info *e,
                          const char *name);
/* Writes the numbers of the bits that are set: "0, 1, 3". */
void describe_mask(uint64_t mask, char *text, size_t size);
/* Writes {register, space, device, address, value, fields}; `overlay` may be "". */
struct describe_register {
  struct pmon_register_id id;
  struct pmon_address address;
  uint64_t value;
  const char *overlay;
};
void describe_register_json(struct cli *cli, const struct describe_register *r);
/* Writes name=value ... of the fields that are not 0. */
void describe_fields(struct cli *cli, const struct describe_register *r, size_t indent);
/* Writes the members space, device (if the address has one) and address. */
void describe_address_json(struct out *o, const struct pmon_address *a);
/* Writes the programming rules that a register's new value violates, as far as the event's registers show it. */
void describe_violations(struct cli *cli, const struct pmon_image *image, const struct pmon_image_register *r);
/* Writes what `pmon show` prints for a register by any of its names. False: there is none. */
bool describe_register(struct cli *cli, const char *name);
/* The same for the registers with that name and a number: CPUID0 to CPUID4. False: there are none. */
bool describe_register_family(struct cli *cli, const char *name);
/* Reports that no row matches the arguments when `found` is 0, with near names of `kinds` (NEAR_...): CLI_USAGE then,
 * else CLI_DONE. */
int describe_found(const struct cli *cli, const struct cli_options *o, unsigned kinds, uint32_t found);
/* Writes the object that `pmon metrics --json` prints for a metric, without the newline. */
void describe_metric_json(struct out *o, const char *platform, const struct pmon_metric_info *m);
/* Whether `name` is the metric's, with `unit/` before it or not, and with a value for its parameter (DATA_TO_NODE1 for
 * DATA_TO_NODEx) or not. */
bool describe_is_metric(const struct pmon_metric_info *m, const char *name);
/* Writes the name of the metric that other tools call `name` (memory_bandwidth_read); false: none is called so. */
bool describe_metric_of_other(struct cli *cli, const char *name, char *own, size_t size);
/* Whether `text` contains `pattern`, ignoring case; a pattern with * or ? must match the whole text. */
bool describe_matches(const char *pattern, const char *text);
/* Whether all arguments match one of two texts. */
bool describe_name_wanted(const struct cli_options *o, const char *a, const char *b);
/* Writes the metric group of this name with its members. False: there is none. */
bool describe_group(struct cli *cli, const char *name);

/* The number of the lowest bit that is set; 63: none below. */
uint32_t describe_lowest_bit(uint64_t mask);

/* Returns the leading counter (pmon_event_leader()) of the first counter that can count the event. */
uint32_t describe_first_counter(const struct pmon_event *event);

#endif
