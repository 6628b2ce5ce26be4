//===- output.c - What kernels print -------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a buffer of the context until a point at which CUDA writes it ("Formatted
// Output"): launches, synchronisation of a stream, an event or a context,
// loading and unloading of modules, the end of the context, and blocking
// copies. A query is none.
//
//===----------------------------------------------------------------------===//

#include "driver/state.h"
#include "machine/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void ptx_output_add(int device, const char *text, size_t length) {
  CUcontext context = ptx_context_of(device);
  pthread_mutex_lock(&lock);
  size_t needed = context->output_bytes + length;
  if (needed > context->output_capacity) {
    context->output_capacity = 2 * needed;
    context->output = realloc(context->output, context->output_capacity);
    if (!context->output)
      abort();
  }
  memcpy(context->output + context->output_bytes, text, length);
  context->output_bytes = needed;
  context->has_printed = true;
  pthread_mutex_unlock(&lock);
}

void ptx_write_output(CUcontext context) {
  pthread_mutex_lock(&lock);
  if (context->output_bytes) {
    fwrite(context->output, 1, context->output_bytes, stdout);
    fflush(stdout);
    context->output_bytes = 0;
  }
  pthread_mutex_unlock(&lock);
}

void ptx_error_add(const char *text) {
  fputs(text, stderr);
  fflush(stderr);
}
