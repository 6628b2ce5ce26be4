//===- op.c - What a stream's queue holds ---------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies and fills check their ranges twice: when they are called, where a
// wrong one is the caller's error, and when they run, where memory that another
// stream has freed (or not yet allocated) is what a real device calls an
// illegal address.
//
//===----------------------------------------------------------------------===//

#include "emu/check/guard.h"
#include "emu/check/races.h"
#include "emu/emu.h"
#include "emu/simt/pageable.h"
#include "emu/simt/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

agpu__emu_op *agpu__emu_op_create(agpu__emu_op_kind kind, size_t extra) {
  agpu__emu_op *op = calloc(1, sizeof *op + extra);
  if (op)
    op->kind = kind;
  return op;
}

static void run_copy(const agpu__emu_op *op) {
  if (!agpu__emu_memory_is_usable(op->copy.target, op->copy.bytes) ||
      !agpu__emu_memory_is_usable(op->copy.source, op->copy.bytes)) {
    agpu__emu_set_error(CUDA_ERROR_ILLEGAL_ADDRESS);
    return;
  }
  memmove(agpu__emu_memory_host(op->copy.target),
          agpu__emu_memory_host(op->copy.source), op->copy.bytes);
  if (agpu__emu_get_settings()->check_memory)
    agpu__emu_memory_note_copy(op->copy.target, op->copy.source,
                               op->copy.bytes);
}

/// Bytes from the first to the last one that a fill touches; SIZE_MAX where
/// that is no number.
static size_t get_fill_span(size_t pitch, size_t width, size_t height,
                            size_t element_bytes) {
  size_t row, rows, span;
  if (__builtin_mul_overflow(width, element_bytes, &row) ||
      __builtin_mul_overflow(pitch, height - 1, &rows) ||
      __builtin_add_overflow(row, rows, &span))
    return SIZE_MAX;
  return span;
}

size_t agpu__emu_fill_span(const agpu__emu_op *op) {
  return get_fill_span(op->fill.pitch, op->fill.width, op->fill.height,
                       op->fill.element_bytes);
}

agpu__op_name agpu__emu_op_origin(const agpu__emu_op *op) {
  static const char *const names[] = {
      [AGPU__EMU_OP_KERNEL] = "launch of kernel",
      [AGPU__EMU_OP_COPY] = "copy",
      [AGPU__EMU_OP_FILL] = "fill",
      [AGPU__EMU_OP_WRITE] = "write of a value",
      [AGPU__EMU_OP_ALLOC] = "allocation",
      [AGPU__EMU_OP_FREE] = "deallocation",
      [AGPU__EMU_OP_RECORD] = "record",
      [AGPU__EMU_OP_WAIT] = "wait",
      [AGPU__EMU_OP_HOST] = "host function",
  };
  agpu__op_name origin = op->stamp.origin;
  if (!origin.what) {
    origin.what = names[op->kind];
    if (op->kind == AGPU__EMU_OP_KERNEL)
      origin.kernel = op->launch.kernel->name;
  }
  return origin;
}

static void note_fill(CUdeviceptr target, size_t bytes) {
  if (agpu__emu_get_settings()->check_memory)
    agpu__emu_memory_note_fill(target, bytes);
}

/// A word that the host may be watching. Release: who sees the value sees what
/// the stream wrote before.
static void store_word(CUdeviceptr target, uint32_t value) {
  __atomic_store_n((uint32_t *)agpu__emu_memory_host(target), value,
                   __ATOMIC_RELEASE);
  note_fill(target, sizeof value);
}

static void run_fill(const agpu__emu_op *op) {
  size_t span = agpu__emu_fill_span(op);
  if (!agpu__emu_memory_is_usable(op->fill.target, span)) {
    agpu__emu_set_error(CUDA_ERROR_ILLEGAL_ADDRESS);
    return;
  }
  if (op->fill.element_bytes == sizeof(uint32_t) && span == sizeof(uint32_t)) {
    store_word(op->fill.target, op->fill.value);
    return;
  }
  unsigned char *row = agpu__emu_memory_host(op->fill.target);
  for (size_t y = 0; y < op->fill.height; ++y, row += op->fill.pitch) {
    note_fill(op->fill.target + y * op->fill.pitch,
              op->fill.width * op->fill.element_bytes);
    switch (op->fill.element_bytes) {
    case 1: memset(row, (int)op->fill.value, op->fill.width); break;
    case 2:
      for (size_t x = 0; x < op->fill.width; ++x)
        ((uint16_t *)(void *)row)[x] = (uint16_t)op->fill.value;
      break;
    default:
      for (size_t x = 0; x < op->fill.width; ++x)
        ((uint32_t *)(void *)row)[x] = op->fill.value;
      break;
    }
  }
}

