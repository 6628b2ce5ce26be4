//===- parameter_space.c - Bytes of a kernel's parameters -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel's parameters lie one behind the other in a space of their own, each
// aligned as its type is. The PTX ISA has 4352 bytes for it before version 8.1,
// of which CUDA gives kernels 4096, and 32764 from then on, for sm_70 and
// later.
//
//===----------------------------------------------------------------------===//

#include "gpu/images/parameter_space.h"

#include "gpu/nvvm/lowered.h"
#include "lower/ir/ir.h"
#include "lower/ir/type_size.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Dialect/LLVM.h"

enum { SMALL = 4096, LARGE = 32764, LARGE_CHIP = 70, LARGE_PTX = 81 };

/// Without a data layout, which takes long to make, for what most are of.
static uint64_t measure_type(MlirType type, uint64_t *out_alignment) {
  unsigned bits = mlirTypeIsAInteger(type) ? mlirIntegerTypeGetWidth(type)
                  : mlirTypeIsAFloat(type) ? mlirFloatTypeGetWidth(type)
                  : mlirTypeIsALLVMPointerType(type) ? 64
                                                     : 0;
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
    return agpu__type_size(type, out_alignment);
  *out_alignment = bits / 8;
  return bits / 8;
}

static uint64_t measure(MlirOperation kernel) {
  MlirType type = mlirTypeAttrGetValue(agpu__attr(kernel, "function_type"));
  intptr_t count = mlirLLVMFunctionTypeGetNumInputs(type);
  uint64_t bytes = 0;
  for (intptr_t i = 0; i < count; ++i) {
    uint64_t alignment,
        size = measure_type(mlirLLVMFunctionTypeGetInput(type, i), &alignment);
    bytes = (bytes + alignment - 1) / alignment * alignment + size;
  }
  return bytes;
}

/// What a kernel may have at most, and who says so.
static MlirLogicalResult refuse(MlirOperation kernel, uint64_t bytes,
                                unsigned most, const char *who) {
  return agpu__error(mlirOperationGetLocation(kernel),
                     "the parameters of this kernel take %llu bytes, and %s "
                     "takes %u at most: pass them in memory",
                     (unsigned long long)bytes, who, most);
}

MlirLogicalResult agpu__parameter_space_check(MlirOperation gpu_module,
                                              const agpu__chip *const *chips,
                                              size_t chip_count,
                                              int ptx_version, int *versions) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (MlirOperation op =
           mlirBlockGetFirstOperation(agpu__module_body(gpu_module));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    uint64_t bytes = agpu__nvvm_is_kernel(op) ? measure(op) : 0;
    if (bytes > LARGE)
      result = refuse(op, bytes, LARGE, "a kernel");
    for (size_t i = 0; bytes > SMALL && bytes <= LARGE && i < chip_count; ++i) {
      if (chips[i]->number < LARGE_CHIP)
        result = refuse(op, bytes, SMALL, chips[i]->name);
      else if (ptx_version && ptx_version < LARGE_PTX)
        result = refuse(op, bytes, SMALL, "PTX before 8.1");
      else if (versions[i] < LARGE_PTX)
        versions[i] = LARGE_PTX;
    }
  }
  return result;
}
