/* SPDX-License-Identifier: MIT */
/* `*.evt`: events and their umasks. */
#include "src/facts/parser.h"

/* `events SET`: the events that follow belong to that set. */
static int events_set(struct parser *p)
{
  int status = parse_close_block(p);
  if (status || (status = parse_name(p, "name of an event set", &p->unit_name)) != 0)
    return status;
  struct facts_pos pos = parse_pos(p);
  p->set = build_find(p->b, ROWS_sets, p->w.t);
  if (p->set != DB_NONE)
    return 0;
  struct db_set set = {.name = p->unit_name};
  p->set = builder_push(p->b, ROWS_sets, &set, pos);
  return p->set == DB_NONE ? PMON_E_MEMORY : 0;
}

static int push_setting(struct parser *p, struct db_span *settings)
{
  struct text key, value;
  struct db_setting setting = {.when = DB_SETTING_ALWAYS};
  uint32_t at;
  if (!parse_pair(&p->w, &key, &value) || !text_number(value, &setting.value))
    return parse_fail(p, PMON_E_SYNTAX, "field=value or end of line expected, not '%.*s'", (int)p->w.t.n, p->w.t.s);
  setting.name = builder_intern(p->b, key);
  settings->n++;
  return parse_push(p, ROWS_settings, &setting, &at);
}

static int event_fixed(struct parser *p, struct db_event *e)
{
  int status = parse_word(p, "role of the counter");
  if (status)
    return status;
  const char *colon = memchr(p->w.t.s, ':', p->w.t.n);
  struct text role = {p->w.t.s, colon ? (size_t)(colon - p->w.t.s) : p->w.t.n};
  uint64_t index = 0;
  if (colon && (!text_number((struct text){colon + 1, p->w.t.n - role.n - 1}, &index) || index > UINT32_MAX))
    return parse_fail(p, PMON_E_SYNTAX, "ROLE:INDEX expected, not '%.*s'", (int)p->w.t.n, p->w.t.s);
  e->fixed_index = (uint32_t)index;
  status = parse_role(p, role, &e->fixed_role);
  if (!status && e->fixed_role != PMON_ROLE_FIXED_CTR && e->fixed_role != PMON_ROLE_FREERUNNING)
    status = parse_fail(p, PMON_E_SYNTAX, "fixed_ctr or free expected, not '%.*s'", (int)role.n, role.s);
  return status;
}

static int event_counters(struct parser *p, struct db_event *e)
{
  e->flags |= DB_COUNTERS_GIVEN;
  return parse_counters(p, &e->counters);
}

static int event_max(struct parser *p, struct db_event *e)
{
  uint64_t n;
  int status = parse_number(p, "largest increment per cycle", UINT32_MAX, &n);
  if (!status)
    e->max_inc = (uint32_t)n;
  return status;
}

static int event_overlay(struct parser *p, struct db_event *e)
{
  (void)e;
  int status = parse_word(p, "name of an overlay");
  return status ? status : parse_refer(p, REF_EVENT_OVERLAY, build_count(p->b, ROWS_events), p->w.t);
}

static int event_filters(struct parser *p, struct db_event *e)
{
  return parse_name(p, "REGISTER.FIELD list", &e->filters);
}

static int event_category(struct parser *p, struct db_event *e)
{
  return parse_name(p, "category", &e->category);
}

static int event_result(struct parser *p, struct db_event *e)
{
  return parse_name(p, "unit of the counts", &e->result);
}

static int event_scale(struct parser *p, struct db_event *e)
{
  int status = parse_word(p, "scale");
  if (status)
    return status;
  if (!text_real(p->w.t, &e->scale) || !(e->scale > 0))
    return parse_fail(p, PMON_E_SYNTAX, "a positive number expected, not '%.*s'", (int)p->w.t.n, p->w.t.s);
  return 0;
}

static int event_bare(struct parser *p, struct db_event *e)
{
  (void)p;
  e->flags |= DB_BARE;
  return 0;
}

static int event_exclusive(struct parser *p, struct db_event *e)
{
  (void)p;
  e->flags |= DB_EXCLUSIVE;
  return 0;
}

static int event_states(struct parser *p, struct db_event *e)
{
  (void)p;
  e->flags |= DB_STATES;
  return 0;
}

