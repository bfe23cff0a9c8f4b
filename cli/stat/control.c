/* SPDX-License-Identifier: MIT */
#include "cli/stat/control.h"

#include "cli/stat/run.h"
#include "cli/stat/stop.h"
#include "src/access/replay.h"

/* HOST_TICK_NS: of the progress display; signals and commands end a wait at once. COMMAND_TICK_NS: simulated time after
 * which commands for a running program are looked for, some 50 ms of the host's time. GRACE_TICKS: looks after the
 * machine has reached the command; a program that only goes on to wait for the acknowledgement waits before the
 * second. */
enum { HOST_TICK_NS = 250000000, MACHINE_TICK_NS = 1000000, COMMAND_TICK_NS = 100000, GRACE_TICKS = 2, AT_ONCE = 64 };

uint64_t stat_tick_ns(const struct stat_run *s)
{
  return s->source.host ? HOST_TICK_NS : s->control.channel ? COMMAND_TICK_NS : MACHINE_TICK_NS;
}

int stat_control_open(const struct cli *cli, struct stat_control *c)
{
  return c->where ? control_channel_open(cli, c->where, &c->channel) : CLI_DONE;
}

void stat_control_close(struct stat_control *c)
{
  control_channel_close(c->channel);
  c->channel = NULL;
}

/* The machine asks while its program waits, and all that it executed has been simulated. */
static bool control_interrupts(void *user)
{
  struct stat_control *c = user;
  c->at_rest = control_channel_count(c->channel) > 0;
  return c->at_rest;
}

void stat_control_prepare(struct stat_control *c, struct target_options *target)
{
  c->pending = CONTROL_NONE;
  c->disabled = c->at_rest = c->noted = false;
  c->paused_ns = c->all_paused_ns = 0;
  c->early = c->channel ? control_channel_count(c->channel) : 0;
  target->interrupts = c->channel ? control_interrupts : NULL;
  target->interrupts_user = c;
}

void stat_control_follow(struct stat_control *c, const struct target *t)
{
  c->target = t;
  c->backend = t->backend; /* the outermost wrapper */
}

/* Whether the next command takes effect now. */
static bool control_is_due(struct stat_control *c)
{
  if (!control_channel_count(c->channel))
    return false;
  if (c->early || c->at_rest) {
    c->early -= c->early > 0;
    c->at_rest = false;
    return true;
  }
  if (!c->noted)
    target_note(c->target);
  c->looks = c->noted && target_has_passed(c->target) ? c->looks + 1 : 0;
  c->noted = true;
  return !c->target->live || c->looks >= GRACE_TICKS;
}

/* Prints the names of the events that are counted. */
static void control_list_events(const struct pmon_plan *plan)
{
  const struct pmon_event *event;
  for (uint32_t i = 0; (event = pmon_plan_event(plan, i)); i++)
    cli_print_error("%s\n", pmon_event_name(event));
}

/* Takes a command that changes something. Others are acknowledged at once; not endlessly, if they come fast. */
static enum control_command control_take_next(struct stat_run *s)
{
  struct stat_control *c = &s->control;
  for (unsigned i = 0; i < AT_ONCE && control_is_due(c); i++) {
    const enum control_command command = control_channel_next(c->channel);
    c->noted = false;
    if (command == CONTROL_STOP || command == (c->disabled ? CONTROL_ENABLE : CONTROL_DISABLE))
      return command;
    if (command == CONTROL_EVLIST)
      control_list_events(s->wanted.plan);
    if (command != CONTROL_NONE)
      control_channel_acknowledge(c->channel);
  }
  return CONTROL_NONE;
}

/* Whether a command takes effect now. */
static bool control_pending(struct stat_run *s)
{
  struct stat_control *c = &s->control;
  const char *word = NULL;
  if (c->pending != CONTROL_NONE)
    return true;
  if (c->channel) {
    const int fd = control_channel_fd(c->channel);
    c->pending = control_take_next(s);
    if (fd >= 0 && control_channel_fd(c->channel) < 0)
      host_command_unwatch(&s->source.command, fd);
  } else if (c->replay && (word = replay_take_note(c->replay, REPLAY_CONTROL))) {
    c->pending = control_command_of_word(word);
  }
  if (c->pending != CONTROL_NONE && s->files.log)
    pmon_backend_trace_note(c->backend, "control", control_command_word(c->pending));
  return c->pending != CONTROL_NONE;
}

