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

#include "gpu/native/instructions/asynchronous.h"

#include "async_gpu/compiled/native_async.h"
#include "gpu/native/base/waits.h"
#include "lower/ir/cfg.h"
#include "lower/ir/ir.h"
#include "lower/ir/llvm_ops.h"
#include "lower/ir/text.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/Dialect/LLVM.h"

#include <string.h>

//===----------------------------------------------------------------------===//
// Calls of the device
//===----------------------------------------------------------------------===//

/// A call that is being put together in place of an op.
typedef struct call {
  agpu__builder at;
  MlirOperation op, gpu_module;
  MlirValue operands[24];
  size_t count;
} call;

static void push(call *self, MlirValue value) {
  self->operands[self->count++] = value;
}

static void push_i32(call *self, int64_t value) {
  push(self, agpu__llvm_i32(&self->at, (int32_t)value));
}

/// An address, as a generic one.
static void push_pointer(call *self, MlirValue value) {
  if (mlirLLVMPointerTypeGetAddressSpace(mlirValueGetType(value)))
    value = agpu__build_unary(&self->at, "llvm.addrspacecast", value,
                              agpu__ptr_type(self->at.context));
  push(self, value);
}

/// Calls `function`, with the place of the op and the thread's ids behind all
/// operands, and puts its result in place of the op's, if it has one.
static void finish(call *self, const char *function, MlirType result) {
  static const char *const ids[] = {"nvvm.read.ptx.sreg.tid.x",
                                    "nvvm.read.ptx.sreg.tid.y",
                                    "nvvm.read.ptx.sreg.tid.z"};
  push(self, agpu__location_constant(&self->at, self->gpu_module));
  for (int d = 0; d < 3; ++d)
    push(self, agpu__build_value(&self->at, ids[d], NULL, 0,
                                 agpu__i32_type(self->at.context)));
  MlirValue value = agpu__call_runtime(&self->at, self->gpu_module, function,
                                       self->operands, self->count, result);
  if (!mlirOperationGetNumResults(self->op))
    return;
  MlirValue old = agpu__result(self->op, 0);
  MlirType type = mlirValueGetType(old);
  if (mlirTypeIsALLVMPointerType(type) &&
      mlirLLVMPointerTypeGetAddressSpace(type))
    value = agpu__build_unary(&self->at, "llvm.addrspacecast", value, type);
  mlirValueReplaceAllUsesOfWith(old, value);
}

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

static void copy(call *self) {
  int64_t bytes = agpu__get_int(self->op, "size", 0);
  push_pointer(self, mlirOperationGetOperand(self->op, 0));
  push_pointer(self, mlirOperationGetOperand(self->op, 1));
  push_i32(self, bytes);
  if (mlirOperationGetNumOperands(self->op) > 2)
    push(self, mlirOperationGetOperand(self->op, 2));
  else
    push_i32(self, bytes);
  finish(self, "agpu_native_copy_async", (MlirType){NULL});
}

static bool is_bulk(MlirOperation op) {
  static const char *const names[] = {"nvvm.cp.async.bulk.commit.group",
                                      "nvvm.cp.async.bulk.wait_group"};
  return AGPU__OP_IS_ANY(op, names);
}

static void push_groups(call *self) {
  push_i32(self, is_bulk(self->op) ? AGPU_NATIVE_BULK_GROUPS
                                   : AGPU_NATIVE_COPY_GROUPS);
}

static void commit(call *self) {
  push_groups(self);
  finish(self, "agpu_native_commit_group", (MlirType){NULL});
}