/* `groups 0x07,0xf8` */
static int event_groups(struct parser *p, struct db_event *e)
{
  if (e->groups.n)
    return parse_fail(p, PMON_E_CONFLICT, "at most one `groups` per event expected");
  int status = parse_word(p, "masks of umask bits");
  if (status)
    return status;
  e->groups.first = build_count(p->b, ROWS_masks);
  for (size_t at = 0; at <= p->w.t.n; e->groups.n++) {
    struct db_mask mask = {0};
    uint32_t row;
    size_t n = 0;
    while (at + n < p->w.t.n && p->w.t.s[at + n] != ',')
      n++;
    if (e->groups.n == 4 || !text_number((struct text){p->w.t.s + at, n}, &mask.bits))
      return parse_fail(p, PMON_E_SYNTAX, "up to four masks such as 0x07,0xf8 expected");
    if ((status = parse_push(p, ROWS_masks, &mask, &row)) != 0)
      return status;
    at += n + 1;
  }
  return 0;
}

static int event_attr(struct parser *p, struct db_event *e)
{
  struct text key, value;
  int status = parse_word(p, "key=value");
  if (status)
    return status;
  if (!parse_pair(&p->w, &key, &value))
    return parse_fail(p, PMON_E_SYNTAX, "key=value expected, not '%.*s'", (int)p->w.t.n, p->w.t.s);
  struct db_attr attr = {builder_intern(p->b, key), builder_intern(p->b, value)};
  uint32_t at;
  e->attrs.n++;
  e->flags |= text_is(key, "gauge") ? DB_LEVEL : 0;
  return parse_push(p, ROWS_attrs, &attr, &at);
}

/* `with REGISTER.FIELD=VALUE`, as often as needed, after the event's own fields: each of the two is one run of rows. */
static int event_with(struct parser *p, struct db_event *e)
{
  if (!e->with.n)
    e->with.first = build_count(p->b, ROWS_settings);
  int status = parse_use(p);
  if (!status)
    e->with.n++;
  return status;
}

static int event_field(struct parser *p, struct db_event *e)
{
  return e->with.n ? parse_fail(p, PMON_E_SYNTAX, "fields of the control expected before `with`, not '%.*s'",
                                (int)p->w.t.n, p->w.t.s)
                   : push_setting(p, &e->settings);
}

static const struct {
  const char *name;
  int (*parse)(struct parser *p, struct db_event *e);
} event_words[] = {
    {"counters", event_counters},   {"max", event_max},       {"overlay", event_overlay}, {"filters", event_filters},
    {"category", event_category},   {"result", event_result}, {"scale", event_scale},     {"bare", event_bare},
    {"exclusive", event_exclusive}, {"groups", event_groups}, {"attr", event_attr},       {"with", event_with},
    {"states", event_states},
};

static int event_options(struct parser *p, struct db_event *e)
{
  while (parse_more(p)) {
    int status = parse_word(p, "a property of the event");
    if (status)
      return status;
    size_t i = 0, n = sizeof event_words / sizeof *event_words;
    while (i < n && !text_is(p->w.t, event_words[i].name))
      i++;
    status = i < n ? event_words[i].parse(p, e) : event_field(p, e);
    if (status)
      return status;
  }
  return 0;
}

/* `event NAME without PATTERN`: umasks of the imported event of that name that this platform lacks. */
static int event_omit(struct parser *p, db_str name)
{
  struct event_omission omission = {.set = p->set, .event = name, .pos = parse_pos(p)};
  const int status = parse_name(p, "name of a umask (* matches any letters)", &omission.pattern);
  if (status)
    return status;
  p->block = BLOCK_NONE;
  return vec_append(&p->b->omissions, &omission, 1) ? 0 : PMON_E_MEMORY;
}

