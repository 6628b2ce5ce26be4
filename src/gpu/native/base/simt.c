//===- simt.c - Kernels on their way to native code -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the passes for native code ask of a gpu.module and its functions, and
// the attributes that they leave for each other (simt.h).
//
//===----------------------------------------------------------------------===//

#include "gpu/native/base/simt.h"

#include "gpu/nvvm/nvvm.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

bool agpu__simt_is_meant(MlirOperation gpu_module) {
  return !agpu__has_attr(gpu_module, AGPU__TARGET) ||
         agpu__is_for_target(gpu_module, AGPU__TARGET_NATIVE);
}

void agpu__simt_functions(MlirOperation gpu_module, bool kernels_only,
                          agpu__ops *out_functions) {
  AGPU__OPS_FOREACH (op, agpu__module_body(gpu_module))
    if (agpu__op_is(op, "llvm.func") && !agpu__is_declaration(op) &&
        (!kernels_only || agpu__nvvm_is_kernel(op)))
      agpu__ops_push(out_functions, op);
}

MlirLogicalResult
agpu__simt_context(MlirOperation function,
                   MlirValue out_context[AGPU__SIMT_CONTEXT_COUNT]) {
  MlirAttribute first = agpu__attr(function, AGPU__SIMT_CONTEXT);
  MlirBlock entry = agpu__entry_block(function);
  bool valid = !mlirAttributeIsNull(first) && mlirAttributeIsAInteger(first);
  int64_t own = valid ? mlirIntegerAttrGetValueInt(first) : 0;
  valid = valid && own >= 0 &&
          own + AGPU__SIMT_CONTEXT_COUNT <= mlirBlockGetNumArguments(entry);
  for (intptr_t i = 0; valid && i < AGPU__SIMT_CONTEXT_COUNT; ++i) {
    out_context[i] = mlirBlockGetArgument(entry, own + i);
    MlirType type = mlirValueGetType(out_context[i]);
    valid = i < AGPU__SIMT_ID_COUNT ? mlirTypeIsAInteger(type) &&
                                          mlirIntegerTypeGetWidth(type) == 32
                                    : mlirTypeIsALLVMPointerType(type);
  }
  return valid ? mlirLogicalResultSuccess()
               : agpu__missing_attribute(function, AGPU__SIMT_CONTEXT,
                                         AGPU__SIMT_PASS("context"));
}

void agpu__simt_add_parameters(MlirOperation function, const MlirType *types,
                               intptr_t added, MlirValue *out_values) {
  MlirType type = mlirTypeAttrGetValue(agpu__attr(function, "function_type"));
  intptr_t count = mlirLLVMFunctionTypeGetNumInputs(type);
  AGPU__OWNED MlirType *inputs =
      agpu__allocate((size_t)(count + added), sizeof(*inputs));
  for (intptr_t i = 0; i < count; ++i)
    inputs[i] = mlirLLVMFunctionTypeGetInput(type, i);
  MlirBlock entry = agpu__entry_block(function);
  for (intptr_t i = 0; i < added; ++i) {
    inputs[count + i] = types[i];
    out_values[i] = mlirBlockAddArgument(entry, types[i],
                                         mlirOperationGetLocation(function));
  }
  agpu__set_attr(function, "function_type",
                 mlirTypeAttrGet(mlirLLVMFunctionTypeGet(
                     mlirLLVMFunctionTypeGetReturnType(type), count + added,
                     inputs, false)));
  // Hints for each parameter; the array's length must match the type.
  agpu__remove_attr(function, "arg_attrs");
}

MlirAttribute agpu__simt_known_size(MlirOperation kernel) {
  MlirAttribute size = agpu__attr(kernel, "nvvm.reqntid");
  return !mlirAttributeIsNull(size) && mlirAttributeIsADenseI32Array(size) &&
                 mlirDenseArrayGetNumElements(size) == 3
             ? size
             : mlirAttributeGetNull();
}

bool agpu__simt_threads_are(MlirOperation kernel, const char *how) {
  return mlirStringRefEqual(agpu__get_string(kernel, AGPU__SIMT_THREADS),
                            agpu__str(how));
}

void agpu__simt_set_threads(MlirOperation kernel, const char *how) {
  agpu__set_attr(kernel, AGPU__SIMT_THREADS,
                 agpu__string_attr(mlirOperationGetContext(kernel), how));
}
