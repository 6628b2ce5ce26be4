//===- op.h - What a stream's queue holds ----------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_DEVICE_OP_H
#define ASYNC_GPU_RUNTIME_EMU_DEVICE_OP_H

#include "emu/base/hooks.h"
#include "emu/device/marker.h"
#include "emu/memory/rows.h"
#include "emu/simt/launch.h"

#include <sys/queue.h>

typedef enum agpu__emu_op_kind {
  AGPU__EMU_OP_KERNEL,
  AGPU__EMU_OP_COPY,
  AGPU__EMU_OP_FILL,
  AGPU__EMU_OP_WRITE,
  AGPU__EMU_OP_ALLOC,
  AGPU__EMU_OP_FREE,
  AGPU__EMU_OP_RECORD,
  AGPU__EMU_OP_WAIT,
  AGPU__EMU_OP_HOST,
  AGPU__EMU_OP_CONDITIONAL,
  AGPU__EMU_OP_BEGIN,
} agpu__emu_op_kind;

struct agpu__emu_op;

/// What is done with ops whose work is others'.
typedef struct agpu__emu_op_table {
  void (*run)(const struct agpu__emu_op *op, agpu__emu_random *random);
  bool (*copy)(struct agpu__emu_op *copy); // false: out of memory
  void (*free)(const struct agpu__emu_op *op);
} agpu__emu_op_table;

typedef struct agpu__emu_op {
  STAILQ_ENTRY(agpu__emu_op) link;
  agpu__emu_op_kind kind;
  size_t extra; // bytes after it
  // Of a graph's launch, which has one entry in the queue, its last op.
  bool is_part;
  const agpu__emu_op_table *table; // of CONDITIONAL and BEGIN
  // These from when it is enqueued.
  agpu__op_name origin;
  uint64_t work;  // work_clock.c's: the number that a trace has given it, or 0
  uint64_t round; // of the body that it is in, from 1; or 0
  agpu__emu_stamp *stamp;        // one reference
  uint64_t place;                // in the stream's connection
  struct agpu__emu_timed *timed; // emu/model's, or NULL
  union {
    agpu__emu_launch launch; // what it points to: in the op's allocation
    struct {
      agpu__emu_rows target, source; // of the same extents
    } copy;
    struct {
      agpu__emu_rows target;
      unsigned int value;
      unsigned int element_bytes; // 1, 2 or 4
    } fill;
    struct {
      CUdeviceptr target;
      uint32_t value;
    } write;
    struct {
      struct agpu__emu_condition *condition; // one reference
      bool is_loop;
      size_t number;               // of its node, in an executable graph
      struct agpu__emu_list *body; // its own; NULL: of a graph's node
    } conditional;
    struct agpu__emu_graph *graph; // BEGIN, of its execution: one reference
    CUdeviceptr pointer;           // ALLOC, FREE
    agpu__emu_marker *marker;      // RECORD, WAIT: one reference
    struct {
      CUhostFn function;
      void *user_data;
    } host;
  };
} agpu__emu_op;

/// A new op with room for `extra` bytes after it; NULL: out of memory.
agpu__emu_op *agpu__emu_op_create(agpu__emu_op_kind kind, size_t extra);

/// The number of the next launch in the process.
uint64_t agpu__emu_op_count_launch(void);

/// The same once more, of an op that has not been enqueued; a launch gets a
/// number of its own. NULL: out of memory.
agpu__emu_op *agpu__emu_op_copy(const agpu__emu_op *op);

/// Frees it, and gives up its references.
void agpu__emu_op_free(agpu__emu_op *op);

/// Whose op it is; what the device knows of it where nobody has said: `what` is
/// never NULL.
agpu__op_name agpu__emu_op_origin(const agpu__emu_op *op);

/// The op goes into the queue of a stream.
void agpu__emu_op_enqueued(const agpu__emu_op *op);

/// Runs the op on the calling stream's thread and frees it. Once the context
/// has an error, work is dropped, but markers are still reached.
void agpu__emu_op_run(agpu__emu_op *op, agpu__emu_random *random);

#endif // ASYNC_GPU_RUNTIME_EMU_DEVICE_OP_H
