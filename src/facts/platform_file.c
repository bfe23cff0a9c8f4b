/* SPDX-License-Identifier: MIT */
/* Platform files: their keywords, the files they list and the platforms they import. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "src/facts/parser.h"

enum { MAX_DEPTH = 8 };

/* Writes the path of `name`, relative to the folder of the current file unless it is absolute. */
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
      (status = parse_free_text(p, "description of the clock", &clock.meaning)) != 0)
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

/* Reads an imported platform that has not been read yet: ../NAME/NAME.platform. */
static int read_imported(struct parser *p)
{
  char name[128], path[512];
  snprintf(name, sizeof name, "../%.*s/%.*s.platform", (int)p->w.t.n, p->w.t.s, (int)p->w.t.n, p->w.t.s);
  int status = path_beside(p, text_of(name), path, sizeof path);
  if (status)
    return status;
  struct vec outer = p->b->imports, outer_lines[2];
  parse_begin_lines(p->b, outer_lines);
  vec_init(&p->b->imports, sizeof(struct platform_import));
  status = parse_platform_file(p->b, p->reader, path, p);
  vec_fini(&p->b->imports);
  p->b->imports = outer;
  parse_restore_lines(p->b, outer_lines);
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
  errno = 0;
  int status = reader->read(reader->context, path, &text, &size);
  if (status)
    return parse_unread(from ? from : &p, status, "expected a platform file; ", path);
  /* The text of facts_extend() is left out: it has the files' paths. */
  if (*path && !parse_note_content(b, text, size)) {
    free(text);
    return parse_fail(from ? from : &p, PMON_E_RANGE, FACTS_TOO_MUCH, FACTS_BYTES_MOST >> 20);
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
  for (uint32_t i = 0; i < b->imports.n; i++) /* one that imports its namesake extends it */
    if (((const struct platform_import *)vec_at(&b->imports, i))->row == same)
      same = DB_NONE;
  if (same != DB_NONE)
    return parse_fail(&p, PMON_E_CONFLICT, "a new platform name expected, '%s' already exists", name);
  uint32_t row;
  if ((status = resolve_platform(b, &p.platform)) != 0 || (status = check_platform(b, &p.platform)) != 0) {
    if (b->error && !b->error->file[0]) /* imported rows have no position */
      snprintf(b->error->file, sizeof b->error->file, "%s", path);
    return status;
  }
  return parse_push(&p, ROWS_platforms, &p.platform, &row);
}
