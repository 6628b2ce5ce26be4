//===- calibrate.h - What a model of time is made of --------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// bench-gpu calibrate measures single quantities of a device and its driver: a
// figure is the median of samples, in nanoseconds or in bytes. The host's time
// is that of a model where the emulated device has one; the device's is that of
// its events, and no kernel reads a clock.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_BENCH_GPU_CALIBRATE_H
#define ASYNC_GPU_BENCH_GPU_CALIBRATE_H

#include "gpu.h"

/// X(name): the kernels of calibrate.mlir.
#define CALIBRATE_KERNELS(X)                                                   \
  X(empty)                                                                     \
  X(spin)                                                                      \
  X(link)                                                                      \
  X(chase)                                                                     \
  X(read)                                                                      \
  X(write)                                                                     \
  X(scale)                                                                     \
  X(triad)                                                                     \
  X(scale_once)                                                                \
  X(fp32)                                                                      \
  X(fp64)                                                                      \
  X(integer)                                                                   \
  X(special)                                                                   \
  X(workgroup)

typedef struct calibrate {
  CUcontext context;
  CUmodule module;
#define MEMBER(name) CUfunction name;
  CALIBRATE_KERNELS(MEMBER)
#undef MEMBER
  CUdevice device;
  CUstream stream;    ///< for all that needs one
  CUevent begin, end; ///< of a stretch of it
  CUdeviceptr data;   ///< `bytes`, the largest array or several together
  CUdeviceptr out;    ///< a word for each thread
  int32_t *cells;     ///< 4096 in mapped memory of the host
  int64_t bytes;      ///< of `data`: a power of two
  int64_t large;      ///< bytes of an array that no cache holds twice
  int64_t l2;         ///< of the second-level cache, in bytes
  unsigned multiprocessors;
  bool is_emu;      ///< nothing varies, and work takes long: one sample each
  double spin_rate; ///< rounds of `spin` in a nanosecond
} calibrate;

/// A kernel's launch.
typedef struct calibrate_launch {
  CUfunction function;
  unsigned grid, block, shared;
  void **params;
} calibrate_launch;

enum { CALIBRATE_SAMPLES = 25, CALIBRATE_MOST_FIGURES = 128 };

/// Keeps the median of the samples as the figure `name`, and their extremes.
void calibrate_add(const char *name, double *samples, int count);
/// The value of one that was added.
double calibrate_get(const char *name);

/// How many samples to take: `count`, or 1 where nothing varies.
int calibrate_samples(const calibrate *self, int count);

void calibrate_start(const calibrate *self, CUstream stream,
                     const calibrate_launch *launch);

/// Keeps the stream busy for that long: what is enqueued meanwhile is there
/// when the device comes to it.
void calibrate_block(const calibrate *self, CUstream stream, double ns);

/// Work that a stretch is made of: enqueues it on the stream, `count` times.
typedef void (*calibrate_work)(const calibrate *self, const void *what,
                               int count);

/// Nanoseconds on the device from an event before `count` times the work to one
/// behind it, all of which the driver has before it begins.
double calibrate_stretch(const calibrate *self, calibrate_work work,
                         const void *what, int count);

/// Adds as `name` what one of them takes more: from the stretches of `few` and
/// of `many`.
void calibrate_period(const calibrate *self, const char *name,
                      calibrate_work work, const void *what, int few, int many);

/// `what` is a calibrate_launch.
void calibrate_launches(const calibrate *self, const void *what, int count);

// calibrate_calls.c and calibrate_kernels.c: each adds its figures.
void calibrate_calls(const calibrate *self);
void calibrate_latencies(const calibrate *self);
void calibrate_chains(const calibrate *self);
void calibrate_copies(const calibrate *self);
void calibrate_kernels(const calibrate *self);

/// The command; its words come behind "calibrate". Gives the exit status.
int calibrate_main(int count, char **words);

#endif // ASYNC_GPU_BENCH_GPU_CALIBRATE_H
