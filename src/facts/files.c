/* SPDX-License-Identifier: MIT */
/* Parses the lines of a file, and the keywords that every block has. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "src/facts/parser.h"

/* Returns the origin of the row of the current block; NULL: no block is open. */
static struct db_origin *parse_origin(struct parser *p)
{
  switch (p->block) {
  case BLOCK_LAYOUT: return &build_layouts(p->b, p->row)->origin;
  case BLOCK_VALUES: return &build_values(p->b, p->row)->origin;
  case BLOCK_UNIT: return &build_units(p->b, p->row)->origin;
  case BLOCK_EVENT: return &build_events(p->b, p->row)->origin;
  case BLOCK_UMASK: return &builder_umask_extra(p->b, p->row)->origin;
  case BLOCK_METRIC: return &build_metrics(p->b, p->row)->origin;
  case BLOCK_GROUP: return &build_groups(p->b, p->row)->origin;
  case BLOCK_INVARIANT: return &build_invariants(p->b, p->row)->origin;
  case BLOCK_RULE: return &build_rules(p->b, p->row)->origin;
  case BLOCK_PLATFORM: return &p->platform.origin;
  case BLOCK_NONE: break;
  }
  return NULL;
}

int parse_refer(struct parser *p, enum ref_kind kind, uint32_t row, struct text name)
{
  struct facts_ref ref = {kind, row, builder_intern(p->b, name), parse_pos(p)};
  return p->b->no_memory || !vec_append(&p->b->refs, &ref, 1) ? PMON_E_MEMORY : 0;
}

int parse_push(struct parser *p, enum rows kind, const void *row, uint32_t *ret_row)
{
  *ret_row = builder_push(p->b, kind, row, parse_pos(p));
  return *ret_row == DB_NONE ? PMON_E_MEMORY : 0;
}

void parse_end_lines(struct parser *p)
{
  struct db_origin *origin = p->b->note.n || p->b->source.n ? parse_origin(p) : NULL;
  struct vec *const lines[] = {&p->b->note, &p->b->source};
  db_str *const texts[] = {origin ? &origin->note : NULL, origin ? &origin->source : NULL};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    if (lines[i]->n && texts[i])
      *texts[i] = builder_intern(p->b, (struct text){lines[i]->data, lines[i]->n});
    lines[i]->n = 0;
  }
}

/* Ends the current block, and checks what a single block must have. */
int parse_close_block(struct parser *p)
{
  static const enum rows kinds[] = {
      [BLOCK_LAYOUT] = ROWS_layouts,       [BLOCK_VALUES] = ROWS_values, [BLOCK_UNIT] = ROWS_units,
      [BLOCK_EVENT] = ROWS_events,         [BLOCK_UMASK] = ROWS_events,  [BLOCK_METRIC] = ROWS_metrics,
      [BLOCK_INVARIANT] = ROWS_invariants, [BLOCK_RULE] = ROWS_rules,    [BLOCK_GROUP] = ROWS_groups,
  };
  parse_end_lines(p);
  if (p->block == BLOCK_NONE || p->block == BLOCK_PLATFORM)
    return 0;
  if (p->block == BLOCK_UMASK) {
    if (!build_umasks(p->b, p->row)->brief)
      return builder_fail(p->b, PMON_E_SYNTAX, build_pos(p->b, ROWS_umasks, p->row), "brief expected: `| TEXT`");
    p->block = BLOCK_EVENT;
    p->row = build_count(p->b, ROWS_events) - 1;
  }
  struct facts_pos pos = build_pos(p->b, kinds[p->block], p->row);
  struct db_origin *origin = parse_origin(p);
  if (!origin->cite)
    origin->cite = p->file_cite;
  if (!origin->cite && p->b->user &&
      (p->block == BLOCK_METRIC || p->block == BLOCK_INVARIANT || p->block == BLOCK_GROUP))
    origin->cite = p->file;
  if (!origin->cite)
    return builder_fail(p->b, PMON_E_SYNTAX, pos, "cite expected in this block");
  if (p->block == BLOCK_EVENT && !build_events(p->b, p->row)->brief)
    return builder_fail(p->b, PMON_E_SYNTAX, pos, "brief expected in this event");
  int status = p->close ? p->close(p) : 0;
  p->block = BLOCK_NONE;
  p->close = NULL;
  return status;
}