static void run_write(const agpu__emu_op *op) {
  if (!agpu__emu_memory_is_usable(op->write.target, sizeof op->write.value)) {
    agpu__emu_set_error(CUDA_ERROR_ILLEGAL_ADDRESS);
    return;
  }
  store_word(op->write.target, op->write.value);
}

static void run_host_function(const agpu__emu_op *op) {
  if (!op->stamp.origin.is_silent)
    agpu__emu_order_observe(&op->stamp);
  agpu__emu_set_in_host_function(true);
  op->host.function(op->host.user_data);
  agpu__emu_set_in_host_function(false);
}

static void run_kernel(const agpu__emu_op *op, agpu__emu_random *random) {
  bool guarded = agpu__emu_get_settings()->check_memory;
  if (guarded)
    agpu__emu_guard_begin_launch();
  agpu__emu_watched watched;
  agpu__emu_watch_begin(&watched, op);
  agpu__emu_run_blocks(op, random);
  agpu__emu_watch_end(&watched);
  if (guarded)
    agpu__emu_guard_end_launch();
}

/// What touches memory.
static void run_access(const agpu__emu_op *op, agpu__emu_random *random) {
  switch (op->kind) {
  case AGPU__EMU_OP_KERNEL: run_kernel(op, random); return;
  case AGPU__EMU_OP_COPY: run_copy(op); return;
  case AGPU__EMU_OP_FILL: run_fill(op); return;
  case AGPU__EMU_OP_WRITE: run_write(op); return;
  case AGPU__EMU_OP_ALLOC: agpu__emu_memory_reach_alloc(op->pointer); return;
  case AGPU__EMU_OP_FREE: agpu__emu_memory_reach_free(op->pointer); return;
  case AGPU__EMU_OP_HOST:
  case AGPU__EMU_OP_RECORD:
  case AGPU__EMU_OP_WAIT: return;
  }
}

static _Thread_local const agpu__emu_op *running;

static void run_checked(const agpu__emu_op *op, agpu__emu_random *random) {
  agpu__emu_clear_note();
  running = op;
  if (agpu__emu_get_settings()->check_races)
    agpu__emu_races_run(op, random, run_access);
  else
    run_access(op, random);
  running = NULL;
}

void agpu__emu_op_print_running(char *out, size_t size) {
  *out = '\0';
  if (!running)
    return;
  agpu__op_name name = agpu__emu_op_origin(running);
  char kernel[256] = "";
  if (running->kind == AGPU__EMU_OP_KERNEL) {
    const uint32_t *grid = running->launch.block.grid_dim;
    const uint32_t *block = running->launch.block.block_dim;
    (void)snprintf(kernel, sizeof kernel,
                   " '%s' with grid %ux%ux%u, block %ux%ux%u",
                   running->launch.kernel->name, grid[0], grid[1], grid[2],
                   block[0], block[1], block[2]);
  }
  (void)snprintf(out, size, ", in the %s%s%s%s", name.what, kernel,
                 name.location ? " at " : "",
                 name.location ? name.location : "");
}

void agpu__emu_op_run(agpu__emu_op *op, agpu__emu_random *random) {
  switch (op->kind) {
  case AGPU__EMU_OP_ALLOC:
  case AGPU__EMU_OP_FREE: run_checked(op, random); break;
  case AGPU__EMU_OP_RECORD:
    agpu__emu_marker_reach(op->marker);
    agpu__emu_marker_release(op->marker);
    break;
  case AGPU__EMU_OP_WAIT:
    agpu__emu_marker_wait(op->marker);
    agpu__emu_marker_release(op->marker);
    break;
  case AGPU__EMU_OP_KERNEL:
  case AGPU__EMU_OP_COPY:
  case AGPU__EMU_OP_FILL:
  case AGPU__EMU_OP_WRITE:
    if (agpu__emu_get_error() == CUDA_SUCCESS)
      run_checked(op, random);
    break;
  case AGPU__EMU_OP_HOST:
    if (agpu__emu_get_error() == CUDA_SUCCESS)
      run_host_function(op);
    break;
  }
  agpu__emu_stamp_clear(&op->stamp);
  free(op);
}

