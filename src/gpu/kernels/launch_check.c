//===- launch_check.c - What launches pass, what kernels take -------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares, for kernels that MLIR's verifier does not know the types of, what
// arguments of a launch become with the parameters of the lowered function.
//
//===----------------------------------------------------------------------===//

#include "gpu/kernels/kernels.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

typedef struct type_list {
  MlirType *data;
  size_t count, capacity;
} type_list;

static void push(type_list *list, MlirType type) {
  AGPU__GROW(list->data, list->count, list->capacity);
  list->data[list->count++] = type;
}

/// Appends the kernel parameters that an argument of `type` makes. False for a
/// type that has none, which the launch's own lowering reports.
static bool push_parameters(type_list *list, MlirType type,
                            bool bare_pointers) {
  MlirContext context = mlirTypeGetContext(type);
  MlirType ptr = agpu__ptr_type(context), i64 = agpu__i64_type(context);
  int passed = agpu__passed_as(type, bare_pointers);
  for (size_t i = 0; i < agpu__parameter_count(passed); ++i) {
    int32_t dimension;
    switch (agpu__parameter_part(passed, i, &dimension)) {
    case AGPU__PART_VALUE: {
      MlirType lowered = agpu__payload_type(type);
      if (mlirTypeIsNull(lowered))
        return false;
      push(list, lowered);
      break;
    }
    case AGPU__PART_ALLOCATED:
    case AGPU__PART_ALIGNED:
    case AGPU__PART_DESCRIPTOR: push(list, ptr); break;
    case AGPU__PART_OFFSET:
    case AGPU__PART_SIZE:
    case AGPU__PART_STRIDE:
    case AGPU__PART_RANK: push(list, i64); break;
    }
  }
  return true;
}

/// Pointers are of one size, whatever they point to.
static bool is_same(MlirType passed, MlirType taken) {
  return mlirTypeEqual(passed, taken) || (mlirTypeIsALLVMPointerType(passed) &&
                                          mlirTypeIsALLVMPointerType(taken));
}

static MlirLogicalResult report_type(MlirOperation launch, MlirOperation kernel,
                                     size_t number, MlirType passed,
                                     MlirType taken) {
  MlirStringRef name = agpu__get_string(kernel, "sym_name");
  char *is = agpu__type_text(passed), *wanted = agpu__type_text(taken);
  MlirLogicalResult result = agpu__error(
      mlirOperationGetLocation(launch),
      "parameter %zu of kernel '%.*s' is passed as %s, and the kernel takes %s",
      number, AGPU__STR(name), is, wanted);
  free(is);
  free(wanted);
  return result;
}

static MlirLogicalResult compare(MlirOperation launch, MlirOperation kernel,
                                 const type_list *passed) {
  MlirType type = agpu__function_type(kernel);
  MlirStringRef name = agpu__get_string(kernel, "sym_name");
  size_t taken = (size_t)mlirLLVMFunctionTypeGetNumInputs(type);
  if (passed->count != taken)
    return agpu__error(
        mlirOperationGetLocation(launch),
        "kernel '%.*s' takes %zu parameters, and the launch passes %zu; a "
        "memref "
        "makes one for each part of its descriptor, or a single pointer with "
        "the option gpu-bare-pointers",
        AGPU__STR(name), taken, passed->count);
  for (size_t i = 0; i < taken; ++i) {
    MlirType input = mlirLLVMFunctionTypeGetInput(type, (intptr_t)i);
    if (!is_same(passed->data[i], input))
      return report_type(launch, kernel, i, passed->data[i], input);
  }
  return mlirLogicalResultSuccess();
}

/// The kernel in `gpu_module`, with these symbols, that is launched, or a null
/// op.
static MlirOperation find_kernel(MlirOperation gpu_module,
                                 MlirSymbolTable symbols,
                                 MlirOperation launch) {
  MlirAttribute symbol = agpu__attr(launch, "kernel");
  if (!mlirStringRefEqual(mlirSymbolRefAttrGetRootReference(symbol),
                          agpu__get_string(gpu_module, "sym_name")))
    return (MlirOperation){NULL};
  return mlirSymbolTableLookup(symbols,
                               mlirSymbolRefAttrGetLeafReference(symbol));
}

static MlirLogicalResult check(MlirOperation launch, MlirOperation gpu_module,
                               MlirSymbolTable symbols, bool bare_pointers) {
  MlirOperation kernel = find_kernel(gpu_module, symbols, launch);
  if (!agpu__op_is(kernel, "llvm.func"))
    return mlirLogicalResultSuccess();
  // The last operand holds the kernel's arguments.
  MlirOperation arguments = mlirOpResultGetOwner(
      mlirOperationGetOperand(launch, mlirOperationGetNumOperands(launch) - 1));
  type_list passed = {0};
  bool known = true;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(arguments); ++i)
    known =
        known &&
        push_parameters(&passed,
                        mlirValueGetType(mlirOperationGetOperand(arguments, i)),
                        bare_pointers);
  MlirLogicalResult result =
      known ? compare(launch, kernel, &passed) : mlirLogicalResultSuccess();
  free(passed.data);
  return result;
}

MlirLogicalResult agpu__check_launches(MlirOperation host_module,
                                       MlirOperation gpu_module,
                                       bool bare_pointers) {
  static const char *const names[] = {"agpu.launch", "agpu.launch_with"};
  MlirLogicalResult result = mlirLogicalResultSuccess();
  MlirSymbolTable symbols = mlirSymbolTableCreate(gpu_module);
  for (int i = 0; i < 2; ++i) {
    AGPU__OPS_IN_FOREACH (launch, host_module, names[i])
      if (mlirLogicalResultIsFailure(
              check(launch, gpu_module, symbols, bare_pointers)))
        result = mlirLogicalResultFailure();
  }
  mlirSymbolTableDestroy(symbols);
  return result;
}
