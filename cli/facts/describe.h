/* SPDX-License-Identifier: MIT */
/* Pieces that several subcommands write the same way. */
#ifndef CLI_FACTS_DESCRIBE_H
#define CLI_FACTS_DESCRIBE_H

#include "cli/common/cli.h"

/* unit/EVENT.UMASK/ */
void describe_event_name(struct out *o, const struct pmon_event_info *e);
size_t describe_event_name_length(const struct pmon_event_info *e);
/* The object that `pmon list --json` gives for an event, without the line's end. */
void describe_event_json(struct out *o, const struct pmon_event_info *e);
/* Whether the options' patterns, code and counter ask for an event. */
bool describe_wanted(const struct pmon_event_info *e, const struct cli_options *o);
/* "label    text", wrapped; nothing when the text is empty. */
void describe_line(struct out *o, const char *label, const char *text);
/* The same with a format, up to 1023 bytes. */
void describe_format(struct out *o, const char *label, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* What the lines below are about, and what that is. */
void describe_heading(struct out *o, const char *text, const char *what);
/* A line for each line of the notes. */
void describe_notes(struct out *o, const char *label, const char *text);
/* The codes and fields that select an event. */
void describe_selection(struct out *o, const struct pmon_event_info *e);
/* The numbers of the bits that are set: "0, 1, 3". */
void describe_mask(uint64_t mask, char *text, size_t size);
/* {register, space, device, address, value, fields}; `overlay` may be "". */
struct describe_register {
  struct pmon_register_id id;
  struct pmon_address address;
  uint64_t value;
  const char *overlay;
};
void describe_register_json(struct cli *cli, const struct describe_register *r);
/* name=value ... of fields that are not 0. */
void describe_fields(struct cli *cli, const struct describe_register *r, size_t indent);
/* Members space, device (where there is one) and address. */
void describe_address_json(struct out *o, const struct pmon_address *a);
/* The fields of a register of a unit, one a line. */
void describe_layout(struct cli *cli, uint32_t unit, uint32_t reg);
/* The object that `pmon metrics --json` gives for a metric, without the line's end. */
void describe_metric_json(struct out *o, const char *platform, const struct pmon_metric_info *m);
/* Whether `pattern` stands in `text`, case apart; with * or ? it must be the whole of it. */
bool describe_matches(const char *pattern, const char *text);

#endif
