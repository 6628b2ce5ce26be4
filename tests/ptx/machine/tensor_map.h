//===- tensor_map.h - What a tensor map holds --------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 128 bytes that the driver writes and instructions read.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_PTX_TENSOR_MAP_H
#define ASYNC_GPU_TESTS_PTX_TENSOR_MAP_H

#include <stdint.h>

#define PTX_TENSOR_MAP_KEY 0x70414d54u

typedef struct ptx_tensor_map {
  uint64_t base;
  uint64_t size[5], pitch[5]; ///< elements, and bytes from one to the next
  uint32_t key;
  uint16_t box[5];
  uint16_t pixels;       ///< of im2col, of box[0] channels; 0: tiled
  int16_t corners[2][3]; ///< of that: of the first pixels, and the last
  uint8_t step[5];
  uint8_t rank, type, swizzle, fill, interleave;
} ptx_tensor_map;

_Static_assert(sizeof(ptx_tensor_map) <= 128, "a map has 128 bytes");

#endif // ASYNC_GPU_TESTS_PTX_TENSOR_MAP_H
