/* SPDX-License-Identifier: MIT */
/* Platform files, the files they list, and the keywords that every block knows. */
#include <stdio.h>
#include <stdlib.h>
#include "src/facts/parser.h"

#define FACTS_TOO_MUCH "files of at most %d MiB together expected"

enum { MAX_DEPTH = 8, BYTES_MOST = 256 << 20 };

struct db_origin *parse_origin(struct parser *p)
{
  switch (p->block) {
  case BLOCK_LAYOUT: return &build_layouts(p->b, p->row)->origin;
  case BLOCK_VALUES: return &build_values(p->b, p->row)->origin;
  case BLOCK_UNIT: return &build_units(p->b, p->row)->origin;
  case BLOCK_EVENT: return &build_events(p->b, p->row)->origin;
  case BLOCK_UMASK: return &build_umasks(p->b, p->row)->origin;
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
  struct db_origin *origin = parse_origin(p);
  struct vec *const lines[] = {&p->b->note, &p->b->source};
  db_str *const texts[] = {origin ? &origin->note : NULL, origin ? &origin->source : NULL};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    if (lines[i]->n && texts[i])
      *texts[i] = builder_intern(p->b, (struct text){lines[i]->data, lines[i]->n});
    lines[i]->n = 0;
  }
}

/* The block's last line has been read: what a single block must have. */
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
  int status = p->block == BLOCK_LAYOUT ? registers_close(p) : 0;
  p->block = BLOCK_NONE;
  return status;
}

/* Another line of a text of the current block: joined in the end, since each block may have as many as it likes. */
static int add_line(struct parser *p, struct vec *text, db_str more)
{
  const char *line = build_text(p->b, more);
  return (!text->n || vec_append(text, "\n", 1)) && vec_append(text, line, strlen(line)) ? 0 : PMON_E_MEMORY;
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
  db_str text;
  struct db_origin *origin = parse_origin(p);
  if (!origin)
    return parse_fail(p, PMON_E_SYNTAX, "a block expected before its note");
  int status = parse_free_text(p, "text of the note", &text);
  return status ? status : add_line(p, &p->b->note, text);
}

/* Of events, umasks and metrics the source is the citation too, unless the block has a `cite`; that of a unit or a
 * register may be about a part of it. */
static int parse_source(struct parser *p)
{
  db_str text;
  struct db_origin *origin = parse_origin(p);
  if (!origin)
    return parse_fail(p, PMON_E_SYNTAX, "a block expected before its source");
  int status = parse_free_text(p, "key of the source", &text);
  if (!status && !origin->cite && (p->block == BLOCK_EVENT || p->block == BLOCK_UMASK || p->block == BLOCK_METRIC))
    origin->cite = text;
  return status ? status : add_line(p, &p->b->source, text);
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
  if (table == registers_keywords && (p->block == BLOCK_LAYOUT || p->block == BLOCK_VALUES) && *p->rest.s >= '0' &&
      *p->rest.s <= '9') {
    status = registers_row(p);
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

static int parse_text(struct parser *p, const struct keyword *table, struct text all)
{
  static const char mark[] = "\xef\xbb\xbf"; /* by which some editors say that a text is UTF-8 */
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
      return parse_fail(p, PMON_E_SYNTAX, "text expected, the line has a zero byte");
    if (parse_more(p))
      status = parse_line(p, table);
    if (!status && p->b->no_memory)
      status = PMON_E_MEMORY;
    all.s += n + (newline != NULL), all.n -= n + (newline != NULL);
  }
  return status ? status : parse_close_block(p);
}

/* Adds a file to what names the content of the tables: its length, and its bytes. False: the files are too long
 * together, such as one that is listed many times. */
static bool parse_note_content(struct builder *b, const char *text, size_t size)
{
  const uint64_t length = size;
  b->bytes += size;
  sha256_add(&b->content, &length, sizeof length);
  sha256_add(&b->content, text, size);
  return b->bytes <= BYTES_MOST;
}

/* Lines of the block of one file are apart from those of another file that it lists or imports. */
static void lines_begin(struct builder *b, struct vec outer[2])
{
  outer[0] = b->note, outer[1] = b->source;
  vec_init(&b->note, 1);
  vec_init(&b->source, 1);
}

static void lines_end(struct builder *b, const struct vec outer[2])
{
  vec_fini(&b->note);
  vec_fini(&b->source);
  b->note = outer[0], b->source = outer[1];
}

static int parse_path(struct parser *p, const struct keyword *table, const char *path)
{
  char *text;
  size_t size;
  int status = p->reader->read(p->reader->context, path, &text, &size);
  if (status)
    return parse_fail(p, status, status == PMON_E_RANGE ? FACTS_NO_TEXT : "'%s' cannot be read", path);
  if (!parse_note_content(p->b, text, size)) {
    free(text);
    return parse_fail(p, PMON_E_RANGE, FACTS_TOO_MUCH, BYTES_MOST >> 20);
  }
  db_str outer = p->file;
  struct vec outer_lines[2];
  lines_begin(p->b, outer_lines);
  p->file = builder_intern(p->b, text_of(path));
  p->block = table ? BLOCK_NONE : BLOCK_PLATFORM;
  p->file_cite = 0;
  p->set = p->unit = p->import = DB_NONE;
  p->unit_name = 0;
  status = parse_text(p, table, (struct text){text, size});
  free(text);
  lines_end(p->b, outer_lines);
  p->file = outer;
  return status;
}

/* The path of `name`, in the folder of the current file unless it is absolute. */
static int path_beside(struct parser *p, struct text name, char *path, size_t size)
{
  const char *here = build_text(p->b, p->file), *slash = strrchr(here, '/');
  int dir = slash && !(name.n && *name.s == '/') ? (int)(slash - here) + 1 : 0;
  int n = snprintf(path, size, "%.*s%.*s", dir, here, (int)name.n, name.s);
  return n > 0 && (size_t)n < size ? 0 : parse_fail(p, PMON_E_SYNTAX, "a shorter file name expected");
}

static int platform_file(struct parser *p)
{
  static const struct {
    const char *suffix;
    const struct keyword *table;
  } kinds[] = {
      {".reg", registers_keywords}, {".unit", units_keywords}, {".evt", events_keywords},
      {".met", metrics_keywords},   {".rule", rules_keywords},
  };
  char path[512];
  int status = parse_word(p, "name of a file");
  if (status || (status = path_beside(p, p->w.t, path, sizeof path)) != 0)
    return status;
  p->files_begun = true;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    size_t n = strlen(kinds[i].suffix);
    if (p->w.t.n <= n || memcmp(p->w.t.s + p->w.t.n - n, kinds[i].suffix, n))
      continue;
    struct parser inner = *p;
    if ((status = parse_path(&inner, kinds[i].table, path)) != 0)
      return status;
    return 0;
  }
  return parse_fail(p, PMON_E_SYNTAX, "a file of kind .reg .unit .evt .met or .rule expected, not '%.*s'",
                    (int)p->w.t.n, p->w.t.s);
}