/* Adds a line to a text of the current block. A block may have any number of lines: they are joined when it ends. */
static int add_line(struct vec *text, struct text line)
{
  return (!text->n || vec_append(text, "\n", 1)) && vec_append(text, line.s, line.n) ? 0 : PMON_E_MEMORY;
}

static int parse_cite(struct parser *p)
{
  db_str text;
  int status = parse_free_text(p, "document and place", &text);
  if (status)
    return status;
  struct db_origin *origin = parse_origin(p);
  if (p->import != DB_NONE && p->block == BLOCK_UNIT)
    build_imports(p->b, p->import)->cite = text;
  else if (origin)
    origin->cite = text;
  else
    p->file_cite = text;
  return 0;
}

static int parse_note(struct parser *p)
{
  struct text text;
  struct db_origin *origin = parse_origin(p);
  if (!origin)
    return parse_fail(p, PMON_E_SYNTAX, "a block expected before its note");
  int status = parse_free_line(p, "text of the note", &text);
  return status ? status : add_line(&p->b->note, text);
}

/* The source of an event, umask or metric is also its citation, unless the block has a `cite`; that of a unit or a
 * register may concern a part of it. */
static int parse_source(struct parser *p)
{
  struct text text;
  struct db_origin *origin = parse_origin(p);
  if (!origin)
    return parse_fail(p, PMON_E_SYNTAX, "a block expected before its source");
  int status = parse_free_line(p, "key of the source", &text);
  if (!status && !origin->cite && (p->block == BLOCK_EVENT || p->block == BLOCK_UMASK || p->block == BLOCK_METRIC))
    origin->cite = builder_intern(p->b, text);
  if (p->b->no_memory)
    return PMON_E_MEMORY;
  return status ? status : add_line(&p->b->source, text);
}

static int parse_unsure(struct parser *p)
{
  switch (p->block) {
  case BLOCK_LAYOUT: build_layouts(p->b, p->row)->flags |= DB_UNSURE; return 0;
  case BLOCK_VALUES: build_values(p->b, p->row)->flags |= DB_UNSURE; return 0;
  case BLOCK_UNIT: build_units(p->b, p->row)->flags |= DB_UNSURE; return 0;
  case BLOCK_EVENT: build_events(p->b, p->row)->flags |= DB_UNSURE; return 0;
  case BLOCK_UMASK: build_umasks(p->b, p->row)->flags |= DB_UNSURE; return 0;
  case BLOCK_METRIC: build_metrics(p->b, p->row)->flags |= DB_UNSURE; return 0;
  default: return parse_fail(p, PMON_E_SYNTAX, "a block expected before `unsure`");
  }
}

static const struct keyword common_keywords[] = {
    {"cite", parse_cite}, {"note", parse_note}, {"source", parse_source}, {"unsure", parse_unsure}, {NULL, NULL}};

static const struct keyword *keyword_find(const struct keyword *table, struct text t)
{
  for (; table->name; table++)
    if (text_is(t, table->name))
      return table;
  return NULL;
}

static int parse_line(struct parser *p, const struct keyword *table)
{
  int status;
  const struct keyword *end = table;
  while (end->name)
    end++;
  if (end->parse && (p->block == BLOCK_LAYOUT || p->block == BLOCK_VALUES) && *p->rest.s >= '0' && *p->rest.s <= '9') {
    status = end->parse(p);
  } else {
    if ((status = parse_word(p, "keyword")) != 0)
      return status;
    const struct keyword *k = keyword_find(table, p->w.t);
    if (!k)
      k = keyword_find(common_keywords, p->w.t);
    if (!k)
      return parse_fail(p, PMON_E_SYNTAX, "unknown keyword '%.*s'", (int)p->w.t.n, p->w.t.s);
    status = k->parse(p);
    if (!status && !text_is(text_of(k->name), "events"))
      p->import = DB_NONE;
  }
  return status ? status : parse_end(p);
}

