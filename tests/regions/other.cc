// SPDX-License-Identifier: MIT
// The second file of guard.cc.
#include <cstddef>
#include <pmon/region.h>

void read_lines(std::size_t n);
void other_file();

void other_file()
{
  PMON_REGION_BEGIN("macro, in C++");
  read_lines(300);
  PMON_REGION_END("macro, in C++");
}
