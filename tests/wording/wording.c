/* SPDX-License-Identifier: MIT */
/*
 * Finds runs of eight or more words that files share with the guides: every text of this project is in its own
 * words. Case, punctuation and line breaks make no difference.
 *
 *   wording GUIDES PATH...       GUIDES: a folder with the guides as .txt; PATH: files, or folders to go through
 *
 * PMON_GUIDES in the environment replaces GUIDES. Exit 0: nothing shared; 1: printed as file:line; 2: cannot read a
 * PATH; 77: no guides there, nothing was compared. Lines of equations, citations and column names are passed over:
 * they name things as the guides name them. So are sources.md, which holds the documents' titles,
 * and the second transcription's equations.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/whole_file.h"

enum { RUN = 8, SKIPPED = 77, SLOTS = 1 << 20, MOST_GUIDES = 64 };

struct words {
  const char **word;
  size_t n, room;
};

/* slot: first word of a run, plus one; 0: free. */
struct guides {
  struct words words;
  uint32_t *slot;
  char *text[MOST_GUIDES];
  int n_texts;
};

/* Cuts text into lower-case words, in place: letters, digits and underscores, separated by all else. */
static int cut(struct words *w, char *text)
{
  for (char *p = text; *p;) {
    if (!isalnum((unsigned char)*p) && *p != '_') {
      *p++ = '\0';
      continue;
    }
    if (w->n == w->room) {
      const char **grown = realloc(w->word, (w->room = 2 * w->room + 1024) * sizeof *grown);
      if (!grown)
        return -1;
      w->word = grown;
    }
    w->word[w->n++] = p;
    for (; isalnum((unsigned char)*p) || *p == '_'; p++)
      *p = (char)tolower((unsigned char)*p);
  }
  return 0;
}

static uint32_t hash(const char *const *word)
{
  uint64_t h = 14695981039346656037u;
  for (int i = 0; i < RUN; i++)
    for (const char *c = word[i];; c++) {
      h = (h ^ (unsigned char)*c) * 1099511628211u;
      if (!*c)
        break;
    }
  return (uint32_t)(h >> 32) & (SLOTS - 1);
}

static bool same(const char *const *a, const char *const *b)
{
  for (int i = 0; i < RUN; i++)
    if (strcmp(a[i], b[i]))
      return false;
  return true;
}

/* A run of numbers is a row of a table, not a sentence. */
static bool has_letters(const char *const *word)
{
  for (int i = 0; i < RUN; i++)
    for (const char *c = word[i]; *c; c++)
      if (isalpha((unsigned char)*c))
        return true;
  return false;
}

static bool shared(const struct guides *g, const char *const *word)
{
  if (!has_letters(word))
    return false;
  for (uint32_t s = hash(word); g->slot[s]; s = (s + 1) & (SLOTS - 1))
    if (same(&g->words.word[g->slot[s] - 1], word))
      return true;
  return false;
}

/* Reads all guides. Returns how many there are, -1 when memory ran out. */
static int read_guides(const char *folder, struct guides *g)
{
  DIR *dir = opendir(folder);
  int n = 0;
  if (!dir)
    return 0;
  for (const struct dirent *e; (e = readdir(dir));) {
    size_t length = strlen(e->d_name);
    char path[4096];
    if (length < 4 || strcmp(e->d_name + length - 4, ".txt"))
      continue;
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    char *text = g->n_texts < MOST_GUIDES ? whole_file(path) : NULL;
    if (text)
      g->text[g->n_texts++] = text;
    if (!text || cut(&g->words, text)) {
      closedir(dir);
      return -1;
    }
    n++;
  }
  closedir(dir);
  if (!n)
    return 0;
  g->slot = calloc(SLOTS, sizeof *g->slot);
  if (!g->slot || g->words.n > SLOTS / 2)
    return -1;
  for (size_t i = 0; i + RUN <= g->words.n; i++) {
    uint32_t s = hash(&g->words.word[i]);
    while (g->slot[s])
      s = (s + 1) & (SLOTS - 1);
    g->slot[s] = (uint32_t)i + 1;
  }
  return n;
}

static bool passed_over(const char *line)
{
  static const char *const keywords[] = {"equation", "printed", "cite", "holds", "alias", "column", "register "};
  line += strspn(line, " ");
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
    if (!strncmp(line, keywords[i], strlen(keywords[i])))
      return true;
  return false;
}

static unsigned check_line(const struct guides *g, char *line, const char *path, unsigned number)
{
  struct words w = {0};
  if (passed_over(line) || cut(&w, line)) {
    free(w.word);
    return 0;
  }
  unsigned found = 0;
  for (size_t i = 0; i + RUN <= w.n; i++) {
    if (!shared(g, &w.word[i]))
      continue;
    size_t end = i + RUN;
    while (end < w.n && shared(g, &w.word[end + 1 - RUN]))
      end++;
    printf("%s:%u:", path, number);
    for (; i < end; i++)
      printf(" %s", w.word[i]);
    printf("\n");
    found++;
  }
  free(w.word);
  return found;
}

static int check_file(const struct guides *g, const char *path, unsigned *found)
{
  char *text = whole_file(path);
  if (!text)
    return -1;
  unsigned number = 0;
  for (char *line = text; line && *line;) {
    char *end = strchr(line, '\n');
    if (end)
      *end++ = '\0';
    *found += check_line(g, line, path, ++number);
    line = end;
  }
  free(text);
  return 0;
}

static int wording_check(const struct guides *g, const char *path, unsigned *found)
{
  DIR *dir = opendir(path);
  int status = 0;
  if (!dir)
    return check_file(g, path, found);
  for (const struct dirent *e; !status && (e = readdir(dir));) {
    char inner[4096];
    if (*e->d_name == '.' || !strcmp(e->d_name, "sources.md") || strstr(e->d_name, "-metrics.tsv"))
      continue;
    snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
    status = wording_check(g, inner, found);
  }
  closedir(dir);
  return status;
}

static void forget(struct guides *g)
{
  for (int i = 0; i < g->n_texts; i++)
    free(g->text[i]);
  free(g->words.word);
  free(g->slot);
}

int main(int argc, char **argv)
{
  const char *folder = getenv("PMON_GUIDES");
  struct guides g = {0};
  unsigned found = 0;
  if (argc < 3) {
    fprintf(stderr, "usage: wording GUIDES PATH...\n");
    return 2;
  }
  folder = folder && *folder ? folder : argv[1];
  int n = read_guides(folder, &g);
  if (n <= 0) {
    fprintf(stderr, "SKIPPED: no guides in %s; set PMON_GUIDES to the folder that holds them as text\n", folder);
    forget(&g);
    return n < 0 ? 2 : SKIPPED;
  }
  for (int i = 2; i < argc; i++)
    if (wording_check(&g, argv[i], &found)) {
      fprintf(stderr, "cannot read %s\n", argv[i]);
      forget(&g);
      return 2;
    }
  fprintf(stderr, "%d guides, %zu words; %u shared runs of %d or more\n", n, g.words.n, found, (int)RUN);
  forget(&g);
  return found ? 1 : 0;
}
