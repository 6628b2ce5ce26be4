//===- tensor_map.c - Tensors that are copied by boxes --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules are those that the manual of the CUDA driver API gives for
// cuTensorMapEncodeTiled; the patterns of swizzling are those of the PTX ISA:
// bits of an address within a span are combined with those that number the
// span's rows.
//
//===----------------------------------------------------------------------===//

#include "emu/simt/tensor_map.h"

#include "emu/base/result.h"

#include <string.h>

_Static_assert(sizeof(agpu__emu_tensor_map) <= sizeof(CUtensorMap),
               "a map has 128 bytes");

#define MOST_SIZE (UINT64_C(1) << 32)
#define MOST_STRIDE (UINT64_C(1) << 40)
#define MOST_BOX 256u
#define MOST_STEP 8u

static const struct {
  uint8_t bytes;
  bool is_float;
} types[] = {{1, false}, {2, false}, {4, false}, {4, false}, {8, false},
             {8, false}, {2, true},  {4, true},  {8, true},  {2, true},
             {4, true},  {4, true},  {4, true}};
#define TYPE_COUNT (sizeof(types) / sizeof(*types))

/// Bytes within which a pattern moves others.
static const uint8_t spans[] = {0, 32, 64, 128, 128, 128, 128};
#define SWIZZLE_COUNT (sizeof(spans) / sizeof(*spans))

static uint64_t mark_of(const agpu__emu_tensor_map *map) {
  const unsigned char *bytes = (const unsigned char *)map;
  uint64_t mark = UINT64_C(0xcbf29ce484222325);
  for (size_t i = sizeof map->mark; i < sizeof *map; ++i)
    mark = (mark ^ bytes[i]) * UINT64_C(0x100000001b3);
  return mark;
}

#define REFUSE(...)                                                            \
  do {                                                                         \
    agpu__emu_note(__VA_ARGS__);                                               \
    return CUDA_ERROR_INVALID_VALUE;                                           \
  } while (0)

/// The rules of one dimension.
static CUresult check_dimension(const agpu__emu_tensor_map *map, unsigned d,
                                uint64_t size, uint64_t stride, uint32_t box,
                                uint32_t step) {
  if (!size || size > MOST_SIZE)
    REFUSE("dimension %u of a tensor has %llu elements", d,
           (unsigned long long)size);
  if (!box || box > MOST_BOX)
    REFUSE("a box has %u elements in dimension %u; it can have 1 to %u", box, d,
           MOST_BOX);
  if (!step || step > MOST_STEP)
    REFUSE("the step in dimension %u is %u; it can be 1 to %u", d, step,
           MOST_STEP);
  unsigned multiple = map->interleave == CU_TENSOR_MAP_INTERLEAVE_32B ? 32 : 16;
  if (d && (stride % multiple || stride >= MOST_STRIDE))
    REFUSE("the stride of dimension %u is %llu bytes; it has to be a multiple "
           "of %u below 2^40",
           d, (unsigned long long)stride, multiple);
  return CUDA_SUCCESS;
}

static CUresult check(const agpu__emu_tensor_map *map,
                      CUtensorMapL2promotion promotion) {
  if (!map->rank || map->rank > AGPU__EMU_TENSOR_RANK ||
      (map->interleave && map->rank < 3))
    REFUSE("a tensor of rank %u%s", map->rank,
           map->interleave ? ", interleaved" : "");
  unsigned multiple = map->interleave == CU_TENSOR_MAP_INTERLEAVE_32B ? 32 : 16;
  if (map->address % multiple)
    REFUSE("a tensor at 0x%llx, which is not a multiple of %u",
           (unsigned long long)map->address, multiple);
  if (map->interleave == CU_TENSOR_MAP_INTERLEAVE_32B &&
      map->swizzle != CU_TENSOR_MAP_SWIZZLE_32B)
    REFUSE("a tensor interleaved by 32 bytes is not swizzled by 32 bytes");
  if ((unsigned)promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B)
    REFUSE("there is no promotion %d", (int)promotion);
  if (map->fill > CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA ||
      (map->fill && !types[map->type].is_float))
    REFUSE("elements out of bounds cannot be NaN in a tensor of type %u",
           map->type);
  return CUDA_SUCCESS;
}

