//===- payload.c - What types become in the LLVM dialect -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What upstream's LLVMTypeConverter makes of a type, said again in C: the C API
// has no way to ask it. Types of the async dialect are known by their text.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ir.h"

#include "mlir-c/AffineMap.h"
#include "mlir-c/Dialect/GPU.h"
#include "mlir-c/Dialect/LLVM.h"
#include "mlir-c/Target/LLVMIR.h"
#include "llvm-c/Core.h"
#include "llvm-c/Target.h"

#include <stdlib.h>

#define VALUE_PREFIX "!async.value<"

/// Dialect types without C API predicates are told apart by their text. The
/// namespace check comes first: it is cheap, and it settles almost every type.
static bool is_async(MlirType type) {
  MlirDialect dialect = mlirTypeGetDialect(type);
  return mlirStringRefEqual(mlirDialectGetNamespace(dialect),
                            agpu__str("async"));
}

MlirType agpu__token_type(MlirContext context) {
  return agpu__parse_type(context, "!async.token");
}

bool agpu__type_is_token(MlirType type) {
  if (mlirTypeIsAGPUAsyncTokenType(type))
    return true;
  return is_async(type) && agpu__type_has_prefix(type, "!async.token");
}

bool agpu__type_is_object(MlirType type) {
  if (mlirTypeIsAGPUAsyncTokenType(type))
    return true;
  return is_async(type) && (agpu__type_has_prefix(type, "!async.token") ||
                            agpu__type_has_prefix(type, VALUE_PREFIX) ||
                            agpu__type_has_prefix(type, "!async.group"));
}

MlirType agpu__async_value_payload(MlirType type) {
  MlirType payload = {NULL};
  if (!is_async(type))
    return payload;
  AGPU__OWNED char *text = agpu__type_text(type);
  if (!strncmp(text, VALUE_PREFIX, strlen(VALUE_PREFIX))) {
    const char *inner = text + strlen(VALUE_PREFIX);
    payload = mlirTypeParseGet(
        mlirTypeGetContext(type),
        mlirStringRefCreate(inner, strlen(inner) - strlen(">")));
  }
  return payload;
}

MlirType agpu__async_value_get(MlirType payload) {
  AGPU__OWNED char *text = agpu__type_text(payload);
  AGPU__OWNED char *spelled = agpu__format(VALUE_PREFIX "%s>", text);
  return agpu__parse_type(mlirTypeGetContext(payload), spelled);
}

MlirType *agpu__region_types(MlirType type, size_t *out_count) {
  *out_count = (size_t)mlirFunctionTypeGetNumResults(type) + 1;
  MlirType *types = agpu__allocate(*out_count, sizeof(*types));
  types[0] = agpu__token_type(mlirTypeGetContext(type));
  for (size_t i = 1; i < *out_count; ++i)
    types[i] =
        agpu__async_value_get(mlirFunctionTypeGetResult(type, (intptr_t)i - 1));
  return types;
}

MlirType *agpu__function_inputs(MlirType type) {
  intptr_t count = mlirFunctionTypeGetNumInputs(type);
  MlirType *inputs = agpu__allocate((size_t)count, sizeof(*inputs));
  for (intptr_t i = 0; i < count; ++i)
    inputs[i] = mlirFunctionTypeGetInput(type, i);
  return inputs;
}

/// The pointer type of a memref's memory space: an integer is the address
/// space, none is the default. Null for symbolic spaces, which have no meaning
/// on the host.
static MlirType memory_space_pointer(MlirContext context, MlirAttribute space) {
  if (mlirAttributeIsNull(space))
    return agpu__ptr_type(context);
  if (mlirAttributeIsAInteger(space))
    return mlirLLVMPointerTypeGet(context,
                                  (unsigned)mlirIntegerAttrGetValueInt(space));
  return (MlirType){NULL};
}

static MlirType memref_descriptor(MlirType type) {
  MlirContext context = mlirTypeGetContext(type);
  MlirType pointer =
      memory_space_pointer(context, mlirMemRefTypeGetMemorySpace(type));
  if (mlirTypeIsNull(pointer))
    return pointer;
  MlirType index = agpu__i64_type(context);
  MlirType fields[5] = {pointer, pointer, index};
  intptr_t count = 3;
  unsigned rank = (unsigned)mlirShapedTypeGetRank(type);
  if (rank > 0) {
    MlirType array = mlirLLVMArrayTypeGet(index, rank);
    fields[count++] = array;
    fields[count++] = array;
  }
  return mlirLLVMStructTypeLiteralGet(context, count, fields, false);
}

/// IEEE floats, bf16 and x87's are LLVM's own; smaller ones are the integers
/// of their width. tf32 (19 bits) has no type.
static MlirType float_payload(MlirType type) {
  unsigned bits = mlirFloatTypeGetWidth(type);
  if (bits < 16)
    return mlirIntegerTypeGet(mlirTypeGetContext(type), bits);
  return mlirTypeIsATF32(type) ? (MlirType){NULL} : type;
}