static int control_enable(struct stat_control *c, struct pmon_session *session)
{
  const uint64_t stopped_ns = pmon_session_now_ns(session);
  const bool resumes = pmon_session_seconds(session) > 0;
  const int status = pmon_session_start(session);
  const uint64_t paused_ns = status ? 0 : pmon_session_now_ns(session) - stopped_ns;
  c->paused_ns += resumes ? paused_ns : 0;
  c->all_paused_ns += c->began ? paused_ns : 0;
  c->began = true;
  c->disabled = status != 0;
  return status;
}

static int control_disable(struct stat_control *c, struct pmon_session *session)
{
  const int status = pmon_session_stop(session);
  c->disabled = !status;
  return status;
}

int stat_control_take(struct stat_run *s, struct pmon_session *session, bool *ret_taken)
{
  struct stat_control *c = &s->control;
  const enum control_command command = c->pending;
  int status = 0;
  *ret_taken = command != CONTROL_NONE;
  c->pending = CONTROL_NONE;
  switch (command) {
  case CONTROL_ENABLE: status = c->disabled ? control_enable(c, session) : 0; break;
  case CONTROL_DISABLE: status = c->disabled ? 0 : control_disable(c, session); break;
  case CONTROL_STOP: s->quit = true; break;
  default: break;
  }
  if (*ret_taken && !status && c->channel)
    control_channel_acknowledge(c->channel);
  return status;
}

int stat_control_begin(struct stat_run *s, struct pmon_session *session)
{
  struct stat_control *c = &s->control;
  bool taken;
  int status = 0;
  c->began = !c->starts_disabled;
  if (c->starts_disabled) {
    status = control_disable(c, session);
    pmon_session_mark(session);
  }
  while (!status && !s->quit && control_pending(s))
    status = stat_control_take(s, session, &taken);
  return status;
}

/* Lets time pass until something is to be done, `until_ns` at most. */
static int control_wait(struct stat_run *s, uint64_t until_ns, uint64_t *now_ns, bool *ret_ended)
{
  struct pmon_backend *b = s->control.backend;
  const uint64_t tick_ns = stat_tick_ns(s);
  int status = 0;
  bool stop = false;
  while (!status && !stop && !*ret_ended && *now_ns < until_ns) {
    b->error_text = NULL;
    status = b->ops->wait(b, until_ns - *now_ns > tick_ns ? *now_ns + tick_ns : until_ns, now_ns, ret_ended);
    stop = !status && stat_tick(s, *now_ns);
  }
  if (status)
    cli_fail(s->cli, "the workload cannot continue: %s", b->error_text ? b->error_text : cli_status_text(status));
  return status ? cli_exit_code(status) : CLI_DONE;
}

int stat_control_pass(struct stat_run *s, struct pmon_session *session, uint64_t until_ns, bool *ret_ended)
{
  uint64_t now_ns = pmon_session_now_ns(session);
  int result = CLI_DONE;
  *ret_ended = false;
  while (result == CLI_DONE && s->control.disabled && !*ret_ended && now_ns < until_ns && !stat_stop.number &&
         !s->quit) {
    bool taken;
    result = control_wait(s, until_ns, &now_ns, ret_ended);
    stat_regions_take(&s->regions, session);
    if (result == CLI_DONE && stat_control_take(s, session, &taken))
      result = cli_fail_context(s->cli, NULL);
  }
  stat_progress_clear(&s->progress);
  return result;
}

int stat_control_check(const struct cli *cli, const struct stat_control *c)
{
  if (!c->where && !c->replay)
    return CLI_DONE;
  cli_fail(cli, "--control: the measurement ended before the counters were enabled; nothing was measured");
  return CLI_FAILED;
}

bool stat_tick(struct stat_run *s, uint64_t now_ns)
{
  stat_progress_show(&s->progress, now_ns);
  s->quit |= s->watch.on_tick && s->watch.on_tick(s->watch.user);
  const bool commanded = control_pending(s);
  return stat_regions_pending(&s->regions) || commanded || stat_stop.number != 0 || s->quit;
}
