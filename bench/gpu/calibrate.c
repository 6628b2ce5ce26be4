//===- calibrate.c - Measures what a model of time is made of -------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// bench-gpu calibrate [--multiprocessors N] [--l2 KIB] [--large MIB]
//     [--json FILE]
//     measures, prints each figure, and writes all to FILE
//
// The device says how many multiprocessors it has, and how large its cache is,
// unless the first two options do; the emulated device does not say the second
// of a model. --large, a power of two, is the size of the largest copies
// between host and device; arrays that no cache holds are up to four times as
// large (64). bench/calibrate.py makes a model of what is written here.
//
//===----------------------------------------------------------------------===//

#include "calibrate.h"

#include "async_gpu/compiled/kernel.h"
#include "async_gpu/runtime.h"
#include "base/os/clock.h"
#include "base/sync/schedule.h"
#include "gpu/kernel/module.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS = 300, CELLS = 4096 };

// calibrate.mlir's.
extern agpu_module_desc calibrate_module __asm__("agpu_module.calibrate");

static struct {
  char name[48];
  double value, least, most;
  int samples;
} figures[CALIBRATE_MOST_FIGURES];
static int figure_count;

void calibrate_add(const char *name, double *samples, int count) {
  bench_check(figure_count < CALIBRATE_MOST_FIGURES, "too many figures");
  double median = bench_median(samples, count);
  (void)snprintf(figures[figure_count].name, sizeof figures[0].name, "%s",
                 name);
  figures[figure_count].value = median;
  figures[figure_count].least = samples[0]; // in order
  figures[figure_count].most = samples[count - 1];
  figures[figure_count].samples = count;
  ++figure_count;
  printf("%-34s %14.1f  %14.1f to %14.1f\n", name, median, samples[0],
         samples[count - 1]);
  fflush(stdout);
}

double calibrate_get(const char *name) {
  for (int i = 0; i < figure_count; ++i)
    if (strcmp(figures[i].name, name) == 0)
      return figures[i].value;
  bench_check(false, "a figure is asked for before it is there");
  return 0;
}

int calibrate_samples(const calibrate *self, int count) {
  return self->is_emu ? 1 : count;
}

//===----------------------------------------------------------------------===//
// Stretches of a stream
//===----------------------------------------------------------------------===//

void calibrate_start(const calibrate *self, CUstream stream,
                     const calibrate_launch *launch) {
  (void)self;
  CU(cuLaunchKernel(launch->function, launch->grid, 1, 1, launch->block, 1, 1,
                    launch->shared, stream, launch->params, NULL));
}

void calibrate_launches(const calibrate *self, const void *what, int count) {
  for (int i = 0; i < count; ++i)
    calibrate_start(self, self->stream, what);
}

void calibrate_block(const calibrate *self, CUstream stream, double ns) {
  int32_t value = 0, rounds = (int32_t)(ns * self->spin_rate) + 1;
  void *params[] = {(void *)&self->out, &value, &rounds};
  calibrate_start(self, stream,
                  &(calibrate_launch){self->spin, 1, 1, 0, params});
}

static double get_elapsed(const calibrate *self) {
  float milliseconds = 0;
  CU(cuEventElapsedTime(&milliseconds, self->begin, self->end));
  return (double)milliseconds * 1e6;
}

double calibrate_stretch(const calibrate *self, calibrate_work work,
                         const void *what, int count) {
  const double call_ns = 8000, more_ns = 100000;
  calibrate_block(self, self->stream, count * call_ns + more_ns);
  CU(cuEventRecord(self->begin, self->stream));
  work(self, what, count);
  CU(cuEventRecord(self->end, self->stream));
  CU(cuStreamSynchronize(self->stream));
  return get_elapsed(self);
}

