//===- accesses.c - Checked accesses of memory ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before each access of memory that is not the thread's own, a kernel can tell
// the emulated device of it, which looks whether it may (whether the bytes lie
// in an allocation that is there, or in the block's shared memory, and at an
// address that a card takes; whether another thread accesses them meanwhile)
// and says where the memory is.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/native.h"
#include "lower/ir/llvm_access.h"

#include "gpu/native/base/simt.h"
#include "lower/convert/convert.h"

#include "mlir-c/Dialect/LLVM.h"

void agpu__simt_mark_shared(MlirOperation gpu_module) {
  AGPU__OPS_IN_FOREACH (op, gpu_module, NULL) {
    intptr_t operand;
    // For copies, the device looks at the addresses.
    if (!agpu__is_access(op, &operand) || operand < 0)
      continue;
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, operand));
    if (mlirTypeIsALLVMPointerType(type) &&
        mlirLLVMPointerTypeGetAddressSpace(type) == 3)
      mlirOperationSetDiscardableAttributeByName(
          op, agpu__str(AGPU__SIMT_SHARED_ACCESS),
          mlirUnitAttrGet(mlirOperationGetContext(gpu_module)));
  }
}

/// The body that accesses are checked in.
typedef struct checking {
  const MlirValue *context;
  MlirOperation gpu_module;
  bool shared; ///< the op is marked
} checking;

static bool is_wanted(MlirValue address, void *data) {
  const checking *self = data;
  return self->shared || !agpu__is_variable(address);
}

static bool same_position(MlirOperation a, MlirOperation b) {
  return mlirAttributeEqual(agpu__attr(a, "position"),
                            agpu__attr(b, "position"));
}

/// What was put into a structure at the place that `extract` takes, or, where
/// that is not seen, the structure itself.
static MlirValue extracted_from(MlirOperation extract) {
  MlirValue from = mlirOperationGetOperand(extract, 0);
  while (agpu__op_is(agpu__maker_of(from), "llvm.insertvalue")) {
    MlirOperation insert = mlirOpResultGetOwner(from);
    bool found = same_position(extract, insert);
    from = mlirOperationGetOperand(insert, found ? 1 : 0);
    if (found)
      break;
  }
  return from;
}

/// True for an address that comes out of memory, unless it is a variable of the
/// function's, which holds what the function has put there.
static bool is_loaded(MlirValue address) {
  while (mlirValueIsAOpResult(address)) {
    MlirOperation op = mlirOpResultGetOwner(address);
    if (agpu__op_is(op, "llvm.load"))
      return !agpu__is_variable(mlirOperationGetOperand(op, 0));
    if (agpu__op_is(op, "llvm.extractvalue"))
      address = extracted_from(op);
    else if (agpu__op_is_any(op, "llvm.getelementptr llvm.addrspacecast"))
      address = mlirOperationGetOperand(op, 0);
    else
      return false;
  }
  return false;
}

/// What the address has to be a multiple of. PTX wants the size of what one of
/// its instructions accesses, and LLVM makes as many of them as it takes to
/// keep to the alignment of the op's: its own, or that of its type. More than
/// the type's is promised for the sake of joining accesses, and need not show.
static int32_t alignment_of(const agpu__access *access) {
  enum { WIDEST = 16 };
  if (mlirTypeIsNull(access->type))
    return 1;
  unsigned bits =
      mlirTypeIsAInteger(access->type) ? mlirIntegerTypeGetWidth(access->type)
      : mlirTypeIsAFloat(access->type) ? mlirFloatTypeGetWidth(access->type)
                                       : 0;
  uint64_t alignment = bits / 8;
  // Those of a size that is no power of two, too, take a data layout.
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
    agpu__type_size(access->type, &alignment);
  MlirAttribute own = agpu__attr(access->op, "alignment");
  if (!mlirAttributeIsNull(own)) {
    uint64_t given = (uint64_t)mlirIntegerAttrGetValueInt(own);
    if (given && given < alignment)
      alignment = given;
  }
  return alignment < WIDEST ? (int32_t)alignment : WIDEST;
}

static MlirValue call_check(agpu__builder *at, const agpu__access *access,
                            void *data) {
  const checking *self = data;
  uint32_t flags = access->flags | (self->shared ? AGPU_NATIVE_SHARED : 0) |
                   (is_loaded(access->address) ? AGPU_NATIVE_LOADED : 0);
  const MlirValue *tid = self->context + 3 * AGPU__SIMT_TID;
  MlirValue operands[] = {
      access->address,
      access->bytes,
      agpu__llvm_constant(at,
                          agpu__i32_attr(at->context, alignment_of(access))),
      agpu__llvm_constant(at, agpu__i32_attr(at->context, (int32_t)flags)),
      agpu__location_constant(at, self->gpu_module),
      tid[0],
      tid[1],
      tid[2]};
  return agpu__call_runtime(at, self->gpu_module, "agpu_native_check", operands,
                            8, agpu__ptr_type(at->context));
}

bool agpu__simt_check_access(MlirOperation op, const MlirValue *context,
                             MlirOperation gpu_module) {
  intptr_t operand;
  if (!agpu__is_access(op, &operand))
    return false;
  checking self = {context, gpu_module,
                   agpu__has_attr(op, AGPU__SIMT_SHARED_ACCESS)};
  agpu__remove_attr(op, AGPU__SIMT_SHARED_ACCESS);
  agpu__visit_accesses(op, is_wanted, call_check, &self);
  return true;
}

void agpu__simt_check_division(MlirOperation op, const MlirValue *context,
                               MlirOperation gpu_module) {
  agpu__builder at = agpu__builder_before(op);
  const MlirValue *tid = context + 3 * AGPU__SIMT_TID;
  MlirValue operands[] = {agpu__division_fault(&at, op),
                          agpu__location_constant(&at, gpu_module), tid[0],
                          tid[1], tid[2]};
  agpu__call_runtime(&at, gpu_module, "agpu_native_check_division", operands, 5,
                     (MlirType){NULL});
}
