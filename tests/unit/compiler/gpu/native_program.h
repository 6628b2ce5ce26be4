//===- native_program.h - Kernels compiled and run in a test ------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program does with the native image of its kernels, without runtime:
// compiles MLIR text with async-gpu-kernels and upstream's conversions to
// machine code of this host at -O2, and runs blocks one after the other. Every
// failure ends the test.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_NATIVE_PROGRAM_H
#define ASYNC_GPU_TESTS_NATIVE_PROGRAM_H

#include "async_gpu/compiled/kernel.h"

#include <stddef.h>
#include <stdint.h>

typedef struct native_program native_program;

/// Compiles the file `path`, a module with one gpu.module @m. `options` are
/// those of async-gpu-kernels, or NULL.
native_program *native_program_create(const char *path, const char *options);
void native_program_release(native_program *program);

/// The PTX image's text, NULL without one. Lives as long as the program.
const char *native_program_ptx(const native_program *program);

/// True if the optimised code of the program contains `text` as LLVM IR.
int native_program_contains(const native_program *program, const char *text);

/// Grid and block sizes, x, y, z.
typedef struct launch_shape {
  uint32_t grid[3], block[3];
} launch_shape;

/// Runs kernel `name` with the addresses of its parameters; checks that there
/// are `param_count`.
void native_program_launch(const native_program *program, const char *name,
                           launch_shape shape, void *const *params,
                           size_t param_count);

/// The parameters of a memref, in descriptor order, for the params array.
#define MEMREF1(m)                                                             \
  &(m).allocated, &(m).aligned, &(m).offset, &(m).sizes[0], &(m).strides[0]
#define MEMREF2(m)                                                             \
  &(m).allocated, &(m).aligned, &(m).offset, &(m).sizes[0], &(m).sizes[1],     \
      &(m).strides[0], &(m).strides[1]
#define MEMREF0(m) &(m).allocated, &(m).aligned, &(m).offset

typedef struct memref {
  void *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
} memref;

memref memref_1d(void *data, int64_t size);
memref memref_2d(void *data, int64_t rows, int64_t columns);

#endif // ASYNC_GPU_TESTS_NATIVE_PROGRAM_H
