//===- calibrate_kernels.c - What work on the device takes ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All of it is enqueued behind a kernel that spins, and timed by events as the
// difference of two lengths: what a driver does at an event is in both. A
// kernel's time here is from its begin to that of the next one.
//
//===----------------------------------------------------------------------===//

#include "calibrate.h"

#include "base/os/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIB = 1 << 20, WORD = 8, UNROLLED = 4, BLOCK = 512 };

//===----------------------------------------------------------------------===//
// Chains of empty kernels
//===----------------------------------------------------------------------===//

typedef struct hops {
  CUstream other;
  CUevent there, back;
} hops;

/// From the stream to another one and back.
static void hop(const calibrate *self, const void *what, int count) {
  const hops *with = what;
  const calibrate_launch empty = {self->empty, 1, 32, 0, NULL};
  for (int i = 0; i < count; ++i) {
    calibrate_start(self, self->stream, &empty);
    CU(cuEventRecord(with->there, self->stream));
    CU(cuStreamWaitEvent(with->other, with->there, 0));
    calibrate_start(self, with->other, &empty);
    CU(cuEventRecord(with->back, with->other));
    CU(cuStreamWaitEvent(self->stream, with->back, 0));
  }
}

static void nothing(const calibrate *self, const void *what, int count) {
  (void)self;
  (void)what;
  (void)count;
}

static void launch_graph(const calibrate *self, const void *what, int count) {
  for (int i = 0; i < count; ++i)
    CU(cuGraphLaunch((CUgraphExec)what, self->stream));
}

/// A chain of so many times the launches, of which there are two, in turn.
static CUgraphExec make_graph(const calibrate_launch launches[2], int nodes) {
  CUgraph graph;
  CUgraphExec exec;
  CUgraphNode last = NULL;
  CU(cuGraphCreate(&graph, 0));
  for (int i = 0; i < nodes; ++i) {
    const calibrate_launch *of = &launches[i % 2];
    const CUDA_KERNEL_NODE_PARAMS params = {.func = of->function,
                                            .gridDimX = of->grid,
                                            .gridDimY = 1,
                                            .gridDimZ = 1,
                                            .blockDimX = of->block,
                                            .blockDimY = 1,
                                            .blockDimZ = 1,
                                            .kernelParams = of->params};
    CUgraphNode before = last;
    CU(cuGraphAddKernelNode(&last, graph, &before, i != 0, &params));
  }
  CU(cuGraphInstantiate(&exec, graph, 0));
  CU(cuGraphDestroy(graph));
  return exec;
}

static bool has_graphs(void) {
  return cuGraphCreate && cuGraphAddKernelNode && cuGraphInstantiate &&
         cuGraphLaunch;
}

/// What a node of a chain takes more.
static void add_graph_chain(const calibrate *self, const char *name,
                            const calibrate_launch launches[2], int few_nodes,
                            int many_nodes) {
  double samples[CALIBRATE_SAMPLES];
  int count = calibrate_samples(self, 9);
  if (!has_graphs())
    return;
  CUgraphExec few = make_graph(launches, few_nodes),
              many = make_graph(launches, many_nodes);
  for (int i = -1; i < count; ++i) {
    double taken = calibrate_stretch(self, launch_graph, many, 1) -
                   calibrate_stretch(self, launch_graph, few, 1);
    if (i >= 0)
      samples[i] = taken / (many_nodes - few_nodes);
  }
  calibrate_add(name, samples, count);
  CU(cuGraphExecDestroy(few));
  CU(cuGraphExecDestroy(many));
}

/// From one launch of a graph to the next one.
static void add_graph_period(const calibrate *self,
                             const calibrate_launch launches[2]) {
  if (!has_graphs())
    return;
  CUgraphExec exec = make_graph(launches, 100);
  calibrate_period(self, "graph_of_100", launch_graph, exec, 1, 5);
  CU(cuGraphExecDestroy(exec));
}

/// The host does not wait between launches: whatever is slower counts.
static void add_wall_chain(const calibrate *self) {
  enum { KERNELS = 2000 };
  double samples[CALIBRATE_SAMPLES];
  int count = calibrate_samples(self, 9);
  const calibrate_launch empty = {self->empty, 1, 32, 0, NULL};
  for (int i = 0; i < count; ++i) {
    int64_t begin = agpu__clock_now_ns();
    calibrate_launches(self, &empty, KERNELS);
    CU(cuStreamSynchronize(self->stream));
    int64_t ns = agpu__clock_now_ns() - begin;
    samples[i] = (double)ns / (double)KERNELS;
  }
  calibrate_add("wall_chain", samples, count);
}

