//===- asynchronous.c - Copies that go on by themselves -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each such op becomes a call of the emulated device
// (async_gpu/compiled/native_async.h), which gets the op's place and the ids of
// the thread, as registers that async-gpu-native-context knows. A wait for an
// mbarrier becomes the intrinsic that the table of waits has a row for, so that
// its kernel is made of coroutines. An op with a predicate is put into a branch
// first.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/instructions/instructions.h"

#include "async_gpu/compiled/native_async.h"
#include "gpu/native/base/simt.h"

#include "mlir-c/Dialect/LLVM.h"

//===----------------------------------------------------------------------===//
// Operands and attributes
//===----------------------------------------------------------------------===//

static bool flag(MlirOperation op, const char *name) {
  MlirAttribute attribute = agpu__attr(op, name);
  return !mlirAttributeIsNull(attribute) &&
         (mlirAttributeIsAUnit(attribute) ||
          (mlirAttributeIsABool(attribute) &&
           mlirBoolAttrGetValue(attribute)) ||
          (mlirAttributeIsAInteger(attribute) &&
           mlirIntegerAttrGetValueInt(attribute)));
}

static bool is_bit(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 1;
}

//===----------------------------------------------------------------------===//
// Copies of cp.async
//===----------------------------------------------------------------------===//

static void copy(agpu__simt_call *self) {
  int64_t bytes = agpu__get_int(self->op, "size", 0);
  agpu__simt_push_pointer(self, mlirOperationGetOperand(self->op, 0));
  agpu__simt_push_pointer(self, mlirOperationGetOperand(self->op, 1));
  agpu__simt_push_i32(self, bytes);
  if (mlirOperationGetNumOperands(self->op) > 2)
    agpu__simt_push(self, mlirOperationGetOperand(self->op, 2));
  else
    agpu__simt_push_i32(self, bytes);
  agpu__simt_finish(self, "agpu_native_copy_async", (MlirType){NULL});
}

static bool is_bulk(MlirOperation op) {
  return agpu__op_is_any(
      op, "nvvm.cp.async.bulk.commit.group nvvm.cp.async.bulk.wait_group");
}

static bool is_of_wgmma(MlirOperation op) {
  return agpu__op_is_any(op, "nvvm.wgmma.commit.group.sync.aligned "
                             "nvvm.wgmma.wait.group.sync.aligned");
}

static void push_groups(agpu__simt_call *self) {
  agpu__simt_push_i32(self, is_of_wgmma(self->op) ? AGPU_NATIVE_WGMMA_GROUPS
                            : is_bulk(self->op)   ? AGPU_NATIVE_BULK_GROUPS
                                                  : AGPU_NATIVE_COPY_GROUPS);
}

static void commit(agpu__simt_call *self) {
  push_groups(self);
  agpu__simt_finish(self, "agpu_native_commit_group", (MlirType){NULL});
}

static void wait_group(agpu__simt_call *self) {
  push_groups(self);
  bool has_group = is_bulk(self->op) || is_of_wgmma(self->op);
  agpu__simt_push_i32(self,
                      agpu__get_int(self->op, has_group ? "group" : "n", 0));
  agpu__simt_push_i32(self, flag(self->op, "read"));
  agpu__simt_finish(self, "agpu_native_wait_group", (MlirType){NULL});
}

//===----------------------------------------------------------------------===//
// Barriers in memory
//===----------------------------------------------------------------------===//

static const struct {
  const char *op;
  agpu_native_phase_op what;
  int64_t count; ///< where the op has no operand for it
} phase_ops[] = {
    {"nvvm.mbarrier.init", AGPU_NATIVE_PHASE_INIT, 0},
    {"nvvm.mbarrier.inval", AGPU_NATIVE_PHASE_INVALIDATE, 0},
    {"nvvm.mbarrier.expect_tx", AGPU_NATIVE_PHASE_EXPECT, 0},
    {"nvvm.mbarrier.complete_tx", AGPU_NATIVE_PHASE_COMPLETE, 0},
    {"nvvm.mbarrier.arrive", AGPU_NATIVE_PHASE_ARRIVE, 1},
    {"nvvm.mbarrier.arrive_drop", AGPU_NATIVE_PHASE_DROP, 1},
    {"nvvm.mbarrier.arrive.nocomplete", AGPU_NATIVE_PHASE_ARRIVE_EARLY, 1},
    {"nvvm.mbarrier.arrive_drop.nocomplete", AGPU_NATIVE_PHASE_DROP_EARLY, 1},
    {"nvvm.mbarrier.arrive.expect_tx", AGPU_NATIVE_PHASE_ARRIVE_EXPECT, 0},
    {"nvvm.mbarrier.arrive_drop.expect_tx", AGPU_NATIVE_PHASE_DROP_EXPECT, 0},
};

