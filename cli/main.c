/* SPDX-License-Identifier: MIT */
/* Alone in its file, so that tests can have the command as a function. */
#include "cli/common/cli.h"

int main(int argc, char **argv)
{
  return pmon_main(argc, argv);
}
