//===- starpu.c - The workloads on StarPU ---------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tasks without data, except where values are what is passed (tree): there each
// node is a data handle, and StarPU finds the dependencies.
//
//===----------------------------------------------------------------------===//

#include "bench.h"

#include <starpu.h>

static void check(int code, const char *what) {
  if (code == 0)
    return;
  fprintf(stderr, "StarPU: %s gives %d\n", what, code);
  exit(1);
}

__attribute__((constructor)) static void begin(void) {
  check(starpu_init(NULL), "starpu_init");
}

__attribute__((destructor)) static void finish(void) { starpu_shutdown(); }

static void do_nothing(void **buffers, void *argument) {
  (void)buffers;
  (void)argument;
}

static void increment(void **buffers, void *argument) {
  (void)buffers;
  ++*(int64_t *)argument;
}

static void increment_and_post(void **buffers, void *argument) {
  increment(buffers, argument);
  bench_post();
}

static int64_t *variable(void *buffer) {
  return (int64_t *)STARPU_VARIABLE_GET_PTR(buffer);
}

static void store(void **buffers, void *argument) {
  *variable(buffers[0]) = (int64_t)(intptr_t)argument;
}

static void add(void **buffers, void *argument) {
  (void)argument;
  *variable(buffers[2]) = *variable(buffers[0]) + *variable(buffers[1]);
}

static struct starpu_codelet empty_codelet = {.cpu_funcs = {do_nothing}};
static struct starpu_codelet increment_codelet = {.cpu_funcs = {increment}};
static struct starpu_codelet post_codelet = {.cpu_funcs = {increment_and_post}};
static struct starpu_codelet store_codelet = {
    .cpu_funcs = {store}, .nbuffers = 1, .modes = {STARPU_W}};
static struct starpu_codelet add_codelet = {
    .cpu_funcs = {add}, .nbuffers = 3, .modes = {STARPU_R, STARPU_R, STARPU_W}};

static struct starpu_task *create(struct starpu_codelet *codelet,
                                  void *argument) {
  struct starpu_task *task = starpu_task_create();
  task->cl = codelet;
  task->cl_arg = argument;
  return task;
}

static void submit(struct starpu_task *task) {
  check(starpu_task_submit(task), "starpu_task_submit");
}

static int64_t fan_out(int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    submit(create(&empty_codelet, NULL));
  starpu_task_wait_for_all();
  return n;
}

static int64_t chain(int64_t n) {
  int64_t count = 0;
  struct starpu_task *before = NULL;
  for (int64_t i = 0; i < n; ++i) {
    struct starpu_task *task = create(&increment_codelet, &count);
    // A dependency is declared on a task that must still be there; it is left
    // to the end of the process.
    task->destroy = 0;
    if (before)
      starpu_task_declare_deps_array(task, 1, &before);
    submit(task);
    before = task;
  }
  starpu_task_wait_for_all();
  return count;
}

static int64_t tree(int64_t n) {
  size_t size = 2 * (size_t)n;
  int64_t *values = calloc(size, sizeof(*values));
  starpu_data_handle_t *node = calloc(size, sizeof(starpu_data_handle_t));
  if (!values || !node)
    abort();
  for (size_t i = 1; i < size; ++i)
    starpu_variable_data_register(&node[i], STARPU_MAIN_RAM,
                                  (uintptr_t)&values[i], sizeof(*values));
  for (int64_t i = 0; i < n; ++i) {
    struct starpu_task *task = create(&store_codelet, (void *)(intptr_t)i);
    task->handles[0] = node[n + i];
    submit(task);
  }
  for (int64_t i = n - 1; i > 0; --i) {
    struct starpu_task *task = create(&add_codelet, NULL);
    task->handles[0] = node[2 * i];
    task->handles[1] = node[2 * i + 1];
    task->handles[2] = node[i];
    submit(task);
  }
  starpu_task_wait_for_all();
  for (size_t i = 1; i < size; ++i)
    starpu_data_unregister(node[i]);
  int64_t result = values[1];
  free(values);
  free(node);
  return result;
}