CUresult agpu__emu_memcpy_async(CUdeviceptr target, CUdeviceptr source,
                                size_t bytes, CUstream stream) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (bytes == 0)
    return CUDA_SUCCESS;
  if (!target || !source || !agpu__emu_memory_is_nameable(target, bytes) ||
      !agpu__emu_memory_is_nameable(source, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  agpu__emu_op *op = agpu__emu_op_create(AGPU__EMU_OP_COPY, 0);
  if (!op)
    return CUDA_ERROR_OUT_OF_MEMORY;
  op->copy.target = target;
  op->copy.source = source;
  op->copy.bytes = bytes;
  result = agpu__emu_stream_enqueue(stream, op);
  // As a card that has to bring it through memory of its own first: not before
  // the stream has got there.
  bool blocks = !agpu__emu_get_settings()->pageable_async &&
                (agpu__emu_is_pageable(target, bytes) ||
                 agpu__emu_is_pageable(source, bytes));
  return result || !blocks ? result : agpu__emu_stream_synchronize(stream);
}

static CUresult enqueue_fill(CUdeviceptr target, size_t pitch,
                             unsigned int value, unsigned int element_bytes,
                             size_t width, size_t height, CUstream stream) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (width == 0 || height == 0)
    return CUDA_SUCCESS;
  size_t span = get_fill_span(pitch, width, height, element_bytes);
  if (!target || target % element_bytes || span == SIZE_MAX ||
      (height > 1 &&
       (pitch % element_bytes || pitch / element_bytes < width)) ||
      !agpu__emu_memory_is_nameable(target, span))
    return CUDA_ERROR_INVALID_VALUE;
  agpu__emu_op *op = agpu__emu_op_create(AGPU__EMU_OP_FILL, 0);
  if (!op)
    return CUDA_ERROR_OUT_OF_MEMORY;
  op->fill.target = target;
  op->fill.value = value;
  op->fill.element_bytes = element_bytes;
  op->fill.pitch = pitch;
  op->fill.width = width;
  op->fill.height = height;
  return agpu__emu_stream_enqueue(stream, op);
}

CUresult agpu__emu_memset_d8(CUdeviceptr target, unsigned char value,
                             size_t count, CUstream stream) {
  return enqueue_fill(target, 0, value, 1, count, 1, stream);
}

CUresult agpu__emu_memset_d16(CUdeviceptr target, unsigned short value,
                              size_t count, CUstream stream) {
  return enqueue_fill(target, 0, value, 2, count, 1, stream);
}

CUresult agpu__emu_memset_d32(CUdeviceptr target, unsigned int value,
                              size_t count, CUstream stream) {
  return enqueue_fill(target, 0, value, 4, count, 1, stream);
}

CUresult agpu__emu_memset_2d_d32(CUdeviceptr target, size_t pitch,
                                 unsigned int value, size_t width,
                                 size_t height, CUstream stream) {
  return enqueue_fill(target, pitch, value, 4, width, height, stream);
}

CUresult agpu__emu_stream_write_value(CUstream stream, CUdeviceptr target,
                                      uint32_t value, unsigned int flags) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (flags > CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER ||
      target % sizeof value || !agpu__emu_memory_takes_values(target))
    return CUDA_ERROR_INVALID_VALUE;
  agpu__emu_op *op = agpu__emu_op_create(AGPU__EMU_OP_WRITE, 0);
  if (!op)
    return CUDA_ERROR_OUT_OF_MEMORY;
  op->write.target = target;
  op->write.value = value;
  return agpu__emu_stream_enqueue(stream, op);
}

CUresult agpu__emu_launch_host_func(CUstream stream, CUhostFn function,
                                    void *user_data) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!function)
    return CUDA_ERROR_INVALID_VALUE;
  agpu__emu_op *op = agpu__emu_op_create(AGPU__EMU_OP_HOST, 0);
  if (!op)
    return CUDA_ERROR_OUT_OF_MEMORY;
  op->host.function = function;
  op->host.user_data = user_data;
  return agpu__emu_stream_enqueue(stream, op);
}
