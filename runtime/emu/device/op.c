//===- op.c - What a stream's queue holds ---------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs ops, each on the thread of its stream. Ranges of copies and fills were
// checked when they were called, where a wrong one is the caller's error, and
// are checked again here, where memory that another stream has freed (or not
// yet allocated) is what a real device calls an illegal address.
//
//===----------------------------------------------------------------------===//

#include "emu/device/op.h"

#include "base/os/self.h"
#include "emu/base/context.h"
#include "emu/base/result.h"
#include "emu/device/work_clock.h"
#include "emu/memory/allocation.h"
#include "emu/memory/guard.h"
#include "emu/memory/host_memory.h"
#include "emu/memory/memory.h"
#include "emu/simt/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

agpu__emu_op *agpu__emu_op_create(agpu__emu_op_kind kind, size_t extra) {
  agpu__emu_op *op = calloc(1, sizeof *op + extra);
  if (op) {
    op->kind = kind;
    op->extra = extra;
  }
  return op;
}

uint64_t agpu__emu_op_count_launch(void) {
  static _Atomic uint64_t launches;
  return atomic_fetch_add_explicit(&launches, 1, memory_order_relaxed) + 1;
}

/// What an address inside of `from` is inside of `to`.
static void *move_pointer(void *pointer, const void *from, void *to) {
  return (char *)to + ((const char *)pointer - (const char *)from);
}

agpu__emu_op *agpu__emu_op_copy(const agpu__emu_op *op) {
  size_t bytes = sizeof *op + op->extra;
  agpu__emu_op *copy = malloc(bytes);
  if (!copy)
    return NULL;
  memcpy(copy, op, bytes);
  if (op->table && !op->table->copy(copy)) {
    agpu__emu_op_free(copy);
    return NULL;
  }
  if (op->kind == AGPU__EMU_OP_KERNEL) {
    agpu__emu_launch *launch = &copy->launch;
    launch->number = agpu__emu_op_count_launch();
    launch->params = move_pointer((void *)op->launch.params, op, copy);
    launch->hidden = move_pointer(op->launch.hidden, op, copy);
    for (uint32_t i = 0; i < launch->kernel->param_count; ++i)
      launch->params[i] = move_pointer(op->launch.params[i], op, copy);
  }
  return copy;
}

void agpu__emu_op_free(agpu__emu_op *op) {
  if (op->kind == AGPU__EMU_OP_RECORD || op->kind == AGPU__EMU_OP_WAIT)
    agpu__emu_marker_release(op->marker);
  if (op->table)
    op->table->free(op);
  agpu__emu_stamp_release(op->stamp);
  free(op);
}

/// Whether work may touch all of them now; sets the context's error if not.
static bool may_touch(const agpu__emu_rows *rows) {
  if (agpu__emu_memory_is_usable(rows->at, agpu__emu_rows_span(rows)))
    return true;
  agpu__emu_set_error(CUDA_ERROR_ILLEGAL_ADDRESS);
  return false;
}

/// The same for writing.
static bool may_write(const agpu__emu_rows *rows) {
  size_t bytes = agpu__emu_rows_span(rows);
  if (!agpu__emu_host_memory_is_read_only(rows->at, bytes))
    return may_touch(rows);
  agpu__emu_note("%zu bytes are written at 0x%llx, which is registered for "
                 "reading alone",
                 bytes, rows->at);
  agpu__emu_set_error(CUDA_ERROR_ILLEGAL_ADDRESS);
  return false;
}

static void run_copy(const agpu__emu_op *op) {
  const agpu__emu_rows *to = &op->copy.target, *from = &op->copy.source;
  unsigned version = agpu__emu_memory_version();
  if (!may_write(to) || !may_touch(from))
    return;
  for (size_t z = 0; z < to->depth; ++z)
    for (size_t y = 0; y < to->height; ++y) {
      CUdeviceptr target = agpu__emu_row_at(to, y, z);
      CUdeviceptr source = agpu__emu_row_at(from, y, z);
      memmove(agpu__emu_memory_host(target), agpu__emu_memory_host(source),
              to->width);
      AGPU__EMU_TELL(copied, (target, source, to->width));
    }
  // Freed meanwhile, it was not this copy's any more.
  if (agpu__emu_memory_version() != version && may_touch(to))
    (void)may_touch(from);
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
      [AGPU__EMU_OP_CONDITIONAL] = "conditional node",
      [AGPU__EMU_OP_BEGIN] = "graph's beginning",
  };
  agpu__op_name origin = op->origin;
  if (!origin.what) {
    origin.what = names[op->kind];
    if (op->kind == AGPU__EMU_OP_KERNEL)
      origin.kernel = op->launch.kernel->name;
  }
  return origin;
}

/// A word that the host may be watching. Release: who sees the value sees what
/// the stream wrote before.
static void store_word(CUdeviceptr target, uint32_t value) {
  __atomic_store_n((uint32_t *)agpu__emu_memory_host(target), value,
                   __ATOMIC_RELEASE);
  AGPU__EMU_TELL(filled, (target, sizeof value));
}

static void fill_row(CUdeviceptr target, size_t bytes, unsigned value,
                     unsigned element_bytes) {
  void *row = agpu__emu_memory_host(target);
  AGPU__EMU_TELL(filled, (target, bytes));
  switch (element_bytes) {
  case 1: memset(row, (int)value, bytes); break;
  case 2:
    for (size_t x = 0; x < bytes / 2; ++x)
      ((uint16_t *)row)[x] = (uint16_t)value;
    break;
  default:
    for (size_t x = 0; x < bytes / 4; ++x)
      ((uint32_t *)row)[x] = value;
    break;
  }
}

