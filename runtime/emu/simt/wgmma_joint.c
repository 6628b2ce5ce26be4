//===- wgmma_joint.c - What a warp group multiplies -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product is one operation of the four warps of a warp group, which know it
// by its number. Its matrices are read when the first thread begins it, and
// have to be the same when the first thread has waited for it: then it is over
// for all of them, so that one thread may tell others that its matrices may be
// overwritten. What was read is kept until all threads have had their elements.
//
//===----------------------------------------------------------------------===//

#include "emu/simt/wgmma.h"

#include <stdlib.h>
#include <string.h>

typedef agpu__emu_joint joint;

static joint *find(const agpu__emu_async *async, uint32_t thread,
                   uint32_t number) {
  for (size_t i = async->joint_count; i-- > 0;)
    if (async->joints[i].number == number &&
        async->joints[i].warp_group == thread / AGPU__EMU_WARP_GROUP)
      return &async->joints[i];
  return NULL;
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

/// Copies a line to `out`.
typedef struct reader {
  const agpu__emu_runner *runner;
  const agpu__emu_actor *actor;
  char *out;
} reader;

static void read_piece(void *argument, uintptr_t place, uint32_t bytes,
                       unsigned swizzle) {
  (void)swizzle;
  reader *self = argument;
  const agpu_native_block *block = &self->runner->block;
  uintptr_t offset = place - (uintptr_t)block->shared;
  if (offset >= block->shared_bytes || bytes > block->shared_bytes - offset)
    agpu__emu_actor_fail(self->actor, CUDA_ERROR_ILLEGAL_ADDRESS,
                         "multiplies matrices at offset %lld of workgroup "
                         "memory of %u bytes",
                         (long long)offset, block->shared_bytes);
  memcpy(self->out, (const void *)place, bytes);
  self->out += bytes;
}

static void read_line(const agpu__emu_runner *runner,
                      const agpu__emu_actor *actor, const agpu__emu_wgmma *op,
                      uint32_t line, agpu__emu_line *out) {
  reader by = {runner, actor, out->bytes};
  agpu__emu_wgmma_visit(runner, op, line, read_piece, &by);
}

static void take_place(void *argument, uintptr_t place, uint32_t bytes,
                       unsigned swizzle) {
  (void)bytes;
  (void)swizzle;
  uintptr_t *first = argument;
  if (!*first)
    *first = place;
}

static void check_lines(const agpu__emu_runner *runner,
                        const agpu__emu_actor *actor, const joint *self) {
  for (uint32_t i = 0; i < agpu__emu_wgmma_lines(&self->op); ++i) {
    agpu__emu_line now;
    read_line(runner, actor, &self->op, i, &now);
    if (!memcmp(&now, &self->lines[i], sizeof now))
      continue;
    uintptr_t place = 0;
    agpu__emu_wgmma_visit(runner, &self->op, i, take_place, &place);
    agpu__emu_actor_fail(
        actor, CUDA_ERROR_LAUNCH_FAILED,
        "multiplies matrices that something has written to since, in %s %u of "
        "%s, at byte %zu of workgroup memory: what brings them has to be "
        "waited for first, and the product's group (wgmma.wait_group) before "
        "their memory is used again; ASYNC_GPU_EMU_CHECK=races says who it was",
        i < AGPU__EMU_WGMMA_ROWS ? "row" : "column",
        i < AGPU__EMU_WGMMA_ROWS ? i : i - AGPU__EMU_WGMMA_ROWS,
        i < AGPU__EMU_WGMMA_ROWS ? "A" : "B",
        (size_t)(place - (uintptr_t)runner->block.shared));
  }
}

//===----------------------------------------------------------------------===//
// Reports to the checks
//===----------------------------------------------------------------------===//

typedef struct teller {
  const agpu__emu_runner *runner;
  const agpu__emu_actor *actor;
} teller;

static void tell_read(void *argument, uintptr_t place, uint32_t bytes,
                      unsigned swizzle) {
  const teller *self = argument;
  AGPU__EMU_TELL(matrix_read, (place, bytes, swizzle, self->actor->location,
                               self->actor->thread));
}

static void tell_held(void *argument, uintptr_t place, uint32_t bytes,
                      unsigned swizzle) {
  (void)swizzle;
  const teller *self = argument;
  AGPU__EMU_TELL(matrix_held,
                 (place, bytes, self->actor->location, self->actor->thread));
}

static void tell_released(void *argument, uintptr_t place, uint32_t bytes,
                          unsigned swizzle) {
  (void)swizzle;
  const teller *self = argument;
  AGPU__EMU_TELL(matrix_released,
                 (self->runner, place, bytes, self->actor->location));
}

static void tell_all(const agpu__emu_runner *runner,
                     const agpu__emu_actor *actor, const agpu__emu_wgmma *op,
                     agpu__emu_wgmma_visitor *tell) {
  teller by = {runner, actor};
  if (agpu__emu_hooks_table.matrix_held)
    for (uint32_t i = 0; i < agpu__emu_wgmma_lines(op); ++i)
      agpu__emu_wgmma_visit(runner, op, i, tell, &by);
}

/// Each thread looks at one line of each matrix.
static void tell_begun(const agpu__emu_runner *runner,
                       const agpu__emu_actor *actor, uint32_t thread,
                       joint *self) {
  if (!agpu__emu_hooks_table.matrix_read)
    return;
  teller by = {runner, actor};
  agpu__emu_wgmma_visit(runner, &self->op, agpu__emu_wgmma_row(thread),
                        tell_read, &by);
  agpu__emu_wgmma_visit(runner, &self->op,
                        AGPU__EMU_WGMMA_ROWS + thread % self->op.n, tell_read,
                        &by);
  AGPU__EMU_TELL(phase_arrived, (&self->record, thread));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static joint *add(agpu__emu_runner *runner, const agpu__emu_actor *actor,
                  uint32_t thread, uint32_t number, const agpu__emu_wgmma *op) {
  agpu__emu_async *async = runner->async;
  async->joints = agpu__emu_grow(async->joints, async->joint_count,
                                 &async->joint_capacity, sizeof(joint));
  joint *self = &async->joints[async->joint_count];
  *self = (joint){.op = *op,
                  .location = actor->location,
                  .warp_group = thread / AGPU__EMU_WARP_GROUP,
                  .number = number,
                  .lines = aligned_alloc(sizeof(agpu__emu_line),
                                         agpu__emu_wgmma_lines(op) *
                                             sizeof(agpu__emu_line))};
  if (!self->lines)
    agpu__emu_block_fail(CUDA_ERROR_OUT_OF_MEMORY, NULL,
                         "no memory for its products of matrices");
  ++async->joint_count;
  for (uint32_t i = 0; i < agpu__emu_wgmma_lines(op); ++i)
    read_line(runner, actor, op, i, &self->lines[i]);
  tell_all(runner, actor, op, tell_held);
  return self;
}

static bool are_same(const agpu__emu_wgmma *a, const agpu__emu_wgmma *b) {
  return a->descriptor_a == b->descriptor_a &&
         a->descriptor_b == b->descriptor_b && a->n == b->n && a->k == b->k &&
         a->type_a == b->type_a && a->type_b == b->type_b;
}

void agpu__emu_joint_begin(agpu__emu_runner *runner,
                           const agpu__emu_actor *actor, uint32_t number,
                           const agpu__emu_wgmma *op) {
  const uint32_t *id = actor->thread;
  uint32_t thread = agpu__emu_thread_number(runner, id[0], id[1], id[2]);
  joint *self = find(runner->async, thread, number);
  if (!self) {
    self = add(runner, actor, thread, number, op);
    // A line has all of K.
    AGPU__EMU_TELL(multiplied, (runner, AGPU__EMU_WGMMA_ROWS * op->n * op->k,
                                8 * AGPU__EMU_LINE / op->k));
  } else if (!are_same(&self->op, op)) {
    agpu__emu_actor_fail(
        actor, CUDA_ERROR_LAUNCH_FAILED,
        "multiplies other matrices than a thread of its warp group does at %s: "
        "the four warps of a group execute each wgmma together, with the same "
        "descriptors",
        self->location);
  }
  tell_begun(runner, actor, thread, self);
}

void agpu__emu_joint_end(agpu__emu_runner *runner, const agpu__emu_actor *actor,
                         uint32_t number, void *sums) {
  agpu__emu_async *async = runner->async;
  const uint32_t *id = actor->thread;
  uint32_t thread = agpu__emu_thread_number(runner, id[0], id[1], id[2]);
  joint *self = find(async, thread, number);
  bool is_first = !self->ended++;
  if (is_first && agpu__emu_hooks_table.matrix_held) {
    AGPU__EMU_TELL(product_ending, (&self->record));
    tell_all(runner, actor, &self->op, tell_released);
    AGPU__EMU_TELL(product_ended, (&self->record));
  } else if (is_first) { // else the check has said more
    check_lines(runner, actor, self);
  }
  AGPU__EMU_TELL(phase_observed, (&self->record, thread));
  agpu__emu_wgmma_multiply(&self->op, thread, self->lines, sums);
  if (self->ended < AGPU__EMU_WARP_GROUP)
    return;
  free(self->lines);
  AGPU__EMU_TELL(phase_dropped, (&self->record));
  *self = async->joints[--async->joint_count];
}
