/* SPDX-License-Identifier: MIT */
/* The parser of docs/formats.md: what its files share, the current line and the block to which it belongs. */
#ifndef PMON_FACTS_PARSER_H
#define PMON_FACTS_PARSER_H

#include <pmon/status.h>
#include "src/facts/builder.h"
#include "src/facts/facts.h"

enum block {
  BLOCK_NONE,
  BLOCK_LAYOUT,
  BLOCK_VALUES,
  BLOCK_UNIT,
  BLOCK_EVENT,
  BLOCK_UMASK,
  BLOCK_METRIC,
  BLOCK_GROUP,
  BLOCK_INVARIANT,
  BLOCK_RULE,
  BLOCK_PLATFORM
};

struct word {
  struct text t;
  uint32_t column;
};

struct parser {
  struct builder *b;
  const struct facts_reader *reader;
  struct text rest; /* of the line, from the next word on */
  const char *line_start;
  db_str file;
  uint32_t line;
  struct word w;    /* the word read last */
  char quoted[512]; /* a word in quotes, without them */
  enum block block;
  int (*close)(struct parser *p); /* completes the block when it ends; NULL: nothing to do */
  uint32_t row;                   /* the block's row */
  db_str file_cite;
  uint32_t set;              /* of .evt files */
  uint32_t import;           /* `events` row that a `cite` on the next line belongs to, else DB_NONE */
  struct facts_pos unit_pos; /* position of the `unit` line's name */
  db_str unit_name;
  struct db_platform platform;
  bool files_begun; /* rows of the platform have been read: too late for `import` */
  unsigned depth;
};

/* One keyword of a kind of file. The row with name NULL ends the table; its function parses lines that begin with a
 * digit in a layout or values block, or is NULL. */
struct keyword {
  const char *name;
  int (*parse)(struct parser *p);
};

/* Lexer (lexer.c). Each fails with what was expected in the error record. */
bool parse_more(struct parser *p);                      /* another word on this line? */
int parse_word(struct parser *p, const char *expected); /* the next word into p->w */
int parse_number(struct parser *p, const char *expected, uint64_t max, uint64_t *ret_value);
int parse_name(struct parser *p, const char *expected, db_str *ret_name);
int parse_names(struct parser *p, const char *expected, db_str *ret_names); /* one name, or several joined by commas */
/* The same for a name that is defined here: users write it later in texts of events and equations. */
int parse_new_name(struct parser *p, const char *expected, db_str *ret_name);
int parse_free_text(struct parser *p, const char *expected, db_str *ret_text);
/* The same without a copy among the strings of the facts: the text is valid as long as the line. */
int parse_free_line(struct parser *p, const char *expected, struct text *ret_text);
int parse_end(struct parser *p);                                                     /* refuses trailing words */
bool parse_pair(const struct word *w, struct text *ret_key, struct text *ret_value); /* key=value */
int parse_counters(struct parser *p, uint32_t *ret_mask);
int parse_fail(struct parser *p, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));
struct facts_pos parse_pos(const struct parser *p); /* of the word read last */

/* Files (files.c). */
/* from: the parser whose `import` names the platform; NULL: the caller names it. */
int parse_platform_file(struct builder *b, const struct facts_reader *reader, const char *path, struct parser *from);
int parse_refer(struct parser *p, enum ref_kind kind, uint32_t row, struct text name);
int parse_push(struct parser *p, enum rows kind, const void *row, uint32_t *ret_row);
int parse_close_block(struct parser *p);
/* Fails for a file that the reader has just failed to read with `status`; `expected`: what, with "; ", or "". */
int parse_unread(struct parser *p, int status, const char *expected, const char *path);
/* Parses the lines of a text; of the file at a path, with the keywords of its kind (NULL: a platform's). */
int parse_text(struct parser *p, const struct keyword *table, struct text all);
int parse_path(struct parser *p, const struct keyword *table, const char *path);
/* Adds a file, its length and bytes, to the hash that identifies the tables' content. False: the files are too long
 * together, for example because one is listed many times. */
#define FACTS_TOO_MUCH "files of at most %d MiB together expected"
enum { FACTS_BYTES_MOST = 256 << 20 };
bool parse_note_content(struct builder *b, const char *text, size_t size);
/* Keep note and source lines of a file's block apart from those of another file that it lists or imports. */
void parse_begin_lines(struct builder *b, struct vec outer[2]);
void parse_restore_lines(struct builder *b, const struct vec outer[2]);
void parse_end_lines(struct parser *p); /* gives the current block its notes and sources */

/* Copies the blocks of the imported platforms that the platform being read does not have itself (import.c). */
int import_platforms(struct builder *b);

