//===- shared.c - Places in a block's shared memory ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Globals in shared memory become offsets from the start of the block's. A
// function of the device has one code for all kernels that call it, so that a
// global has one offset; kernels that share none use the same bytes. A global
// of size 0 is the launch's own (dynamic) part, which comes last.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/simt.h"

#include "gpu/nvvm/lowered.h"
#include "lower/ir/ir.h"
#include "lower/ir/type_size.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdlib.h>

// What the launch's own part is aligned to.
#define DYNAMIC_ALIGNMENT 16u

static bool is_shared(MlirOperation symbol) {
  if (!agpu__op_is(symbol, "llvm.mlir.global"))
    return false;
  MlirAttribute space =
      mlirOperationGetAttributeByName(symbol, agpu__str("addr_space"));
  return !mlirAttributeIsNull(space) && mlirIntegerAttrGetValueInt(space) == 3;
}

static uint64_t round_up(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

static uint64_t alignment_of(MlirOperation global, uint64_t natural) {
  MlirAttribute attribute =
      mlirOperationGetAttributeByName(global, agpu__str("alignment"));
  uint64_t asked = mlirAttributeIsNull(attribute)
                       ? 0
                       : (uint64_t)mlirIntegerAttrGetValueInt(attribute);
  return asked > natural ? asked : natural;
}

static bool uses(const agpu__ops *reached, MlirOperation global) {
  for (size_t i = 0; i < reached->count; ++i)
    if (mlirOperationEqual(reached->data[i], global))
      return true;
  return false;
}

/// Finds a place for `global` behind all that its kernels have placed so far.
static void place(MlirOperation global, const agpu__ops *reached,
                  agpu__kernel *kernels, size_t kernel_count) {
  MlirContext context = mlirOperationGetContext(global);
  MlirType type = mlirTypeAttrGetValue(
      mlirOperationGetAttributeByName(global, agpu__str("global_type")));
  uint64_t natural;
  uint64_t size = agpu__type_size(type, &natural);
  if (!size) {
    mlirOperationSetDiscardableAttributeByName(
        global, agpu__str(AGPU__SIMT_DYNAMIC), mlirUnitAttrGet(context));
    return;
  }
  uint64_t offset = 0;
  for (size_t i = 0; i < kernel_count; ++i)
    if (uses(&reached[i], global) && kernels[i].shared_bytes > offset)
      offset = kernels[i].shared_bytes;
  offset = round_up(offset, alignment_of(global, natural));
  for (size_t i = 0; i < kernel_count; ++i)
    if (uses(&reached[i], global))
      kernels[i].shared_bytes = offset + size;
  mlirOperationSetDiscardableAttributeByName(
      global, agpu__str(AGPU__SIMT_OFFSET),
      agpu__i64_attr(context, (int64_t)offset));
}

MlirLogicalResult agpu__simt_place_shared(MlirOperation gpu_module,
                                          agpu__kernel *kernels,
                                          size_t kernel_count) {
  agpu__ops *reached = calloc(kernel_count + 1, sizeof(*reached));
  if (!reached)
    abort();
  for (size_t i = 0; i < kernel_count; ++i)
    agpu__simt_reach(gpu_module, kernels[i].function, &reached[i]);
  for (MlirOperation op =
           mlirBlockGetFirstOperation(agpu__module_body(gpu_module));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (is_shared(op))
      place(op, reached, kernels, kernel_count);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (size_t i = 0; i < kernel_count; ++i) {
    kernels[i].shared_bytes =
        round_up(kernels[i].shared_bytes, DYNAMIC_ALIGNMENT);
    agpu__ops_free(&reached[i]);
    if (kernels[i].shared_bytes > AGPU__SIMT_MAX_SHARED)
      result = agpu__error(kernels[i].location,
                           "this kernel takes %llu bytes of workgroup memory; "
                           "a block has %u",
                           (unsigned long long)kernels[i].shared_bytes,
                           AGPU__SIMT_MAX_SHARED);
  }
  free(reached);
  return result;
}
