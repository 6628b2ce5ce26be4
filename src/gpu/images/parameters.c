//===- parameters.c - Parameters of kernels as PTX has them ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's NVPTX backend declares a parameter whose bits do not fill whole
// words with the bytes that
// it takes in memory, where its bits are packed, and reads each element from a
// byte of its own; integers of other widths become types that PTX does not have
// (`.u4`).
//
//===----------------------------------------------------------------------===//

#include "gpu/images/images.h"

#include "gpu/nvvm/nvvm.h"
#include "lower/ir/ir.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

/// Bits of a number, or of all elements of a vector; 0 for other types.
static uint64_t bits_of(MlirType type) {
  return mlirTypeIsAVector(type)
             ? (uint64_t)mlirShapedTypeGetDimSize(type, 0) *
                   agpu__number_bits(mlirShapedTypeGetElementType(type))
             : agpu__number_bits(type);
}

/// True for what is packed in memory and not in a parameter. A single i1 is a
/// byte in both.
static bool is_packed(MlirType type) {
  bool vector = mlirTypeIsAVector(type);
  MlirType element = vector ? mlirShapedTypeGetElementType(type) : type;
  if (!mlirTypeIsAInteger(element))
    return false;
  unsigned bits = mlirIntegerTypeGetWidth(element);
  return bits != 8 && bits != 16 && bits != 32 && bits != 64 && bits != 128 &&
         (vector || bits != 1);
}

static bool holds_packed(MlirType type) {
  if (agpu__type_has_prefix(type, "!llvm.array"))
    return holds_packed(mlirLLVMArrayTypeGetElementType(type));
  if (!mlirTypeIsALLVMStructType(type))
    return is_packed(type);
  for (intptr_t i = 0; i < mlirLLVMStructTypeGetNumElementTypes(type); ++i)
    if (holds_packed(mlirLLVMStructTypeGetElementType(type, i)))
      return true;
  return false;
}

/// Whole words that have the bytes of `type`, which is packed.
static MlirType widened(MlirType type) {
  MlirContext context = mlirTypeGetContext(type);
  uint64_t bits = bits_of(type);
  unsigned width = 8;
  while (width < 64 && width < bits)
    width *= 2;
  if (bits <= width)
    return mlirIntegerTypeGet(context, width);
  int64_t words = (int64_t)((bits + 31) / 32);
  return mlirVectorTypeGet(1, &words, mlirIntegerTypeGet(context, 32));
}

static MlirValue build(agpu__builder *at, const char *op, MlirValue operand,
                       MlirType type) {
  return mlirTypeEqual(mlirValueGetType(operand), type)
             ? operand
             : agpu__build_value(at, op, &operand, 1, type);
}

/// Gives `argument` its wide type; what the body sees is made of it first.
static void widen(MlirBlock entry, MlirValue argument) {
  MlirType type = mlirValueGetType(argument), wide = widened(type);
  MlirOperation first = mlirBlockGetFirstOperation(entry);
  agpu__builder at = agpu__builder_before(first);
  AGPU__SCOPED(ops) users = {0};
  AGPU__USES_FOREACH (use, argument)
    agpu__ops_push(&users, mlirOpOperandGetOwner(use));
  mlirValueSetType(argument, wide);
  if (users.count) {
    MlirValue value =
        build(&at, "llvm.bitcast", argument,
              mlirIntegerTypeGet(at.context, (unsigned)bits_of(wide)));
    value = build(&at, "llvm.trunc", value,
                  mlirIntegerTypeGet(at.context, (unsigned)bits_of(type)));
    value = build(&at, "llvm.bitcast", value, type);
    for (size_t i = 0; i < users.count; ++i)
      mlirOperationReplaceUsesOfWith(users.data[i], argument, value);
  }
}

static MlirLogicalResult refuse(MlirOperation kernel, MlirType type) {
  AGPU__SCOPED(text) text = {0};
  mlirTypePrint(type, agpu__text_callback, &text);
  MlirLogicalResult result =
      agpu__error(mlirOperationGetLocation(kernel),
                  "a kernel cannot have a parameter of type %s: its numbers "
                  "do not fill whole bytes; pass it in memory",
                  agpu__text_get(&text));
  return result;
}

static MlirLogicalResult widen_kernel(MlirOperation kernel) {
  MlirType type = agpu__function_type(kernel);
  MlirBlock entry = agpu__entry_block(kernel);
  intptr_t count = mlirLLVMFunctionTypeGetNumInputs(type);
  AGPU__OWNED MlirType *inputs = agpu__allocate((size_t)count, sizeof(*inputs));
  MlirLogicalResult result = mlirLogicalResultSuccess();
  bool changed = false;
  for (intptr_t i = 0; i < count; ++i) {
    inputs[i] = mlirLLVMFunctionTypeGetInput(type, i);
    if (!holds_packed(inputs[i]))
      continue;
    if (!is_packed(inputs[i])) {
      result = refuse(kernel, inputs[i]);
      continue;
    }
    widen(entry, mlirBlockGetArgument(entry, i));
    inputs[i] = mlirValueGetType(mlirBlockGetArgument(entry, i));
    changed = true;
  }
  if (changed)
    agpu__set_attr(
        kernel, "function_type",
        mlirTypeAttrGet(mlirLLVMFunctionTypeGet(
            mlirLLVMFunctionTypeGetReturnType(type), count, inputs, false)));
  return result;
}

MlirLogicalResult agpu__widen_parameters(MlirOperation gpu_module) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__OPS_FOREACH (op, agpu__module_body(gpu_module))
    if (agpu__nvvm_is_kernel(op) && !agpu__is_declaration(op) &&
        mlirLogicalResultIsFailure(widen_kernel(op)))
      result = mlirLogicalResultFailure();
  return result;
}

//===----------------------------------------------------------------------===//
// Their space
//===----------------------------------------------------------------------===//

// A kernel's parameters lie one after the other in a space of their own, each
// aligned as its type is. The PTX ISA has 4352 bytes for it before version 8.1,
// of which CUDA gives kernels 4096, and 32764 from then on, for sm_70 and
// later.

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
  MlirType type = agpu__function_type(kernel);
  intptr_t count = mlirLLVMFunctionTypeGetNumInputs(type);
  uint64_t bytes = 0;
  for (intptr_t i = 0; i < count; ++i) {
    uint64_t alignment,
        size = measure_type(mlirLLVMFunctionTypeGetInput(type, i), &alignment);
    bytes = (bytes + alignment - 1) / alignment * alignment + size;
  }
  return bytes;
}

/// What a kernel may have at most, and which rule says so.
static MlirLogicalResult refuse_size(MlirOperation kernel, uint64_t bytes,
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
  AGPU__OPS_FOREACH (op, agpu__module_body(gpu_module)) {
    uint64_t bytes = agpu__nvvm_is_kernel(op) ? measure(op) : 0;
    if (bytes > LARGE)
      result = refuse_size(op, bytes, LARGE, "a kernel");
    for (size_t i = 0; bytes > SMALL && bytes <= LARGE && i < chip_count; ++i) {
      if (chips[i]->number < LARGE_CHIP)
        result = refuse_size(op, bytes, SMALL, chips[i]->name);
      else if (ptx_version && ptx_version < LARGE_PTX)
        result = refuse_size(op, bytes, SMALL, "PTX before 8.1");
      else if (versions[i] < LARGE_PTX)
        versions[i] = LARGE_PTX;
    }
  }
  return result;
}