extern const struct keyword registers_keywords[], units_keywords[], events_keywords[], metrics_keywords[],
    rules_keywords[];
int parse_role(struct parser *p, struct text t, uint32_t *ret_role);

/* `SPACE PLACE`, and the word after `step` (places.c): a number of addresses, or one of these. */
enum place_step { STEP_DEVICE = -1, STEP_CPU = -2 };
int parse_place(struct parser *p, struct db_place *place);
int parse_step(struct parser *p, const struct db_place *place, int64_t *ret_step);

/* Lines below a filter register of a unit, and the fields that they name (filters.c). */
int unit_with(struct parser *p);
int unit_narrows(struct parser *p);
int unit_acts(struct parser *p);
int unit_excludes(struct parser *p);
int unit_mask(struct parser *p);
int unit_latched(struct parser *p);
int unit_exact(struct parser *p);
/* Lines of a unit that consist of two texts, or of one word (pairs.c). */
int unit_access(struct parser *p);
int unit_kernel(struct parser *p);
int unit_root_buses(struct parser *p);
int unit_witness(struct parser *p);
int unit_own_witness(struct parser *p);
int unit_bound(struct parser *p);
int unit_interleaved(struct parser *p);
int check_filter_settings(struct builder *b, const struct db_unit *unit);
/* Parses the next word, REGISTER.FIELD=VALUE, ?=VALUE or &=VALUE, into another setting. */
int parse_use(struct parser *p);

/* After all files of a platform are read: resolves names (resolve_platform.c), then checks the blocks together. */
int resolve_platform(struct builder *b, struct db_platform *platform);
int check_names(struct builder *b);
int check_platform(struct builder *b, const struct db_platform *platform);
uint32_t build_find(struct builder *b, enum rows kind, struct text name); /* in the platform being read */
/* Kinds of names besides those of build_find(). Each owner has names of its own. */
enum claim {
  CLAIM_VALUES = ROWS_N,  /* owner: a list of values; its values */
  CLAIM_EVENTS,           /* owner: a set; its events, while platforms are imported */
  CLAIM_IMPORTED_METRICS, /* owner: a unit's name; its metrics, while platforms are imported */
  CLAIM_UNIT_NAMES,       /* owner: 0; units: the same name in any case is the first one */
  CLAIM_METRICS,          /* owner: a unit, or DB_NONE; its metrics */
  CLAIM_METRICS_ANY,      /* owner: 0; metrics of any unit */
  CLAIM_UMASK_ALIASES,    /* owner: an event's first umask; aliases of its umasks */
  CLAIM_ROWS,             /* plus enum rows; owner: the first row of a span; names in it (check_row_name()) */
  CLAIM_ALIASES = CLAIM_ROWS + ROWS_N /* plus enum rows; owner: as CLAIM_ROWS; twice the row, plus 1 for an alias */
};

/* Claims a name for a row in names_family(enum claim, owner). *ret_row: the row that has it: `row`, or an earlier one.
 * PMON_E_MEMORY. */
int build_claim(struct builder *b, uint64_t family, db_str name, uint32_t row, uint32_t *ret_row);
/* Returns the row that claimed the name; DB_NONE: none. Takes a step. */
uint32_t build_claimed(struct builder *b, uint32_t claim, uint32_t owner, struct text name);
/* Claims each name of a comma list, as build_claim(); a name that is taken stays with the earlier row. */
int build_claim_list(struct builder *b, uint32_t claim, uint32_t owner, db_str list, uint32_t row);
uint32_t build_find_field(struct builder *b, uint32_t layout, struct text name);
int check_row_name(struct builder *b, enum rows kind, struct db_span span); /* refuses two rows of one name */
/* Refuses units or events of which a name or alias is an alias of another one. */
int check_row_aliases(struct builder *b, enum rows kind, struct db_span span);
int check_events(struct builder *b, const struct db_platform *platform);
int check_rules(struct builder *b, const struct db_platform *platform);
int rule_open(struct parser *p);
int rule_brief(struct parser *p);
int rule_level(struct parser *p);
int rule_test(struct parser *p);
int rule_on(struct parser *p);
int rule_when(struct parser *p);
int rule_needs(struct parser *p);
int check_equations(struct builder *b, const struct db_platform *platform);

/* Metric groups (groups.c): lines of `.met` files, a metric that names its place among the default metrics, the groups
 * of an imported platform, and the check of a platform's groups, which orders their members. */
int group_open(struct parser *p);
int group_metrics(struct parser *p);
int group_add_default(struct parser *p, const struct db_metric *metric, uint32_t place);
int import_metric_group(struct builder *b, uint32_t from);
int import_group_member(struct builder *b, uint32_t from);
int check_groups(struct builder *b, const struct db_platform *platform);

#endif
