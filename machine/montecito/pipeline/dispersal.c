/* SPDX-License-Identifier: MIT */
/* Signals the syllables that a cycle disperses, and those that it does not, by cause (4.4). */
#include "machine/montecito/events/umasks.h"
#include "machine/montecito/monitors/counters.h"
#include "machine/montecito/monitors/monitors.h"
#include "machine/montecito/pipeline/pipeline.h"

enum { EV_DISPERSED = 0x4d, EV_SYLL = 0x4e, EV_LOST_FE = 0x70, EV_LOST_BE = 0x72, EV_LOST_IDEAL = 0x73 };

/* Signals `n` syllables that were not dispersed, with the umasks of their cause. */
static void dispersal_signal_idle(struct montecito_core *c, uint8_t tags, uint16_t umasks, unsigned n)
{
  if (n)
    montecito_signal(c, (struct montecito_signal){
                            .code = EV_SYLL, .thread = c->active, .tags = tags, .mesi = 0xf, .umasks = umasks, .n = n});
}

/* Signals the dispersed syllables, and the syllables and bundles that could have been dispersed in the cycle (4.4,
 * Table 4-126). The second bundle after a taken branch is not reached. A stop or a lack of ports within a bundle leaves
 * the rest of this cycle empty and, in the next cycle, the places of the syllables already dispersed: six places for a
 * bundle 0 and three for a bundle 1, as in the table for templates 1 and 5. The slots after a taken branch, and those
 * that an exception flushes, were dispersed with their bundle. Places before a slot at which execution resumes count as
 * those of an MLX bundle. */
static __attribute__((noinline)) void dispersal_signal_selected(struct montecito_core *c)
{
  const uint8_t tags = tags_fetch(&c->thread[c->active], c->window);
  const unsigned used = 0u + c->window_syllables + c->window_long + c->window_earlier,
                 places = c->window_split         ? 0
                          : c->window_bundles > 1 ? 6
                                                  : 3,
                 rest = used < places ? places - used : 0, cut = rest < c->window_cut ? rest : c->window_cut;
  montecito_signal(c, (struct montecito_signal){.code = EV_DISPERSED,
                                                .thread = c->active,
                                                .tags = tags,
                                                .mesi = 0xf,
                                                .umasks = UM_ANY,
                                                .n = c->window_syllables + cut});
  dispersal_signal_idle(c, tags, UM_1XXX, c->window_long + rest - cut);
  dispersal_signal_idle(c, tags, UM_XXX1, c->window_earlier);
  if (c->window_split) {
    dispersal_signal_idle(c, tags, c->window_ports ? UM_XX10 | UM_XX11 : UM_XXX1, 6u - used);
    return;
  }
  if (c->window_bundles > 1)
    return;
  dispersal_signal_idle(c, tags, c->window_taken ? UM_X1XX : c->window_stop ? UM_XXX1 : UM_XX10 | UM_XX11, 3);
  if (c->window_taken) {
    montecito_pulse(c, EV_LOST_FE, UM(0) | UM(4), 1);
    montecito_pulse(c, EV_LOST_BE, UM(0) | UM(4), 1);
    montecito_pulse(c, EV_LOST_IDEAL, UM(0) | UM(4), 1);
  }
}

__attribute__((hot)) void dispersal_signal(struct montecito_core *c)
{
  if (c->selected[EV_DISPERSED] | c->selected[EV_SYLL] | c->selected[EV_LOST_FE] | c->selected[EV_LOST_BE] |
      c->selected[EV_LOST_IDEAL])
    dispersal_signal_selected(c);
}
