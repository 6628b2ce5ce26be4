//===- signature.c - What functions take and give -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a function's type into an agpu_signature: plain C data in memory of its
// own, which outlives the module. What cannot be passed by address in a known
// form is an error at the function, so that what has a signature can be called.
//
//===----------------------------------------------------------------------===//

#include "host/native/native.h"

#include "mlir-c/Dialect/LLVM.h"

#include <inttypes.h>
#include <stdlib.h>

/// What a signature points at, and itself.
typedef struct owned_signature {
  agpu_signature public;
  agpu_type *types; ///< of arguments, then of results
} owned_signature;

typedef struct element_type {
  const char *name;
  int64_t bytes;
} element_type;

static const element_type elements[] = {
    {"i1", 1},  {"i8", 1},    {"i16", 2},          {"i32", 4},
    {"i64", 8}, {"index", 8}, {"f16", 2},          {"bf16", 2},
    {"f32", 4}, {"f64", 8},   {"complex<f32>", 8}, {"complex<f64>", 16},
};

/// Complex numbers in the LLVM dialect.
static const char *element_name(const char *text) {
  if (strcmp(text, "!llvm.struct<(f32, f32)>") == 0)
    return "complex<f32>";
  if (strcmp(text, "!llvm.struct<(f64, f64)>") == 0)
    return "complex<f64>";
  return text;
}

static bool set_element(agpu_type *out, MlirType type) {
  AGPU__OWNED char *text = agpu__type_text(type);
  const char *name = element_name(text);
  for (size_t i = 0; i < AGPU__COUNT(elements); ++i)
    if (strcmp(elements[i].name, name) == 0) {
      out->element = elements[i].name;
      out->element_bytes = elements[i].bytes;
    }
  return *out->element;
}

/// Strides of elements that lie side by side.
static void set_identity_strides(int64_t *strides, const int64_t *sizes,
                                 int64_t rank) {
  int64_t stride = 1;
  for (int64_t i = rank - 1; i >= 0; --i) {
    strides[i] = stride;
    stride = stride == AGPU_DYNAMIC || sizes[i] == AGPU_DYNAMIC
                 ? AGPU_DYNAMIC
                 : stride * sizes[i];
  }
}

/// NULL, or what is wrong with the type.
static const char *set_shape(agpu_type *out, MlirType type) {
  int64_t rank = mlirShapedTypeGetRank(type);
  int64_t *sizes = agpu__allocate(2 * (size_t)rank, sizeof(*sizes));
  int64_t *strides = sizes + rank;
  out->rank = rank;
  out->sizes = sizes;
  out->strides = strides;
  for (int64_t i = 0; i < rank; ++i)
    sizes[i] = mlirShapedTypeIsDynamicDim(type, i)
                   ? AGPU_DYNAMIC
                   : mlirShapedTypeGetDimSize(type, i);
  if (mlirTypeIsATensor(type)) {
    if (!mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type)))
      return "is a tensor with an encoding";
    set_identity_strides(strides, sizes, rank);
    return NULL;
  }
  if (!mlirAttributeIsNull(mlirMemRefTypeGetMemorySpace(type)))
    return "has a memory space: arguments and results are memory of the host";
  if (!agpu__memref_is_strided(type) ||
      mlirLogicalResultIsFailure(
          mlirMemRefTypeGetStridesAndOffset(type, strides, &out->offset)))
    return "has a layout without strides";
  // Upstream's mark of what is dynamic is AGPU_DYNAMIC.
  return NULL;
}

/// NULL, or what is wrong with the type.
static const char *set_type(agpu_type *out, MlirType type) {
  out->element = "";
  if (agpu__type_is_token(type)) {
    out->kind = AGPU_TYPE_TOKEN;
    return NULL;
  }
  MlirType payload = agpu__async_value_payload(type);
  if (!mlirTypeIsNull(payload)) {
    if (out->is_value || agpu__type_is_object(payload))
      return "is a value of a token or value";
    out->is_value = true;
    type = payload;
  }
  if (mlirTypeIsAUnrankedMemRef(type)) {
    out->kind = AGPU_TYPE_UNRANKED_MEMREF;
    if (out->is_value)
      return "is an unranked memref in a value";
    if (!mlirAttributeIsNull(mlirUnrankedMemrefGetMemorySpace(type)))
      return "has a memory space: arguments and results are memory of the host";
  } else if (mlirTypeIsAMemRef(type) || mlirTypeIsARankedTensor(type)) {
    out->kind = AGPU_TYPE_MEMREF;
    const char *problem = set_shape(out, type);
    if (problem)
      return problem;
  } else {
    return set_element(out, type)
               ? NULL
               : "is neither a number, a memref, a token nor a value";
  }
  return set_element(out, mlirShapedTypeGetElementType(type))
             ? NULL
             : "has elements that are neither integers of 1, 8, 16, 32 or 64 "
               "bits nor index, f16, bf16, f32, f64 or complex";
}

