//===- tensor_map.h - Tensors that are copied by boxes -----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col leave in a
// CUtensorMap: where a tensor lies in global memory, and what one instruction
// copies of it, a box, or a column of pixels. Plain data, which a program may
// copy as it likes; a mark tells a map from other bytes.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_SIMT_TENSOR_MAP_H
#define ASYNC_GPU_RUNTIME_EMU_SIMT_TENSOR_MAP_H

#include "driver_api/functions.h"

#include <stdbool.h>

#define AGPU__EMU_TENSOR_RANK 5u
/// Dimensions between channels and images: width, height, depth.
#define AGPU__EMU_PIXEL_RANK 3u

typedef struct agpu__emu_tensor_map {
  uint64_t mark;
  CUdeviceptr address;
  uint64_t strides[AGPU__EMU_TENSOR_RANK]; ///< in bytes; the first: an element
  uint32_t last[AGPU__EMU_TENSOR_RANK];    ///< index of each dimension
  /// Elements that are copied. Of pixels: channels, pixels, and ones.
  uint16_t box[AGPU__EMU_TENSOR_RANK];
  /// Where pixels begin that are copied: from here on, up to the tensor's last
  /// index and this.
  int16_t lower[AGPU__EMU_PIXEL_RANK], upper[AGPU__EMU_PIXEL_RANK];
  uint8_t steps[AGPU__EMU_TENSOR_RANK]; ///< from one to the next
  uint8_t type, rank, interleave, swizzle, fill;
  uint8_t is_im2col;
} agpu__emu_tensor_map;

/// What both kinds of maps have in common, as the parameters of the calls: the
/// strides are those of the second to the last dimension, in bytes.
typedef struct agpu__emu_tensor {
  CUtensorMapDataType type;
  uint32_t rank;
  CUdeviceptr address;
  const uint64_t *sizes, *strides;
  const uint32_t *steps;
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
  CUtensorMapL2promotion promotion;
  CUtensorMapFloatOOBfill fill;
} agpu__emu_tensor;

/// As cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col, with their rules.
/// CUDA_ERROR_INVALID_VALUE, with a note, where one is broken.
CUresult agpu__emu_tensor_map_encode(agpu__emu_tensor_map *out,
                                     const agpu__emu_tensor *tensor,
                                     const uint32_t *box);
CUresult agpu__emu_tensor_map_encode_im2col(agpu__emu_tensor_map *out,
                                            const agpu__emu_tensor *tensor,
                                            const int *lower, const int *upper,
                                            uint32_t channels, uint32_t pixels);

/// Copies the map at `place`. False: there is none.
bool agpu__emu_tensor_map_read(const void *place, agpu__emu_tensor_map *out);

/// Bytes of one row of a box, and of all.
uint32_t agpu__emu_tensor_map_row_bytes(const agpu__emu_tensor_map *map);
uint32_t agpu__emu_tensor_map_box_bytes(const agpu__emu_tensor_map *map);

/// Where 16 bytes go that belong at `address` of shared memory. They may have
/// their halves exchanged: `*out_flipped`.
uintptr_t agpu__emu_swizzle(uintptr_t address, unsigned swizzle,
                            bool *out_flipped);

/// A row of a box: its elements `first` to before `end` are in the tensor, at
/// `address`; the others, and all where these are equal, are not.
typedef struct agpu__emu_tensor_row {
  CUdeviceptr address;
  uint32_t first, end;
} agpu__emu_tensor_row;

/// Row number `row` of the box whose first element has these coordinates, the
/// innermost first. Of a column of pixels: its pixel of that number, moved by
/// the offsets, of which there are two fewer than coordinates.
agpu__emu_tensor_row agpu__emu_tensor_map_row(const agpu__emu_tensor_map *map,
                                              const int32_t *at,
                                              const uint16_t *offsets,
                                              uint32_t row);

#endif // ASYNC_GPU_RUNTIME_EMU_SIMT_TENSOR_MAP_H
