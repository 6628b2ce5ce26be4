//===- tensor_map.c - Tensors that are copied by boxes --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules are those that the manual of the CUDA driver API gives for the
// calls that make maps; the patterns of swizzling, and the way from pixel to
// pixel, are those of the PTX ISA: bits of an address within a span are
// combined with those that number the span's rows; pixels go along the width of
// the bounding box first, then its height, its depth, and the images.
//
//===----------------------------------------------------------------------===//

#include "emu/simt/tensor_map.h"

#include "emu/base/result.h"

#include <string.h>

_Static_assert(sizeof(agpu__emu_tensor_map) <= sizeof(CUtensorMap),
               "a map has 128 bytes");

/// 2^32 until CUDA 13.5.
#define MOST_SIZE (UINT64_C(1) << 31)
/// The CUDA programming guide, of swizzled copies.
#define SWIZZLED_MULTIPLE 128
#define MOST_STRIDE (UINT64_C(1) << 40)
#define MOST_BOX 256u
#define MOST_PIXELS 1024u
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
static CUresult check_dimension(const agpu__emu_tensor *tensor, unsigned d) {
  uint64_t size = tensor->sizes[d];
  if (!size || size > MOST_SIZE)
    REFUSE("dimension %u of a tensor has %llu elements", d,
           (unsigned long long)size);
  uint32_t step = tensor->steps[d];
  if (!step || step > MOST_STEP)
    REFUSE("the step in dimension %u is %u; it can be 1 to %u", d, step,
           MOST_STEP);
  unsigned multiple =
      tensor->interleave == CU_TENSOR_MAP_INTERLEAVE_32B ? 32 : 16;
  uint64_t stride = d ? tensor->strides[d - 1] : 0;
  if (stride % multiple || stride >= MOST_STRIDE)
    REFUSE("the stride of dimension %u is %llu bytes; it has to be a multiple "
           "of %u below 2^40",
           d, (unsigned long long)stride, multiple);
  return CUDA_SUCCESS;
}

/// The rules that both kinds of maps have in common.
static CUresult check(const agpu__emu_tensor *tensor) {
  if ((unsigned)tensor->type >= TYPE_COUNT)
    REFUSE("there are no tensors of type %d on the emulated device",
           (int)tensor->type);
  if ((unsigned)tensor->interleave > CU_TENSOR_MAP_INTERLEAVE_32B ||
      (unsigned)tensor->swizzle >= SWIZZLE_COUNT || !tensor->rank ||
      tensor->rank > AGPU__EMU_TENSOR_RANK ||
      (tensor->interleave && tensor->rank < 3))
    REFUSE("a tensor of rank %u, interleaved by mode %d, swizzled by mode %d",
           tensor->rank, (int)tensor->interleave, (int)tensor->swizzle);
  unsigned multiple =
      tensor->interleave == CU_TENSOR_MAP_INTERLEAVE_32B ? 32 : 16;
  if (tensor->address % multiple)
    REFUSE("a tensor at 0x%llx, which is not a multiple of %u",
           (unsigned long long)tensor->address, multiple);
  if (tensor->swizzle && tensor->address % SWIZZLED_MULTIPLE)
    REFUSE("a tensor at 0x%llx, which is swizzled, and not at a multiple of %d",
           (unsigned long long)tensor->address, SWIZZLED_MULTIPLE);
  if (tensor->interleave == CU_TENSOR_MAP_INTERLEAVE_32B &&
      tensor->swizzle != CU_TENSOR_MAP_SWIZZLE_32B)
    REFUSE("a tensor interleaved by 32 bytes is not swizzled by 32 bytes");
  if ((unsigned)tensor->promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B)
    REFUSE("there is no promotion %d", (int)tensor->promotion);
  if ((unsigned)tensor->fill >
          CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA ||
      (tensor->fill && !types[tensor->type].is_float))
    REFUSE("elements out of bounds cannot be NaN in a tensor of type %d",
           (int)tensor->type);
  CUresult result = CUDA_SUCCESS;
  for (unsigned d = 0; d < tensor->rank && !result; ++d)
    result = check_dimension(tensor, d);
  return result;
}

/// All but what is copied. Without interleaving, the innermost dimension has no
/// step.
static CUresult begin(agpu__emu_tensor_map *out,
                      const agpu__emu_tensor *tensor) {
  memset(out, 0, sizeof *out); // with what lies between the members
  CUresult result = check(tensor);
  if (result)
    return result;
  out->address = tensor->address;
  out->type = (uint8_t)tensor->type;
  out->rank = (uint8_t)tensor->rank;
  out->interleave = (uint8_t)tensor->interleave;
  out->swizzle = (uint8_t)tensor->swizzle;
  out->fill = (uint8_t)tensor->fill;
  for (unsigned d = 0; d < tensor->rank; ++d) {
    out->strides[d] = d ? tensor->strides[d - 1] : types[tensor->type].bytes;
    out->last[d] = (uint32_t)(tensor->sizes[d] - 1);
    out->steps[d] =
        d || tensor->interleave ? (uint8_t)tensor->steps[d] : (uint8_t)1;
    out->box[d] = 1;
  }
  return CUDA_SUCCESS;
}