void calibrate_chains(const calibrate *self) {
  double samples[CALIBRATE_SAMPLES];
  int count = calibrate_samples(self, 9);
  const calibrate_launch empty = {self->empty, 1, 32, 0, NULL};
  for (int i = 0; i < count; ++i)
    samples[i] = calibrate_stretch(self, nothing, NULL, 0);
  calibrate_add("events_alone", samples, count);
  for (int i = 0; i < count; ++i)
    samples[i] = calibrate_stretch(self, calibrate_launches, &empty, 1);
  calibrate_add("events_around_empty", samples, count);
  calibrate_period(self, "chain", calibrate_launches, &empty, 50, 300);
  add_wall_chain(self);
  const calibrate_launch both[2] = {empty, empty};
  add_graph_chain(self, "graph_chain", both, 100, 500);
  add_graph_period(self, both);
  hops with;
  CU(cuStreamCreate(&with.other, CU_STREAM_NON_BLOCKING));
  CU(cuEventCreate(&with.there, CU_EVENT_DISABLE_TIMING));
  CU(cuEventCreate(&with.back, CU_EVENT_DISABLE_TIMING));
  calibrate_period(self, "two_hops", hop, &with, 10, 60);
  CU(cuEventDestroy(with.there));
  CU(cuEventDestroy(with.back));
  CU(cuStreamDestroy(with.other));
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

typedef struct copied {
  CUdeviceptr target, source;
  size_t bytes;
} copied;

/// A name that ends in so many bytes, until the next one.
static const char *name_size(const char *figure, int64_t bytes) {
  static char name[48];
  (void)snprintf(name, sizeof name, "%s/%lld", figure, (long long)bytes);
  return name;
}

static void copy(const calibrate *self, const void *what, int count) {
  const copied *of = what;
  for (int i = 0; i < count; ++i)
    CU(cuMemcpyAsync(of->target, of->source, of->bytes, self->stream));
}

static void fill(const calibrate *self, const void *what, int count) {
  const copied *of = what;
  for (int i = 0; i < count; ++i)
    CU(cuMemsetD32Async(of->target, 1, of->bytes / 4, self->stream));
}

/// By the host: the driver may copy to a staging buffer in the call.
static void add_pageable(const calibrate *self, const char *name,
                         const copied *of) {
  double samples[CALIBRATE_SAMPLES];
  int count = calibrate_samples(self, 5);
  for (int i = -1; i < count; ++i) {
    CU(cuStreamSynchronize(self->stream));
    int64_t begin = agpu__clock_now_ns();
    copy(self, of, 1);
    CU(cuStreamSynchronize(self->stream));
    if (i >= 0)
      samples[i] = (double)(agpu__clock_now_ns() - begin);
  }
  calibrate_add(name, samples, count);
}

static void add_both_ways(const calibrate *self, const copied *there,
                          const copied *back) {
  double samples[CALIBRATE_SAMPLES];
  int count = calibrate_samples(self, 5);
  CUstream other;
  CU(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  for (int i = -1; i < count; ++i) {
    int64_t begin = agpu__clock_now_ns();
    copy(self, there, 1);
    CU(cuMemcpyAsync(back->target, back->source, back->bytes, other));
    CU(cuStreamSynchronize(self->stream));
    CU(cuStreamSynchronize(other));
    if (i >= 0)
      samples[i] = (double)(agpu__clock_now_ns() - begin);
  }
  CU(cuStreamDestroy(other));
  calibrate_add(name_size("both_ways", (int64_t)there->bytes), samples, count);
}

void calibrate_copies(const calibrate *self) {
  const size_t large = (size_t)self->large, sizes[] = {4, 65536, MIB, large};
  void *memory, *pageable = malloc(large);
  bench_check(pageable, "no memory for copies");
  CU(cuMemHostAlloc(&memory, 2 * large, CU_MEMHOSTALLOC_PORTABLE));
  memset(memory, 0, 2 * large);
  memset(pageable, 0, large);
  CUdeviceptr host = (CUdeviceptr)(uintptr_t)memory;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    size_t bytes = sizes[i];
    int few = bytes < MIB ? 10 : 1, many = bytes < MIB ? 60 : 3;
    calibrate_period(self, name_size("to_device", (int64_t)bytes), copy,
                     &(copied){self->data, host, bytes}, few, many);
    calibrate_period(self, name_size("to_host", (int64_t)bytes), copy,
                     &(copied){host, self->data, bytes}, few, many);
  }
  add_both_ways(self, &(copied){self->data, host, large},
                &(copied){host + large, self->data + large, large});
  CUdeviceptr at = (CUdeviceptr)(uintptr_t)pageable;
  add_pageable(self, name_size("pageable_to_device", self->large),
               &(copied){self->data, at, large});
  add_pageable(self, name_size("pageable_to_host", self->large),
               &(copied){at, self->data, large});
  CUdeviceptr half = (CUdeviceptr)self->bytes / 2;
  calibrate_period(self, name_size("copy_on_device", 2 * self->large), copy,
                   &(copied){self->data + half, self->data, 2 * large}, 1, 3);
  calibrate_period(self, "copy_on_device/4", copy,
                   &(copied){self->data + half, self->data, 4}, 10, 60);
  calibrate_period(self, name_size("fill", 4 * self->large), fill,
                   &(copied){self->data, 0, 4 * large}, 1, 3);
  calibrate_period(self, "fill/4", fill, &(copied){self->data, 0, 4}, 10, 60);
  CU(cuMemFreeHost(memory));
  free(pageable);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Threads that fill the device, and rounds in which they touch that much.
static unsigned get_grid(const calibrate *self) {
  return self->multiprocessors * 2048 / BLOCK;
}

static int32_t get_rounds(const calibrate *self, int64_t bytes) {
  int64_t words = bytes / WORD / UNROLLED;
  int64_t threads = (int64_t)get_grid(self) * BLOCK;
  return (int32_t)((words + threads - 1) / threads);
}

/// A name that ends in the bytes of an array and those that are moved.
static const char *name_sweep(const calibrate *self, const char *kernel,
                              int64_t size, int32_t rounds, int arrays) {
  static char name[64];
  (void)snprintf(name, sizeof name, "%s/%lld/%lld", kernel, (long long)size,
                 (long long)rounds * get_grid(self) * BLOCK * UNROLLED * WORD *
                     arrays);
  return name;
}

/// Reads and writes of an array of that size, of which each moves at least so
/// many bytes in all, in the same launch again where the array has fewer.
static void add_sweeps(const calibrate *self, int64_t size, int64_t moved) {
  CUdeviceptr data = self->data, out = self->out;
  int64_t mask = size / WORD - 1;
  int32_t rounds = get_rounds(self, size > moved ? size : moved);
  void *reads[] = {&data, &mask, &rounds, &out};
  void *writes[] = {&data, &mask, &rounds};
  unsigned grid = get_grid(self);
  calibrate_period(self, name_sweep(self, "read", size, rounds, 1),
                   calibrate_launches,
                   &(calibrate_launch){self->read, grid, BLOCK, 0, reads}, 1,
                   self->is_emu ? 2 : 3);
  calibrate_period(self, name_sweep(self, "write", size, rounds, 1),
                   calibrate_launches,
                   &(calibrate_launch){self->write, grid, BLOCK, 0, writes}, 1,
                   self->is_emu ? 2 : 3);
}

/// Kernels over two and three arrays, a half and a quarter of the memory each.
static void add_streams(const calibrate *self, int64_t size) {
  CUdeviceptr a = self->data, b = a + (CUdeviceptr)size,
              c = b + (CUdeviceptr)size;
  int64_t mask = size / WORD - 1;
  int32_t rounds = get_rounds(self, size);
  unsigned grid = get_grid(self);
  void *scale[] = {&a, &b, &mask, &rounds};
  void *triad[] = {&a, &b, &c, &mask, &rounds};
  calibrate_period(self, name_sweep(self, "scale", size, rounds, 2),
                   calibrate_launches,
                   &(calibrate_launch){self->scale, grid, BLOCK, 0, scale}, 1,
                   self->is_emu ? 2 : 3);
  calibrate_period(self, name_sweep(self, "triad", size, rounds, 3),
                   calibrate_launches,
                   &(calibrate_launch){self->triad, grid, BLOCK, 0, triad}, 1,
                   self->is_emu ? 2 : 3);
}

/// Of the first `size` bytes, where that is half of all.
static void evict(const calibrate *self, int64_t size) {
  CUdeviceptr half = (CUdeviceptr)self->bytes / 2;
  if (size == self->bytes / 2)
    fill(self, &(copied){self->data + half, 0, (size_t)half}, 1);
}

/// Links the lines of the first `size` bytes, and leaves them in the cache if
/// they fit there; what is large goes, by a fill of what lies behind it.
static void link_lines(const calibrate *self, int64_t size) {
  enum { LINE = 128, THREADS = 256 };
  CUdeviceptr data = self->data;
  int64_t lines = size / LINE, mask = lines - 1;
  void *params[] = {&data, &mask};
  calibrate_start(self, self->stream,
                  &(calibrate_launch){self->link, (unsigned)(lines / THREADS),
                                      THREADS, 0, params});
  evict(self, size);
  CU(cuStreamSynchronize(self->stream));
}

static void launch_in_turn(const calibrate *self, const void *what, int count) {
  const calibrate_launch *launches = what;
  for (int i = 0; i < count; ++i)
    calibrate_start(self, self->stream, &launches[i % 2]);
}

/// Kernels that scale one array into another and back, on a stream and as a
/// graph, in blocks of 256 threads: sizes of gpu-small-kernels (te42kyfo's
/// gpu-benches).
static void add_small(const calibrate *self) {
  static const int64_t sizes[] = {4096, 16562, 67031, 256017, 1036569, 4196976};
  enum { THREADS = 256, FEW = 4, MANY = 24, LARGE = 1 << 17 };
  CUdeviceptr a = self->data, b = a + (CUdeviceptr)self->bytes / 2;
  char name[48];
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    int64_t elements = sizes[i];
    if (self->is_emu && elements > LARGE)
      break;
    void *there[] = {&a, &b, &elements}, *back[] = {&b, &a, &elements};
    unsigned grid = (unsigned)(elements / THREADS + 1);
    const calibrate_launch launches[2] = {
        {self->scale_once, grid, THREADS, 0, there},
        {self->scale_once, grid, THREADS, 0, back}};
    (void)snprintf(name, sizeof name, "small/stream/%lld", (long long)elements);
    calibrate_period(self, name, launch_in_turn, launches, FEW, MANY);
    (void)snprintf(name, sizeof name, "small/graph/%lld", (long long)elements);
    add_graph_chain(self, name, launches, FEW, MANY);
  }
}

/// One thread that follows links through `size` bytes: nanoseconds for each.
static void add_chase(const calibrate *self, int64_t size) {
  enum { FEW = 128, MORE = 640, LINKS = 8 };
  char name[48];
  double samples[CALIBRATE_SAMPLES];
  int count = calibrate_samples(self, 9);
  CUdeviceptr data = self->data, out = self->out;
  for (int i = -1; i < count; ++i) {
    double taken[2];
    for (int k = 0; k < 2; ++k) {
      int32_t rounds = k ? MORE : FEW;
      link_lines(self, size);
      void *chase[] = {&data, &rounds, &out};
      taken[k] = calibrate_stretch(
          self, calibrate_launches,
          &(calibrate_launch){self->chase, 1, 1, 0, chase}, 1);
    }
    if (i >= 0)
      samples[i] = (taken[1] - taken[0]) / ((MORE - FEW) * LINKS);
  }
  (void)snprintf(name, sizeof name, "chase/%lld", (long long)size);
  calibrate_add(name, samples, count);
}

/// What `grid` blocks take more for each further instruction, of which there
/// are so many in a round.
static void add_slope(const calibrate *self, const char *name,
                      CUfunction function, unsigned grid, unsigned block,
                      int64_t first, int64_t second, int instructions) {
  enum { FEW = 16, MANY = 64 };
  double samples[CALIBRATE_SAMPLES];
  int count = calibrate_samples(self, 9);
  CUdeviceptr out = self->out;
  for (int i = -1; i < count; ++i) {
    double taken[2];
    for (int k = 0; k < 2; ++k) {
      int32_t rounds = k ? MANY : FEW;
      void *params[] = {&rounds, &first, &second, &out},
           *few[] = {&rounds, &out};
      taken[k] = calibrate_stretch(
          self, calibrate_launches,
          &(calibrate_launch){function, grid, block, 0,
                              function == self->workgroup ? few : params},
          1);
    }
    if (i >= 0)
      samples[i] = (taken[1] - taken[0]) / ((MANY - FEW) * instructions);
  }
  calibrate_add(name, samples, count);
}

static int64_t bits_of_float(float value) {
  int64_t bits = 0;
  memcpy(&bits, &value, sizeof value);
  return bits;
}

static int64_t bits_of_double(double value) {
  int64_t bits = 0;
  memcpy(&bits, &value, sizeof value);
  return bits;
}

static void add_rates(const calibrate *self) {
  const struct {
    const char *name;
    CUfunction function;
    int64_t first, second;
    int instructions; // of a thread in a round, as calibrate.mlir has them
  } kinds[] = {
      {"fp32", self->fp32, bits_of_float(0.5F), bits_of_float(0.25F), 64},
      {"fp64", self->fp64, bits_of_double(0.5), bits_of_double(0.25), 64},
      {"integer", self->integer, 12345, 6789, 64},
      {"special", self->special, bits_of_float(0.5F), bits_of_float(-2.0F), 16},
      {"workgroup", self->workgroup, 0, 0, 33},
  };
  char name[48];
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    (void)snprintf(name, sizeof name, "of_1024/%s", kinds[i].name);
    // Twice 512 threads on each multiprocessor.
    add_slope(self, name, kinds[i].function, 2 * self->multiprocessors, BLOCK,
              kinds[i].first, kinds[i].second, kinds[i].instructions);
    (void)snprintf(name, sizeof name, "of_32/%s", kinds[i].name);
    add_slope(self, name, kinds[i].function, 1, 32, kinds[i].first,
              kinds[i].second, kinds[i].instructions);
  }
}