/* `event NAME CODE|fixed ROLE[:INDEX] ...`, `event NAME without PATTERN` */
static int event_open(struct parser *p)
{
  struct db_event e = {.set = p->set, .overlay = DB_NONE, .fixed_role = PMON_ROLE_N};
  int status = parse_close_block(p);
  if (status)
    return status;
  if (p->set == DB_NONE)
    return parse_fail(p, PMON_E_SYNTAX, "`events SET` expected before the first event");
  if ((status = parse_new_name(p, "name of the event", &e.name)) != 0)
    return status;
  struct word name = p->w;
  e.settings.first = build_count(p->b, ROWS_settings);
  e.attrs.first = build_count(p->b, ROWS_attrs);
  e.umasks.first = build_count(p->b, ROWS_umasks);
  if ((status = parse_word(p, "event code or `fixed`")) != 0)
    return status;
  if (text_is(p->w.t, "without"))
    return event_omit(p, e.name);
  if (text_is(p->w.t, "fixed"))
    status = event_fixed(p, &e);
  else if (!text_number(p->w.t, &e.code))
    status = parse_fail(p, PMON_E_SYNTAX, "event code or `fixed` expected, not '%.*s'", (int)p->w.t.n, p->w.t.s);
  if (status || (status = event_options(p, &e)) != 0)
    return status;
  p->w = name;
  p->block = BLOCK_EVENT;
  return parse_push(p, ROWS_events, &e, &p->row);
}

static int need_event(struct parser *p)
{
  return p->block == BLOCK_EVENT || p->block == BLOCK_UMASK
             ? 0
             : parse_fail(p, PMON_E_SYNTAX, "`event` expected before this line");
}

static int event_brief(struct parser *p)
{
  int status = need_event(p);
  if (status)
    return status;
  return parse_free_text(
      p, "brief", p->block == BLOCK_UMASK ? &build_umasks(p->b, p->row)->brief : &build_events(p->b, p->row)->brief);
}

static int event_alias(struct parser *p)
{
  int status = need_event(p);
  if (status)
    return status;
  return parse_names(p, "name, or names joined by commas",
                     p->block == BLOCK_UMASK ? &builder_umask_extra(p->b, p->row)->alias
                                             : &build_events(p->b, p->row)->alias);
}

static int umask_number(struct parser *p, struct db_umask_extra *u)
{
  uint64_t n;
  int status = parse_number(p, "largest increment per cycle", UINT32_MAX, &n);
  if (!status)
    u->max_inc = (uint32_t)n;
  return status;
}

/* `umask NAME VALUE [default] [states] [any MASK] [field=value ...] [counters LIST] [max N] [filters LIST] | brief` */
static int umask_open(struct parser *p)
{
  int status = need_event(p);
  if (status)
    return status;
  if (p->block == BLOCK_UMASK && !build_umasks(p->b, p->row)->brief)
    return parse_close_block(p);
  parse_end_lines(p);
  struct db_umask u = {.settings.first = build_count(p->b, ROWS_settings)};
  struct db_umask_extra extra = {0};
  struct word name;
  if ((status = parse_new_name(p, "name of the umask", &u.name)) != 0)
    return status;
  name = p->w;
  status = parse_number(p, "value of the umask", UINT64_MAX, &u.value);
  while (!status && parse_more(p)) {
    if ((status = parse_word(p, "a property of the umask, or |")) != 0)
      return status;
    if (text_is(p->w.t, "|")) {
      status = parse_free_text(p, "brief", &u.brief);
      break;
    }
    if (text_is(p->w.t, "default"))
      u.flags |= DB_DEFAULT;
    else if (text_is(p->w.t, "states"))
      u.flags |= DB_STATES;
    else if (text_is(p->w.t, "any"))
      status = parse_number(p, "bits that do not count", UINT64_MAX, &extra.any);
    else if (text_is(p->w.t, "counters"))
      status = parse_counters(p, &u.counters);
    else if (text_is(p->w.t, "max"))
      status = umask_number(p, &extra);
    else if (text_is(p->w.t, "filters"))
      status = parse_name(p, "REGISTER.FIELD list", &extra.filters);
    else
      status = push_setting(p, &u.settings);
  }
  if (status)
    return status;
  p->w = name;
  build_events(p->b, build_count(p->b, ROWS_events) - 1)->umasks.n++;
  p->block = BLOCK_UMASK;
  if ((extra.any || extra.max_inc || extra.filters) &&
      (status = parse_push(p, ROWS_umask_extras, &extra, &u.extra)) != 0)
    return status;
  return parse_push(p, ROWS_umasks, &u, &p->row);
}

const struct keyword events_keywords[] = {{"events", events_set}, {"event", event_open},  {"umask", umask_open},
                                          {"brief", event_brief}, {"alias", event_alias}, {NULL, NULL}};