static void use_phase(agpu__simt_call *self) {
  MlirOperation op = self->op;
  for (size_t i = 0; i < AGPU__COUNT(phase_ops); ++i) {
    if (!agpu__op_is(op, phase_ops[i].op))
      continue;
    agpu__simt_push_i32(self, phase_ops[i].what);
    agpu__simt_push_pointer(self, mlirOperationGetOperand(op, 0));
    if (mlirOperationGetNumOperands(op) > 1 &&
        !is_bit(mlirOperationGetOperand(op, 1)))
      agpu__simt_push(self, mlirOperationGetOperand(op, 1));
    else
      agpu__simt_push_i32(self, phase_ops[i].count);
  }
  agpu__simt_finish(self, "agpu_native_phase",
                    agpu__i64_type(self->at.context));
}

/// Lets an mbarrier know when the thread's copies are done.
static void track_copies(agpu__simt_call *self) {
  agpu__simt_push_pointer(self, mlirOperationGetOperand(self->op, 0));
  agpu__simt_push_i32(self, flag(self->op, "noinc"));
  agpu__simt_finish(self, "agpu_native_track_copies", (MlirType){NULL});
}

/// What a wait names is the parity of a phase, or what an arrival has returned.
static void wait_for_phase(agpu__simt_call *self) {
  agpu__builder *at = &self->at;
  MlirType i32 = agpu__i32_type(at->context);
  MlirValue phase = mlirOperationGetOperand(self->op, 1);
  bool is_parity = mlirTypeEqual(mlirValueGetType(phase), i32);
  int32_t mode =
      agpu__op_is(self->op, "nvvm.mbarrier.test.wait")  ? AGPU_NATIVE_WAIT_TEST
      : agpu__op_is(self->op, "nvvm.mbarrier.try_wait") ? AGPU_NATIVE_WAIT_TRY
                                                        : 0;
  if (!is_parity)
    phase = agpu__build_unary(at, "llvm.trunc", phase, i32);
  agpu__simt_push_pointer(self, mlirOperationGetOperand(self->op, 0));
  MlirValue operands[] = {
      agpu__build_unary(at, "llvm.ptrtoint", self->operands[0],
                        agpu__i64_type(at->context)),
      phase,
      agpu__llvm_i32(at, mode | (is_parity ? AGPU_NATIVE_WAIT_PARITY : 0))};
  const char intrinsic[] = AGPU__SIMT_PHASE_WAIT;
  MlirNamedAttribute attributes[] = {
      agpu__named(at->context, "intrin",
                  agpu__string_attr(at->context, intrinsic)),
      agpu__named(at->context, "operandSegmentSizes",
                  agpu__parse_attr(at->context, "array<i32: 3, 0>")),
      agpu__named(at->context, "op_bundle_sizes",
                  agpu__parse_attr(at->context, "array<i32>"))};
  MlirOperation wait =
      agpu__build_op(at, "llvm.call_intrinsic", operands, 3,
                     agpu__i1_type(at->context), attributes, 3);
  if (mlirOperationGetNumResults(self->op))
    mlirValueReplaceAllUsesOfWith(agpu__result(self->op, 0),
                                  agpu__result(wait, 0));
}

static void fence_products(agpu__simt_call *self) {
  agpu__simt_finish(self, "agpu_native_wgmma_fence", (MlirType){NULL});
}

static void fence_proxies(agpu__simt_call *self) {
  agpu__simt_finish(self, "agpu_native_fence_proxies", (MlirType){NULL});
}

/// A hint, and no more.
static void nothing(agpu__simt_call *self) { (void)self; }

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

static void arrive_in_cluster(agpu__simt_call *self) {
  agpu__simt_push_i32(self,
                      agpu__op_is(self->op, "nvvm.cluster.arrive.relaxed"));
  agpu__simt_finish(self, "agpu_native_cluster_arrive", (MlirType){NULL});
}