static MlirType vector_payload(MlirType type) {
  int64_t rank = mlirShapedTypeGetRank(type);
  MlirType element = agpu__payload_type(mlirShapedTypeGetElementType(type));
  if (mlirTypeIsNull(element))
    return element;
  if (rank == 0) {
    int64_t one = 1;
    return mlirVectorTypeGet(1, &one, element);
  }
  // Only the innermost dimension is a vector; the outer ones are arrays.
  int64_t inner = mlirShapedTypeGetDimSize(type, (intptr_t)rank - 1);
  bool scalable = mlirVectorTypeIsDimScalable(type, (intptr_t)rank - 1);
  MlirType result = mlirVectorTypeGetScalable(1, &inner, &scalable, element);
  for (int64_t i = rank - 2; i >= 0; --i)
    result = mlirLLVMArrayTypeGet(
        result, (unsigned)mlirShapedTypeGetDimSize(type, (intptr_t)i));
  return result;
}

static MlirType tuple_payload(MlirType type) {
  MlirContext context = mlirTypeGetContext(type);
  intptr_t count = mlirTupleTypeGetNumTypes(type);
  AGPU__OWNED MlirType *fields = agpu__allocate((size_t)count, sizeof(*fields));
  MlirType result = {NULL};
  intptr_t i = 0;
  for (; i < count; ++i) {
    fields[i] = agpu__payload_type(mlirTupleTypeGetType(type, i));
    if (mlirTypeIsNull(fields[i]))
      break;
  }
  if (i == count)
    result = mlirLLVMStructTypeLiteralGet(context, count, fields, false);
  return result;
}

MlirType agpu__payload_type(MlirType type) {
  MlirContext context = mlirTypeGetContext(type);
  if (mlirTypeIsAInteger(type))
    return mlirIntegerTypeGet(context, mlirIntegerTypeGetWidth(type));
  if (mlirTypeIsAFloat(type))
    return float_payload(type);
  if (mlirTypeIsAIndex(type))
    return agpu__i64_type(context);
  if (mlirTypeIsAComplex(type)) {
    MlirType element = agpu__payload_type(mlirComplexTypeGetElementType(type));
    if (mlirTypeIsNull(element))
      return element;
    MlirType fields[] = {element, element};
    return mlirLLVMStructTypeLiteralGet(context, 2, fields, false);
  }
  if (mlirTypeIsAVector(type))
    return vector_payload(type);
  if (mlirTypeIsAMemRef(type))
    return memref_descriptor(type);
  if (mlirTypeIsAUnrankedMemRef(type)) {
    MlirType fields[] = {agpu__i64_type(context), agpu__ptr_type(context)};
    return mlirLLVMStructTypeLiteralGet(context, 2, fields, false);
  }
  if (mlirTypeIsAFunction(type) || agpu__type_is_object(type))
    return agpu__ptr_type(context);
  if (mlirTypeIsATuple(type))
    return tuple_payload(type);
  if (mlirStringRefEqual(mlirDialectGetNamespace(mlirTypeGetDialect(type)),
                         agpu__str("llvm")))
    return type;
  return (MlirType){NULL};
}

//===----------------------------------------------------------------------===//
// Bytes of a type
//
// Asks LLVM, by the layout that 64-bit hosts and NVPTX share for what a kernel
// and its launch both see.
//===----------------------------------------------------------------------===//

#define LAYOUT "e-p:64:64-i64:64-i128:128-n8:16:32:64-S128"

/// The bytes of a scalar, aligned to its size, which LLVM need not be asked of;
/// 0 for other types.
static uint64_t scalar_size(MlirType type) {
  unsigned bits = mlirTypeIsAInteger(type) ? mlirIntegerTypeGetWidth(type)
                  : mlirTypeIsAFloat(type) ? mlirFloatTypeGetWidth(type)
                  : mlirTypeIsALLVMPointerType(type) ? 64
                                                     : 0;
  return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits / 8 : 0;
}

uint64_t agpu__type_size(MlirType type, uint64_t *out_alignment) {
  *out_alignment = scalar_size(type);
  if (*out_alignment)
    return *out_alignment;
  LLVMContextRef context = LLVMContextCreate();
  LLVMTargetDataRef layout = LLVMCreateTargetData(LAYOUT);
  MlirTypeToLLVMIRTranslator translator =
      mlirTypeToLLVMIRTranslatorCreate(context);
  LLVMTypeRef translated =
      mlirTypeToLLVMIRTranslatorTranslateType(translator, type);
  uint64_t size = LLVMABISizeOfType(layout, translated);
  *out_alignment = LLVMABIAlignmentOfType(layout, translated);
  mlirTypeToLLVMIRTranslatorDestroy(translator);
  LLVMDisposeTargetData(layout);
  LLVMContextDispose(context);
  return size;
}
