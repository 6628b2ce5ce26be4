//===- frames.c - Frames of functions ------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Abstracting the ABI": a frame has registers, a .param space for its
// parameters, results and the calls it makes, and local memory. All of it is
// poison at first.
//
//===----------------------------------------------------------------------===//

#include "machine/warp.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 512, STACK_ALIGN = 128 };

/// Room of `bytes` on a stack, of a warp: where it begins.
static size_t push_bytes(const ptx_warp *warp, ptx_stack *stack,
                         uint64_t bytes) {
  size_t begin = (stack->top + STACK_ALIGN - 1) & ~(size_t)(STACK_ALIGN - 1);
  stack->top = begin + (size_t)bytes;
  if (stack->top > stack->capacity) {
    stack->capacity = 2 * stack->top;
    // Host alignment at least that of any access.
    uint8_t *larger =
        aligned_alloc(STACK_ALIGN, (stack->capacity + STACK_ALIGN) &
                                       ~(size_t)(STACK_ALIGN - 1));
    if (!larger)
      abort();
    if (begin)
      memcpy(larger, stack->bytes, begin);
    free(stack->bytes);
    stack->bytes = larger;
  }
  if (bytes)
    memset(stack->bytes + begin, ptx_fresh_byte(warp->block->run),
           (size_t)bytes);
  return begin;
}

static void need_rows(ptx_warp *warp, size_t count) {
  if (count <= warp->row_count)
    return;
  warp->row_count = count + count / 2;
  uint64_t *rows =
      realloc(warp->rows, warp->row_count * PTX_WARP_SIZE * sizeof *rows);
  if (!rows)
    abort();
  warp->rows = rows;
}

void ptx_push_frame(ptx_warp *warp, unsigned lane, const ptx_function *function,
                    const ptx_insn *call, uint32_t return_to) {
  ptx_lane *l = &warp->lanes[lane];
  if (l->depth == MAX_DEPTH)
    ptx_fault(warp, call, lane, PTX_ILLEGAL_ADDRESS, "the stack is full");
  if (l->depth == l->capacity) {
    l->capacity = l->capacity ? 2 * l->capacity : 2;
    l->frames = realloc(l->frames, l->capacity * sizeof *l->frames);
    if (!l->frames)
      abort();
  }
  uint32_t base = 0;
  if (l->depth)
    base = warp->base[lane] +
           (uint32_t)l->frames[l->depth - 1].function->register_count;
  ptx_frame *frame = &l->frames[l->depth++];
  *frame = (ptx_frame){
      .function = function,
      .call = call,
      .return_to = return_to,
      .base = base,
      .param_base = push_bytes(warp, &l->params, function->param_bytes),
      .local_base = push_bytes(warp, &l->local, function->local_bytes)};
  need_rows(warp, base + function->register_count);
  warp->base[lane] = base;
  warp->pc[lane] = function->first;
  for (size_t i = 0; i < function->register_count; ++i)
    *ptx_register(warp, (int)i, lane) =
        PTX_POISON & ptx_mask(function->register_bits[i]);
}

void ptx_pop_frame(ptx_warp *warp, unsigned lane) {
  ptx_lane *l = &warp->lanes[lane];
  const ptx_frame *frame = &l->frames[--l->depth];
  l->params.top = frame->param_base;
  l->local.top = frame->local_base;
  if (l->depth)
    warp->base[lane] = l->frames[l->depth - 1].base;
}

void ptx_end_lane(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  ptx_lane *l = &warp->lanes[lane];
  if (l->copy_count)
    ptx_fault(warp, insn, lane, PTX_LAUNCH_FAILED,
              "the thread ends with copies of cp.async that it has not waited "
              "for");
  warp->live &= ~(UINT32_C(1) << lane);
  warp->running &= warp->live;
  --warp->block->live;
}
