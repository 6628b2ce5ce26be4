//===- registers.c - Special registers of a thread ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a thread reads of itself, its block and its grid is one of the numbers
// of its context (simt.h), or is computed from them.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/native.h"

#include "gpu/native/base/simt.h"

#define WARP_SIZE 32

MlirValue agpu__simt_linear_thread(agpu__builder *at, const MlirValue *ids) {
  const MlirValue *tid = ids + 3 * AGPU__SIMT_TID;
  const MlirValue *size = ids + 3 * AGPU__SIMT_NTID;
  MlirValue rows =
      agpu__build_binary(at, "llvm.add", tid[1],
                         agpu__build_binary(at, "llvm.mul", tid[2], size[1]));
  return agpu__build_binary(at, "llvm.add", tid[0],
                            agpu__build_binary(at, "llvm.mul", rows, size[0]));
}

/// The thread's number in its warp.
static MlirValue lane(agpu__builder *at, const MlirValue *ids) {
  MlirValue size = agpu__llvm_i32(at, WARP_SIZE);
  return agpu__build_binary(at, "llvm.urem", agpu__simt_linear_thread(at, ids),
                            size);
}

static MlirValue warp(agpu__builder *at, const MlirValue *ids) {
  MlirValue size = agpu__llvm_i32(at, WARP_SIZE);
  return agpu__build_binary(at, "llvm.udiv", agpu__simt_linear_thread(at, ids),
                            size);
}

static MlirValue warp_count(agpu__builder *at, const MlirValue *ids) {
  const MlirValue *size = ids + 3 * AGPU__SIMT_NTID;
  MlirValue threads = agpu__build_binary(
      at, "llvm.mul", agpu__build_binary(at, "llvm.mul", size[0], size[1]),
      size[2]);
  MlirValue rounded = agpu__build_binary(at, "llvm.add", threads,
                                         agpu__llvm_i32(at, WARP_SIZE - 1));
  return agpu__build_binary(at, "llvm.udiv", rounded,
                            agpu__llvm_i32(at, WARP_SIZE));
}

// Lanes as bits, seen from the thread's own.
static MlirValue lane_bit(agpu__builder *at, const MlirValue *ids) {
  MlirValue own = lane(at, ids);
  return agpu__build_binary(at, "llvm.shl", agpu__llvm_i32(at, 1), own);
}

static MlirValue lanes_below(agpu__builder *at, const MlirValue *ids) {
  MlirValue one = agpu__llvm_i32(at, 1);
  return agpu__build_binary(at, "llvm.sub", lane_bit(at, ids), one);
}

static MlirValue lanes_up_to(agpu__builder *at, const MlirValue *ids) {
  MlirValue below = lanes_below(at, ids);
  return agpu__build_binary(at, "llvm.or", lane_bit(at, ids), below);
}

static MlirValue lanes_from(agpu__builder *at, const MlirValue *ids) {
  MlirValue all = agpu__llvm_i32(at, -1);
  return agpu__build_binary(at, "llvm.xor", lanes_below(at, ids), all);
}

static MlirValue lanes_above(agpu__builder *at, const MlirValue *ids) {
  MlirValue all = agpu__llvm_i32(at, -1);
  return agpu__build_binary(at, "llvm.xor", lanes_up_to(at, ids), all);
}

/// Registers with components x, y and z: which ids they are.
static const struct {
  const char *name;
  int id; ///< agpu__simt_id
} triples[] = {
    {"tid", AGPU__SIMT_TID},
    {"ntid", AGPU__SIMT_NTID},
    {"ctaid", AGPU__SIMT_CTAID},
    {"nctaid", AGPU__SIMT_NCTAID},
};

/// Registers that are computed, or constant where the function is NULL.
static const struct {
  const char *name;
  MlirValue (*compute)(agpu__builder *at, const MlirValue *ids);
  int32_t constant;
} scalars[] = {
    {"laneid", lane, 0},
    {"warpid", warp, 0},
    {"nwarpid", warp_count, 0},
    {"warpsize", NULL, WARP_SIZE},
    {"lanemask.eq", lane_bit, 0},
    {"lanemask.lt", lanes_below, 0},
    {"lanemask.le", lanes_up_to, 0},
    {"lanemask.ge", lanes_from, 0},
    {"lanemask.gt", lanes_above, 0},
    {"smid", NULL, 0},
    {"nsmid", NULL, 1},
};

static const char register_prefix[] = "nvvm.read.ptx.sreg.";

/// The name of the special register that `op` reads ("tid.x"), or an empty
/// reference.
static MlirStringRef register_name(MlirOperation op) {
  MlirStringRef name = agpu__op_name(op);
  size_t skip = sizeof(register_prefix) - 1;
  if (name.length <= skip || memcmp(name.data, register_prefix, skip))
    return mlirStringRefCreate(NULL, 0);
  return mlirStringRefCreate(name.data + skip, name.length - skip);
}

/// What the special register that `op` reads holds, computed from the ids. A
/// null builder: only whether it is known.
static bool register_value(agpu__builder *at, MlirStringRef name,
                           const MlirValue *ids, MlirValue *out) {
  for (size_t i = 0; i < AGPU__COUNT(triples); ++i) {
    size_t length = strlen(triples[i].name);
    if (name.length != length + 2 || memcmp(name.data, triples[i].name, length))
      continue;
    if (at)
      *out = ids[3 * triples[i].id + (name.data[length + 1] - 'x')];
    return true;
  }
  for (size_t i = 0; i < AGPU__COUNT(scalars); ++i) {
    if (!mlirStringRefEqual(name, agpu__str(scalars[i].name)))
      continue;
    if (at)
      *out = scalars[i].compute ? scalars[i].compute(at, ids)
                                : agpu__llvm_i32(at, scalars[i].constant);
    return true;
  }
  return false;
}

bool agpu__simt_is_register(MlirOperation op) {
  MlirStringRef name = register_name(op);
  return name.length && register_value(NULL, name, NULL, NULL);
}

bool agpu__simt_replace_register(MlirOperation op, const MlirValue *context) {
  MlirStringRef name = register_name(op);
  if (!name.length)
    return false;
  agpu__builder at = agpu__builder_before(op);
  MlirValue value = {NULL};
  if (!register_value(&at, name, context, &value))
    return false;
  agpu__replace_op_by_value(op, value);
  return true;
}
