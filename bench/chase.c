/* SPDX-License-Identifier: MIT */
/* Follows lists of scattered nodes, each in its own line: measures the latency of dependent loads.
 * usage: bench_chase BYTES STEPS [CHAINS: 1, 2 or 4] */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
  struct node *next;
  char rest[56];
};

static uint64_t next_random(uint64_t *x)
{
  *x ^= *x << 13;
  *x ^= *x >> 7;
  *x ^= *x << 17;
  return *x;
}

/* Links all nodes to one ring in random order. */
static int nodes_link(struct node *node, size_t n)
{
  size_t *order = malloc(n * sizeof *order);
  uint64_t seed = 88172645463325252u;

  if (!order)
    return -1;
  for (size_t i = 0; i < n; i++)
    order[i] = i;
  for (size_t i = n - 1; i; i--) {
    const size_t other = next_random(&seed) % i, kept = order[i];

    order[i] = order[other];
    order[other] = kept;
  }
  for (size_t i = 0; i < n; i++)
    node[order[i]].next = &node[order[(i + 1) % n]];
  free(order);
  return 0;
}

/* Each number of chains has a loop of its own, so that the pointers stay in registers. */
static const struct node *follow(struct node *node, size_t n, size_t steps, int chains)
{
  const struct node *a = node, *b = node + n / 4, *c = node + n / 2, *d = node + n / 4 * 3;

  for (size_t i = 0; chains == 1 && i < steps; i++)
    a = a->next;
  for (size_t i = 0; chains == 2 && i < steps; i++) {
    a = a->next;
    b = b->next;
  }
  for (size_t i = 0; chains == 4 && i < steps; i++) {
    a = a->next;
    b = b->next;
    c = c->next;
    d = d->next;
  }
  return (uintptr_t)a ^ (uintptr_t)b ^ (uintptr_t)c ^ (uintptr_t)d ? a : NULL;
}

int main(int argc, char **argv)
{
  const size_t bytes = argc > 2 ? strtoull(argv[1], NULL, 0) : 0, n = bytes / sizeof(struct node);
  const size_t steps = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;
  struct node *node = n > 3 ? aligned_alloc(4096, (bytes + 4095) / 4096 * 4096) : NULL;

  if (!node || nodes_link(node, n)) {
    fprintf(stderr, "usage: %s BYTES STEPS [CHAINS]\n", argv[0]);
    return 1;
  }
  if (!follow(node, n, steps, argc > 3 ? atoi(argv[3]) : 1))
    puts("the chains met");
  free(node);
  return 0;
}
