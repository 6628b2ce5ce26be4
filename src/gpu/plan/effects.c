//===- effects.c - What host ops have to do with the device -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ops of host code mean for the order of host and device: a table of those
// that enqueue, await and spawn; what the others do to memory (op_memory.h)
// says the rest. What is not known observes: a wait too many is slow, one too
// few is wrong.
//
//===----------------------------------------------------------------------===//

#include "gpu/plan/effects.h"

#include "lower/ir/ir.h"
#include "lower/ir/op_memory.h"

typedef struct effect_row {
  const char *name;
  agpu__effect effect;
} effect_row;

// Each group says why.
// Two things change what is said here of an op: the attributes that effects.h
// names, and local_memory.c, for accesses to memory that the device cannot
// reach.
static const effect_row rows[] = {
    // The device does these in the order of the stream.
    {"gpu.launch_func", AGPU__EFFECT_ENQUEUES},
    {"gpu.memcpy", AGPU__EFFECT_ENQUEUES},
    {"gpu.memset", AGPU__EFFECT_ENQUEUES},
    {"gpu.alloc", AGPU__EFFECT_ENQUEUES},
    {"gpu.dealloc", AGPU__EFFECT_ENQUEUES},
    {"gpu.host_register", AGPU__EFFECT_ENQUEUES},
    {"gpu.host_unregister", AGPU__EFFECT_ENQUEUES},
    {"gpu.wait", AGPU__EFFECT_ENQUEUES},
    {"gpu.set_default_device", AGPU__EFFECT_ENQUEUES},

    // The stream waits for what is awaited. A group is waited for by the host.
    {"async.await", AGPU__EFFECT_AWAITS},
    {"async.await_all", AGPU__EFFECT_NONE},
    {"async.create_group", AGPU__EFFECT_NONE},
    {"async.add_to_group", AGPU__EFFECT_NONE},

    // The region takes the device work so far as one more dependency.
    {"async.execute", AGPU__EFFECT_SPAWNS},

    // The ops inside count.
    {"async.yield", AGPU__EFFECT_STRUCTURE},
    {"async.return", AGPU__EFFECT_STRUCTURE},

    // These look at a descriptor; what becomes of the address is seen where it
    // is used.
    {"memref.extract_aligned_pointer_as_index", AGPU__EFFECT_NONE},
    {"builtin.unrealized_conversion_cast", AGPU__EFFECT_NONE},
};

static agpu__effect effect_of_memory(MlirOperation op) {
  agpu__op_memory memory = agpu__memory_of_op(op);
  switch (memory.class) {
  case AGPU__OP_VIEW:
    return memory.reads ? AGPU__EFFECT_OBSERVES : AGPU__EFFECT_NONE;
  case AGPU__OP_PURE:
  case AGPU__OP_GLOBAL:
  case AGPU__OP_ALLOCATES: // no device work can know it yet
    return AGPU__EFFECT_NONE;
  case AGPU__OP_STRUCTURE: return AGPU__EFFECT_STRUCTURE;
  default: return AGPU__EFFECT_OBSERVES;
  }
}

static agpu__effect effect_of_name(MlirOperation op) {
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); ++i)
    if (agpu__op_is(op, rows[i].name))
      return rows[i].effect;
  // The rest of the dialect belongs into kernels.
  return agpu__op_in_dialect(op, "gpu") ? AGPU__EFFECT_OBSERVES
                                        : effect_of_memory(op);
}

bool agpu__is_enqueue_call(MlirOperation op) {
  return agpu__op_is(op, "func.call") && agpu__has_attr(op, AGPU__ENQUEUE_ATTR);
}

agpu__effect agpu__effect_of(MlirOperation op) {
  agpu__effect effect = effect_of_name(op);
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
