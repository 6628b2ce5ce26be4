//===- shard_exchange.c - What ranks do together --------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call reads a tensor and fills new memory, which is the tensor of its result
// then: of another shape, where parts have come or gone, or of the same.
//
//===----------------------------------------------------------------------===//

#include "host/shard/shard_parts.h"

#include "lower/dialect/attributes.h"
#include "lower/pass/diagnostics.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static MlirType memref_of(MlirType tensor) {
  int64_t sizes[AGPU__SHARD_RANK];
  intptr_t rank = mlirShapedTypeGetRank(tensor);
  for (intptr_t i = 0; i < rank; ++i)
    sizes[i] = mlirShapedTypeGetDimSize(tensor, i);
  return mlirMemRefTypeContiguousGet(mlirShapedTypeGetElementType(tensor), rank,
                                     sizes, mlirAttributeGetNull());
}

/// New memory for a tensor of that type.
static MlirValue build_memory(agpu__builder *at, MlirType tensor,
                              const agpu__values *sizes) {
  MlirNamedAttribute segments =
      agpu__named(at->context, "operandSegmentSizes",
                  mlirDenseI32ArrayGet(at->context, 2,
                                       (int32_t[]){(int32_t)sizes->count, 0}));
  return agpu__result(agpu__build_op(at, "memref.alloc", sizes->data,
                                     sizes->count, memref_of(tensor), &segments,
                                     1),
                      0);
}

static MlirValue build_tensor(agpu__builder *at, MlirValue memory,
                              MlirType type) {
  MlirAttribute unit = mlirUnitAttrGet(at->context);
  MlirNamedAttribute attributes[] = {
      agpu__named(at->context, "restrict", unit),
      agpu__named(at->context, "writable", unit)};
  return agpu__result(agpu__build_op(at, "bufferization.to_tensor", &memory, 1,
                                     type, attributes, 2),
                      0);
}

/// Calls op `name` on the tensor's buffer and new memory, which is returned as
/// a tensor of `type`. `size`, unless it is null, is what `numbers` lack.
static MlirValue call_on_memory(agpu__shard *self, agpu__builder *at,
                                const char *name, const int64_t *numbers,
                                size_t number_count, MlirValue tensor,
                                agpu__axes axes, MlirType type,
                                const agpu__values *sizes, MlirValue size) {
  MlirValue operands[] = {tensor, build_memory(at, type, sizes),
                          agpu__shard_site_memory(self, at, axes), size};
  (void)agpu__shard_call(self, at, name, numbers, number_count, operands,
                         mlirValueIsNull(size) ? 3 : 4, (MlirType){NULL});
  return build_tensor(at, operands[1], type);
}

//===----------------------------------------------------------------------===//
// What ranks do together
//===----------------------------------------------------------------------===//

static void remark(const agpu__shard *self, const agpu__builder *at,
                   const char *what, MlirValue tensor, intptr_t dim,
                   agpu__axes axes) {
  if (!self->remarks)
    return;
  char buffer[16];
  AGPU__OWNED char *type = agpu__type_text(mlirValueGetType(tensor));
  if (dim < 0)
    agpu__remark(at->location, "%s of %s along axes %s of the grid", what, type,
                 agpu__axes_print(axes, buffer));
  else
    agpu__remark(at->location,
                 "%s of dimension %d of %s along axes %s of the grid", what,
                 (int)dim, type, agpu__axes_print(axes, buffer));
}

/// Sizes of the result that its type does not have: those of `part` but in
/// `dim` and `other`.
static void push_result_sizes(agpu__shard *self, agpu__builder *at,
                              MlirValue part, MlirType type, intptr_t dim,
                              MlirValue size, intptr_t other,
                              MlirValue other_size, agpu__values *out) {
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i)
    if (mlirShapedTypeIsDynamicDim(type, i)) {
      MlirValue operands[] = {part, {NULL}};
      if (i != dim && i != other)
        operands[1] = agpu__index_constant(at, i);
      agpu__values_push(
          out, i == dim ? size
               : i == other
                   ? other_size
                   : agpu__build_value(at, "tensor.dim", operands, 2,
                                       agpu__index_type(self->context)));
    }
}

MlirValue agpu__shard_exchange(agpu__shard *self, agpu__builder *at,
                               MlirValue part, agpu_mpi_exchange_kind kind,
                               intptr_t dim, const agpu__shard_split *split,
                               intptr_t other, agpu__axes axes, MlirType type,
                               MlirValue size, MlirValue other_size) {
  static const char *const names[] = {"shard.all_gather", "shard.all_to_all",
                                      "shard.update_halo"};
  remark(self, at, names[kind], part, dim, axes);
  int64_t numbers[] = {kind,          dim,           split->size,  split->parts,
                       split->stride, split->before, split->after, other};
  AGPU__SCOPED(values) sizes = {0};
  push_result_sizes(self, at, part, type, dim, size, other, other_size, &sizes);
  MlirValue made =
      call_on_memory(self, at, "exchange", numbers, 8, part, axes, type, &sizes,
                     split->size < 0 ? size : (MlirValue){NULL});
  return made;
}

MlirValue agpu__shard_all_reduce(agpu__shard *self, agpu__builder *at,
                                 MlirValue part, int reduction,
                                 agpu__axes axes) {
  remark(self, at, "shard.all_reduce", part, -1, axes);
  AGPU__SCOPED(values) sizes = {0};
  agpu__shard_push_sizes(at, part, &sizes);
  int64_t numbers[] = {reduction, -1};
  MlirValue made =
      call_on_memory(self, at, "reduce", numbers, 2, part, axes,
                     mlirValueGetType(part), &sizes, (MlirValue){NULL});
  return made;
}

MlirValue agpu__shard_call_like(agpu__shard *self, agpu__builder *at,
                                MlirOperation call, MlirValue part,
                                MlirType type, bool takes_place) {
  MlirOperation callee = agpu__find_callee(self->symbols, call);
  MlirAttribute all = agpu__attr(callee, AGPU__SHARD_NUMBERS_ATTR);
  int64_t numbers[8];
  intptr_t count = mlirDenseArrayGetNumElements(all);
  for (intptr_t i = 0; i < count; ++i)
    numbers[i] = mlirDenseI64ArrayGetElement(all, i);
  MlirValue site = mlirOperationGetOperand(call, 2);
  size_t operand_count = (size_t)mlirOperationGetNumOperands(call);
  MlirValue operands[4] = {part, build_memory(at, type, &(agpu__values){0}),
                           takes_place ? site
                                       : agpu__shard_site_like(self, at, site)};
  for (size_t i = 3; i < operand_count; ++i) // the size
    operands[i] = mlirOperationGetOperand(call, (intptr_t)i);
  (void)agpu__shard_call(self, at, count == 2 ? "reduce" : "exchange", numbers,
                         (size_t)count, operands, operand_count,
                         (MlirType){NULL});
  return build_tensor(at, operands[1], type);
}

MlirValue agpu__shard_reduce_scatter(agpu__shard *self, agpu__builder *at,
                                     MlirValue part, int reduction,
                                     intptr_t dim, agpu__axes axes,
                                     MlirType type, MlirValue size) {
  remark(self, at, "shard.reduce_scatter", part, dim, axes);
  AGPU__SCOPED(values) sizes = {0};
  push_result_sizes(self, at, part, type, dim, size, -1, (MlirValue){NULL},
                    &sizes);
  int64_t numbers[] = {reduction, dim};
  MlirValue made = call_on_memory(self, at, "reduce", numbers, 2, part, axes,
                                  type, &sizes, (MlirValue){NULL});
  return made;
}
