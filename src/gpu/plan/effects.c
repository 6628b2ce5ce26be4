//===- effects.c - What host ops have to do with the device -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of what ops of host code mean for the order of host and device.
// What it does not name observes: a wait too many is slow, one too few is
// wrong.
//
//===----------------------------------------------------------------------===//

#include "gpu/plan/effects.h"

#include "lower/ir/ir.h"

#include <string.h>

typedef struct effect_row {
  const char *name; ///< an op, or "dialect." for all ops of a dialect
  agpu__effect effect;
} effect_row;

// The first row that matches counts; each group says why.
// Two things change what it says of an op: the attributes that effects.h names,
// and local_memory.c, for accesses to memory that the device cannot reach.
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
    {"scf.", AGPU__EFFECT_STRUCTURE},
    {"cf.br", AGPU__EFFECT_STRUCTURE},
    {"cf.cond_br", AGPU__EFFECT_STRUCTURE},
    {"cf.switch", AGPU__EFFECT_STRUCTURE},
    {"affine.for", AGPU__EFFECT_STRUCTURE},
    {"affine.if", AGPU__EFFECT_STRUCTURE},
    {"affine.parallel", AGPU__EFFECT_STRUCTURE},
    {"affine.yield", AGPU__EFFECT_STRUCTURE},
    {"memref.alloca_scope", AGPU__EFFECT_STRUCTURE},
    {"memref.alloca_scope.return", AGPU__EFFECT_STRUCTURE},
    {"async.yield", AGPU__EFFECT_STRUCTURE},
    {"async.return", AGPU__EFFECT_STRUCTURE},
    {"func.return", AGPU__EFFECT_STRUCTURE},

    // These compute from their operands alone.
    {"arith.", AGPU__EFFECT_NONE},
    {"math.", AGPU__EFFECT_NONE},
    {"index.", AGPU__EFFECT_NONE},
    {"complex.", AGPU__EFFECT_NONE},
    {"ub.", AGPU__EFFECT_NONE},
    {"affine.apply", AGPU__EFFECT_NONE},
    {"affine.min", AGPU__EFFECT_NONE},
    {"affine.max", AGPU__EFFECT_NONE},
    {"affine.delinearize_index", AGPU__EFFECT_NONE},
    {"affine.linearize_index", AGPU__EFFECT_NONE},
    {"func.constant", AGPU__EFFECT_NONE},
    {"builtin.unrealized_conversion_cast", AGPU__EFFECT_NONE},

    // These touch a memref's descriptor, not what it points to.
    {"memref.assume_alignment", AGPU__EFFECT_NONE},
    {"memref.cast", AGPU__EFFECT_NONE},
    {"memref.collapse_shape", AGPU__EFFECT_NONE},
    {"memref.dim", AGPU__EFFECT_NONE},
    {"memref.expand_shape", AGPU__EFFECT_NONE},
    {"memref.extract_aligned_pointer_as_index", AGPU__EFFECT_NONE},
    {"memref.extract_strided_metadata", AGPU__EFFECT_NONE},
    {"memref.get_global", AGPU__EFFECT_NONE},
    {"memref.memory_space_cast", AGPU__EFFECT_NONE},
    {"memref.rank", AGPU__EFFECT_NONE},
    {"memref.reinterpret_cast", AGPU__EFFECT_NONE},
    {"memref.subview", AGPU__EFFECT_NONE},
    {"memref.transpose", AGPU__EFFECT_NONE},
    {"memref.view", AGPU__EFFECT_NONE},

    // Fresh memory: no device work can know it yet.
    {"memref.alloc", AGPU__EFFECT_NONE},
    {"memref.alloca", AGPU__EFFECT_NONE},
};

static agpu__effect effect_of_name(MlirStringRef name) {
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); ++i) {
    size_t length = strlen(rows[i].name);
    bool whole_dialect = rows[i].name[length - 1] == '.';
    if (whole_dialect ? name.length > length : name.length == length)
      if (!memcmp(name.data, rows[i].name, length))
        return rows[i].effect;
  }
  return AGPU__EFFECT_OBSERVES;
}

bool agpu__is_enqueue_call(MlirOperation op) {
  return agpu__op_is(op, "func.call") && agpu__has_attr(op, AGPU__ENQUEUE_ATTR);
}

agpu__effect agpu__effect_of(MlirOperation op) {
  agpu__effect effect = effect_of_name(agpu__op_name(op));
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