// Tiles stand for themselves: what tasks read and write orders them.

static char tile_bytes[BENCH_TILES][BENCH_TILES];
static starpu_data_handle_t tile[BENCH_TILES][BENCH_TILES];

typedef struct indices {
  int64_t i, j, k;
} indices;

static void potrf(void **buffers, void *argument) {
  (void)buffers;
  bench_potrf(((indices *)argument)->k);
}

static void trsm(void **buffers, void *argument) {
  (void)buffers;
  bench_trsm(((indices *)argument)->i, ((indices *)argument)->k);
}

static void update(void **buffers, void *argument) {
  (void)buffers;
  const indices *of = argument;
  bench_update(of->i, of->j, of->k);
}

static struct starpu_codelet potrf_codelet = {
    .cpu_funcs = {potrf}, .nbuffers = 1, .modes = {STARPU_RW}};
static struct starpu_codelet trsm_codelet = {
    .cpu_funcs = {trsm}, .nbuffers = 2, .modes = {STARPU_RW, STARPU_R}};
static struct starpu_codelet syrk_codelet = {
    .cpu_funcs = {update}, .nbuffers = 2, .modes = {STARPU_RW, STARPU_R}};
static struct starpu_codelet gemm_codelet = {
    .cpu_funcs = {update},
    .nbuffers = 3,
    .modes = {STARPU_RW, STARPU_R, STARPU_R}};

static void submit_tile(struct starpu_codelet *codelet, indices of,
                        starpu_data_handle_t a, starpu_data_handle_t b,
                        starpu_data_handle_t c) {
  indices *kept = malloc(sizeof(*kept));
  if (!kept)
    abort();
  *kept = of;
  struct starpu_task *task = create(codelet, kept);
  task->cl_arg_size = sizeof(*kept);
  task->cl_arg_free = 1;
  task->handles[0] = a;
  task->handles[1] = b;
  task->handles[2] = c;
  submit(task);
}

static void factorise(void) {
  for (int64_t k = 0; k < BENCH_TILES; ++k) {
    submit_tile(&potrf_codelet, (indices){k, k, k}, tile[k][k], NULL, NULL);
    for (int64_t i = k + 1; i < BENCH_TILES; ++i)
      submit_tile(&trsm_codelet, (indices){i, k, k}, tile[i][k], tile[k][k],
                  NULL);
    for (int64_t i = k + 1; i < BENCH_TILES; ++i)
      for (int64_t j = k + 1; j <= i; ++j)
        submit_tile(i == j ? &syrk_codelet : &gemm_codelet, (indices){i, j, k},
                    tile[i][j], tile[i][k], tile[j][k]);
  }
  starpu_task_wait_for_all();
}

static int64_t cholesky(int64_t n) {
  for (int i = 0; i < BENCH_TILES; ++i)
    for (int j = 0; j <= i; ++j)
      starpu_variable_data_register(&tile[i][j], STARPU_MAIN_RAM,
                                    (uintptr_t)&tile_bytes[i][j], 1);
  int64_t right = 0;
  for (int64_t turn = 0; turn < n; ++turn) {
    bench_begin_cholesky();
    factorise();
    right += bench_end_cholesky();
  }
  for (int i = 0; i < BENCH_TILES; ++i)
    for (int j = 0; j <= i; ++j)
      starpu_data_unregister(tile[i][j]);
  return right;
}

static int64_t round_trip(int64_t n) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) {
    struct starpu_task *task = create(&increment_codelet, &count);
    task->synchronous = 1;
    submit(task);
  }
  return count;
}

static int64_t round_trip_other(int64_t n) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) {
    submit(create(&post_codelet, &count));
    bench_wait();
  }
  return count;
}

const bench_work bench_works[] = {
    {"fan-out", fan_out, NULL},
    {"chain", chain, NULL},
    {"cholesky", cholesky, NULL},
    {"tree", tree, NULL},
    {"round-trip", round_trip, NULL},
    {"round-trip-other", round_trip_other, NULL},
    {NULL, NULL, NULL},
};