static void run_fill(const agpu__emu_op *op) {
  const agpu__emu_rows *rows = &op->fill.target;
  if (!may_write(rows))
    return;
  if (op->fill.element_bytes == sizeof(uint32_t) &&
      agpu__emu_rows_span(rows) == sizeof(uint32_t)) {
    store_word(rows->at, op->fill.value);
    return;
  }
  for (size_t y = 0; y < rows->height; ++y)
    fill_row(agpu__emu_row_at(rows, y, 0), rows->width, op->fill.value,
             op->fill.element_bytes);
}

static void run_write(const agpu__emu_op *op) {
  if (!agpu__emu_memory_is_usable(op->write.target, sizeof op->write.value)) {
    agpu__emu_set_error(CUDA_ERROR_ILLEGAL_ADDRESS);
    return;
  }
  store_word(op->write.target, op->write.value);
}

static void run_host_function(const agpu__emu_op *op) {
  if (!op->origin.is_silent)
    AGPU__EMU_TELL(observed, (op->stamp));
  // "It is legal for the CPU to access managed data from within a stream
  // callback, provided no other stream ... is active on the GPU."
  agpu__emu_guard_synchronized();
  agpu__self.emu.running = op;
  agpu__emu_call_host_function(op->host.function, op->host.user_data);
}

static void reach_host_function(const agpu__emu_op *op,
                                agpu__emu_random *random) {
  (void)random;
  bool is_dropped = agpu__emu_get_error() != CUDA_SUCCESS;
  if (op->timed && is_dropped)
    agpu__emu_hooks_table.host_function_dropped(op->timed);
  else if (op->timed)
    agpu__emu_hooks_table.host_function(op->timed, run_host_function, op);
  else if (!is_dropped)
    run_host_function(op);
}

static void run_kernel(const agpu__emu_op *op, agpu__emu_random *random) {
  agpu__emu_watched watched;
  agpu__emu_guard_begin_launch();
  agpu__emu_watch_begin(&watched, &op->launch,
                        agpu__emu_op_origin(op).location);
  agpu__emu_launch_run(&op->launch, random);
  agpu__emu_watch_end(&watched);
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
  case AGPU__EMU_OP_CONDITIONAL:
  case AGPU__EMU_OP_BEGIN:
  case AGPU__EMU_OP_RECORD:
  case AGPU__EMU_OP_WAIT: return;
  }
}

/// Writes ", in the OP at LOCATION" of the one that runs.
static void describe_running(char *out, size_t size) {
  const agpu__emu_op *running = agpu__self.emu.running;
  agpu__op_name name = agpu__emu_op_origin(running);
  char kernel[512] = "";
  if (running->kind == AGPU__EMU_OP_KERNEL)
    agpu__emu_launch_describe(&running->launch, kernel, sizeof kernel);
  // Of a launch, whatever it is called: "launch of kernel 'NAME' with ...".
  (void)snprintf(out, size, ", in the %s%s%s%s", name.what,
                 *kernel ? kernel + sizeof "kernel" - 1 : "",
                 name.location ? " at " : "",
                 name.location ? name.location : "");
}

static void run_checked(const agpu__emu_op *op, agpu__emu_random *random) {
  agpu__emu_clear_note();
  agpu__self.emu.running = op;
  agpu__emu_set_work(describe_running);
  if (agpu__emu_hooks_table.run)
    agpu__emu_hooks_table.run(op, random, run_access);
  else
    run_access(op, random);
  agpu__emu_set_work(NULL);
}

void agpu__emu_op_enqueued(const agpu__emu_op *op) {
  if (op->kind == AGPU__EMU_OP_KERNEL)
    agpu__emu_guard_launched();
}

/// Unless the device has failed. A write takes no modelled time.
static void run_work(agpu__emu_op *op, agpu__emu_random *random) {
  bool takes_time = op->timed && op->kind != AGPU__EMU_OP_WRITE;
  if (takes_time)
    agpu__emu_hooks_table.op_runs();
  if (agpu__emu_get_error() == CUDA_SUCCESS)
    run_checked(op, random);
  if (takes_time)
    agpu__emu_hooks_table.op_ran(op->timed);
}

void agpu__emu_op_run(agpu__emu_op *op, agpu__emu_random *random) {
  switch (op->kind) {
  case AGPU__EMU_OP_ALLOC:
  case AGPU__EMU_OP_FREE: run_checked(op, random); break;
  case AGPU__EMU_OP_RECORD: agpu__emu_marker_reach(op->marker); break;
  case AGPU__EMU_OP_WAIT: agpu__emu_marker_wait(op->marker); break;
  case AGPU__EMU_OP_KERNEL:
  case AGPU__EMU_OP_COPY:
  case AGPU__EMU_OP_FILL:
  case AGPU__EMU_OP_WRITE: run_work(op, random); break;
  case AGPU__EMU_OP_HOST:
    agpu__emu_work_clock_run_whole(op, random, reach_host_function);
    break;
  case AGPU__EMU_OP_CONDITIONAL:
    agpu__emu_work_clock_run_whole(op, random, op->table->run);
    break;
  case AGPU__EMU_OP_BEGIN: op->table->run(op, random); break;
  }
  if (op->kind == AGPU__EMU_OP_KERNEL)
    agpu__emu_guard_ended();
  agpu__emu_op_free(op);
}