/// Blocks without work: what each takes.
static void add_blocks(const calibrate *self) {
  static const unsigned threads[] = {32, 1024};
  char name[48];
  for (size_t i = 0; i < sizeof threads / sizeof *threads; ++i) {
    // Of 1,024 threads two are resident: eight waves and forty.
    unsigned few = self->multiprocessors * (i ? 16 : 64),
             many = self->multiprocessors * (i ? 80 : 320);
    double samples[CALIBRATE_SAMPLES];
    int count = calibrate_samples(self, 9);
    for (int k = -1; k < count; ++k) {
      double taken =
          calibrate_stretch(
              self, calibrate_launches,
              &(calibrate_launch){self->empty, many, threads[i], 0, NULL}, 1) -
          calibrate_stretch(
              self, calibrate_launches,
              &(calibrate_launch){self->empty, few, threads[i], 0, NULL}, 1);
      if (k >= 0)
        samples[k] = taken / (many - few);
    }
    (void)snprintf(name, sizeof name, "block/%u", threads[i]);
    calibrate_add(name, samples, count);
  }
}

/// One warp that reads what lies side by side: loads that wait for nothing.
static void add_stream_of_warp(const calibrate *self, int64_t size) {
  enum { FEW = 128, MORE = 640 };
  char name[48];
  double samples[CALIBRATE_SAMPLES];
  int count = calibrate_samples(self, 9);
  CUdeviceptr data = self->data, out = self->out;
  int64_t mask = size / WORD - 1;
  for (int i = -1; i < count; ++i) {
    double taken[2];
    for (int k = 0; k < 2; ++k) {
      int32_t rounds = k ? MORE : FEW;
      fill(self, &(copied){data, 0, (size_t)size}, 1);
      evict(self, size);
      CU(cuStreamSynchronize(self->stream));
      void *reads[] = {&data, &mask, &rounds, &out};
      taken[k] = calibrate_stretch(
          self, calibrate_launches,
          &(calibrate_launch){self->read, 1, 32, 0, reads}, 1);
    }
    if (i >= 0)
      samples[i] = (taken[1] - taken[0]) / ((MORE - FEW) * UNROLLED);
  }
  (void)snprintf(name, sizeof name, "warp_read/%lld", (long long)size);
  calibrate_add(name, samples, count);
}

void calibrate_kernels(const calibrate *self) {
  // The largest power of two of which half the cache, or less, is enough.
  int64_t cached = 16 * MIB, moved = (self->is_emu ? 2 : 4) * self->large;
  while (self->l2 && cached * 2 > self->l2)
    cached /= 2;
  add_rates(self);
  add_blocks(self);
  add_sweeps(self, cached, moved);
  add_sweeps(self, moved, moved);
  add_streams(self, self->large);
  add_small(self);
  for (int64_t size = MIB / 64; !self->is_emu && size <= self->bytes; size *= 4)
    if (size != cached && size != moved)
      add_sweeps(self, size, moved);
  for (int64_t size = self->large / (self->is_emu ? 4 : 16); size < self->large;
       size *= 2)
    add_streams(self, size);
  add_chase(self, cached / 2);
  add_chase(self, self->bytes / 2);
  if (!self->is_emu) {
    add_chase(self, MIB / 16);
    for (int64_t size = MIB; size < self->bytes / 2; size *= 4)
      if (size != cached / 2)
        add_chase(self, size);
  }
  add_stream_of_warp(self, cached / 2);
  add_stream_of_warp(self, self->bytes / 2);
}
