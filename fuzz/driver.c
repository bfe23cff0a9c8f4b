/* SPDX-License-Identifier: MIT */
/* Replays corpora in any build: runs the fuzz target that it is linked with on every file of the given folders. A file
 * *.zst has many compressed inputs, each preceded by its size in four bytes (scripts/corpus.py). */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

enum { MOST_BYTES = 64 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void *fuzz_driver_allocate(size_t size)
{
  void *data = malloc(size ? size : 1);
  if (!data) {
    perror("malloc");
    exit(1);
  }
  return data;
}

static uint8_t *fuzz_driver_read(const char *path, size_t *ret_size)
{
  FILE *f = fopen(path, "re");
  struct stat st;
  if (!f || fstat(fileno(f), &st)) {
    perror(path);
    exit(1);
  }
  *ret_size = (size_t)st.st_size;
  uint8_t *data = fuzz_driver_allocate(*ret_size);
  if (fread(data, 1, *ret_size, f) != *ret_size) {
    perror(path);
    exit(1);
  }
  fclose(f);
  return data;
}

/* Prints each path before its run: the last one printed is the input that crashed. */
static int fuzz_driver_replay(const char *path)
{
  size_t size;
  uint8_t *data = fuzz_driver_read(path, &size);
  fprintf(stderr, "%s\n", path);
  LLVMFuzzerTestOneInput(data, size);
  free(data);
  return 1;
}

static int fuzz_driver_replay_pack(const char *path)
{
  size_t packed, at = 0;
  uint8_t *data = fuzz_driver_read(path, &packed);
  const unsigned long long size = ZSTD_getFrameContentSize(data, packed);
  uint8_t *all = size < MOST_BYTES ? fuzz_driver_allocate((size_t)size) : NULL;
  int n = 0;
  if (!all || ZSTD_decompress(all, (size_t)size, data, packed) != size) {
    fprintf(stderr, "%s: no pack of inputs\n", path);
    exit(1);
  }
  for (uint32_t length; at + sizeof length <= size; at += length, n++) {
    memcpy(&length, all + at, sizeof length);
    at += sizeof length;
    if (length > size - at) {
      fprintf(stderr, "%s: cut\n", path);
      exit(1);
    }
    fprintf(stderr, "%s: input %d\n", path, n);
    uint8_t *input = fuzz_driver_allocate(length); /* of exactly this size, so that a read beyond the end is detected */
    memcpy(input, all + at, length);
    LLVMFuzzerTestOneInput(input, length);
    free(input);
  }
  free(all);
  free(data);
  return n;
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
        n += strstr(path, ".zst") ? fuzz_driver_replay_pack(path) : fuzz_driver_replay(path);
      free(files[k]);
    }
    free(files);
  }
  printf("%d passed, 0 failed\n", n);
  return n ? 0 : 1;
}