static int platform_name(struct parser *p)
{
  return parse_new_name(p, "name of the platform", &p->platform.name);
}

static int platform_title(struct parser *p)
{
  return parse_free_text(p, "title", &p->platform.title);
}

/* `cpu VENDOR FAMILY MODEL [STEPPING[-STEPPING]]` */
static int platform_cpu(struct parser *p)
{
  struct db_cpu cpu = {.stepping_hi = 15};
  uint64_t family, model, lo, hi;
  uint32_t row;
  int status = parse_name(p, "vendor", &cpu.vendor);
  if (status || (status = parse_number(p, "family", 0xfff, &family)) != 0 ||
      (status = parse_number(p, "model", 0xff, &model)) != 0)
    return status;
  cpu.family = (uint32_t)family, cpu.model = (uint32_t)model;
  p->files_begun = true;
  if (parse_more(p)) {
    if ((status = parse_word(p, "steppings")) != 0)
      return status;
    const char *dash = memchr(p->w.t.s, '-', p->w.t.n);
    size_t n = dash ? (size_t)(dash - p->w.t.s) : p->w.t.n;
    if (!text_number((struct text){p->w.t.s, n}, &lo) ||
        !text_number(dash ? (struct text){dash + 1, p->w.t.n - n - 1} : p->w.t, &hi) || lo > hi || hi > 15)
      return parse_fail(p, PMON_E_SYNTAX, "steppings such as 4 or 1-15 expected");
    cpu.stepping_lo = (uint32_t)lo, cpu.stepping_hi = (uint32_t)hi;
  }
  return parse_push(p, ROWS_cpus, &cpu, &row);
}

static int platform_clock(struct parser *p)
{
  struct db_clock clock = {0};
  uint32_t row;
  int status = parse_new_name(p, "name of the clock", &clock.name);
  struct facts_pos pos = parse_pos(p);
  if (status || (status = parse_number(p, "frequency in Hz", UINT64_MAX, &clock.hz)) != 0 ||
      (status = parse_free_text(p, "what runs on this clock", &clock.meaning)) != 0)
    return status;
  p->files_begun = true;
  p->w.column = pos.column;
  return parse_push(p, ROWS_clocks, &clock, &row);
}

static uint32_t platform_find(const struct builder *b, struct text name)
{
  for (uint32_t i = 0; i < build_count(b, ROWS_platforms); i++)
    if (text_is(name, build_text(b, build_platforms(b, i)->name)))
      return i;
  return DB_NONE;
}

static void mark_start(struct builder *b)
{
  for (int i = 0; i < ROWS_N; i++)
    b->start[i] = b->entered[i] = build_count(b, (enum rows)i);
  names_clear(&b->names);
}

