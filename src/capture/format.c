/* SPDX-License-Identifier: MIT */
/* Formats a capture as text. */
#include <pmon/platform.h>
#include "src/base/writer.h"
#include "src/capture/capture.h"

/* Columns of a register's value and name, for alignment. */
enum { VALUE_COLUMN = 30, NAME_COLUMN = 52 };

static const char head[] =
    "# What a machine shows of its uncore: processor, packages, PCI functions, discovery pages, monitoring registers.\n"
    "# No serial numbers and no names of computers or people. The format is described in docs/capture.md of pmon.\n";

static void column(struct writer *w, size_t line, size_t column)
{
  do
    write_char(w, ' ');
  while (w->n - line < column);
}

static void put_cpu(struct writer *w, const struct pmon_cpu *cpu)
{
  write_text(w, "cpu ");
  write_text(w, cpu->vendor);
  for (int i = 0; i < 3; i++) {
    write_char(w, ' ');
    write_decimal(w, cpu->signature[i]);
  }
  write_text(w, cpu->hypervisor ? " hypervisor\n" : "\n");
}

static void put_package(struct writer *w, uint32_t number, const struct pmon_package *p)
{
  const struct {
    const char *word;
    uint64_t value;
  } words[] = {{"package ", number}, {" id ", p->id}, {" cpu ", p->cpu}, {" online ", p->online_cpus}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    write_text(w, words[i].word);
    write_decimal(w, words[i].value);
  }
  write_char(w, '\n');
}

static void put_function(struct writer *w, const struct pmon_captured_function *f)
{
  write_text(w, "function ");
  write_decimal(w, f->package);
  write_char(w, ' ');
  write_decimal(w, f->device >> 8);
  write_char(w, ':');
  write_decimal(w, f->device >> 3 & 31);
  write_char(w, '.');
  write_decimal(w, f->device & 7);
  const uint16_t words[] = {f->vendor, f->id, f->class_code};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    write_char(w, ' ');
    write_hex(w, words[i]);
  }
  write_char(w, '\n');
}

/* Writes the words that are not zero, a few per line. */
static void put_page(struct writer *w, uint32_t package, const struct capture_page *page)
{
  write_text(w, "page ");
  write_decimal(w, package);
  write_char(w, ' ');
  write_decimal(w, page->n);
  write_char(w, '\n');
  for (uint32_t first = 0; first < page->n; first += CAPTURE_WORDS_A_LINE) {
    uint32_t n = page->n - first < CAPTURE_WORDS_A_LINE ? page->n - first : CAPTURE_WORDS_A_LINE;
    while (n && !page->words[first + n - 1])
      n--;
    if (!n)
      continue;
    write_text(w, "words ");
    write_decimal(w, first);
    for (uint32_t i = 0; i < n; i++) {
      write_char(w, ' ');
      write_hex(w, page->words[first + i]);
    }
    write_char(w, '\n');
  }
}

static void put_register(struct writer *w, const struct pmon_captured *r)
{
  char address[64];
  const size_t line = w->n;
  pmon_address_format(&r->address, address, sizeof address);
  write_text(w, "  ");
  write_text(w, address);
  column(w, line, VALUE_COLUMN - 4);
  write_decimal(w, r->address.width_bits);
  column(w, line, VALUE_COLUMN);
  if (r->status)
    write_text(w, pmon_status_name(r->status));
  else
    write_hex(w, r->value);
  column(w, line, NAME_COLUMN);
  write_text(w, r->name);
  write_char(w, '\n');
}

static void put_package_parts(struct writer *w, const struct pmon_capture *c, uint32_t package)
{
  const struct pmon_captured *last = NULL;
  for (uint32_t i = 0; i < c->functions.n; i++) {
    const struct pmon_captured_function *f = vec_at(&c->functions, i);
    if (f->package == package)
      put_function(w, f);
  }
  for (uint32_t i = 0; i < c->devices.n; i++) {
    const struct captured_device *d = vec_at(&c->devices, i);
    if (d->package == package)
      capture_put_device(w, d);
  }
  if (c->pages[package].words)
    put_page(w, package, &c->pages[package]);
  for (uint32_t i = 0; i < c->registers.n; i++) {
    const struct pmon_captured *r = vec_at(&c->registers, i);
    if (r->address.package != package)
      continue;
    if (!last || last->instance != r->instance || strcmp(last->unit, r->unit)) {
      write_text(w, "unit ");
      write_decimal(w, package);
      write_char(w, ' ');
      write_text(w, r->unit);
      write_char(w, ' ');
      write_decimal(w, r->instance);
      write_char(w, '\n');
    }
    put_register(w, r);
    last = r;
  }
}

size_t pmon_capture_format(const struct pmon_capture *c, char *text, size_t size)
{
  struct writer w = {text, size, 0};
  write_text(&w, CAPTURE_HEAD " ");
  write_decimal(&w, c->devices.n || c->limits.n ? CAPTURE_VERSION_DEVICES : CAPTURE_VERSION);
  write_char(&w, '\n');
  write_text(&w, head);
  if (*c->platform) {
    write_text(&w, "platform ");
    write_text(&w, c->platform);
    write_char(&w, '\n');
  }
  if (c->has_cpu)
    put_cpu(&w, &c->cpu);
  for (uint32_t i = 0; i < c->n_packages; i++)
    put_package(&w, i, &c->packages[i]);
  for (uint32_t i = 0; i < c->limits.n; i++)
    capture_put_limit(&w, vec_at(&c->limits, i));
  for (uint32_t i = 0; i < c->n_packages; i++)
    put_package_parts(&w, c, i);
  write_text(&w, "end ");
  write_decimal(&w, (uint64_t)c->registers.n);
  write_char(&w, '\n');
  return write_end(&w);
}
