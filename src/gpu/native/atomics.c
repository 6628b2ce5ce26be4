//===- atomics.c - Atomic operations on shared memory ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All threads of a block are run by one thread of the host, and no other block
// reaches its shared memory. So an atomic operation there is a load, the
// operation, and a store: without a locked instruction, and in code that LLVM
// may optimise. The store keeps a mark while loops are made: threads that meet
// at an address depend on each other there.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/atomics.h"

#include "gpu/native/base/simt.h"
#include "lower/ir/llvm_ops.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/Dialect/LLVM.h"

/// What llvm.atomicrmw computes by its attribute bin_op: an op of the LLVM
/// dialect, or a comparison by which one of the two operands is chosen.
static const struct {
  const char *op;   ///< NULL: the new value
  int64_t compares; ///< llvm.icmp's predicate; -1: none
} operations[] = {
    {NULL, -1},               // xchg
    {"llvm.add", -1},         //
    {"llvm.sub", -1},         //
    {"llvm.and", -1},         //
    {NULL, -2},               // nand: stays
    {"llvm.or", -1},          //
    {"llvm.xor", -1},         //
    {"llvm.icmp", 4},         // max: sgt
    {"llvm.icmp", 2},         // min: slt
    {"llvm.icmp", 8},         // umax: ugt
    {"llvm.icmp", 6},         // umin: ult
    {"llvm.fadd", -1},        //
    {"llvm.fsub", -1},        //
    {"llvm.intr.maxnum", -1}, // fmax
    {"llvm.intr.minnum", -1}, // fmin
};
#define OPERATION_COUNT ((int64_t)(sizeof(operations) / sizeof(operations[0])))

static bool is_shared(MlirValue address) {
  return mlirLLVMPointerTypeGetAddressSpace(mlirValueGetType(address)) == 3;
}

static MlirValue compare(agpu__builder *at, MlirValue a, MlirValue b,
                         int64_t predicate) {
  MlirNamedAttribute attribute = agpu__named(
      at->context, "predicate", agpu__i64_attr(at->context, predicate));
  MlirValue operands[] = {a, b};
  return agpu__result(agpu__build_op(at, "llvm.icmp", operands, 2,
                                     agpu__i1_type(at->context), &attribute, 1),
                      0);
}

static MlirValue choose(agpu__builder *at, MlirValue condition, MlirValue yes,
                        MlirValue no) {
  MlirValue operands[] = {condition, yes, no};
  return agpu__result(agpu__build_op(at, "llvm.select", operands, 3,
                                     mlirValueGetType(yes), NULL, 0),
                      0);
}

static void store(agpu__builder *at, MlirValue value, MlirValue address) {
  MlirNamedAttribute mark =
      agpu__named(at->context, AGPU__SIMT_ATOMIC, mlirUnitAttrGet(at->context));
  MlirValue operands[] = {value, address};
  agpu__build_op(at, "llvm.store", operands, 2, (MlirType){NULL}, &mark, 1);
}

static void replace_rmw(MlirOperation op) {
  int64_t operation = mlirIntegerAttrGetValueInt(
      mlirOperationGetAttributeByName(op, agpu__str("bin_op")));
  if (operation < 0 || operation >= OPERATION_COUNT ||
      operations[operation].compares == -2)
    return;
  agpu__builder at = agpu__builder_before(op);
  MlirValue address = mlirOperationGetOperand(op, 0);
  MlirValue value = mlirOperationGetOperand(op, 1);
  MlirValue old = agpu__llvm_load(&at, address, mlirValueGetType(value));
  const char *name = operations[operation].op;
  int64_t predicate = operations[operation].compares;
  if (predicate >= 0)
    value = choose(&at, compare(&at, old, value, predicate), old, value);
  else if (name)
    value = agpu__build_binary(&at, name, old, value);
  store(&at, value, address);
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), old);
  mlirOperationDestroy(op);
}

/// Of integers and addresses, which llvm.cmpxchg is for.
static void replace_exchange(MlirOperation op) {
  agpu__builder at = agpu__builder_before(op);
  MlirValue address = mlirOperationGetOperand(op, 0);
  MlirValue expected = mlirOperationGetOperand(op, 1);
  MlirValue value = mlirOperationGetOperand(op, 2);
  MlirValue old = agpu__llvm_load(&at, address, mlirValueGetType(value));
  MlirValue equal = compare(&at, old, expected, 0);
  store(&at, choose(&at, equal, value, old), address);
  MlirValue result = mlirOperationGetResult(op, 0);
  MlirValue both = agpu__llvm_undef(&at, mlirValueGetType(result));
  both = agpu__llvm_insert(&at, both, old, 0);
  both = agpu__llvm_insert(&at, both, equal, 1);
  mlirValueReplaceAllUsesOfWith(result, both);
  mlirOperationDestroy(op);
}

void agpu__simt_replace_shared_atomics(MlirOperation gpu_module) {
  agpu__ops ops = agpu__ops_in(gpu_module, NULL);
  for (size_t i = 0; i < ops.count; ++i) {
    MlirOperation op = ops.data[i];
    bool rmw = agpu__op_is(op, "llvm.atomicrmw");
    if ((!rmw && !agpu__op_is(op, "llvm.cmpxchg")) ||
        !is_shared(mlirOperationGetOperand(op, 0)))
      continue;
    if (rmw)
      replace_rmw(op);
    else
      replace_exchange(op);
  }
  agpu__ops_free(&ops);
}
