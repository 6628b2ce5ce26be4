//===- sample.c - One sample, in a process of its own ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu.h"

#include "async_gpu/compiled/kernel.h"
#include "async_gpu/runtime.h"
#include "gpu/kernel/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECONDS 120
#define WARMUP 2
/// What the length of a kernel is measured with.
#define TRIAL_ROUNDS 200000

// programs.mlir's: the kernels that all peers launch.
extern agpu_module_desc bench_module __asm__("agpu_module.bench");

void bench_report(const char *metric, double value) {
  printf("%s %.17g\n", metric, value);
}

void bench_missing(const char *reason) {
  printf("missing %s\n", reason);
  fflush(stdout);
  _exit(BENCH_MISSING);
}

void bench_check(bool condition, const char *what) {
  if (condition)
    return;
  fprintf(stderr, "error: %s\n", what);
  exit(1);
}

static int64_t read_clock(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t bench_now_ns(void) { return read_clock(CLOCK_MONOTONIC); }
int64_t bench_cpu_ns(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

static int compare(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

double bench_median(double *values, int64_t count) {
  qsort(values, (size_t)count, sizeof *values, compare);
  return count % 2 ? values[count / 2]
                   : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static void zero_cells(const bench *b) {
  CUstream stream;
  CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CU(cuMemsetD32Async(b->cells, 0, BENCH_CELLS, stream));
  CU(cuStreamSynchronize(stream));
  CU(cuStreamDestroy(stream));
}

static void read_cells(const bench *b, int32_t *out_cells) {
  CUstream stream;
  CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CU(cuMemcpyAsync((CUdeviceptr)(uintptr_t)out_cells, b->cells,
                   BENCH_CELLS * sizeof *out_cells, stream));
  CU(cuStreamSynchronize(stream));
  CU(cuStreamDestroy(stream));
}

void bench_check_cells(const bench *b, int64_t count, int32_t expected) {
  static int32_t cells[BENCH_CELLS];
  read_cells(b, cells);
  for (int64_t i = 0; i < count; ++i)
    bench_check(cells[i] == expected, "kernels ran too often or too seldom");
}

/// The device is idle, and says when that is.
static void mark(CUevent event) {
  CU(cuEventRecord(event, NULL));
  CU(cuEventSynchronize(event));
}

/// By the device's clock, which is that of a model on an emulated device with
/// one.
static double get_elapsed(CUevent begin, CUevent end) {
  float milliseconds = 0;
  CU(cuEventElapsedTime(&milliseconds, begin, end));
  return (double)milliseconds * 1e6;
}

void bench_time(const bench *b, void (*work)(const bench *b),
                void (*check)(const bench *b)) {
  int64_t runs = b->sizes->runs;
  double *wall = calloc((size_t)runs, sizeof *wall);
  double *cpu = calloc((size_t)runs, sizeof *cpu);
  double *device = calloc((size_t)runs, sizeof *device);
  bench_check(wall && cpu && device, "no memory for samples");
  CUevent first, last;
  CU(cuEventCreate(&first, CU_EVENT_BLOCKING_SYNC));
  CU(cuEventCreate(&last, CU_EVENT_BLOCKING_SYNC));
  for (int64_t i = -WARMUP; i < runs; ++i) {
    zero_cells(b);
    mark(first);
    int64_t cpu_begin = bench_cpu_ns(), begin = bench_now_ns();
    work(b);
    int64_t end = bench_now_ns(), cpu_end = bench_cpu_ns();
    mark(last);
    check(b);
    if (i >= 0) {
      wall[i] = (double)(end - begin);
      cpu[i] = (double)(cpu_end - cpu_begin);
      device[i] = get_elapsed(first, last);
    }
  }
  CU(cuEventDestroy(first));
  CU(cuEventDestroy(last));
  bench_report("ns", bench_median(wall, runs));
  bench_report("cpu_ns", bench_median(cpu, runs));
  bench_report("device_ns", bench_median(device, runs));
  free(wall);
  free(cpu);
  free(device);
}

int32_t bench_rounds(const bench *b, int64_t nanoseconds) {
  CUstream stream;
  CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  double shortest = 0;
  for (int i = 0; i < 5; ++i) {
    int64_t index = 0;
    int32_t rounds = TRIAL_ROUNDS;
    void *params[] = {(void *)&b->cells, &index, &rounds};
    int64_t begin = bench_now_ns();
    CU(cuLaunchKernel(b->work, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
    CU(cuStreamSynchronize(stream));
    double taken = (double)(bench_now_ns() - begin);
    if (i == 0 || taken < shortest)
      shortest = taken;
  }
  CU(cuStreamDestroy(stream));
  double rounds = (double)nanoseconds / shortest * TRIAL_ROUNDS;
  return rounds < 1 ? 1 : rounds > 1e9 ? 1000000000 : (int32_t)rounds;
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

/// What is set up here is the peers'; the runtime has its own, in the same
/// context.
static void set_up(bench *b, bool has_data) {
  agpu_device_kind kind;
  agpu_status status = agpu_runtime_get_device(&kind);
  if (status) {
    fprintf(stderr, "error: %s\n", agpu_status_get_message(status));
    exit(1);
  }
  bool is_emu = kind == AGPU_DEVICE_EMU;
  cuda_api_load(is_emu);
  CU(cuInit(0));
  CUdevice device;
  int major = 0, minor = 0;
  CU(cuDeviceGet(&device, 0));
  CU(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                          device));
  CU(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                          device));
  CU(cuDevicePrimaryCtxRetain(&b->context, device));
  CU(cuCtxSetCurrent(b->context));
  const agpu_image_desc *image = agpu__image_choose(
      &bench_module, is_emu ? AGPU_IMAGE_NATIVE : AGPU_IMAGE_PTX,
      (uint32_t)(major * 10 + minor));
  bench_check(image, "there is no image of the kernels for this device");
  CU(cuModuleLoadDataEx(&b->module, agpu__image_data(image), 0, NULL, NULL));
  CU(cuModuleGetFunction(&b->empty, b->module, "empty"));
  CU(cuModuleGetFunction(&b->work, b->module, "work"));
  CU(cuModuleGetFunction(&b->scale, b->module, "scale"));
  CU(cuMemAlloc(&b->cells, BENCH_CELLS * sizeof(int32_t)));
  if (has_data) {
    size_t bytes = (size_t)b->sizes->chunks * BENCH_CHUNK * sizeof(float);
    void *memory;
    CU(cuMemHostAlloc(&memory, bytes, CU_MEMHOSTALLOC_PORTABLE));
    b->data = memset(memory, 0, bytes);
    static float expected;
    expected = 0;
    b->expected = &expected;
  }
}

static void tear_down(const bench *b) {
  if (b->data)
    CU(cuMemFreeHost(b->data));
  CU(cuMemFree(b->cells));
  CU(cuModuleUnload(b->module));
}

int bench_sample(const bench_case *of, const bench_sizes *sizes) {
  alarm(SECONDS);
  bench b = {.sizes = sizes};
  set_up(&b, strcmp(of->workload, "pipeline") == 0);
  of->run(&b);
  tear_down(&b);
  return 0;
}

int bench_count(const char *workload, const char *peer, int64_t count) {
  static const bench_sizes sizes = {.runs = 1};
  bench b = {.sizes = &sizes};
  set_up(&b, false);
  calls_count(&b, workload, peer, count);
  tear_down(&b);
  return 0;
}
