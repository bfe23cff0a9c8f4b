/* SPDX-License-Identifier: MIT */
/* Metric groups: `group` blocks of `.met` files. Several files and imported platforms may fill one group. */
#include <stdio.h>
#include "src/facts/parser.h"

enum { LISTED = 1000 }; /* places of members that the platform's own files list: after those of imported groups */

/* Finds a group of the platform being read, or adds it. */
static int group_require(struct builder *b, db_str name, struct facts_pos pos, uint32_t *ret_row)
{
  const struct db_group group = {.name = name};
  *ret_row = build_find(b, ROWS_groups, text_of(build_text(b, name)));
  if (*ret_row == DB_NONE)
    *ret_row = builder_push(b, ROWS_groups, &group, pos);
  return *ret_row == DB_NONE ? PMON_E_MEMORY : 0;
}

int group_open(struct parser *p)
{
  db_str text;
  int status = parse_new_name(p, "name of the group", &text);
  const struct word name = p->w;
  if (status || (status = parse_close_block(p)) != 0)
    return status;
  p->w = name;
  p->block = BLOCK_GROUP;
  return group_require(p->b, text, parse_pos(p), &p->row);
}

static int member_push(struct builder *b, const struct db_member *member, struct facts_pos pos)
{
  return builder_push(b, ROWS_members, member, pos) == DB_NONE ? PMON_E_MEMORY : 0;
}

/* Returns the last place of a listed member of the group so far. */
static uint32_t group_last_place(const struct builder *b, uint32_t group)
{
  uint32_t last = LISTED;
  for (uint32_t i = b->start[ROWS_members]; i < build_count(b, ROWS_members); i++) {
    const struct db_member *m = build_members(b, i);
    last = m->group == group && m->place > last ? m->place : last;
  }
  return last;
}

/* `metrics NAME UNIT/NAME ...`, in their order */
int group_metrics(struct parser *p)
{
  int status;
  if (p->block != BLOCK_GROUP)
    return parse_fail(p, PMON_E_SYNTAX, "`group` expected before this line");
  do {
    struct db_member member = {.group = p->row, .metric = DB_NONE, .place = group_last_place(p->b, p->row) + 1};
    if ((status = builder_need_steps(p->b, build_count(p->b, ROWS_members))) != 0 ||
        (status = parse_word(p, "name of a metric")) != 0)
      return status;
    member.name = builder_intern(p->b, p->w.t);
    status = member_push(p->b, &member, parse_pos(p));
  } while (!status && parse_more(p));
  return status;
}

int group_add_default(struct parser *p, const struct db_metric *metric, uint32_t place)
{
  struct db_member member = {.metric = DB_NONE, .place = place};
  char name[300];
  const char *unit = build_text(p->b, p->unit_name);
  snprintf(name, sizeof name, "%s%s%s", unit, *unit ? "/" : "", build_text(p->b, metric->name));
  member.name = builder_intern(p->b, text_of(name));
  const db_str group = builder_intern(p->b, text_of(DB_DEFAULT_GROUP));
  const int status = group_require(p->b, group, parse_pos(p), &member.group);
  return status ? status : member_push(p->b, &member, parse_pos(p));
}

/* Imports a group: its meaning and citation, unless the new platform's group has them. */
int import_metric_group(struct builder *b, uint32_t from)
{
  const struct db_group group = *build_groups(b, from);
  uint32_t row;
  const int status = group_require(b, group.name, build_pos(b, ROWS_groups, from), &row);
  if (status)
    return status;
  struct db_group *own = build_groups(b, row);
  own->brief = own->brief ? own->brief : group.brief;
  if (!own->origin.cite)
    own->origin = group.origin;
  return 0;
}

int import_group_member(struct builder *b, uint32_t from)
{
  struct db_member member = *build_members(b, from);
  const char *name = build_text(b, member.name);
  member.group = build_find(b, ROWS_groups, text_of(build_text(b, build_groups(b, member.group)->name)));
  member.metric = DB_NONE;
  const int status = builder_need_steps(b, build_count(b, ROWS_members));
  if (status)
    return status;
  for (uint32_t i = b->start[ROWS_members]; i < build_count(b, ROWS_members); i++)
    if (build_members(b, i)->group == member.group && text_is(text_of(name), build_text(b, build_members(b, i)->name)))
      return 0;
  return member_push(b, &member, build_pos(b, ROWS_members, from));
}

/* Finds the metric of a member; *ret_others: number of further metrics with this name. */
static uint32_t find_metric(struct builder *b, const struct db_platform *p, struct text name, uint32_t *ret_others)
{
  const char *slash = memchr(name.s, '/', name.n);
  uint32_t unit = DB_NONE, found = DB_NONE;
  *ret_others = 0;
  if (slash) {
    unit = build_find(b, ROWS_units, (struct text){name.s, (size_t)(slash - name.s)});
    if (unit == DB_NONE)
      return DB_NONE;
    name.n -= (size_t)(slash + 1 - name.s);
    name.s = slash + 1;
  }
  for (uint32_t i = p->metrics.first; i < p->metrics.first + p->metrics.n; i++) {
    const struct db_metric *m = build_metrics(b, i);
    if ((slash && m->unit != unit) || !text_is(name, build_text(b, m->name)))
      continue;
    *ret_others += found != DB_NONE;
    found = found == DB_NONE ? i : found;
  }
  return found;
}

