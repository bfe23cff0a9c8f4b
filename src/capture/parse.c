/* SPDX-License-Identifier: MIT */
/* The parser of captures. Its input is not trusted: everything has a limit, and duplicates are refused. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/base/text.h"
#include "src/capture/capture.h"
#include "src/platform/address.h"
#include "src/platform/context.h"
#include "src/platform/page.h"

enum { REGISTERS_MAX = 1 << 20, FUNCTIONS_MAX = 1 << 13, INSTANCES_MAX = 1 << 16 };

struct reader {
  struct pmon_context *context;
  struct pmon_capture *capture;
  const char *name;
  uint32_t line;
  struct text rest;          /* rest of the line */
  bool begun, ended;         /* the first line has been read; the last line has been read */
  uint32_t page;             /* package of the following words; UINT32_MAX: none */
  struct pmon_captured unit; /* unit of the following registers; an empty name: none */
};

static int capture_parse_expected(const struct reader *r, const char *expected, struct text got)
{
  return context_fail(r->context, PMON_E_SYNTAX, 0, "%.200s: line %" PRIu32 ": expected %s, not '%.*s'", r->name,
                      r->line, expected, (int)(got.n < 60 ? got.n : 60), got.s);
}

static int capture_parse_fail(const struct reader *r, int status, const char *why)
{
  return context_fail(r->context, status, 0, "%.200s: line %" PRIu32 ": %s", r->name, r->line, why);
}

static int capture_parse_number(struct reader *r, const char *what, uint64_t most, uint64_t *ret)
{
  struct text t = text_take_word(&r->rest);
  return t.n && text_number(t, ret) && *ret <= most ? 0 : capture_parse_expected(r, what, t);
}

/* Takes a required word. */
static int take_word(struct reader *r, const char *word)
{
  struct text t = text_take_word(&r->rest);
  return text_is(t, word) ? 0 : capture_parse_expected(r, word, t);
}

/* Takes a name: letters, digits and a few punctuation characters, so that it can be written again. */
static int take_name(struct reader *r, const char *what, char *to, size_t size)
{
  static const char signs[] = "_.-+/[]()";
  struct text t = text_take_word(&r->rest);
  bool good = t.n && t.n < size;
  for (size_t i = 0; good && i < t.n; i++) {
    const char c = text_lower(t.s[i]);
    good = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c && strchr(signs, c));
  }
  if (!good)
    return capture_parse_expected(r, what, t);
  memcpy(to, t.s, t.n);
  to[t.n] = 0;
  return 0;
}

static int take_package_number(struct reader *r, uint32_t *ret)
{
  uint64_t package = 0;
  struct text t = text_take_word(&r->rest);
  if (!t.n || !text_number(t, &package) || package >= r->capture->n_packages)
    return capture_parse_expected(r, "the number of an earlier package", t);
  *ret = (uint32_t)package;
  return 0;
}

static int take_platform(struct reader *r)
{
  return take_name(r, "a platform's name", r->capture->platform, sizeof r->capture->platform);
}

static int take_cpu(struct reader *r)
{
  static const char *const parts[] = {"a family", "a model", "a stepping"};
  struct pmon_cpu *cpu = &r->capture->cpu;
  uint64_t value = 0;
  if (r->capture->has_cpu)
    return capture_parse_fail(r, PMON_E_CONFLICT, "duplicate processor");
  int status = take_name(r, "a vendor of at most 12 letters", cpu->vendor, sizeof cpu->vendor);
  for (int i = 0; !status && i < 3; i++) {
    status = capture_parse_number(r, parts[i], 0xffff, &value);
    cpu->signature[i] = (uint32_t)value;
  }
  struct text t = status ? (struct text){"", 0} : text_take_word(&r->rest);
  if (!status && t.n && !text_is(t, "hypervisor"))
    status = capture_parse_expected(r, "hypervisor or end of line", t);
  cpu->hypervisor = t.n != 0;
  r->capture->has_cpu = true;
  return status;
}

