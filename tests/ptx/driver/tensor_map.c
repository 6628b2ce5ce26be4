//===- tensor_map.c - Tensor maps -----------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuTensorMapEncodeTiled, with the requirements that its manual lists.
//
//===----------------------------------------------------------------------===//

#include "machine/tensor_map.h"
#include "driver/state.h"

#include <string.h>

static const uint8_t sizes_of[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
enum { TYPES = sizeof sizes_of, FIRST_FLOAT = 6 };

static bool is_multiple(uint64_t value, uint64_t of) { return value % of == 0; }

static bool fits(const ptx_tensor_map *map) {
  static const unsigned widest[] = {256 * 8, 32, 64, 128, 128, 128, 128};
  unsigned unit = map->interleave == 2 ? 32 : 16;
  uint64_t row = (uint64_t)map->box[0] * map->pitch[0];
  bool good = is_multiple(map->base, unit);
  if (map->interleave)
    good =
        good && map->rank >= 3 && (map->interleave == 1 || map->swizzle == 1);
  else
    good = good && is_multiple(row, 16) && row <= widest[map->swizzle];
  for (int i = 0; i < map->rank; ++i)
    good = good && map->size[i] && map->size[i] <= UINT64_C(1) << 32 &&
           map->box[i] && map->box[i] <= 256 && map->step[i] &&
           map->step[i] <= 8 &&
           (!i || (is_multiple(map->pitch[i], unit) &&
                   map->pitch[i] < UINT64_C(1) << 40));
  return good;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *out, CUtensorMapDataType type,
                                uint32_t rank, void *address,
                                const uint64_t *sizes, const uint64_t *strides,
                                const uint32_t *box, const uint32_t *steps,
                                CUtensorMapInterleave interleave,
                                CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion,
                                CUtensorMapFloatOOBfill fill) {
  CUcontext context;
  CUresult result = ptx_enter_context(&context);
  if (result)
    return result;
  if (!out || (uintptr_t)out % 64 || !rank || rank > 5 ||
      (unsigned)type >= TYPES || (unsigned)interleave > 2 ||
      (unsigned)swizzle > 6 || (unsigned)promotion > 3 || (unsigned)fill > 1 ||
      (fill && (unsigned)type < FIRST_FLOAT) || !sizes || !box || !steps ||
      (rank > 1 && !strides))
    return CUDA_ERROR_INVALID_VALUE;
  ptx_tensor_map map = {.key = PTX_TENSOR_MAP_KEY,
                        .base = (uintptr_t)address,
                        .rank = (uint8_t)rank,
                        .type = (uint8_t)type,
                        .swizzle = (uint8_t)swizzle,
                        .fill = (uint8_t)fill,
                        .interleave = (uint8_t)interleave};
  for (uint32_t i = 0; i < rank; ++i) {
    if (box[i] > 256 || steps[i] > 8)
      return CUDA_ERROR_INVALID_VALUE;
    map.size[i] = sizes[i];
    map.pitch[i] = i ? strides[i - 1] : sizes_of[type];
    map.box[i] = (uint16_t)box[i];
    map.step[i] = i || interleave ? (uint8_t)steps[i] : (uint8_t)!!steps[i];
  }
  if (!fits(&map))
    return CUDA_ERROR_INVALID_VALUE;
  memset(out, 0, sizeof *out);
  memcpy(out, &map, sizeof map);
  return CUDA_SUCCESS;
}