/* Looks up the metric, and gives the member its unambiguous name. */
static int check_member(struct builder *b, const struct db_platform *p, uint32_t row)
{
  struct db_member *m = build_members(b, row);
  const struct facts_pos pos = build_pos(b, ROWS_members, row);
  const char *name = build_text(b, m->name);
  uint32_t others;
  const int status = builder_need_steps(b, p->metrics.n + p->members.n);
  if (status)
    return status;
  m->metric = find_metric(b, p, text_of(name), &others);
  if (m->metric == DB_NONE)
    return builder_fail(b, PMON_E_UNKNOWN, pos, "name of a metric expected, not '%s'", name);
  const struct db_metric *metric = build_metrics(b, m->metric);
  if (others)
    return builder_fail(b, PMON_E_AMBIGUOUS, pos, "UNIT/%s expected, metrics of %u units have this name", name,
                        others + 1);
  if (metric->stale)
    return builder_fail(b, PMON_E_CONFLICT, pos, "another metric expected, '%s' cannot be evaluated", name);
  for (uint32_t i = p->members.first; i < row; i++)
    if (build_members(b, i)->group == m->group && build_members(b, i)->metric == m->metric)
      return builder_fail(b, PMON_E_CONFLICT, pos, "another metric expected, the group has '%s' already", name);
  char whole[300];
  const char *unit = metric->unit == DB_NONE ? "" : build_text(b, build_units(b, metric->unit)->name);
  snprintf(whole, sizeof whole, "%s%s%s", unit, *unit ? "/" : "", build_text(b, metric->name));
  build_members(b, row)->name = builder_intern(b, text_of(whole));
  return 0;
}

static bool member_precedes(const struct db_member *a, const struct db_member *c)
{
  return a->group != c->group ? a->group < c->group : a->place < c->place;
}

/* Sorts members by group and place. At one place, members of imported groups come after `default` ones, and before
 * listed ones. */
static void sort_members(struct builder *b, struct db_span members)
{
  for (uint32_t i = members.first + 1; i < members.first + members.n; i++) {
    const struct db_member m = *build_members(b, i);
    const struct facts_pos pos = build_pos(b, ROWS_members, i);
    uint32_t at = i;
    for (; at > members.first && member_precedes(&m, build_members(b, at - 1)); at--) {
      *build_members(b, at) = *build_members(b, at - 1);
      *(struct facts_pos *)vec_at(&b->pos[ROWS_members], at) = build_pos(b, ROWS_members, at - 1);
    }
    *build_members(b, at) = m;
    *(struct facts_pos *)vec_at(&b->pos[ROWS_members], at) = pos;
  }
}

static void assign_members(struct builder *b, const struct db_platform *p)
{
  for (uint32_t i = p->groups.first; i < p->groups.first + p->groups.n; i++)
    build_groups(b, i)->members = (struct db_span){p->members.first, 0};
  for (uint32_t i = p->members.first; i < p->members.first + p->members.n; i++) {
    struct db_group *group = build_groups(b, build_members(b, i)->group);
    group->members.first = group->members.n ? group->members.first : i;
    build_members(b, i)->place = ++group->members.n;
    if (text_is(text_of(DB_DEFAULT_GROUP), build_text(b, group->name)))
      build_metrics(b, build_members(b, i)->metric)->default_place = group->members.n;
  }
}

/* A group without a meaning takes that of the group of this name in a platform that was read before. */
static int check_meaning(struct builder *b, uint32_t row)
{
  struct db_group *g = build_groups(b, row);
  for (uint32_t i = 0; !g->brief && i < row; i++)
    if (text_is(text_of(build_text(b, g->name)), build_text(b, build_groups(b, i)->name)))
      g->brief = build_groups(b, i)->brief;
  return g->brief ? 0
                  : builder_fail(b, PMON_E_SYNTAX, build_pos(b, ROWS_groups, row), "brief expected in group '%s'",
                                 build_text(b, g->name));
}

int check_groups(struct builder *b, const struct db_platform *p)
{
  int status = 0;
  for (uint32_t i = p->groups.first; !status && i < p->groups.first + p->groups.n; i++)
    status = check_meaning(b, i);
  for (uint32_t i = p->members.first; !status && i < p->members.first + p->members.n; i++)
    status = check_member(b, p, i);
  if (status)
    return status;
  sort_members(b, p->members);
  assign_members(b, p);
  return b->no_memory ? PMON_E_MEMORY : 0;
}
