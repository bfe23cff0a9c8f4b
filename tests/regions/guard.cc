// SPDX-License-Identifier: MIT
// pmon::region: a region ends with its scope, also by a return and by an exception. Built with other.cc, which has
// regions of its own: both share what the header needs once in a program.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <pmon/region.h>

void read_lines(std::size_t n);
void other_file();

static volatile char *memory;
static std::size_t next_line;

// Reads so many lines of 64 bytes, each for the first time.
void read_lines(std::size_t n)
{
  for (std::size_t i = 0; i < n; i++)
    (void)memory[64 * (next_line + i)];
  next_line += n;
}

static int returns(int i)
{
  const pmon::region r("returns");
  read_lines(1000);
  if (i)
    return 1;
  read_lines(1000);
  return 0;
}

static void throws()
{
  const std::string name = "throws " + std::to_string(1);
  const pmon::region r(name.c_str());
  read_lines(2000);
  throw std::runtime_error("away");
}

int main()
{
  void *at = mmap(nullptr, 64 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED)
    return 1;
  memory = static_cast<volatile char *>(at);
  read_lines(100);
  const pmon::region whole("whole");
  returns(0);
  returns(1);
  try {
    throws();
  } catch (const std::runtime_error &) {
    read_lines(4000);
  }
  {
    const pmon::region outer("scope"), inner("scope");
    read_lines(500);
  }
  other_file();
  return 0;
}