static int take_package(struct reader *r)
{
  static const char *const words[] = {"id", "cpu", "online"};
  struct pmon_capture *c = r->capture;
  uint64_t value[3] = {0}, number = 0;
  if (c->n_packages == PMON_CAPTURE_PACKAGES)
    return capture_parse_fail(r, PMON_E_RANGE, "too many packages");
  struct text t = text_take_word(&r->rest);
  if (!t.n || !text_number(t, &number) || number != c->n_packages)
    return capture_parse_expected(r, "the next package's number, from 0", t);
  for (int i = 0; i < 3; i++) {
    int status = take_word(r, words[i]);
    if (!status)
      status = capture_parse_number(r, "a number", INT32_MAX, &value[i]);
    if (status)
      return status;
  }
  c->packages[c->n_packages++] = (struct pmon_package){(uint32_t)value[0], (uint32_t)value[1], (uint32_t)value[2]};
  return 0;
}

static int take_function(struct reader *r)
{
  struct pmon_capture *c = r->capture;
  struct pmon_captured_function f = {0};
  uint64_t value[3] = {0};
  struct text got = {"", 0};
  int status = take_package_number(r, &f.package);
  if (status)
    return status;
  const char *expected = address_take_device(&r->rest, &f.device, &got);
  if (expected)
    return capture_parse_expected(r, expected, got);
  for (int i = 0; !status && i < 3; i++)
    status = capture_parse_number(r, "vendor, device and class of 16 bits each", UINT16_MAX, &value[i]);
  for (uint32_t i = 0; !status && i < c->functions.n; i++) {
    const struct pmon_captured_function *g = vec_at(&c->functions, i);
    if (g->package == f.package && g->device == f.device)
      status = capture_parse_fail(r, PMON_E_CONFLICT, "duplicate function");
  }
  f.vendor = (uint16_t)value[0];
  f.id = (uint16_t)value[1];
  f.class_code = (uint16_t)value[2];
  if (!status && c->functions.n == FUNCTIONS_MAX)
    status = capture_parse_fail(r, PMON_E_RANGE, "too many functions");
  if (!status && !vec_append(&c->functions, &f, 1))
    status = capture_parse_fail(r, PMON_E_MEMORY, "no memory");
  return status;
}

/* Takes a line of a device or a limit with a function of another file. */
static int take_row(struct reader *r, const char *(*take)(struct pmon_capture *, struct text *, struct text *, int *))
{
  struct text got = {"", 0};
  int status = 0;
  const char *expected = take(r->capture, &r->rest, &got, &status);
  if (expected && status != PMON_E_SYNTAX)
    return capture_parse_fail(r, status, expected);
  return expected ? capture_parse_expected(r, expected, got) : 0;
}

static int take_device(struct reader *r)
{
  return take_row(r, capture_take_device);
}

static int take_limit(struct reader *r)
{
  return take_row(r, capture_take_limit);
}

static int take_page(struct reader *r)
{
  uint64_t n = 0;
  uint32_t package = 0;
  int status = take_package_number(r, &package);
  if (!status)
    status = capture_parse_number(r, "a number of words from 1 to 65536", DISCOVERY_WORDS, &n);
  if (!status && !n)
    status = capture_parse_fail(r, PMON_E_RANGE, "a page has at least 1 word");
  if (status)
    return status;
  struct capture_page *page = &r->capture->pages[package];
  if (page->words)
    return capture_parse_fail(r, PMON_E_CONFLICT, "duplicate page of the package");
  page->words = calloc(n, sizeof *page->words);
  page->n = (uint32_t)n;
  r->page = package;
  return page->words ? 0 : capture_parse_fail(r, PMON_E_MEMORY, "no memory");
}