/// The rules for contiguous data in shared memory.
static CUresult finish(agpu__emu_tensor_map *out) {
  uint32_t row = agpu__emu_tensor_map_row_bytes(out);
  if (!out->interleave && row % 16)
    REFUSE("a row of the box has %u bytes, which is not a multiple of 16", row);
  // In shared memory a shorter row takes as much, which the manual does not say
  // more of.
  if (!out->interleave && out->swizzle && row != spans[out->swizzle])
    REFUSE("a row of the box has %u bytes, and not the %u within which it is "
           "swizzled",
           row, spans[out->swizzle]);
  out->mark = mark_of(out);
  return CUDA_SUCCESS;
}

CUresult agpu__emu_tensor_map_encode(agpu__emu_tensor_map *out,
                                     const agpu__emu_tensor *tensor,
                                     const uint32_t *box) {
  CUresult result = begin(out, tensor);
  if (result)
    return result;
  for (unsigned d = 0; d < tensor->rank; ++d) {
    if (!box[d] || box[d] > MOST_BOX)
      REFUSE("a box has %u elements in dimension %u; it can have 1 to %u",
             box[d], d, MOST_BOX);
    out->box[d] = (uint16_t)((box[d] + out->steps[d] - 1) / out->steps[d]);
  }
  return finish(out);
}

CUresult agpu__emu_tensor_map_encode_im2col(agpu__emu_tensor_map *out,
                                            const agpu__emu_tensor *tensor,
                                            const int *lower, const int *upper,
                                            uint32_t channels,
                                            uint32_t pixels) {
  static const int limits[] = {32768, 128, 16};
  CUresult result = begin(out, tensor);
  if (result)
    return result;
  if (tensor->rank < 3)
    REFUSE("a tensor of pixels has rank %u; it can be 3 to 5", tensor->rank);
  if (!channels || channels > MOST_BOX || !pixels || pixels > MOST_PIXELS)
    REFUSE("a column of %u pixels, of %u channels each; there can be 1 to %u, "
           "and 1 to %u",
           pixels, channels, MOST_PIXELS, MOST_BOX);
  int limit = limits[tensor->rank - 3];
  for (unsigned d = 0; d + 2 < tensor->rank; ++d) {
    if (lower[d] < -limit || lower[d] >= limit || upper[d] < -limit ||
        upper[d] >= limit)
      REFUSE("the corners of the box of pixels are %d and %d in dimension %u; "
             "they can be %d to %d in a tensor of rank %u",
             lower[d], upper[d], d + 1, -limit, limit - 1, tensor->rank);
    if ((int64_t)out->last[d + 1] + upper[d] < lower[d])
      REFUSE("the box of pixels is empty in dimension %u: it begins at %d and "
             "ends at %lld",
             d + 1, lower[d], (long long)out->last[d + 1] + upper[d]);
    out->lower[d] = (int16_t)lower[d];
    out->upper[d] = (int16_t)upper[d];
  }
  out->is_im2col = true;
  out->box[0] = (uint16_t)((channels + out->steps[0] - 1) / out->steps[0]);
  out->box[1] = (uint16_t)pixels;
  return finish(out);
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

/// The coordinates, but for the channel, of a pixel after the one at `at`.
static void find_pixel(const agpu__emu_tensor_map *map, const int32_t *at,
                       uint32_t number, int64_t *out) {
  for (unsigned d = 1; d < map->rank; ++d) {
    uint32_t step = map->steps[d];
    out[d] = at[d] + (int64_t)number * step;
    if (d + 1 == map->rank)
      return; // images have no end
    int64_t first = map->lower[d - 1];
    int64_t last = (int64_t)map->last[d] + map->upper[d - 1];
    int64_t here = at[d] > last ? 1 : (last - at[d]) / step + 1;
    int64_t all = (last - first) / step + 1;
    uint32_t carried = 0;
    if (number >= here) {
      int64_t rest = number - here;
      out[d] = first + rest % all * step;
      carried = (uint32_t)(1 + rest / all);
    }
    number = carried;
  }
}

agpu__emu_tensor_row agpu__emu_tensor_map_row(const agpu__emu_tensor_map *map,
                                              const int32_t *at,
                                              const uint16_t *offsets,
                                              uint32_t row) {
  agpu__emu_tensor_row result = {.address = map->address};
  int64_t index[AGPU__EMU_TENSOR_RANK];
  if (map->is_im2col)
    find_pixel(map, at, row, index);
  bool is_inside = true;
  for (unsigned d = 1; d < map->rank; ++d) {
    if (!map->is_im2col)
      index[d] = at[d] + (int64_t)(row % map->box[d]) * map->steps[d];
    else if (d + 1 < map->rank)
      index[d] += offsets[d - 1];
    row /= map->box[d];
    is_inside &= index[d] >= 0 && index[d] <= map->last[d];
    result.address += (uint64_t)index[d] * map->strides[d];
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
