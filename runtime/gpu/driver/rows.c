//===- rows.c - Copies and fills of rows ----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an old driver lacks, and what a driver refuses, goes row by row: the
// manual lets copies of several rows fail for pitches that are not its own
// (cuMemAllocPitch), and it is the row's call that says what is wrong. Rows
// that have been copied before are copied once more, which changes nothing:
// what is copied does not overlap.
//
//===----------------------------------------------------------------------===//

#include "gpu/driver/rows.h"

CUDA_MEMCPY3D agpu__box_describe(const agpu__box *box) {
  return (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                         .srcDevice = box->source,
                         .srcPitch = box->source_pitch,
                         .srcHeight = box->source_height,
                         .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                         .dstDevice = box->target,
                         .dstPitch = box->target_pitch,
                         .dstHeight = box->target_height,
                         .WidthInBytes = box->width,
                         .Height = box->height,
                         .Depth = box->depth};
}

static CUresult copy_rows(const agpu__driver *driver, const agpu__box *box,
                          CUstream stream) {
  CUresult result = CUDA_SUCCESS;
  for (size_t z = 0; z < box->depth && !result; ++z)
    for (size_t y = 0; y < box->height && !result; ++y)
      result = driver->cuMemcpyAsync(
          box->target + (z * box->target_height + y) * box->target_pitch,
          box->source + (z * box->source_height + y) * box->source_pitch,
          box->width, stream);
  return result;
}

CUresult agpu__box_copy(const agpu__driver *driver, const agpu__box *box,
                        CUstream stream) {
  if (agpu__box_is_row(box) || !driver->cuMemcpy3DAsync)
    return copy_rows(driver, box, stream);
  const CUDA_MEMCPY3D copy = agpu__box_describe(box);
  CUresult result = driver->cuMemcpy3DAsync(&copy, stream);
  return result == CUDA_ERROR_INVALID_VALUE ? copy_rows(driver, box, stream)
                                            : result;
}

static CUresult fill_row(const agpu__driver *driver,
                         const CUDA_MEMSET_NODE_PARAMS *fill, CUdeviceptr row,
                         CUstream stream) {
  switch (fill->elementSize) {
  case 1:
    return driver->cuMemsetD8Async(row, (unsigned char)fill->value, fill->width,
                                   stream);
  case 2:
    return driver->cuMemsetD16Async(row, (unsigned short)fill->value,
                                    fill->width, stream);
  default:
    return driver->cuMemsetD32Async(row, fill->value, fill->width, stream);
  }
}

CUresult agpu__rows_fill(const agpu__driver *driver,
                         const CUDA_MEMSET_NODE_PARAMS *fill, CUstream stream) {
  bool several = fill->height > 1;
  if (several && fill->elementSize == 1 && driver->cuMemsetD2D8Async)
    return driver->cuMemsetD2D8Async(fill->dst, fill->pitch,
                                     (unsigned char)fill->value, fill->width,
                                     fill->height, stream);
  if (several && fill->elementSize == 2 && driver->cuMemsetD2D16Async)
    return driver->cuMemsetD2D16Async(fill->dst, fill->pitch,
                                      (unsigned short)fill->value, fill->width,
                                      fill->height, stream);
  if (several && fill->elementSize == 4)
    return driver->cuMemsetD2D32Async(fill->dst, fill->pitch, fill->value,
                                      fill->width, fill->height, stream);
  CUresult result = CUDA_SUCCESS;
  for (size_t y = 0; y < fill->height && !result; ++y)
    result = fill_row(driver, fill, fill->dst + y * fill->pitch, stream);
  return result;
}
