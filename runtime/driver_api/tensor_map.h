//===- tensor_map.h - Tensor maps of the driver ----------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver's functions that make tensor maps, and their types, as cuda.h has
// them.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_DRIVER_API_TENSOR_MAP_H
#define ASYNC_GPU_RUNTIME_DRIVER_API_TENSOR_MAP_H

#include <stdint.h>

typedef enum CUtensorMapDataType {
  CU_TENSOR_MAP_DATA_TYPE_UINT8,
  CU_TENSOR_MAP_DATA_TYPE_UINT16,
  CU_TENSOR_MAP_DATA_TYPE_UINT32,
  CU_TENSOR_MAP_DATA_TYPE_INT32,
  CU_TENSOR_MAP_DATA_TYPE_UINT64,
  CU_TENSOR_MAP_DATA_TYPE_INT64,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
  CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ,
  CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
  CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ,
} CUtensorMapDataType;

typedef enum CUtensorMapInterleave {
  CU_TENSOR_MAP_INTERLEAVE_NONE,
  CU_TENSOR_MAP_INTERLEAVE_16B,
  CU_TENSOR_MAP_INTERLEAVE_32B,
} CUtensorMapInterleave;

typedef enum CUtensorMapSwizzle {
  CU_TENSOR_MAP_SWIZZLE_NONE,
  CU_TENSOR_MAP_SWIZZLE_32B,
  CU_TENSOR_MAP_SWIZZLE_64B,
  CU_TENSOR_MAP_SWIZZLE_128B,
  CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B,
  CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B,
  CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B,
} CUtensorMapSwizzle;

typedef enum CUtensorMapL2promotion {
  CU_TENSOR_MAP_L2_PROMOTION_NONE,
  CU_TENSOR_MAP_L2_PROMOTION_L2_64B,
  CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
  CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
} CUtensorMapL2promotion;

typedef enum CUtensorMapFloatOOBfill {
  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
  CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA,
} CUtensorMapFloatOOBfill;

/// Aligned as since CUDA 13; to 64 bytes before.
typedef struct CUtensorMap {
  _Alignas(128) uint64_t opaque[16];
} CUtensorMap;

/// Lines of the driver's table (functions.h, which says what they mean).
#define AGPU__DRIVER_TENSOR_MAPS(X)                                            \
  X(OPTIONAL, cuTensorMapEncodeTiled, cuTensorMapEncodeTiled,                  \
    (CUtensorMap * map, CUtensorMapDataType type, uint32_t rank,               \
     void *address, const uint64_t *sizes, const uint64_t *strides,            \
     const uint32_t *box, const uint32_t *steps,                               \
     CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,             \
     CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill),          \
    (map, type, rank, address, sizes, strides, box, steps, interleave,         \
     swizzle, promotion, fill))                                                \
  X(OPTIONAL, cuTensorMapEncodeIm2col, cuTensorMapEncodeIm2col,                \
    (CUtensorMap * map, CUtensorMapDataType type, uint32_t rank,               \
     void *address, const uint64_t *sizes, const uint64_t *strides,            \
     const int *lower, const int *upper, uint32_t channels, uint32_t pixels,   \
     const uint32_t *steps, CUtensorMapInterleave interleave,                  \
     CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,             \
     CUtensorMapFloatOOBfill fill),                                            \
    (map, type, rank, address, sizes, strides, lower, upper, channels, pixels, \
     steps, interleave, swizzle, promotion, fill))

#endif // ASYNC_GPU_RUNTIME_DRIVER_API_TENSOR_MAP_H
