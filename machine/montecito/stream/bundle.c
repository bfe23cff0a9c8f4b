/* SPDX-License-Identifier: MIT */
/* Bundles of the stream's text form: slots, instructions and their attributes (docs/bundles.md). */
#include <string.h>
#include <pmon/status.h>
#include "machine/montecito/stream/line.h"

static const char *const ops[OP_N] = {
    [OP_PLAIN] = "plain",  [OP_NOP] = "nop",       [OP_FP1] = "fp1",           [OP_FP2] = "fp2",
    [OP_FP4] = "fp4",      [OP_LOAD] = "ld",       [OP_FLOAD] = "ldf",         [OP_STORE] = "st",
    [OP_FSTORE] = "stf",   [OP_SEMAPHORE] = "sem", [OP_LFETCH] = "lfetch",     [OP_LOAD_CHECK] = "ldc",
    [OP_CHECK_A] = "chka", [OP_CHECK_S] = "chks",  [OP_LOAD_ADVANCED] = "lda", [OP_LOAD_SPECULATIVE] = "lds",
    [OP_FC] = "fc",        [OP_SRLZ] = "srlz",     [OP_ALLOC] = "alloc",       [OP_BRANCH] = "br",
    [OP_CALL] = "call",    [OP_RETURN] = "ret",    [OP_INDIRECT] = "ind",      [OP_RFI] = "rfi"};
static const struct {
  const char *name;
  uint32_t flags;
} flags[] = {{"off", SLOT_OFF},
             {"taken", SLOT_TAKEN},
             {"right", SLOT_PREDICTED},
             {"wrongpath", SLOT_PREDICTED | SLOT_WRONG_PATH},
             {"wrongtarget", SLOT_PREDICTED | SLOT_WRONG_TARGET},
             {"unknownpath", SLOT_UNKNOWN_PATH},
             {"stg", SLOT_BE_STG},
             {"rot", SLOT_BE_ROT},
             {"pfs", SLOT_BE_PFS},
             {"many", SLOT_MANY},
             {"uc", SLOT_UC},
             {"misaligned", SLOT_MISALIGNED},
             {"fail", SLOT_FAIL},
             {"fp", SLOT_FP},
             {"used", SLOT_USED},
             {"shared", SLOT_SHARED},
             {"hit", SLOT_REMOTE_HIT},
             {"hitm", SLOT_REMOTE_HITM},
             {"alatfull", SLOT_ALAT_FULL},
             {"b0", SLOT_ENCODED},
             {"oversub", SLOT_OVERSUBSCRIBED},
             {"fault", SLOT_FAULT}};
static const char *const wheres[WHERE_N] = {NULL, "l1", "l2", "l3", "mem"};
static const char *const tlbs[TLB_N] = {NULL, "tlb1", "tlb2", "walk", "tlbfault"};

/* One attribute of a slot: a flag, a level, or a latency. */
static int slot_attribute(struct stream_line *l, struct montecito_slot *s, const char *word)
{
  uint64_t value;
  int i;
  for (size_t f = 0; f < sizeof flags / sizeof *flags; f++)
    if (!strcmp(flags[f].name, word)) {
      s->flags |= flags[f].flags;
      return PMON_OK;
    }
  if ((i = STREAM_FIND(wheres, word)) > 0)
    s->where = (uint8_t)i;
  else if ((i = STREAM_FIND(tlbs, word)) > 0)
    s->tlb = (uint8_t)i;
  else if (!strncmp(word, "lat=", 4) && stream_parse_number(word + 4, &value) && value && value <= UINT32_MAX)
    s->latency = (uint32_t)value;
  else
    return stream_error(l, PMON_E_SYNTAX, "no such attribute of an instruction; docs/bundles.md lists them", word);
  return PMON_OK;
}