void calibrate_period(const calibrate *self, const char *name,
                      calibrate_work work, const void *what, int few,
                      int many) {
  double samples[CALIBRATE_SAMPLES];
  int count = calibrate_samples(self, 9);
  work(self, what, 1);
  for (int i = 0; i < count; ++i)
    samples[i] = (calibrate_stretch(self, work, what, many) -
                  calibrate_stretch(self, work, what, few)) /
                 (many - few);
  calibrate_add(name, samples, count);
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

/// Numbers of cuda.h, and its names.
static const struct {
  int attribute;
  const char *name;
} attributes[] = {
    {13, "CLOCK_RATE"},
    {16, "MULTIPROCESSOR_COUNT"},
    {36, "MEMORY_CLOCK_RATE"},
    {37, "GLOBAL_MEMORY_BUS_WIDTH"},
    {38, "L2_CACHE_SIZE"},
    {39, "MAX_THREADS_PER_MULTIPROCESSOR"},
    {40, "ASYNC_ENGINE_COUNT"},
    {75, "COMPUTE_CAPABILITY_MAJOR"},
    {76, "COMPUTE_CAPABILITY_MINOR"},
    {81, "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR"},
    {82, "MAX_REGISTERS_PER_MULTIPROCESSOR"},
    {97, "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN"},
    {106, "MAX_BLOCKS_PER_MULTIPROCESSOR"},
};

static int get_attribute(const calibrate *self, int attribute) {
  int value = 0;
  CUresult result =
      cuDeviceGetAttribute(&value, (CUdevice_attribute)attribute, self->device);
  return result ? 0 : value;
}

static void load_kernels(calibrate *self) {
  int version = get_attribute(self, 75) * 10 + get_attribute(self, 76);
  const agpu_image_desc *image = agpu__image_choose(
      &calibrate_module, self->is_emu ? AGPU_IMAGE_NATIVE : AGPU_IMAGE_PTX,
      (uint32_t)version);
  bench_check(image, "there is no image of the kernels for this device");
  CU(cuModuleLoadDataEx(&self->module, agpu__image_data(image), 0, NULL, NULL));
#define GET(name) CU(cuModuleGetFunction(&self->name, self->module, #name));
  CALIBRATE_KERNELS(GET)
#undef GET
}

/// Rounds of `spin` in a nanosecond, by the difference of two lengths.
static double measure_spin(const calibrate *self) {
  enum { FEW = 10000, MANY = 60000 };
  double taken[2] = {0};
  for (int trial = 0; trial < 3; ++trial)
    for (int i = 0; i < 2; ++i) {
      int32_t value = 0, rounds = i ? MANY : FEW;
      void *params[] = {(void *)&self->out, &value, &rounds};
      CU(cuEventRecord(self->begin, self->stream));
      calibrate_start(self, self->stream,
                      &(calibrate_launch){self->spin, 1, 1, 0, params});
      CU(cuEventRecord(self->end, self->stream));
      CU(cuStreamSynchronize(self->stream));
      taken[i] = get_elapsed(self);
    }
  double more = taken[1] - taken[0];
  return more > 0 ? (MANY - FEW) / more : 1;
}

static void set_up(calibrate *self) {
  enum { WORDS = 4194304 };
  agpu_device_kind kind;
  agpu_status status = agpu_runtime_get_device(&kind);
  if (status) {
    fprintf(stderr, "error: %s\n", agpu_status_get_message(status));
    exit(1);
  }
  self->is_emu = kind == AGPU_DEVICE_EMU;
  // The host's clock is that of the model, where there is one.
  agpu__schedule_read();
  cuda_api_load(self->is_emu);
  bench_check(cuEventElapsedTime, "the driver has no times of events");
  CU(cuInit(0));
  CU(cuDeviceGet(&self->device, 0));
  CU(cuDevicePrimaryCtxRetain(&self->context, self->device));
  CU(cuCtxSetCurrent(self->context));
  load_kernels(self);
  CU(cuStreamCreate(&self->stream, CU_STREAM_NON_BLOCKING));
  CU(cuEventCreate(&self->begin, 0));
  CU(cuEventCreate(&self->end, 0));
  if (!self->multiprocessors)
    self->multiprocessors = (unsigned)get_attribute(self, 16);
  if (!self->l2)
    self->l2 = get_attribute(self, 38);
  size_t free_bytes, total_bytes;
  CU(cuMemGetInfo(&free_bytes, &total_bytes));
  self->bytes = 4 * self->large;
  while (!self->is_emu && self->bytes < INT64_C(1) << 30 &&
         (size_t)self->bytes * 4 < free_bytes)
    self->bytes *= 2;
  CU(cuMemAlloc(&self->data, (size_t)self->bytes));
  CU(cuMemAlloc(&self->out, WORDS * sizeof(int64_t)));
  void *cells;
  CU(cuMemHostAlloc(&cells, CELLS * sizeof(int32_t),
                    CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
  self->cells = memset(cells, 0, CELLS * sizeof(int32_t));
  CU(cuMemsetD32Async(self->data, 0, (size_t)self->bytes / 4, self->stream));
  CU(cuStreamSynchronize(self->stream));
  self->spin_rate = measure_spin(self);
}

static void tear_down(const calibrate *self) {
  CU(cuMemFreeHost(self->cells));
  CU(cuMemFree(self->out));
  CU(cuMemFree(self->data));
  CU(cuEventDestroy(self->begin));
  CU(cuEventDestroy(self->end));
  CU(cuStreamDestroy(self->stream));
  CU(cuModuleUnload(self->module));
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

static int write_json(const calibrate *self, const char *path) {
  FILE *out = fopen(path, "w");
  if (!out) {
    fprintf(stderr, "error: %s cannot be written: %s\n", path, strerror(errno));
    return 1;
  }
  char name[128] = "";
  int version = 0;
  CU(cuDeviceGetName(name, sizeof name, self->device));
  CU(cuDriverGetVersion(&version));
  fprintf(out,
          "{\n  \"command\": \"bench-gpu calibrate\",\n"
          "  \"device\": \"%s\",\n  \"driver\": \"%s\",\n"
          "  \"driver_version\": %d,\n  \"multiprocessors\": %u,\n"
          "  \"l2_kib\": %lld,\n  \"bytes\": %lld,\n  \"large\": %lld,\n"
          "  \"attributes\": {",
          name, self->is_emu ? "emu" : "cuda", version, self->multiprocessors,
          (long long)(self->l2 / 1024), (long long)self->bytes,
          (long long)self->large);
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; ++i)
    fprintf(out, "%s\n    \"%s\": %d", i ? "," : "", attributes[i].name,
            get_attribute(self, attributes[i].attribute));
  fprintf(out, "\n  },\n  \"figures\": {");
  for (int i = 0; i < figure_count; ++i)
    fprintf(out,
            "%s\n    \"%s\": {\"ns\": %.6g, \"least\": %.6g, \"most\": %.6g, "
            "\"samples\": %d}",
            i ? "," : "", figures[i].name, figures[i].value, figures[i].least,
            figures[i].most, figures[i].samples);
  fprintf(out, "\n  }\n}\n");
  bench_check(fclose(out) == 0, "the figures could not be written");
  return 0;
}

static int64_t read_count(const char *text) {
  char *end;
  errno = 0;
  long long number = strtoll(text, &end, 10);
  return errno || !*text || *end || number < 1 || number > 1 << 24 ? -1
                                                                   : number;
}

int calibrate_main(int count, char **words) {
  calibrate self = {.large = INT64_C(64) << 20};
  const char *json = NULL;
  for (int i = 0; i < count; i += 2) {
    bool has_value = i + 1 < count;
    int64_t number = has_value ? read_count(words[i + 1]) : -1;
    if (strcmp(words[i], "--json") == 0 && has_value) {
      json = words[i + 1];
    } else if (strcmp(words[i], "--multiprocessors") == 0 && number > 0 &&
               number <= 1024) {
      self.multiprocessors = (unsigned)number;
    } else if (strcmp(words[i], "--l2") == 0 && number > 0) {
      self.l2 = number * 1024;
    } else if (strcmp(words[i], "--large") == 0 && number > 0 && number <= 64 &&
               !(number & (number - 1))) {
      self.large = number << 20;
    } else {
      fprintf(stderr,
              "error: '%s' is no option of 'calibrate', or has no value "
              "that fits: [--multiprocessors N] [--l2 KIB] [--large MIB] "
              "[--json FILE]\n",
              words[i]);
      return 2;
    }
  }
  alarm(SECONDS);
  int64_t begin = agpu__clock_machine_ns();
  set_up(&self);
  calibrate_calls(&self);
  calibrate_latencies(&self);
  calibrate_chains(&self);
  calibrate_copies(&self);
  calibrate_kernels(&self);
  int status = json ? write_json(&self, json) : 0;
  tear_down(&self);
  printf("in %.1f s\n", (double)(agpu__clock_machine_ns() - begin) * 1e-9);
  return status;
}
