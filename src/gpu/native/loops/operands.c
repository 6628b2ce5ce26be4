//===- operands.c - Operands from other parts -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives the ops of each part what they have of values that are defined
// elsewhere (slots.c). Barriers, at which the parts end, go away; what warps do
// together there is done once all threads have come to it.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/loops/loops.h"

#include <stdlib.h>

/// An operand, and what it is to be.
typedef struct replacement {
  MlirOperation op;
  intptr_t operand;
  MlirValue by;
} replacement;

typedef struct replacements {
  replacement *data;
  size_t count, capacity;
} replacements;

static void replace_later(replacements *list, MlirOperation op,
                          intptr_t operand, MlirValue by) {
  AGPU__GROW(list->data, list->count, list->capacity);
  list->data[list->count++] = (replacement){op, operand, by};
}

/// What all warps do together at the end of `part`, with what each thread has
/// put into its memory, which has a slot.
static void do_together(agpu__simt_loops *self, const agpu__simt_part *part,
                        MlirOperation op) {
  agpu__builder at =
      agpu__builder_at_end(part->after, mlirOperationGetLocation(op));
  const agpu__simt_slot *slot = &self->slots[agpu__map_get(
      &self->privates, mlirOperationGetOperand(op, 0).ptr)];
  uint64_t alignment;
  MlirValue operands[] = {
      agpu__simt_site(&at, self->gpu_module, self->function,
                      AGPU_NATIVE_COLLECTIVE,
                      (uint32_t)agpu__get_int(op, "mode", 0)),
      slot->base,
      agpu__llvm_i64(&at, (int64_t)agpu__type_size(slot->element, &alignment))};
  agpu__call_runtime(&at, self->gpu_module, "agpu_native_together", operands, 3,
                     (MlirType){NULL});
}

/// Finds what the ops of `block` take from elsewhere. Ops keep their operands
/// until this is done for all parts: some are copied to others.
static void find_operands(agpu__simt_loops *self, size_t block,
                          replacements *out) {
  agpu__simt_part *part = &self->parts[self->division.part[block]];
  MlirOperation op = mlirBlockGetFirstOperation(self->graph.blocks[block]);
  while (!mlirOperationIsNull(op)) {
    MlirOperation next = mlirOperationGetNextInBlock(op);
    // What the skeleton branches by is looked at there.
    bool decides = mlirOperationIsNull(next) && self->division.cut[block] &&
                   !agpu__op_is(op, "llvm.br");
    if (agpu__simt_is_wait(op)) {
      if (agpu__simt_is_collective(op) && !agpu__simt_only_synchronizes(op))
        do_together(self, part, op);
      mlirOperationDestroy(op);
    } else if (!decides) {
      for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
        MlirValue value = mlirOperationGetOperand(op, i);
        MlirValue local = agpu__simt_local(self, part, value);
        if (!mlirValueEqual(local, value))
          replace_later(out, op, i, local);
      }
    }
    op = next;
  }
}

void agpu__simt_rewrite_operands(agpu__simt_loops *self) {
  replacements all = {0};
  for (size_t b = 0; b < self->graph.count; ++b)
    if (!self->parts[self->division.part[b]].empty)
      find_operands(self, b, &all);
  for (size_t i = 0; i < all.count; ++i)
    mlirOperationSetOperand(all.data[i].op, all.data[i].operand,
                            all.data[i].by);
  free(all.data);
}