/* OP[@ENCODING][=ADDRESS][,ATTRIBUTE...] */
static int stream_parse_slot(struct stream_line *l, char *word, uint8_t type, struct montecito_slot *s)
{
  char *attributes = strchr(word, ','), *address, *encoding;
  int op;
  s->type = type;
  if (attributes)
    *attributes++ = 0;
  if ((address = strchr(word, '=')))
    *address++ = 0;
  if ((encoding = strchr(word, '@')))
    *encoding++ = 0;
  if (!strcmp(word, "alu")) {
    s->type = type == SLOT_M || type == SLOT_I ? SLOT_A : type;
    op = OP_PLAIN;
  } else if ((op = STREAM_FIND(ops, word)) < 0) {
    return stream_error(l, PMON_E_SYNTAX, "no such instruction; docs/bundles.md lists them", word);
  }
  s->op = (uint8_t)op;
  if (op >= OP_BRANCH && type != SLOT_B)
    return stream_error(l, PMON_E_SYNTAX, "a branch needs a B slot", word);
  if (address && !stream_parse_number(address, &s->address))
    return stream_error(l, PMON_E_SYNTAX, "expected an address after =, not", address);
  if (encoding && (!stream_parse_number(encoding, &s->encoding) || s->encoding >> 41))
    return stream_error(l, PMON_E_RANGE, "expected an encoding of 41 bits after @, not", encoding);
  for (char *save = NULL, *a = attributes ? strtok_r(attributes, ",", &save) : NULL; a;
       a = strtok_r(NULL, ",", &save)) {
    const int status = slot_attribute(l, s, a);
    if (status)
      return status;
  }
  return PMON_OK;
}

static int fetch_attribute(struct stream_line *l, struct montecito_bundle *b, const char *word)
{
  uint64_t value;
  int i;
  if (!strcmp(word, ";;"))
    b->flags |= BUNDLE_STOP;
  else if (!strcmp(word, "uc"))
    b->flags |= BUNDLE_UC;
  else if (!strcmp(word, "rab"))
    b->flags |= BUNDLE_RAB;
  else if (!strcmp(word, "isb"))
    b->flags |= BUNDLE_ISB;
  else if ((i = STREAM_FIND(wheres, word)) > 0)
    b->where = (uint8_t)i;
  else if ((i = STREAM_FIND(tlbs, word)) > 0)
    b->tlb = (uint8_t)i;
  else if (!strncmp(word, "lat=", 4) && stream_parse_number(word + 4, &value) && value && value <= UINT32_MAX)
    b->latency = (uint32_t)value;
  else
    return stream_error(l, PMON_E_SYNTAX, "no such attribute of a bundle; docs/bundles.md lists them", word);
  return PMON_OK;
}

int stream_parse_bundle(struct stream_line *l, struct montecito_record *r)
{
  static const char *const templates[] = {"mii", "mi;i", "mlx", "mmi", "m;mi", "mfi",
                                          "mmf", "mib",  "mbb", "bbb", "mmb",  "mfb"};
  static const char letters[] = "mifb";
  struct montecito_bundle *b = &r->bundle;
  const char *template = l->n > 2 ? l->word[2] : "";
  unsigned w = 3;
  r->kind = RECORD_BUNDLE;
  if (*l->word[0] == '+')
    b->flags |= BUNDLE_JOINED;
  if (l->n < 4 || !stream_parse_number(l->word[1], &b->address))
    return stream_error(l, PMON_E_SYNTAX, "expected an address, a template and slots after", l->word[0]);
  if (STREAM_FIND(templates, template) < 0)
    return STREAM_ERROR_WORDS(l, "template", template, templates);
  b->n_slots = 3;
  for (unsigned i = 0; i < 3; i++) {
    if (*template == ';') {
      b->flags |= i == 1 ? BUNDLE_STOP_AFTER_0 : BUNDLE_STOP_AFTER_1;
      template ++;
    }
    const char letter = *template ++;
    if (letter == 'l') {
      b->flags |= BUNDLE_LONG;
      b->slot[i].type = SLOT_L;
      continue;
    }
    if (w >= l->n)
      return stream_error(l, PMON_E_SYNTAX, "too few slots for the template", l->word[2]);
    const char *type = strchr(letters, letter);
    const int status = stream_parse_slot(l, l->word[w++], (uint8_t)(type ? type - letters : SLOT_I), &b->slot[i]);
    if (status)
      return status;
  }
  for (; w < l->n; w++)
    for (char *save = NULL, *a = strtok_r(l->word[w], ",", &save); a; a = strtok_r(NULL, ",", &save)) {
      const int status = fetch_attribute(l, b, a);
      if (status)
        return status;
    }
  return PMON_OK;
}
