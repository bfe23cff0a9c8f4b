/* SPDX-License-Identifier: MIT */
/*
 * Pairs of loops that do the same work in the same memory and differ in one property that affects a processor's caches,
 * prefetchers, branch predictor or window. bench/host_ratios.sh runs them on this host and on a machine of its shape.
 * usage: kernels KIND TIMES        prints the processor time of TIMES repetitions, in ns, on a host
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  ROWS = 1024,
  COLUMNS = 250,
  MATRIX = 288,
  TILE = 32,
  NODES = 1 << 14,
  NEAR = 1 << 12,
  VALUES = 1 << 16,
  STEPS = 1 << 16
};

struct node {
  struct node *next;
  uint64_t value;
  char rest[48];
};

static uint64_t next_random(uint64_t *x)
{
  *x ^= *x << 13;
  *x ^= *x >> 7;
  *x ^= *x << 17;
  return *x;
}

/* 1 MB of 32-bit numbers, row by row. */
static uint32_t *square;
static uint64_t sum_rows(void)
{
  uint64_t sum = 0;
  for (unsigned i = 0; i < ROWS; i++)
    for (unsigned k = 0; k < COLUMNS; k++)
      sum += *(volatile uint32_t *)&square[i * COLUMNS + k];
  return sum;
}
static uint64_t sum_columns(void)
{
  uint64_t sum = 0;
  for (unsigned k = 0; k < COLUMNS; k++)
    for (unsigned i = 0; i < ROWS; i++)
      sum += *(volatile uint32_t *)&square[i * COLUMNS + k];
  return sum;
}

/* Nodes of a line each, as an array or linked in random order: 1 MB, or 256 KB. */
static struct node *nodes;
static uint32_t n_nodes;
static uint64_t sum_list(void)
{
  uint64_t sum = 0;
  const struct node *n = nodes;
  for (unsigned i = 0; i < STEPS; i++, n = n->next)
    sum += n->value;
  return sum;
}
static uint64_t sum_array(void)
{
  uint64_t sum = 0;
  for (unsigned i = 0; i < STEPS; i++)
    sum += *(volatile uint64_t *)&nodes[i & (n_nodes - 1)].value;
  return sum;
}

/* Sums the bytes that are 128 or more. */
static uint8_t *values;
static uint64_t sum_large(void)
{
  uint64_t sum = 0;
  for (unsigned i = 0; i < VALUES; i++)
    if (values[i] >= 128) {
      __asm__ volatile("" : "+r"(sum)); /* keeps the branch */
      sum += values[i];
    }
  return sum;
}

/* Dependent additions: measures the core's clock. */
static uint64_t add_up(void)
{
  uint64_t x = 1;
  for (unsigned i = 0; i < 1 << 16; i++) {
    x += i;
    __asm__ volatile("" : "+r"(x));
    x += i;
    __asm__ volatile("" : "+r"(x));
    x += i;
    __asm__ volatile("" : "+r"(x));
    x += i;
    __asm__ volatile("" : "+r"(x));
  }
  return x;
}
static void nothing_fill(void)
{
}

static double *left, *right, *product;
/* Returns the product of a row and a column, from element `j` on; four sums, so that few additions depend on each
 * other. */
static double row_by_column(unsigned i, unsigned k, unsigned j, unsigned n)
{
  double sum[4] = {0};
  const double *a = left + i * MATRIX + j, *b = right + j * MATRIX + k;
  for (const double *end = a + n; a < end; a += 4, b += 4 * MATRIX) {
    sum[0] += a[0] * b[0];
    sum[1] += a[1] * b[MATRIX];
    sum[2] += a[2] * b[2 * MATRIX];
    sum[3] += a[3] * b[3 * MATRIX];
  }
  return sum[0] + sum[1] + sum[2] + sum[3];
}
static uint64_t multiply(void)
{
  for (unsigned i = 0; i < MATRIX; i++)
    for (unsigned k = 0; k < MATRIX; k++)
      product[i * MATRIX + k] = row_by_column(i, k, 0, MATRIX);
  return (uint64_t)product[0];
}