static int take_words(struct reader *r)
{
  uint64_t first = 0, value = 0;
  if (r->page == UINT32_MAX)
    return capture_parse_fail(r, PMON_E_SYNTAX, "a page line must precede its words");
  const struct capture_page *page = &r->capture->pages[r->page];
  int status = capture_parse_number(r, "the number of a word of the page", page->n - 1, &first);
  for (uint32_t i = 0; !status && i < CAPTURE_WORDS_A_LINE; i++) {
    const struct text rest = r->rest, t = text_take_word(&r->rest);
    r->rest = rest;
    if (!t.n && i)
      break;
    status = capture_parse_number(r, "a word of 64 bits", UINT64_MAX, &value);
    if (!status && first + i >= page->n)
      status = capture_parse_fail(r, PMON_E_RANGE, "the page has no such word");
    if (!status && page->words[first + i])
      status = capture_parse_fail(r, PMON_E_CONFLICT, "duplicate word");
    if (!status)
      page->words[first + i] = value;
  }
  return status;
}

static int capture_parse_unit(struct reader *r)
{
  uint64_t instance = 0;
  r->unit = (struct pmon_captured){0};
  int status = take_package_number(r, &r->unit.address.package);
  if (!status)
    status = take_name(r, "a unit's name", r->unit.unit, sizeof r->unit.unit);
  if (!status)
    status = capture_parse_number(r, "an instance's number", INSTANCES_MAX - 1, &instance);
  r->unit.instance = (uint32_t)instance;
  return status;
}

/* Returns the reason why no register can have this address; NULL: it is possible. */
static const char *address_problem(const struct pmon_address *a)
{
  const bool bytes = a->space == PMON_SPACE_PCI || a->space == PMON_SPACE_MMIO;
  if (bytes && a->offset % 4)
    return "the address is not a multiple of 4";
  if (!bytes && a->width_bits != 64)
    return "a register of this kind has 64 bits";
  if (a->space == PMON_SPACE_MSR ? a->offset > UINT32_MAX
                                 : a->offset > (a->space == PMON_SPACE_PCI ? 4095 : UINT64_C(1) << 52))
    return "the address is past the end of all registers";
  return NULL;
}

/* Takes a value, or the status that is its reason for being absent. */
static int take_value(struct reader *r, struct pmon_captured *reg)
{
  struct text rest = r->rest, t = text_take_word(&rest);
  for (int status = PMON_E_MEMORY; status >= PMON_E_STOLEN; status--)
    if (text_is(t, pmon_status_name(status))) {
      r->rest = rest;
      reg->status = status;
      return 0;
    }
  return capture_parse_number(r, "a value of the register's width",
                              reg->address.width_bits == 32 ? UINT32_MAX : UINT64_MAX, &reg->value);
}

static int take_register(struct reader *r)
{
  struct pmon_captured reg = r->unit;
  uint64_t width = 0;
  struct text got;
  if (!*reg.unit)
    return capture_parse_fail(r, PMON_E_SYNTAX, "a unit line must precede its registers");
  const char *expected = address_take(&r->rest, &reg.address, &got);
  if (expected)
    return capture_parse_expected(r, expected, got);
  int status = capture_parse_number(r, "a width of 32 or 64 bits", 64, &width);
  if (!status && width != 32 && width != 64)
    status = capture_parse_fail(r, PMON_E_RANGE, "a register has 32 or 64 bits");
  reg.address.width_bits = (uint8_t)width;
  const char *why = status ? NULL : address_problem(&reg.address);
  if (why)
    return capture_parse_fail(r, PMON_E_RANGE, why);
  if (!status)
    status = take_value(r, &reg);
  if (!status)
    status = take_name(r, "the register's name", reg.name, sizeof reg.name);
  if (!status && r->capture->registers.n == REGISTERS_MAX)
    status = capture_parse_fail(r, PMON_E_RANGE, "too many registers");
  if (!status && !vec_append(&r->capture->registers, &reg, 1))
    status = capture_parse_fail(r, PMON_E_MEMORY, "no memory");
  return status;
}

static int take_head(struct reader *r)
{
  uint64_t version = 0;
  int status = take_word(r, CAPTURE_HEAD);
  if (!status)
    status = capture_parse_number(r, "a version", UINT32_MAX, &version);
  if (!status && (version < CAPTURE_VERSION || version > CAPTURE_VERSION_DEVICES))
    status = capture_parse_fail(r, PMON_E_RANGE, "a version of the format that this program does not know");
  r->begun = true;
  return status;
}

