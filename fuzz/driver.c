/* SPDX-License-Identifier: MIT */
/* Replays corpora: every file of the folders named, through the fuzz target it is linked with, in any build. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In memory of just that size, so that a read beyond the end is seen. */
static int fuzz_driver_replay(const char *path)
{
  FILE *f = fopen(path, "re");
  struct stat st;
  if (!f || fstat(fileno(f), &st)) {
    perror(path);
    exit(1);
  }
  size_t size = (size_t)st.st_size;
  uint8_t *data = malloc(size ? size : 1);
  if (!data || fread(data, 1, size, f) != size) {
    perror(path);
    exit(1);
  }
  fclose(f);
  fprintf(stderr, "%s\n", path); /* the last one named is the one that crashed */
  LLVMFuzzerTestOneInput(data, size);
  free(data);
  return 1;
}

int main(int argc, char **argv)
{
  int n = 0;
  for (int i = 1; i < argc; i++) {
    struct dirent **files;
    int found = scandir(argv[i], &files, NULL, alphasort);
    if (found < 0) {
      perror(argv[i]);
      return 1;
    }
    for (int k = 0; k < found; k++) {
      char path[4096];
      struct stat st;
      snprintf(path, sizeof path, "%s/%s", argv[i], files[k]->d_name);
      if (!stat(path, &st) && S_ISREG(st.st_mode))
        n += fuzz_driver_replay(path);
      free(files[k]);
    }
    free(files);
  }
  printf("%d passed, 0 failed\n", n);
  return n ? 0 : 1;
}
