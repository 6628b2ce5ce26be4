//===- output.h - What kernels print ---------------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block collects what its threads print, and hands it to its device, which
// keeps it until the host synchronises.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_SIMT_OUTPUT_H
#define ASYNC_GPU_RUNTIME_EMU_SIMT_OUTPUT_H

#include "driver_api/functions.h"

#include <stdbool.h>
#include <stddef.h>

/// What a block has printed so far: pieces, each after its header.
typedef struct agpu__emu_output {
  char *data;
  size_t size, capacity;
} agpu__emu_output;

/// Before the text of each call.
typedef struct agpu__emu_output_header {
  size_t text;
  size_t room; ///< that it takes in the buffer of a device of CUDA
  bool error;  ///< goes to stderr
} agpu__emu_output_header;

/// Adds bytes at the end. False: out of memory.
bool agpu__emu_output_append(agpu__emu_output *output, const void *data,
                             size_t size);

/// How much the calling thread's device keeps; and sets that. False: kernels
/// have printed.
size_t agpu__emu_output_get_limit(void);
bool agpu__emu_output_set_limit(size_t bytes);

/// Hands it over to the device's buffer; it is `kernel`'s.
void agpu__emu_output_keep(agpu__emu_output *output, const char *kernel);
void agpu__emu_output_free(agpu__emu_output *output);

/// Writes what kernels have printed in the thread's context, at the calls that
/// the CUDA programming guide names: launches, those that wait for a stream or
/// an event, those that load or unload modules, and the end of a context.
void agpu__emu_print_flush(void);

/// The same at the end of a context.
void agpu__emu_print_end(CUcontext context);

#endif // ASYNC_GPU_RUNTIME_EMU_SIMT_OUTPUT_H