/* The same product, by square tiles of `right`. */
static void multiply_tile(unsigned first_j, unsigned first_k)
{
  for (unsigned i = 0; i < MATRIX; i++)
    for (unsigned k = first_k; k < first_k + TILE; k++)
      product[i * MATRIX + k] += row_by_column(i, k, first_j, TILE);
}
static uint64_t multiply_tiles(void)
{
  for (unsigned j = 0; j < MATRIX; j += TILE)
    for (unsigned k = 0; k < MATRIX; k += TILE)
      multiply_tile(j, k);
  return (uint64_t)product[0];
}

static void *memory_get(size_t n, size_t size)
{
  void *memory = aligned_alloc(4096, (n * size + 4095) / 4096 * 4096);
  if (!memory)
    exit(1);
  memset(memory, 0, n * size);
  return memory;
}

static void square_fill(void)
{
  square = memory_get((size_t)ROWS * COLUMNS, sizeof *square);
}

/* Links the nodes to one ring in random order. */
static void ring_fill(uint32_t n)
{
  uint32_t *order = memory_get(n, sizeof *order);
  uint64_t seed = 88172645463325252u;
  nodes = memory_get(n, sizeof *nodes);
  n_nodes = n;
  for (uint32_t i = 0; i < n; i++)
    order[i] = i;
  for (uint32_t i = n - 1; i; i--) {
    const uint32_t other = (uint32_t)(next_random(&seed) % i), kept = order[i];
    order[i] = order[other];
    order[other] = kept;
  }
  for (uint32_t i = 0; i < n; i++)
    nodes[order[i]].next = &nodes[order[(i + 1) % n]];
  free(order);
}
static void nodes_fill(void)
{
  ring_fill(NODES);
}
static void near_fill(void)
{
  ring_fill(NEAR);
}

static int values_order(const void *a, const void *b)
{
  return *(const uint8_t *)a - *(const uint8_t *)b;
}
static void values_fill(void)
{
  uint64_t seed = 88172645463325252u;
  values = memory_get(VALUES, 1);
  for (unsigned i = 0; i < VALUES; i++)
    values[i] = (uint8_t)next_random(&seed);
}
static void values_sort(void)
{
  values_fill();
  qsort(values, VALUES, 1, values_order);
}

static void matrices_fill(void)
{
  left = memory_get((size_t)MATRIX * MATRIX, sizeof *left);
  right = memory_get((size_t)MATRIX * MATRIX, sizeof *right);
  product = memory_get((size_t)MATRIX * MATRIX, sizeof *product);
}

static const struct kernel {
  const char *name;
  void (*prepare)(void);
  uint64_t (*work)(void);
} kernels[] = {
    {"clock", nothing_fill, add_up},        {"rows", square_fill, sum_rows},
    {"columns", square_fill, sum_columns},  {"near-array", near_fill, sum_array},
    {"near-list", near_fill, sum_list},     {"array", nodes_fill, sum_array},
    {"list", nodes_fill, sum_list},         {"sorted", values_sort, sum_large},
    {"unsorted", values_fill, sum_large},   {"blocked", matrices_fill, multiply_tiles},
    {"unblocked", matrices_fill, multiply},
};

static uint64_t processor_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int main(int argc, char **argv)
{
  const uint64_t times = argc == 3 ? strtoull(argv[2], NULL, 0) : 0;
  const struct kernel *k = kernels, *end = kernels + sizeof kernels / sizeof *kernels;
  uint64_t sum = 0;
  while (times && k < end && strcmp(k->name, argv[1]))
    k++;
  if (!times || k == end) {
    fputs("usage: kernels clock|rows|columns|near-array|near-list|array|list|sorted|unsorted|blocked|unblocked TIMES\n",
          stderr);
    return 1;
  }
  k->prepare();
  sum += k->work();
  const uint64_t begin = processor_ns();
  for (uint64_t i = 0; i < times; i++)
    sum += k->work();
  printf("%llu\n", (unsigned long long)(processor_ns() - begin));
  return sum == UINT64_MAX;
}
