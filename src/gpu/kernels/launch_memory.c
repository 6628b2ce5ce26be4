//===- launch_memory.c - The memory that a launch gives its kernel --------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a memref is from, by way of views alone: an allocation, a global or an
// argument of the function. All else is not known.
//
//===----------------------------------------------------------------------===//

#include "gpu/kernels/kernels.h"

static const agpu__given_memory unknown = {NULL, false, {NULL}};

/// A gpu.alloc, which `moved` says is not where the elements begin.
static agpu__given_memory given_by_device(MlirOperation op, bool moved) {
  agpu__given_memory given = {op.ptr, false, op};
  if (agpu__has_attr(op, "hostShared")) // it may change while a kernel runs
    return unknown;
  if (moved)
    given.fresh = (MlirOperation){NULL};
  return given;
}

static agpu__given_memory given_by_argument(MlirOperation function,
                                            MlirValue value) {
  if (!mlirOperationEqual(
          mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value)),
          function) ||
      !mlirBlockEqual(mlirBlockArgumentGetOwner(value),
                      agpu__entry_block(function)))
    return unknown;
  MlirAttribute all = agpu__attr(function, "arg_attrs");
  MlirAttribute own =
      mlirAttributeIsNull(all)
          ? all
          : mlirArrayAttrGetElement(all, mlirBlockArgumentGetArgNumber(value));
  bool apart = !mlirAttributeIsNull(own) &&
               !mlirAttributeIsNull(mlirDictionaryAttrGetElementByName(
                   own, agpu__str("llvm.noalias")));
  return (agpu__given_memory){value.ptr, !apart, {NULL}};
}

agpu__given_memory agpu__given_memory_of(MlirOperation launch,
                                         MlirValue value) {
  MlirOperation function = agpu__parent_of(launch, "func.func");
  bool is_unified = !mlirOperationIsNull(function) &&
                    agpu__has_attr(function, AGPU__UNIFIED_ATTR);
  bool moved = false;
  while (mlirValueIsAOpResult(value)) {
    MlirOperation op = mlirOpResultGetOwner(value);
    if (agpu__op_is(op, "gpu.alloc"))
      return given_by_device(op, moved);
    if (is_unified &&
        (agpu__op_is(op, "memref.alloc") || agpu__op_is(op, "memref.alloca")))
      return (agpu__given_memory){op.ptr, false, {NULL}};
    // Each memref.get_global of it is the same memory, as an argument may be.
    if (is_unified && agpu__op_is(op, "memref.get_global"))
      return (agpu__given_memory){agpu__attr(op, "name").ptr, true, {NULL}};
    if (!agpu__is_view(op))
      return unknown;
    // It moves the pointer to the elements, where others move the offset after
    // it; that is stored.
    moved |= agpu__op_is(op, "memref.view");
    value = agpu__viewed(value);
  }
  return is_unified ? given_by_argument(function, value) : unknown;
}

bool agpu__kernel_only_reads(MlirOperation kernel, intptr_t argument) {
  AGPU__SCOPED(values) names = {0};
  agpu__values_push(&names,
                    mlirBlockGetArgument(agpu__entry_block(kernel), argument));
  bool only_reads = true;
  for (size_t i = 0; i < names.count && only_reads; ++i)
    for (MlirOpOperand use = mlirValueGetFirstUse(names.data[i]);
         !mlirOpOperandIsNull(use) && only_reads;
         use = mlirOpOperandGetNextUse(use)) {
      MlirOperation user = mlirOpOperandGetOwner(use);
      unsigned number = mlirOpOperandGetOperandNumber(use);
      if (!agpu__push_views(&names, user, number))
        only_reads = agpu__only_accesses(user, number) &&
                     !agpu__writes_operand(user, number);
    }
  return only_reads;
}