CUresult agpu__emu_tensor_map_encode(
    agpu__emu_tensor_map *out, CUtensorMapDataType type, uint32_t rank,
    CUdeviceptr address, const uint64_t *sizes, const uint64_t *strides,
    const uint32_t *box, const uint32_t *steps,
    CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  memset(out, 0, sizeof *out); // with what lies between the members
  if ((unsigned)type >= TYPE_COUNT)
    REFUSE("there are no tensors of type %d on the emulated device", (int)type);
  if ((unsigned)interleave > CU_TENSOR_MAP_INTERLEAVE_32B ||
      (unsigned)swizzle >= SWIZZLE_COUNT || rank > AGPU__EMU_TENSOR_RANK)
    REFUSE("a tensor of rank %u, interleaved by mode %d, swizzled by mode %d",
           rank, (int)interleave, (int)swizzle);
  out->address = address;
  out->type = (uint8_t)type;
  out->rank = (uint8_t)rank;
  out->interleave = (uint8_t)interleave;
  out->swizzle = (uint8_t)swizzle;
  out->fill = (uint8_t)fill;
  CUresult result = check(out, promotion);
  uint32_t bytes = types[type].bytes;
  for (unsigned d = 0; d < rank && !result; ++d) {
    uint64_t stride = d ? strides[d - 1] : bytes;
    result = check_dimension(out, d, sizes[d], stride, box[d], steps[d]);
    // Without interleaving, the innermost dimension has no step.
    uint32_t step = d || interleave ? steps[d] : 1;
    out->strides[d] = stride;
    out->last[d] = (uint32_t)(sizes[d] - 1);
    out->steps[d] = (uint8_t)step;
    out->box[d] = (uint16_t)((box[d] + step - 1) / step);
  }
  if (result)
    return result;
  uint32_t row = agpu__emu_tensor_map_row_bytes(out);
  if (!interleave && row % 16)
    REFUSE("a row of the box has %u bytes, which is not a multiple of 16", row);
  if (!interleave && swizzle && row > spans[swizzle])
    REFUSE("a row of the box has %u bytes, more than the %u within which it is "
           "swizzled",
           row, spans[swizzle]);
  out->mark = mark_of(out);
  return CUDA_SUCCESS;
}

bool agpu__emu_tensor_map_read(const void *place, agpu__emu_tensor_map *out) {
  memcpy(out, place, sizeof *out);
  return out->mark == mark_of(out);
}

uint32_t agpu__emu_tensor_map_row_bytes(const agpu__emu_tensor_map *map) {
  return map->box[0] * types[map->type].bytes;
}

uint32_t agpu__emu_tensor_map_box_bytes(const agpu__emu_tensor_map *map) {
  uint32_t bytes = types[map->type].bytes;
  for (unsigned d = 0; d < map->rank; ++d)
    bytes *= map->box[d];
  return bytes;
}

uintptr_t agpu__emu_swizzle(uintptr_t address, unsigned swizzle,
                            bool *out_flipped) {
  uintptr_t row = address >> 7;
  *out_flipped = false;
  switch (swizzle) {
  case CU_TENSOR_MAP_SWIZZLE_32B: return address ^ (row & 1) << 4;
  case CU_TENSOR_MAP_SWIZZLE_64B: return address ^ (row & 3) << 4;
  case CU_TENSOR_MAP_SWIZZLE_128B: return address ^ (row & 7) << 4;
  case CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B: return address ^ (row & 3) << 5;
  case CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B:
    *out_flipped = row & 1;
    return address ^ (row & 3) << 5;
  case CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B: return address ^ (row & 1) << 6;
  default: return address;
  }
}

agpu__emu_tensor_row agpu__emu_tensor_map_row(const agpu__emu_tensor_map *map,
                                              const int32_t *at, uint32_t row) {
  agpu__emu_tensor_row result = {.address = map->address};
  bool is_inside = true;
  for (unsigned d = 1; d < map->rank; ++d) {
    int64_t index = at[d] + (int64_t)(row % map->box[d]) * map->steps[d];
    row /= map->box[d];
    is_inside &= index >= 0 && index <= map->last[d];
    result.address += (uint64_t)index * map->strides[d];
  }
  int64_t first = at[0] < 0 ? -(int64_t)at[0] : 0;
  int64_t end = (int64_t)map->last[0] + 1 - at[0];
  end = end > map->box[0] ? map->box[0] : end;
  if (!is_inside || first >= end)
    return result;
  result.first = (uint32_t)first;
  result.end = (uint32_t)end;
  result.address += (uint64_t)(at[0] + first) * map->strides[0];
  return result;
}
