//===- tensor_map_calls.c - Tensor maps -----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver's calls that make tensor maps. Whether the tensor is there is
// looked at when a kernel copies some of it.
//
//===----------------------------------------------------------------------===//

#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/base/result.h"
#include "emu/simt/tensor_map.h"

#include <string.h>

static bool is_complete(const CUtensorMap *map,
                        const agpu__emu_tensor *tensor) {
  return map && (uintptr_t)map % _Alignof(CUtensorMap) == 0 && tensor->sizes &&
         (tensor->rank <= 1 || tensor->strides) && tensor->steps;
}

static void write_map(CUtensorMap *map, const agpu__emu_tensor_map *made) {
  memset(map, 0, sizeof *map);
  memcpy(map, made, sizeof *made);
}

CUresult agpu__emu_cuTensorMapEncodeTiled(
    CUtensorMap *map, CUtensorMapDataType type, uint32_t rank, void *address,
    const uint64_t *sizes, const uint64_t *strides, const uint32_t *box,
    const uint32_t *steps, CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill) {
  const agpu__emu_tensor tensor = {
      type,       rank,    (CUdeviceptr)(uintptr_t)address,
      sizes,      strides, steps,
      interleave, swizzle, promotion,
      fill};
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (!is_complete(map, &tensor) || !box)
    return CUDA_ERROR_INVALID_VALUE;
  agpu__emu_tensor_map made;
  result = agpu__emu_tensor_map_encode(&made, &tensor, box);
  if (!result)
    write_map(map, &made);
  return result;
}

CUresult agpu__emu_cuTensorMapEncodeIm2col(
    CUtensorMap *map, CUtensorMapDataType type, uint32_t rank, void *address,
    const uint64_t *sizes, const uint64_t *strides, const int *lower,
    const int *upper, uint32_t channels, uint32_t pixels, const uint32_t *steps,
    CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  const agpu__emu_tensor tensor = {
      type,       rank,    (CUdeviceptr)(uintptr_t)address,
      sizes,      strides, steps,
      interleave, swizzle, promotion,
      fill};
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (!is_complete(map, &tensor) || !lower || !upper)
    return CUDA_ERROR_INVALID_VALUE;
  agpu__emu_tensor_map made;
  result = agpu__emu_tensor_map_encode_im2col(&made, &tensor, lower, upper,
                                              channels, pixels);
  if (!result)
    write_map(map, &made);
  return result;
}