/* Takes the last line, which has the number of registers: the file is complete. */
static int take_end(struct reader *r)
{
  uint64_t n = 0;
  int status = capture_parse_number(r, "the number of registers", REGISTERS_MAX, &n);
  if (!status && n != r->capture->registers.n)
    status = capture_parse_fail(r, PMON_E_SYNTAX,
                                "the capture is incomplete: its number of registers does not match its last line");
  r->ended = true;
  return status;
}

static int capture_parse_line(struct reader *r)
{
  static const struct {
    const char *word;
    int (*take)(struct reader *r);
  } kinds[] = {{"platform", take_platform},  {"cpu", take_cpu},   {"package", take_package},
               {"function", take_function},  {"page", take_page}, {"words", take_words},
               {"unit", capture_parse_unit}, {"end", take_end},   {"device", take_device},
               {"limit", take_limit}};
  const struct text line = r->rest, first = text_take_word(&r->rest);
  int (*take)(struct reader * r) = take_register;
  if (!first.n)
    return 0;
  if (r->ended)
    return capture_parse_expected(r, "nothing after the end", first);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (text_is(first, kinds[i].word))
      take = kinds[i].take;
  if (!r->begun)
    take = take_head;
  if (take == take_head || take == take_register)
    r->rest = line;
  int status = take(r);
  const struct text more = status ? (struct text){"", 0} : text_take_word(&r->rest);
  return more.n ? capture_parse_expected(r, "end of line", more) : status;
}

/* Cuts out the line at `at`, without comment and line end; returns its length with the line end. */
static size_t cut_line(const char *text, size_t n, size_t at, struct text *ret_line)
{
  const char *end = memchr(text + at, '\n', n - at);
  const size_t length = end ? (size_t)(end - text) - at : n - at;
  size_t kept = 0;
  while (kept < length &&
         !(text[at + kept] == '#' && (!kept || text[at + kept - 1] == ' ' || text[at + kept - 1] == '\t')))
    kept++;
  if (kept == length && length && text[at + length - 1] == '\r')
    kept--;
  *ret_line = (struct text){text + at, kept};
  return length + 1;
}

int pmon_capture_parse(struct pmon_context *context, const char *name, const char *text, size_t n,
                       struct pmon_capture **ret_capture)
{
  struct reader r = {.context = context, .name = name, .page = UINT32_MAX, .capture = capture_new()};
  uint32_t row = 0;
  int status = 0;
  if (!r.capture)
    return capture_parse_fail(&r, PMON_E_MEMORY, "no memory");
  for (size_t at = 0; !status && at < n;) {
    at += cut_line(text, n, at, &r.rest);
    r.line++;
    status = capture_parse_line(&r);
  }
  if (!status && !r.begun)
    status =
        context_fail(context, PMON_E_SYNTAX, 0, "%.200s: not a capture: its first line is not \"" CAPTURE_HEAD " %d\"",
                     name, CAPTURE_VERSION);
  if (!status)
    status = capture_sort(r.capture, &row);
  if (status == PMON_E_CONFLICT && r.capture->by_address) {
    const struct pmon_captured *again = vec_at(&r.capture->registers, row);
    context_fail(context, status, 0, "%.200s: two registers have the address of %s of %s %" PRIu32, name, again->name,
                 again->unit, again->instance);
  }
  if (!status && !r.ended)
    status = context_fail(context, PMON_E_SYNTAX, 0,
                          "%.200s: the capture is incomplete: its last line is not \"end N\"", name);
  if (status)
    pmon_capture_free(r.capture);
  else
    *ret_capture = r.capture;
  return status;
}

bool pmon_capture_is(const char *text, size_t n)
{
  struct text line, word = {"", 0};
  for (size_t at = 0; !word.n && at < n;) {
    at += cut_line(text, n, at, &line);
    word = text_take_word(&line);
  }
  return text_is(word, CAPTURE_HEAD);
}