/* A platform that no file gave yet: ../NAME/NAME.platform. */
static int read_imported(struct parser *p)
{
  char name[128], path[512];
  snprintf(name, sizeof name, "../%.*s/%.*s.platform", (int)p->w.t.n, p->w.t.s, (int)p->w.t.n, p->w.t.s);
  int status = path_beside(p, text_of(name), path, sizeof path);
  if (status)
    return status;
  struct vec outer = p->b->imports, outer_lines[2];
  lines_begin(p->b, outer_lines);
  vec_init(&p->b->imports, sizeof(struct platform_import));
  status = parse_platform_file(p->b, p->reader, path, p);
  vec_fini(&p->b->imports);
  p->b->imports = outer;
  lines_end(p->b, outer_lines);
  return status;
}

/* `import NAME [registers]` */
static int platform_import(struct parser *p)
{
  int status = parse_word(p, "name of a platform");
  if (status)
    return status;
  if (p->files_begun)
    return parse_fail(p, PMON_E_SYNTAX, "`import` expected before cpu, clock and file lines");
  struct word name = p->w;
  struct platform_import import = {.registers_only = parse_more(p)};
  if (import.registers_only) {
    if ((status = parse_word(p, "`registers`")) != 0)
      return status;
    if (!text_is(p->w.t, "registers"))
      return parse_fail(p, PMON_E_SYNTAX, "`registers` or end of line expected, not '%.*s'", (int)p->w.t.n, p->w.t.s);
  }
  for (uint32_t i = 0; i < p->b->imports.n; i++)
    if (text_is(
            name.t,
            build_text(p->b,
                       build_platforms(p->b, ((const struct platform_import *)vec_at(&p->b->imports, i))->row)->name)))
      return parse_fail(p, PMON_E_CONFLICT, "another platform expected, '%.*s' is imported already", (int)name.t.n,
                        name.t.s);
  p->w = name;
  import.row = platform_find(p->b, name.t);
  if (import.row == DB_NONE) {
    if ((status = read_imported(p)) != 0)
      return status;
    import.row = build_count(p->b, ROWS_platforms) - 1;
    mark_start(p->b);
  }
  return vec_append(&p->b->imports, &import, 1) ? 0 : PMON_E_MEMORY;
}

static const struct keyword platform_keywords[] = {
    {"platform", platform_name}, {"title", platform_title},   {"cpu", platform_cpu}, {"clock", platform_clock},
    {"file", platform_file},     {"import", platform_import}, {NULL, NULL}};

int parse_platform_file(struct builder *b, const struct facts_reader *reader, const char *path, struct parser *from)
{
  struct parser p = {
      .b = b, .reader = reader, .depth = from ? from->depth + 1 : 0, .file = builder_intern(b, text_of(path))};
  if (p.depth > MAX_DEPTH)
    return parse_fail(from, PMON_E_CONFLICT, "platforms that do not import each other expected");
  char *text;
  size_t size;
  int status = reader->read(reader->context, path, &text, &size);
  if (status)
    return parse_fail(from ? from : &p, status,
                      status == PMON_E_RANGE ? FACTS_NO_TEXT : "expected a platform file; '%s' cannot be read", path);
  /* Not that of facts_extend(), which has the files' paths. */
  if (*path && !parse_note_content(b, text, size)) {
    free(text);
    return parse_fail(from ? from : &p, PMON_E_RANGE, FACTS_TOO_MUCH, BYTES_MOST >> 20);
  }
  mark_start(b);
  p.block = BLOCK_PLATFORM;
  status = parse_text(&p, platform_keywords, (struct text){text, size});
  free(text);
  if (status)
    return status;
  p.line = 1, p.w.column = 1;
  if (!p.platform.name || !p.platform.title || !p.platform.origin.cite)
    return parse_fail(&p, PMON_E_SYNTAX, "%s expected in this platform",
                      !p.platform.name    ? "name"
                      : !p.platform.title ? "title"
                                          : "cite");
  const char *name = build_text(b, p.platform.name);
  uint32_t same = platform_find(b, text_of(name));
  for (uint32_t i = 0; i < b->imports.n; i++) /* one that takes over its namesake extends it */
    if (((const struct platform_import *)vec_at(&b->imports, i))->row == same)
      same = DB_NONE;
  if (same != DB_NONE)
    return parse_fail(&p, PMON_E_CONFLICT, "a new name of a platform expected, '%s' exists", name);
  uint32_t row;
  if ((status = resolve_platform(b, &p.platform)) != 0 || (status = check_platform(b, &p.platform)) != 0) {
    if (b->error && !b->error->file[0]) /* rows that were taken over have no place of their own */
      snprintf(b->error->file, sizeof b->error->file, "%s", path);
    return status;
  }
  return parse_push(&p, ROWS_platforms, &p.platform, &row);
}
