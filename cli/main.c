/* SPDX-License-Identifier: MIT */
/* In a file of its own, so that tests can call the command as a function. */
#include "cli/pmon.h"

int main(int argc, char **argv)
{
  return pmon_main(argc, argv);
}
