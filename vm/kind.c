/* SPDX-License-Identifier: MIT */
#include "vm/kind.h"

#include <inttypes.h>
#include <stdio.h>
#include <pmon/platform.h>
#include "machine/model.h"

const struct guest_kind *guest_kind_named(const char *platform)
{
  const struct processor_model *model = model_find(platform);
  return model ? model->guest : NULL;
}

unsigned guest_kind_processors(const struct guest_kind *kind, const char *release, unsigned cores)
{
  const struct kind_newer *newer = &kind->newer;
  unsigned major = 0, minor = 0;
  sscanf(release, "%u.%u", &major, &minor);
  if (major < newer->major || (major == newer->major && minor < newer->minor))
    return 1;
  return newer->processors ? newer->processors : cores;
}

void guest_kind_address(const struct guest_kind *kind, const struct pmon_address *a, char *text, size_t size)
{
  *text = 0;
  for (unsigned i = 0; a->space == PMON_SPACE_PCI && i < kind->n_buses; i++)
    if (kind->bus[i].number == a->device >> 8)
      snprintf(text, size, "%02x:%02x.%u 0x%" PRIx64, kind->bus[i].system + a->package * kind->next_buses,
               (unsigned)a->device >> 3 & 31, (unsigned)a->device & 7, a->offset);
  for (unsigned i = 0; a->space == PMON_SPACE_MMIO && i < kind->n_areas; i++)
    if (kind->area[i].device == a->device)
      snprintf(text, size, "physical 0x%" PRIx64, kind->area[i].base + a->package * kind->next_areas + a->offset);
}
