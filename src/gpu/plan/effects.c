//===- effects.c - What host ops have to do with the device -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the table of ops (op_memory.h) means for the order of host and device.
// What is not known observes: a wait too many is slow, one too few is wrong.
//
//===----------------------------------------------------------------------===//

#include "gpu/plan/plan.h"

/// Two things change what this says: the attributes that plan.h names, and
/// local_memory.c, for accesses to memory that the device cannot reach.
static agpu__effect effect_of_row(const agpu__op_row *row) {
  if (row->traits & AGPU__OP_ENQUEUES)
    return AGPU__EFFECT_ENQUEUES;
  if (row->traits & AGPU__OP_AWAITS)
    return AGPU__EFFECT_AWAITS;
  if (row->traits & AGPU__OP_SPAWNS)
    return AGPU__EFFECT_SPAWNS;
  if (row->traits & AGPU__OP_UNSEEN)
    return AGPU__EFFECT_NONE;
  if (row->traits & (AGPU__OP_KERNEL | AGPU__OP_DEVICE)) // not of host code
    return AGPU__EFFECT_OBSERVES;
  switch (row->class) {
  case AGPU__OP_VIEW:
    return row->reads ? AGPU__EFFECT_OBSERVES : AGPU__EFFECT_NONE;
  case AGPU__OP_PURE:
  case AGPU__OP_GLOBAL:
  case AGPU__OP_ALLOCATES: // no device work can know it yet
    return AGPU__EFFECT_NONE;
  case AGPU__OP_STRUCTURE: return AGPU__EFFECT_STRUCTURE;
  default: return AGPU__EFFECT_OBSERVES;
  }
}

bool agpu__is_enqueue_call(MlirOperation op) {
  return agpu__op_is(op, "func.call") && agpu__has_attr(op, AGPU__ENQUEUE_ATTR);
}

int64_t agpu__capture_mode(MlirOperation call, MlirOperation function) {
  MlirOperation says =
      agpu__has_attr(call, AGPU__CAPTURE_ATTR) ? call : function;
  if (mlirOperationIsNull(says))
    return 0;
  MlirStringRef word = agpu__get_string(says, AGPU__CAPTURE_ATTR);
  return mlirStringRefEqual(word, agpu__str(AGPU__CAPTURE_THREAD_LOCAL)) ? 1
         : mlirStringRefEqual(word, agpu__str(AGPU__CAPTURE_RELAXED))    ? 2
                                                                         : 0;
}

agpu__effect agpu__effect_of(MlirOperation op) {
  agpu__effect effect = effect_of_row(agpu__row_of(op));
  if (effect != AGPU__EFFECT_OBSERVES && effect != AGPU__EFFECT_NONE)
    return effect;
  if (agpu__is_enqueue_call(op))
    return AGPU__EFFECT_ENQUEUES;
  MlirAttribute observes = agpu__attr(op, AGPU__OBSERVES_ATTR);
  if (mlirAttributeIsNull(observes) || !mlirAttributeIsABool(observes))
    return effect;
  return mlirBoolAttrGetValue(observes) ? AGPU__EFFECT_OBSERVES
                                        : AGPU__EFFECT_NONE;
}

agpu__effect agpu__effect_in(const agpu__effects *known, MlirOperation op) {
  size_t observes = agpu__map_get(&known->observes, op.ptr);
  if (observes == AGPU__MAP_NONE)
    return agpu__effect_of(op);
  return observes ? AGPU__EFFECT_OBSERVES : AGPU__EFFECT_NONE;
}

bool agpu__is_gpu_op(MlirOperation op) {
  return (agpu__op_in_dialect(op, "gpu") || agpu__op_is(op, "func.call")) &&
         agpu__effect_of(op) == AGPU__EFFECT_ENQUEUES;
}
