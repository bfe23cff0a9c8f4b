/* SPDX-License-Identifier: MIT */
/* Instructions as text, in the syntax of the assembler. */
#include <stdio.h>
#include <string.h>
#include "machine/montecito/exec/decode.h"
#include "machine/montecito/exec/operations.h"
#include "machine/montecito/exec/registers.h"
#include "machine/montecito/exec/row.h"

struct writer {
  const struct exec_instruction *v;
  uint64_t bits, ip;
  char *text;
  size_t n, size;
};

static void write_text(struct writer *w, const char *text)
{
  const size_t n = strlen(text);
  if (w->n + n < w->size) {
    memcpy(w->text + w->n, text, n + 1);
    w->n += n;
  }
}

static void write_number(struct writer *w, const char *format, uint64_t value)
{
  char text[40];
  snprintf(text, sizeof text, format, (unsigned long long)value);
  write_text(w, text);
}

static unsigned field_of(const struct writer *w, unsigned low, unsigned width)
{
  return (unsigned)(w->bits >> low & ((1u << width) - 1));
}

/* Returns the tag of a prediction: the address of the predicted branch's bundle. */
static uint64_t tag_of(const struct writer *w)
{
  const int64_t tag = (int64_t)(field_of(w, 33, 2) << 7 | field_of(w, 6, 7));
  return w->ip + (uint64_t)((tag ^ 256) - 256) * 16;
}

static void write_operand(struct writer *w, char which)
{
  const struct exec_instruction *v = w->v;
  switch (which) {
  case '1': write_number(w, "r%llu", v->r1); break;
  case '2': write_number(w, "r%llu", v->r2); break;
  case '3': write_number(w, "r%llu", v->r3); break;
  case 'a': write_number(w, "f%llu", v->r1); break;
  case 'b': write_number(w, "f%llu", v->r2); break;
  case 'c': write_number(w, "f%llu", v->r3); break;
  case 'd': write_number(w, "f%llu", v->r4); break;
  case 'p': write_number(w, "p%llu", v->p1); break;
  case 'q': write_number(w, "p%llu", v->p2); break;
  case 'j': write_number(w, "b%llu", field_of(w, 6, 3)); break;
  case 'k': write_number(w, "b%llu", field_of(w, 13, 3)); break;
  case 'i': write_number(w, "%lld", (uint64_t)v->imm); break;
  case 'x': write_number(w, "0x%llx", (uint64_t)v->imm); break;
  case 'm': write_number(w, "%llu", v->pos); break;
  case 'l': write_number(w, "%llu", v->len); break;
  case 't': write_number(w, "0x%llx", w->ip + (uint64_t)v->imm); break;
  case 'g': write_number(w, "0x%llx", tag_of(w)); break;
  case 'T': write_number(w, "0x%llx", w->ip + (((uint64_t)field_of(w, 24, 9) ^ 256) - 256) * 16); break;
  case 'V':
    write_number(w, "%llu,", v->r2);
    write_number(w, "%llu,", v->r3);
    write_number(w, "%llu", 8 * (uint64_t)field_of(w, 27, 4));
    break;
  default: break;
  }
}

static void write_register(struct writer *w, char which)
{
  const char *name = which == 'A' ? exec_application_name(w->v->r3) : exec_control_name(w->v->r3);
  if (name)
    write_text(w, name);
  else
    write_number(w, which == 'A' ? "ar%llu" : "cr%llu", w->v->r3);
}

static void write_completer(struct writer *w, char which)
{
  static const char *const hints[] = {"", ".nt1", ".nt2", ".nta"};
  static const char *const whether[] = {".sptk", ".spnt", ".dptk", ".dpnt"};
  static const char *const mux[16] = {[0] = "@brcst", [8] = "@mix", [9] = "@shuf", [10] = "@alt", [11] = "@rev"};
  switch (which) {
  case 'h': write_text(w, hints[field_of(w, 28, 2)]); break;
  case 's': write_number(w, ".s%llu", field_of(w, 34, 2)); break;
  case 'w': write_text(w, whether[field_of(w, 33, 2)]); break;
  case 'P': write_text(w, field_of(w, 12, 1) ? ".many" : ".few"); break;
  case 'D': write_text(w, field_of(w, 35, 1) ? ".clr" : ""); break;
  case 'I': write_text(w, field_of(w, 35, 1) ? ".imp" : ""); break;
  case 'M': write_text(w, mux[w->v->imm & 15] ? mux[w->v->imm & 15] : "?"); break;
  case 'X':
    write_number(w, "0x%llx,", (uint64_t)w->v->imm & 127);
    write_number(w, "0x%llx", (uint64_t)w->v->imm >> 7);
    break;
  default: write_register(w, which); break;
  }
}

void exec_disassemble(const struct exec_instruction *v, uint64_t bits, uint64_t ip, char *text, size_t text_size)
{
  struct writer w = {v, bits, ip, text, 0, text_size};
  *text = 0;
  if (!v->row) {
    write_number(&w, "illegal 0x%011llx", bits);
    return;
  }
  if (v->qp && !(v->row->mask & 0x3f))
    write_number(&w, "(p%02llu) ", v->qp);
  for (const char *c = v->row->text; *c; c++) {
    if (*c != '%')
      write_text(&w, (char[2]){*c, 0});
    else if (strchr("123abcdpqjkixmltgTV", *++c))
      write_operand(&w, *c);
    else
      write_completer(&w, *c);
  }
}
