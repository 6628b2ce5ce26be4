//===- device_call.c - Calls of the emulated device -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of async_gpu/compiled/native_async.h get the place of what they
// stand for, and the ids of the thread, as registers that
// async-gpu-native-context knows. Address spaces go away with a cast, which
// async-gpu-native-shared-memory drops.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/instructions/instructions.h"

#include "mlir-c/Dialect/LLVM.h"

void agpu__simt_push(agpu__simt_call *self, MlirValue value) {
  self->operands[self->count++] = value;
}

void agpu__simt_push_i32(agpu__simt_call *self, int64_t value) {
  agpu__simt_push(self, agpu__llvm_i32(&self->at, (int32_t)value));
}

void agpu__simt_push_pointer(agpu__simt_call *self, MlirValue value) {
  if (mlirLLVMPointerTypeGetAddressSpace(mlirValueGetType(value)))
    value = agpu__build_unary(&self->at, "llvm.addrspacecast", value,
                              agpu__ptr_type(self->at.context));
  agpu__simt_push(self, value);
}

void agpu__simt_finish(agpu__simt_call *self, const char *function,
                       MlirType result) {
  static const char *const ids[] = {"nvvm.read.ptx.sreg.tid.x",
                                    "nvvm.read.ptx.sreg.tid.y",
                                    "nvvm.read.ptx.sreg.tid.z"};
  agpu__simt_push(self, agpu__location_constant(&self->at, self->gpu_module));
  for (int d = 0; d < 3; ++d)
    agpu__simt_push(self, agpu__build_value(&self->at, ids[d], NULL, 0,
                                            agpu__i32_type(self->at.context)));
  MlirValue value = agpu__call_runtime(&self->at, self->gpu_module, function,
                                       self->operands, self->count, result);
  if (!mlirOperationGetNumResults(self->op) || self->has_no_result)
    return;
  MlirValue old = agpu__result(self->op, 0);
  MlirType type = mlirValueGetType(old);
  if (mlirTypeIsALLVMPointerType(type) &&
      mlirLLVMPointerTypeGetAddressSpace(type))
    value = agpu__build_unary(&self->at, "llvm.addrspacecast", value, type);
  mlirValueReplaceAllUsesOfWith(old, value);
}

bool agpu__simt_attr_has(MlirOperation op, const char *name, const char *part) {
  MlirAttribute attribute = agpu__attr(op, name);
  if (mlirAttributeIsNull(attribute))
    return false;
  AGPU__SCOPED(text) text = {0};
  mlirAttributePrint(attribute, agpu__text_callback, &text);
  return strstr(agpu__text_get(&text), part) != NULL;
}
