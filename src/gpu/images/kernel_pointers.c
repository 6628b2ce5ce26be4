//===- kernel_pointers.c - Kernel parameters that are addresses -----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Notes of each kernel, while it is a gpu.func, which parameters its memrefs
// will become, and reads that again once everything else has been lowered.
//
//===----------------------------------------------------------------------===//

#include "gpu/images/images.h"

#include "gpu/kernels/kernels.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

/// Six numbers for each pointer, the members of agpu_native_pointer.
enum { MEMBERS = 6 };

typedef struct numbers {
  int64_t *data;
  size_t count, capacity;
} numbers;

static void push(numbers *list, const agpu_native_pointer *pointer) {
  const int64_t members[MEMBERS] = {pointer->param,         pointer->argument,
                                    pointer->kind,          pointer->alignment,
                                    pointer->element_bytes, pointer->offset};
  for (size_t i = 0; i < MEMBERS; ++i) {
    list->data = agpu__grow(list->data, list->count, &list->capacity,
                            sizeof(*list->data));
    list->data[list->count++] = members[i];
  }
}

/// Bytes from one element of the memref to the next, and what a card wants
/// their addresses to be multiples of; 0: its type has none.
static void set_element(agpu_native_pointer *of, MlirType memref) {
  MlirType element = mlirShapedTypeGetElementType(memref);
  unsigned bits = mlirTypeIsAIndex(element) ? 64
                  : mlirTypeIsAInteger(element)
                      ? mlirIntegerTypeGetWidth(element)
                  : mlirTypeIsAFloat(element) ? mlirFloatTypeGetWidth(element)
                                              : 0;
  uint64_t alignment = bits / 8 + (bits == 1);
  of->element_bytes = (uint32_t)alignment;
  // The usual ones without a data layout, which takes long to make.
  if (bits != 1 && bits != 8 && bits != 16 && bits != 32 && bits != 64) {
    MlirType lowered = agpu__payload_type(element);
    of->element_bytes = 0;
    if (mlirTypeIsNull(lowered))
      return;
    of->element_bytes = (uint32_t)agpu__type_size(lowered, &alignment);
  }
  of->alignment = alignment < 16 ? (uint16_t)alignment : 16;
}

/// In elements; 0 where it is not known.
static int64_t static_offset(MlirType memref) {
  size_t rank = (size_t)mlirShapedTypeGetRank(memref);
  int64_t *strides = agpu__allocate(rank, sizeof(*strides)), offset = 0;
  if (mlirLogicalResultIsFailure(
          mlirMemRefTypeGetStridesAndOffset(memref, strides, &offset)))
    offset = 0;
  free(strides);
  return offset;
}

/// The parameters that an argument makes; the next one's number is stored.
static void add_argument(numbers *list, MlirType type, uint32_t argument,
                         bool bare_pointers, uint32_t *param) {
  int passed = agpu__passed_as(type, bare_pointers);
  agpu_native_pointer pointer = {
      .param = *param + (uint32_t)agpu__parameter_address(passed),
      .argument = argument};
  *param += (uint32_t)agpu__parameter_count(passed);
  if (passed == AGPU__PASSED_UNRANKED) {
    pointer.kind = AGPU_NATIVE_DESCRIPTOR;
    set_element(&pointer, type);
  } else if (passed >= 0) {
    pointer.kind = AGPU_NATIVE_MEMREF;
    set_element(&pointer, type);
  } else if (passed == AGPU__PASSED_BARE_POINTER) {
    set_element(&pointer, type);
    pointer.offset = static_offset(type) * pointer.element_bytes;
  } else if (!mlirTypeIsALLVMPointerType(type)) {
    return;
  }
  push(list, &pointer);
}

/// Puts the list on `kernel`, and frees it.
static void record(MlirOperation kernel, numbers *list) {
  agpu__set_attr(kernel, AGPU__KERNEL_POINTERS,
                 mlirDenseI64ArrayGet(mlirOperationGetContext(kernel),
                                      (intptr_t)list->count, list->data));
  free(list->data);
}

void agpu__kernel_pointers_keep(MlirOperation gpu_module, bool bare_pointers) {
  AGPU__OPS_IN_FOREACH (kernel, gpu_module, "gpu.func") {
    if (!agpu__has_attr(kernel, "gpu.kernel"))
      continue;
    MlirType type = agpu__function_type(kernel);
    numbers list = {0};
    uint32_t param = 0;
    for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i)
      add_argument(&list, mlirFunctionTypeGetInput(type, i), (uint32_t)i,
                   bare_pointers, &param);
    record(kernel, &list);
  }
}

void agpu__kernel_pointers_complete(MlirOperation kernel) {
  if (agpu__has_attr(kernel, AGPU__KERNEL_POINTERS))
    return;
  MlirType type = agpu__function_type(kernel);
  numbers list = {0};
  for (intptr_t i = 0; i < mlirLLVMFunctionTypeGetNumInputs(type); ++i) {
    const agpu_native_pointer pointer = {.param = (uint32_t)i,
                                         .argument = (uint32_t)i};
    if (mlirTypeIsALLVMPointerType(mlirLLVMFunctionTypeGetInput(type, i)))
      push(&list, &pointer);
  }
  record(kernel, &list);
}

agpu_native_pointer *agpu__kernel_pointers_read(MlirOperation kernel,
                                                size_t *out_count) {
  MlirAttribute kept = agpu__attr(kernel, AGPU__KERNEL_POINTERS);
  bool valid =
      !mlirAttributeIsNull(kept) && mlirAttributeIsADenseI64Array(kept);
  size_t count =
      valid ? (size_t)mlirDenseArrayGetNumElements(kept) / MEMBERS : 0;
  agpu_native_pointer *pointers = agpu__allocate(count, sizeof *pointers);
  for (size_t i = 0; i < count; ++i) {
    int64_t members[MEMBERS];
    for (size_t m = 0; m < MEMBERS; ++m)
      members[m] =
          mlirDenseI64ArrayGetElement(kept, (intptr_t)(i * MEMBERS + m));
    pointers[i] = (agpu_native_pointer){.param = (uint32_t)members[0],
                                        .argument = (uint32_t)members[1],
                                        .kind = (uint16_t)members[2],
                                        .alignment = (uint16_t)members[3],
                                        .element_bytes = (uint32_t)members[4],
                                        .offset = members[5]};
  }
  *out_count = count;
  return pointers;
}
