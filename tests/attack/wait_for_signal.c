/* SPDX-License-Identifier: MIT */
/* Usage: wait-for-signal PID-FILE READY. Writes its process ID to the file, a line to the pipe READY, and waits for a
 * signal, whose action is the caller's. (dash handles SIGINT: one that comes before it opens a pipe takes effect after
 * that only, which may be never.) */
#include <stdio.h>
#include <unistd.h>

static int put_number(const char *path, int number)
{
  FILE *f = fopen(path, "w");
  return f && fprintf(f, "%d\n", number) > 0 && !fclose(f) ? 0 : 1;
}

int main(int argc, char **argv)
{
  if (argc != 3 || put_number(argv[1], (int)getpid()) || put_number(argv[2], 0))
    return 1;
  for (;;)
    pause();
}