static void map_shared(agpu__simt_call *self) {
  agpu__simt_push_pointer(self, mlirOperationGetOperand(self->op, 0));
  agpu__simt_push(self, mlirOperationGetOperand(self->op, 1));
  agpu__simt_finish(self, "agpu_native_map_shared",
                    agpu__ptr_type(self->at.context));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static const struct {
  const char *op;
  void (*replace)(agpu__simt_call *self);
} rows[] = {
    {"nvvm.cluster.arrive", arrive_in_cluster},
    {"nvvm.cluster.arrive.relaxed", arrive_in_cluster},
    {"nvvm.cp.async.bulk.commit.group", commit},
    {"nvvm.cp.async.bulk.global.shared.cta", agpu__simt_call_bulk},
    {"nvvm.cp.async.bulk.prefetch", nothing},
    {"nvvm.cp.async.bulk.shared.cluster.global", agpu__simt_call_bulk},
    {"nvvm.cp.async.bulk.shared.cluster.shared.cta", agpu__simt_call_bulk},
    {"nvvm.cp.async.bulk.tensor.global.shared.cta", agpu__simt_call_tensor},
    {"nvvm.cp.async.bulk.tensor.prefetch", nothing},
    {"nvvm.cp.async.bulk.tensor.reduce", agpu__simt_call_tensor},
    {"nvvm.cp.async.bulk.tensor.shared.cluster.global", agpu__simt_call_tensor},
    {"nvvm.cp.async.bulk.wait_group", wait_group},
    {"nvvm.cp.async.shared.global", copy},
    {"nvvm.cp.async.commit.group", commit},
    {"nvvm.cp.async.wait.group", wait_group},
    {"nvvm.cp.async.mbarrier.arrive", track_copies},
    {"nvvm.fence.proxy", fence_proxies},
    {"nvvm.mapa", map_shared},
    {"nvvm.mbarrier.init", use_phase},
    {"nvvm.mbarrier.inval", use_phase},
    {"nvvm.mbarrier.expect_tx", use_phase},
    {"nvvm.mbarrier.complete_tx", use_phase},
    {"nvvm.mbarrier.arrive", use_phase},
    {"nvvm.mbarrier.arrive_drop", use_phase},
    {"nvvm.mbarrier.arrive.nocomplete", use_phase},
    {"nvvm.mbarrier.arrive_drop.nocomplete", use_phase},
    {"nvvm.mbarrier.arrive.expect_tx", use_phase},
    {"nvvm.mbarrier.arrive_drop.expect_tx", use_phase},
    {"nvvm.mbarrier.test.wait", wait_for_phase},
    {"nvvm.mbarrier.try_wait", wait_for_phase},
    {"nvvm.mbarrier.try_wait.parity", wait_for_phase},
    {"nvvm.wgmma.commit.group.sync.aligned", commit},
    {"nvvm.wgmma.fence.aligned", fence_products},
    {"nvvm.wgmma.mma_async", agpu__simt_call_wgmma},
    {"nvvm.wgmma.wait.group.sync.aligned", wait_group},
};
#define ROW_COUNT (AGPU__COUNT(rows))

static size_t find_row(MlirOperation op) {
  size_t i = 0;
  if (!agpu__op_in_dialect(op, "nvvm"))
    return ROW_COUNT;
  if (agpu__op_is(op, "nvvm.fence.proxy") &&
      !agpu__simt_attr_has(op, "kind", "<async>") &&
      !agpu__simt_attr_has(op, "kind", "<async.shared>"))
    return ROW_COUNT; // of no shared memory: a fence like others
  while (i < ROW_COUNT && !agpu__op_is(op, rows[i].op))
    ++i;
  return i;
}

bool agpu__simt_is_asynchronous(MlirOperation op) {
  return find_row(op) < ROW_COUNT && agpu__simt_has_tensors(op) &&
         (!agpu__op_is(op, "nvvm.wgmma.mma_async") || agpu__simt_is_wgmma(op));
}

/// The predicate of an op that may have one; or null.
static MlirValue predicate_of(MlirOperation op) {
  MlirValue of_tensor = agpu__simt_tensor_predicate(op);
  if (!mlirValueIsNull(of_tensor))
    return of_tensor;
  if (!agpu__op_is_any(op, "nvvm.mbarrier.init nvvm.mbarrier.arrive.expect_tx"))
    return (MlirValue){NULL};
  MlirValue value =
      mlirOperationGetOperand(op, mlirOperationGetNumOperands(op) - 1);
  return is_bit(value) ? value : (MlirValue){NULL};
}

/// Has only those threads reach `op` for which its predicate holds.
static void guard(MlirOperation op) {
  MlirValue predicate = predicate_of(op);
  if (mlirValueIsNull(predicate))
    return;
  MlirLocation location = mlirOperationGetLocation(op);
  MlirBlock before = mlirOperationGetBlock(op);
  MlirBlock rest = agpu__split_after(op);
  MlirBlock guarded = agpu__block_after(before);
  mlirOperationRemoveFromParent(op);
  mlirBlockAppendOwnedOperation(guarded, op);
  agpu__builder at = agpu__builder_at_end(guarded, location);
  agpu__llvm_branch(&at, rest, NULL, 0);
  at = agpu__builder_at_end(before, location);
  agpu__llvm_branch_if(&at, predicate, guarded, NULL, 0, rest);
}

void agpu__simt_expand_asynchronous(MlirOperation gpu_module) {
  agpu__simt_read_sums(gpu_module);
  AGPU__OPS_IN_FOREACH (nested, gpu_module, NULL) {
    size_t row = find_row(nested);
    if (row == ROW_COUNT)
      continue;
    guard(nested);
    agpu__simt_call self = {.at = agpu__builder_before(nested),
                            .op = nested,
                            .gpu_module = gpu_module};
    rows[row].replace(&self);
    mlirOperationDestroy(nested);
  }
}
