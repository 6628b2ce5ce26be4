//===- tensor_map_calls.c - Tensor maps -----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver's call that makes a tensor map. Whether the tensor is there is
// looked at when a kernel copies some of it.
//
//===----------------------------------------------------------------------===//

#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/base/result.h"
#include "emu/simt/tensor_map.h"

#include <string.h>

CUresult agpu__emu_cuTensorMapEncodeTiled(
    CUtensorMap *map, CUtensorMapDataType type, uint32_t rank, void *address,
    const uint64_t *sizes, const uint64_t *strides, const uint32_t *box,
    const uint32_t *steps, CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (!map || (uintptr_t)map % _Alignof(CUtensorMap) || !sizes ||
      (rank > 1 && !strides) || !box || !steps)
    return CUDA_ERROR_INVALID_VALUE;
  agpu__emu_tensor_map made;
  result = agpu__emu_tensor_map_encode(
      &made, type, rank, (CUdeviceptr)(uintptr_t)address, sizes, strides, box,
      steps, interleave, swizzle, promotion, fill);
  if (result)
    return result;
  memset(map, 0, sizeof *map);
  memcpy(map, &made, sizeof made);
  return CUDA_SUCCESS;
}
