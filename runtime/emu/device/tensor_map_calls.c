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

/// What all calls ask for; `has_box`: what the caller's box is given by.
static CUresult begin(const CUtensorMap *map, const agpu__emu_tensor *tensor,
                      bool has_box) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  bool is_complete = map && (uintptr_t)map % _Alignof(CUtensorMap) == 0 &&
                     tensor->sizes && (tensor->rank <= 1 || tensor->strides) &&
                     tensor->steps && has_box;
  return is_complete ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult finish(CUtensorMap *map, const agpu__emu_tensor_map *made,
                       CUresult result) {
  if (result)
    return result;
  memset(map, 0, sizeof *map);
  memcpy(map, made, sizeof *made);
  return CUDA_SUCCESS;
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
  CUresult result = begin(map, &tensor, box != NULL);
  agpu__emu_tensor_map made;
  if (!result)
    result = agpu__emu_tensor_map_encode(&made, &tensor, box);
  return finish(map, &made, result);
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
  CUresult result = begin(map, &tensor, lower && upper);
  agpu__emu_tensor_map made;
  if (!result)
    result = agpu__emu_tensor_map_encode_im2col(&made, &tensor, lower, upper,
                                                channels, pixels);
  return finish(map, &made, result);
}