/// Fills in `out` for a type of `function`. False after a diagnostic.
static bool read_type(agpu_type *out, MlirOperation function, const char *name,
                      const char *role, intptr_t index, MlirType type,
                      bool as_value) {
  AGPU__OWNED char *text = agpu__type_text(type);
  out->text = as_value ? agpu__format("!async.value<%s>", text)
                       : agpu__format("%s", text);
  out->is_value = as_value;
  const char *problem = set_type(out, type);
  if (problem)
    agpu__error(mlirOperationGetLocation(function),
                "'%s' cannot be called from outside: %s %" PRIdPTR
                ", of type %s, %s",
                name, role, index, text, problem);
  return !problem;
}

static char *describe(const agpu_signature *self) {
  agpu__text text = {0};
  agpu__text_printf(&text, "%s(", self->name);
  for (size_t i = 0; i < self->argument_count; ++i)
    agpu__text_printf(&text, "%s%s", i ? ", " : "", self->arguments[i].text);
  agpu__text_puts(&text, ")");
  if (self->result_count)
    agpu__text_puts(&text, self->result_count > 1 ? " -> (" : " -> ");
  for (size_t i = 0; i < self->result_count; ++i)
    agpu__text_printf(&text, "%s%s", i ? ", " : "", self->results[i].text);
  if (self->result_count > 1)
    agpu__text_puts(&text, ")");
  return agpu__text_take(&text);
}

//===----------------------------------------------------------------------===//
// The two kinds of function types
//===----------------------------------------------------------------------===//

static intptr_t result_count(MlirType type) {
  if (mlirTypeIsAFunction(type))
    return mlirFunctionTypeGetNumResults(type);
  return !mlirTypeEqual(mlirLLVMFunctionTypeGetReturnType(type),
                        mlirLLVMVoidTypeGet(mlirTypeGetContext(type)));
}

static MlirType result(MlirType type, intptr_t index) {
  return mlirTypeIsAFunction(type) ? mlirFunctionTypeGetResult(type, index)
                                   : mlirLLVMFunctionTypeGetReturnType(type);
}

agpu_signature *agpu__signature_create(MlirOperation function, const char *name,
                                       bool awaitable) {
  MlirType type = agpu__function_type(function);
  size_t arguments = (size_t)agpu__function_type_inputs(type);
  size_t results = (size_t)result_count(type);
  owned_signature *self = agpu__allocate(1, sizeof(*self));
  self->types = agpu__allocate(arguments + results + 1, sizeof(*self->types));
  agpu_type *first_result = self->types + arguments;
  self->public = (agpu_signature){.name = agpu__format("%s", name),
                                  .is_awaitable = awaitable,
                                  .arguments = self->types,
                                  .results = first_result};
  bool ok = true;
  for (size_t i = 0; ok && i < arguments; ++i)
    ok = read_type(&self->types[self->public.argument_count++], function, name,
                   "argument", (intptr_t)i,
                   agpu__function_type_input(type, (intptr_t)i), false);
  if (ok && awaitable)
    first_result[self->public.result_count++] =
        (agpu_type){.kind = AGPU_TYPE_TOKEN,
                    .text = agpu__format("!async.token"),
                    .element = ""};
  for (size_t i = 0; ok && i < results; ++i)
    ok = read_type(&first_result[self->public.result_count++], function, name,
                   "result", (intptr_t)i, result(type, (intptr_t)i), awaitable);
  if (!ok) {
    agpu_signature_release(&self->public);
    return NULL;
  }
  self->public.text = describe(&self->public);
  return &self->public;
}

static void free_types(const agpu_type *types, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    free((char *)types[i].text);
    free((int64_t *)types[i].sizes);
  }
}

void agpu_signature_release(agpu_signature *signature_or_null) {
  owned_signature *self = (owned_signature *)signature_or_null;
  if (!self)
    return;
  free_types(self->public.arguments, self->public.argument_count);
  free_types(self->public.results, self->public.result_count);
  free((char *)self->public.name);
  free((char *)self->public.text);
  free(self->types);
  free(self);
}

bool agpu__signature_is_async(const agpu_signature *signature) {
  for (size_t i = 0; i < signature->result_count; ++i)
    if (signature->results[i].is_value ||
        signature->results[i].kind == AGPU_TYPE_TOKEN)
      return true;
  return false;
}

int64_t agpu__type_parameters(const agpu_type *type) {
  if (type->is_value)
    return 1;
  switch (type->kind) {
  case AGPU_TYPE_MEMREF: return 3 + 2 * type->rank;
  case AGPU_TYPE_UNRANKED_MEMREF: return 2;
  case AGPU_TYPE_SCALAR:
  case AGPU_TYPE_TOKEN: break;
  }
  return 1;
}
