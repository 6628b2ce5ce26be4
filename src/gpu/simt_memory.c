//===- simt_memory.c - Checked accesses of memory -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before each access of memory that is not the thread's own, a kernel can ask
// the emulated device whether it may: whether the bytes lie in an allocation
// that is there, or in the block's shared memory.
//
//===----------------------------------------------------------------------===//

#include "gpu/simt.h"

#include "lower/ir.h"
#include "lower/llvm_ops.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/Dialect/LLVM.h"

/// An op that accesses memory: which operand is the address; whether it writes;
/// the operand whose type is accessed, -1: the result's.
static const struct {
  const char *op;
  int address;
  bool writes;
  int accessed;
} accesses[] = {
    {"llvm.load", 0, false, -1},
    {"llvm.store", 1, true, 0},
    {"llvm.atomicrmw", 0, true, 1},
    {"llvm.cmpxchg", 0, true, 1},
};

/// The row of `op`, or -1.
static int find_access(MlirOperation op) {
  for (int i = 0; i < (int)(sizeof(accesses) / sizeof(accesses[0])); ++i)
    if (agpu__op_is(op, accesses[i].op))
      return i;
  return -1;
}

/// True if `address` is in memory of the thread's own, or of a global.
static bool is_own(MlirValue address) {
  while (mlirValueIsAOpResult(address)) {
    MlirOperation op = mlirOpResultGetOwner(address);
    if (agpu__op_is(op, "llvm.alloca") ||
        agpu__op_is(op, "llvm.mlir.addressof"))
      return true;
    if (!agpu__op_is(op, "llvm.getelementptr"))
      return false;
    address = mlirOperationGetOperand(op, 0);
  }
  return false;
}

void agpu__simt_mark_shared(MlirOperation gpu_module) {
  agpu__ops ops = {0};
  agpu__collect(gpu_module, NULL, &ops);
  for (size_t i = 0; i < ops.count; ++i) {
    int row = find_access(ops.data[i]);
    if (row < 0)
      continue;
    MlirValue address =
        mlirOperationGetOperand(ops.data[i], accesses[row].address);
    if (mlirLLVMPointerTypeGetAddressSpace(mlirValueGetType(address)) == 3)
      mlirOperationSetDiscardableAttributeByName(
          ops.data[i], agpu__str(AGPU__SIMT_SHARED_ACCESS),
          mlirUnitAttrGet(mlirOperationGetContext(gpu_module)));
  }
  agpu__ops_free(&ops);
}

bool agpu__simt_check_access(MlirOperation op, const MlirValue *context,
                             MlirOperation host_module) {
  int row = find_access(op);
  if (row < 0)
    return false;
  MlirStringRef mark = agpu__str(AGPU__SIMT_SHARED_ACCESS);
  bool shared = agpu__has_attr(op, AGPU__SIMT_SHARED_ACCESS);
  mlirOperationRemoveDiscardableAttributeByName(op, mark);
  MlirValue address = mlirOperationGetOperand(op, accesses[row].address);
  if (!shared && is_own(address))
    return false;
  agpu__builder at = agpu__builder_before(op);
  MlirValue accessed =
      accesses[row].accessed < 0
          ? mlirOperationGetResult(op, 0)
          : mlirOperationGetOperand(op, accesses[row].accessed);
  int32_t flags = (shared ? 1 : 0) | (accesses[row].writes ? 2 : 0);
  const MlirValue *tid = context + 3 * AGPU__SIMT_TID;
  MlirValue operands[] = {
      address,
      agpu__llvm_size_of(&at, mlirValueGetType(accessed)),
      agpu__llvm_constant(&at, agpu__i32_attr(at.context, flags)),
      agpu__location_constant(&at, host_module),
      tid[0],
      tid[1],
      tid[2]};
  agpu__call_runtime(&at, host_module, "agpu_native_check", operands, 7,
                     (MlirType){NULL});
  return true;
}
