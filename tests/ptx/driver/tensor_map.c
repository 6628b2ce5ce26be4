//===- tensor_map.c - Tensor maps -----------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col, with the requirements
// that their manual lists.
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
  // Of swizzled copies the CUDA programming guide asks for 128, and for rows
  // that are as wide as the pattern, or take as much.
  bool good = is_multiple(map->base, map->swizzle ? 128 : unit);
  if (map->interleave)
    good =
        good && map->rank >= 3 && (map->interleave == 1 || map->swizzle == 1);
  else
    good = good && is_multiple(row, 16) &&
           (map->swizzle ? row == widest[map->swizzle] : row <= widest[0]);
  for (int i = 0; i < map->rank; ++i)
    good = good && map->size[i] && map->size[i] <= UINT64_C(1) << 31 &&
           map->box[i] && map->box[i] <= 256 && map->step[i] &&
           map->step[i] <= 8 &&
           (!i || (is_multiple(map->pitch[i], unit) &&
                   map->pitch[i] < UINT64_C(1) << 40));
  return good;
}

/// What both calls are given, but for the box.
static CUresult start(ptx_tensor_map *map, CUtensorMap *out,
                      CUtensorMapDataType type, uint32_t rank, void *address,
                      const uint64_t *sizes, const uint64_t *strides,
                      const uint32_t *steps, CUtensorMapInterleave interleave,
                      CUtensorMapSwizzle swizzle,
                      CUtensorMapL2promotion promotion,
                      CUtensorMapFloatOOBfill fill) {
  CUcontext context;
  CUresult result = ptx_enter_context(&context);
  if (result)
    return result;
  if (!out || (uintptr_t)out % 128 || !rank || rank > 5 ||
      (unsigned)type >= TYPES || (unsigned)interleave > 2 ||
      (unsigned)swizzle > 6 || (unsigned)promotion > 3 || (unsigned)fill > 1 ||
      (fill && (unsigned)type < FIRST_FLOAT) || !sizes || !steps ||
      (rank > 1 && !strides))
    return CUDA_ERROR_INVALID_VALUE;
  *map = (ptx_tensor_map){.key = PTX_TENSOR_MAP_KEY,
                          .base = (uintptr_t)address,
                          .rank = (uint8_t)rank,
                          .type = (uint8_t)type,
                          .swizzle = (uint8_t)swizzle,
                          .fill = (uint8_t)fill,
                          .interleave = (uint8_t)interleave};
  for (uint32_t i = 0; i < rank; ++i) {
    if (steps[i] > 8)
      return CUDA_ERROR_INVALID_VALUE;
    map->size[i] = sizes[i];
    map->pitch[i] = i ? strides[i - 1] : sizes_of[type];
    map->step[i] = i || interleave ? (uint8_t)steps[i] : (uint8_t)!!steps[i];
    map->box[i] = 1;
  }
  return CUDA_SUCCESS;
}

static CUresult end(CUtensorMap *out, const ptx_tensor_map *map) {
  if (!fits(map))
    return CUDA_ERROR_INVALID_VALUE;
  memset(out, 0, sizeof *out);
  memcpy(out, map, sizeof *map);
  return CUDA_SUCCESS;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *out, CUtensorMapDataType type,
                                uint32_t rank, void *address,
                                const uint64_t *sizes, const uint64_t *strides,
                                const uint32_t *box, const uint32_t *steps,
                                CUtensorMapInterleave interleave,
                                CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion,
                                CUtensorMapFloatOOBfill fill) {
  ptx_tensor_map map;
  CUresult result = start(&map, out, type, rank, address, sizes, strides, steps,
                          interleave, swizzle, promotion, fill);
  if (result)
    return result;
  if (!box)
    return CUDA_ERROR_INVALID_VALUE;
  for (uint32_t i = 0; i < rank; ++i) {
    if (box[i] > 256)
      return CUDA_ERROR_INVALID_VALUE;
    map.box[i] = (uint16_t)box[i];
  }
  return end(out, &map);
}

CUresult cuTensorMapEncodeIm2col(
    CUtensorMap *out, CUtensorMapDataType type, uint32_t rank, void *address,
    const uint64_t *sizes, const uint64_t *strides, const int *lower,
    const int *upper, uint32_t channels, uint32_t pixels, const uint32_t *steps,
    CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  ptx_tensor_map map;
  CUresult result = start(&map, out, type, rank, address, sizes, strides, steps,
                          interleave, swizzle, promotion, fill);
  if (result)
    return result;
  if (rank < 3 || !lower || !upper || channels > 256 || !pixels ||
      pixels > 1024)
    return CUDA_ERROR_INVALID_VALUE;
  map.box[0] = (uint16_t)channels;
  map.pixels = (uint16_t)pixels;
  int least = rank == 3 ? INT16_MIN : rank == 4 ? INT8_MIN : -16;
  for (uint32_t i = 0; i < rank - 2; ++i) {
    const int corner[] = {lower[i], upper[i]};
    for (int c = 0; c < 2; ++c) {
      if (corner[c] < least || corner[c] > -1 - least)
        return CUDA_ERROR_INVALID_VALUE;
      map.corners[c][i] = (int16_t)corner[c];
    }
    if ((int64_t)sizes[i + 1] + upper[i] <= lower[i])
      return CUDA_ERROR_INVALID_VALUE; // the box has no area
  }
  return end(out, &map);
}
