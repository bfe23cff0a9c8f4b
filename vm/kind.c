/* SPDX-License-Identifier: MIT */
#include "vm/kind.h"

#include <stdio.h>
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