int parse_text(struct parser *p, const struct keyword *table, struct text all)
{
  static const char mark[] = "\xef\xbb\xbf"; /* byte order mark, with which some editors mark UTF-8 */
  int status = 0;
  p->line = 0;
  if (all.n >= sizeof mark - 1 && !memcmp(all.s, mark, sizeof mark - 1))
    all.s += sizeof mark - 1, all.n -= sizeof mark - 1;
  while (!status && all.n) {
    const char *newline = memchr(all.s, '\n', all.n);
    size_t n = newline ? (size_t)(newline - all.s) : all.n;
    p->line++;
    p->line_start = all.s;
    p->rest = (struct text){all.s, n};
    p->w = (struct word){{"", 0}, 1};
    if (memchr(all.s, 0, n))
      return parse_fail(p, PMON_E_SYNTAX, "text expected, the line contains a NUL byte");
    if (parse_more(p))
      status = parse_line(p, table);
    if (!status && p->b->no_memory)
      status = PMON_E_MEMORY;
    all.s += n + (newline != NULL), all.n -= n + (newline != NULL);
  }
  return status ? status : parse_close_block(p);
}

bool parse_note_content(struct builder *b, const char *text, size_t size)
{
  const uint64_t length = size;
  b->bytes += size;
  sha256_add(&b->content, &length, sizeof length);
  sha256_add(&b->content, text, size);
  return b->bytes <= FACTS_BYTES_MOST;
}

void parse_begin_lines(struct builder *b, struct vec outer[2])
{
  outer[0] = b->note, outer[1] = b->source;
  vec_init(&b->note, 1);
  vec_init(&b->source, 1);
}

void parse_restore_lines(struct builder *b, const struct vec outer[2])
{
  vec_fini(&b->note);
  vec_fini(&b->source);
  b->note = outer[0], b->source = outer[1];
}

int parse_unread(struct parser *p, int status, const char *expected, const char *path)
{
  enum { SHOWN = 100 }; /* bytes of the path's end: leaves room for the reason */
  const size_t n = strlen(path), skip = n > SHOWN ? n - SHOWN : 0;
  const char *dots = skip ? "..." : "";
  if (status == PMON_E_RANGE)
    return parse_fail(p, status, "text of less than 64 MiB expected, '%s%s' is larger or contains a NUL byte", dots,
                      path + skip);
  return parse_fail(p, status, "%s'%s%s' cannot be read%s%s%s", expected, dots, path + skip, errno ? ": " : "",
                    errno ? strerror(errno) : "",
                    errno == ENOENT ? "; expected an absolute path, or one relative to the current directory" : "");
}

int parse_path(struct parser *p, const struct keyword *table, const char *path)
{
  char *text;
  size_t size;
  errno = 0;
  int status = p->reader->read(p->reader->context, path, &text, &size);
  if (status)
    return parse_unread(p, status, "", path);
  if (!parse_note_content(p->b, text, size)) {
    free(text);
    return parse_fail(p, PMON_E_RANGE, FACTS_TOO_MUCH, FACTS_BYTES_MOST >> 20);
  }
  db_str outer = p->file;
  struct vec outer_lines[2];
  parse_begin_lines(p->b, outer_lines);
  p->file = builder_intern(p->b, text_of(path));
  p->block = table ? BLOCK_NONE : BLOCK_PLATFORM;
  p->file_cite = 0;
  p->set = p->import = DB_NONE;
  p->unit_name = 0;
  status = parse_text(p, table, (struct text){text, size});
  free(text);
  parse_restore_lines(p->b, outer_lines);
  p->file = outer;
  return status;
}
