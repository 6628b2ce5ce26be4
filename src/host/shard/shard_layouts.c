//===- shard_layouts.c - What each rank has of a value --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts are compared by their bytes: what is not split is 0. The table of all
// values keeps the types that they had in the program, since the pass changes
// them.
//
//===----------------------------------------------------------------------===//

#include "host/shard/shard_parts.h"

#include <stdio.h>
#include <stdlib.h>

bool agpu__layout_is_whole(const agpu__layout *layout) {
  return !agpu__layout_axes(layout);
}

bool agpu__layout_equal(const agpu__layout *a, const agpu__layout *b) {
  return !memcmp(a, b, sizeof *a);
}

agpu__axes agpu__axes_join(agpu__axes a, agpu__axes b) {
  int shift = 0;
  while (a >> shift)
    shift += 4;
  return a | b << shift;
}

agpu__axes agpu__layout_axes(const agpu__layout *layout) {
  agpu__axes all = 0;
  for (int i = 0; i < AGPU__SHARD_RANK; ++i)
    all = agpu__axes_join(all, layout->dims[i]);
  return all;
}

bool agpu__axes_overlap(agpu__axes a, agpu__axes b) {
  for (; a; a >>= 4)
    for (agpu__axes rest = b; rest; rest >>= 4)
      if ((a & 15) == (rest & 15))
        return true;
  return false;
}

char *agpu__axes_print(agpu__axes axes, char buffer[16]) {
  int used = snprintf(buffer, 16, "[");
  for (; axes; axes >>= 4)
    used += snprintf(buffer + used, (size_t)(16 - used), "%d%s",
                     (int)(axes & 15) - 1, axes >> 4 ? ", " : "");
  (void)snprintf(buffer + used, (size_t)(16 - used), "]");
  return buffer;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

agpu__sharded *agpu__shard_value(agpu__shard *self, MlirValue value) {
  MlirType type = mlirValueGetType(value);
  if (!mlirTypeIsARankedTensor(type) ||
      mlirShapedTypeGetRank(type) > AGPU__SHARD_RANK)
    return NULL;
  size_t number = agpu__map_get(&self->numbers, value.ptr);
  if (number == AGPU__MAP_NONE) {
    self->values = agpu__grow(self->values, self->count, &self->capacity,
                              sizeof(*self->values));
    number = self->count++;
    self->values[number] = (agpu__sharded){.whole = type};
    agpu__map_set(&self->numbers, value.ptr, number);
  }
  return &self->values[number];
}

bool agpu__shard_is_uniform(MlirValue value) {
  MlirOperation maker = agpu__maker_of(value);
  return !mlirOperationIsNull(maker) &&
         (agpu__op_is_any(maker, "tensor.empty linalg.fill"));
}

agpu__layout agpu__shard_layout(agpu__shard *self, MlirValue value) {
  const agpu__sharded *known = agpu__shard_value(self, value);
  return known ? known->layout : (agpu__layout){{0}};
}

MlirType agpu__shard_whole_type(agpu__shard *self, MlirValue value) {
  const agpu__sharded *known = agpu__shard_value(self, value);
  return known ? known->whole : mlirValueGetType(value);
}

agpu__shard_size agpu__sharded_size(const agpu__sharded *known, intptr_t dim) {
  return mlirShapedTypeIsDynamicDim(known->whole, dim)
             ? (agpu__shard_size){-1, known->numbers[dim]}
             : (agpu__shard_size){mlirShapedTypeGetDimSize(known->whole, dim),
                                  {NULL}};
}

void agpu__shard_set_like(agpu__shard *self, MlirValue value,
                          const agpu__sharded *like, agpu__layout layout) {
  agpu__sharded copy = *like; // the next call moves it
  agpu__sharded *known = agpu__shard_value(self, value);
  known->whole = copy.whole;
  memcpy(known->numbers, copy.numbers, sizeof copy.numbers);
  known->layout = layout;
}

void agpu__shard_forget_values(agpu__shard *self) {
  agpu__map_free(&self->numbers);
  self->numbers = (agpu__map){0};
  self->count = 0;
}

bool agpu__shard_is_asked(MlirValue number, MlirValue value) {
  if (mlirValueIsNull(number))
    return false;
  MlirOperation maker = agpu__maker_of(number);
  return agpu__op_is(maker, "tensor.dim") &&
         mlirValueEqual(mlirOperationGetOperand(maker, 0), value);
}

void agpu__shard_set_layout(agpu__shard *self, MlirValue value,
                            agpu__layout layout) {
  agpu__sharded *known = agpu__shard_value(self, value);
  if (!known)
    return;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(known->whole); ++i)
    if (mlirShapedTypeIsDynamicDim(known->whole, i) &&
        (mlirValueIsNull(known->numbers[i]) ||
         agpu__shard_is_asked(known->numbers[i], value)))
      layout.dims[i] = 0;
  known->layout = layout;
}

int64_t agpu__shard_ranks(const agpu__shard *self, agpu__axes axes) {
  int64_t ranks = 1;
  for (; axes; axes >>= 4) {
    int64_t size = self->grid[(axes & 15) - 1];
    if (size < 0)
      return -1;
    ranks *= size;
  }
  return ranks;
}

MlirType agpu__shard_local_type(const agpu__shard *self, MlirType whole,
                                const agpu__layout *layout) {
  int64_t sizes[AGPU__SHARD_RANK];
  intptr_t rank = mlirShapedTypeGetRank(whole);
  for (intptr_t i = 0; i < rank; ++i) {
    sizes[i] = mlirShapedTypeGetDimSize(whole, i);
    if (!layout->dims[i])
      continue;
    int64_t ranks = agpu__shard_ranks(self, layout->dims[i]);
    sizes[i] = ranks > 0 && sizes[i] >= 0 && sizes[i] % ranks == 0
                   ? sizes[i] / ranks
                   : mlirShapedTypeGetDynamicSize();
  }
  return mlirRankedTensorTypeGet(rank, sizes,
                                 mlirShapedTypeGetElementType(whole),
                                 mlirRankedTensorTypeGetEncoding(whole));
}

void agpu__shard_push_sizes(agpu__builder *at, MlirValue tensor,
                            agpu__values *out_sizes) {
  MlirType type = mlirValueGetType(tensor);
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i)
    if (mlirShapedTypeIsDynamicDim(type, i)) {
      MlirValue operands[] = {tensor, agpu__index_constant(at, i)};
      agpu__values_push(out_sizes,
                        agpu__build_value(at, "tensor.dim", operands, 2,
                                          agpu__index_type(at->context)));
    }
}