static void wait_group(call *self) {
  push_groups(self);
  push_i32(self, agpu__get_int(self->op, is_bulk(self->op) ? "group" : "n", 0));
  push_i32(self, flag(self->op, "read"));
  finish(self, "agpu_native_wait_group", (MlirType){NULL});
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

static void use_phase(call *self) {
  MlirOperation op = self->op;
  for (size_t i = 0; i < sizeof(phase_ops) / sizeof(*phase_ops); ++i) {
    if (!agpu__op_is(op, phase_ops[i].op))
      continue;
    push_i32(self, phase_ops[i].what);
    push_pointer(self, mlirOperationGetOperand(op, 0));
    if (mlirOperationGetNumOperands(op) > 1 &&
        !is_bit(mlirOperationGetOperand(op, 1)))
      push(self, mlirOperationGetOperand(op, 1));
    else
      push_i32(self, phase_ops[i].count);
  }
  finish(self, "agpu_native_phase", agpu__i64_type(self->at.context));
}

/// Lets an mbarrier know when the thread's copies are done.
static void track_copies(call *self) {
  push_pointer(self, mlirOperationGetOperand(self->op, 0));
  push_i32(self, flag(self->op, "noinc"));
  finish(self, "agpu_native_track_copies", (MlirType){NULL});
}

/// What a wait names is the parity of a phase, or what an arrival has returned.
static void wait_for_phase(call *self) {
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
  push_pointer(self, mlirOperationGetOperand(self->op, 0));
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

//===----------------------------------------------------------------------===//
// Copies in bulk
//===----------------------------------------------------------------------===//

/// How many operands segment number `segment` of an op has, and its first.
static intptr_t find_segment(MlirOperation op, intptr_t segment,
                             intptr_t *out_first) {
  MlirAttribute sizes = agpu__attr(op, "operandSegmentSizes");
  *out_first = 0;
  for (intptr_t i = 0; i < segment; ++i)
    *out_first += mlirDenseI32ArrayGetElement(sizes, i);
  return mlirDenseI32ArrayGetElement(sizes, segment);
}

/// The mask that segment number `segment` may hold, an i16.
static void push_mask(call *self, intptr_t segment, int64_t otherwise) {
  intptr_t place;
  if (find_segment(self->op, segment, &place))
    push(self, agpu__build_unary(&self->at, "llvm.zext",
                                 mlirOperationGetOperand(self->op, place),
                                 agpu__i32_type(self->at.context)));
  else
    push_i32(self, otherwise);
}

static void bulk(call *self) {
  MlirOperation op = self->op;
  bool load = agpu__op_is(op, "nvvm.cp.async.bulk.shared.cluster.global");
  bool store = agpu__op_is(op, "nvvm.cp.async.bulk.global.shared.cta");
  push_i32(self, load    ? AGPU_NATIVE_BULK_LOAD
                 : store ? AGPU_NATIVE_BULK_STORE
                         : AGPU_NATIVE_BULK_CLUSTER);
  push_pointer(self, mlirOperationGetOperand(op, 0));
  push_pointer(self, mlirOperationGetOperand(op, 1));
  push(self, mlirOperationGetOperand(op, store ? 2 : 3));
  if (store)
    push(self, agpu__llvm_null(&self->at));
  else
    push_pointer(self, mlirOperationGetOperand(op, 2));
  if (load)
    push_mask(self, 4, AGPU_NATIVE_ONE_BLOCK);
  else if (store)
    push_mask(self, 4, 0xffff);
  else
    push_i32(self, AGPU_NATIVE_ONE_BLOCK);
  finish(self, "agpu_native_bulk_copy", (MlirType){NULL});
}

/// The operands of the three ops on tensors, by their segments; -1: none.
static const struct tensor_op {
  const char *op;
  agpu_native_bulk what;
  intptr_t map, shared, coordinates, barrier, mask, predicate;
} tensor_ops[] = {
    {"nvvm.cp.async.bulk.tensor.shared.cluster.global", AGPU_NATIVE_BULK_LOAD,
     1, 0, 2, 3, 5, 7},
    {"nvvm.cp.async.bulk.tensor.global.shared.cta", AGPU_NATIVE_BULK_STORE, 0,
     1, 2, -1, -1, 4},
    {"nvvm.cp.async.bulk.tensor.reduce", AGPU_NATIVE_BULK_REDUCE, 0, 1, 2, -1,
     -1, -1},
};

static const struct tensor_op *find_tensor_op(MlirOperation op) {
  for (size_t i = 0; i < sizeof(tensor_ops) / sizeof(*tensor_ops); ++i)
    if (agpu__op_is(op, tensor_ops[i].op))
      return &tensor_ops[i];
  return NULL;
}

static MlirValue segment_operand(MlirOperation op, intptr_t segment) {
  intptr_t place;
  return segment >= 0 && find_segment(op, segment, &place)
             ? mlirOperationGetOperand(op, place)
             : (MlirValue){NULL};
}

/// Whether the text of attribute `name` has `part` in it.
static bool has(MlirOperation op, const char *name, const char *part) {
  MlirAttribute attribute = agpu__attr(op, name);
  if (mlirAttributeIsNull(attribute))
    return false;
  agpu__text text = {0};
  mlirAttributePrint(attribute, agpu__text_callback, &text);
  bool found = strstr(agpu__text_get(&text), part) != NULL;
  agpu__text_free(&text);
  return found;
}

static int64_t reduction_of(MlirOperation op) {
  static const char *const kinds[] = {"<add>", "<min>", "<max>", "<inc>",
                                      "<dec>", "<and>", "<or>",  "<xor>"};
  for (int64_t i = 0; i < 8; ++i)
    if (has(op, "redKind", kinds[i]))
      return i;
  return 0;
}

/// In tiled mode, which is the default.
static bool is_tiled(MlirOperation op) {
  return mlirAttributeIsNull(agpu__attr(op, "mode")) ||
         has(op, "mode", "<tile>");
}

static void tensor(call *self) {
  enum { RANK = 5 };
  MlirOperation op = self->op;
  const struct tensor_op *row = find_tensor_op(op);
  push_i32(self, row->what);
  push_i32(self, reduction_of(op));
  push_pointer(self, segment_operand(op, row->map));
  push_pointer(self, segment_operand(op, row->shared));
  intptr_t first, rank = find_segment(op, row->coordinates, &first);
  push_i32(self, rank);
  for (intptr_t i = 0; i < RANK; ++i)
    if (i < rank)
      push(self, mlirOperationGetOperand(op, first + i));
    else
      push_i32(self, 0);
  if (row->barrier >= 0)
    push_pointer(self, segment_operand(op, row->barrier));
  else
    push(self, agpu__llvm_null(&self->at));
  if (row->mask >= 0)
    push_mask(self, row->mask, AGPU_NATIVE_ONE_BLOCK);
  else
    push_i32(self, AGPU_NATIVE_ONE_BLOCK);
  finish(self, "agpu_native_tensor_copy", (MlirType){NULL});
}

/// A hint, and no more.
static void nothing(call *self) { (void)self; }

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

static void arrive_in_cluster(call *self) {
  push_i32(self, agpu__op_is(self->op, "nvvm.cluster.arrive.relaxed"));
  finish(self, "agpu_native_cluster_arrive", (MlirType){NULL});
}

static void map_shared(call *self) {
  push_pointer(self, mlirOperationGetOperand(self->op, 0));
  push(self, mlirOperationGetOperand(self->op, 1));
  finish(self, "agpu_native_map_shared", agpu__ptr_type(self->at.context));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static const struct {
  const char *op;
  void (*replace)(call *self);
} rows[] = {
    {"nvvm.cluster.arrive", arrive_in_cluster},
    {"nvvm.cluster.arrive.relaxed", arrive_in_cluster},
    {"nvvm.cp.async.bulk.commit.group", commit},
    {"nvvm.cp.async.bulk.global.shared.cta", bulk},
    {"nvvm.cp.async.bulk.prefetch", nothing},
    {"nvvm.cp.async.bulk.shared.cluster.global", bulk},
    {"nvvm.cp.async.bulk.shared.cluster.shared.cta", bulk},
    {"nvvm.cp.async.bulk.tensor.global.shared.cta", tensor},
    {"nvvm.cp.async.bulk.tensor.prefetch", nothing},
    {"nvvm.cp.async.bulk.tensor.reduce", tensor},
    {"nvvm.cp.async.bulk.tensor.shared.cluster.global", tensor},
    {"nvvm.cp.async.bulk.wait_group", wait_group},
    {"nvvm.cp.async.shared.global", copy},
    {"nvvm.cp.async.commit.group", commit},
    {"nvvm.cp.async.wait.group", wait_group},
    {"nvvm.cp.async.mbarrier.arrive", track_copies},
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
};
#define ROW_COUNT (sizeof(rows) / sizeof(*rows))

static size_t find_row(MlirOperation op) {
  size_t i = 0;
  while (i < ROW_COUNT && !agpu__op_is(op, rows[i].op))
    ++i;
  return i;
}

bool agpu__simt_is_asynchronous(MlirOperation op) {
  return find_row(op) < ROW_COUNT && is_tiled(op);
}

/// The predicate of an op that may have one; or null.
static MlirValue predicate_of(MlirOperation op) {
  static const char *const last[] = {"nvvm.mbarrier.init",
                                     "nvvm.mbarrier.arrive.expect_tx"};
  const struct tensor_op *row = find_tensor_op(op);
  if (row)
    return segment_operand(op, row->predicate);
  if (!AGPU__OP_IS_ANY(op, last))
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
  agpu__ops ops = agpu__ops_in(gpu_module, NULL);
  for (size_t i = 0; i < ops.count; ++i) {
    size_t row = find_row(ops.data[i]);
    if (row == ROW_COUNT)
      continue;
    guard(ops.data[i]);
    call self = {.at = agpu__builder_before(ops.data[i]),
                 .op = ops.data[i],
                 .gpu_module = gpu_module};
    rows[row].replace(&self);
    mlirOperationDestroy(ops.data[i]);
  }
  agpu__ops_free(&ops);
}
