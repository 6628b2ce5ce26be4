//===- tensor_map.c - Upstream's GPU ABI: tensor maps ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What upstream's lowering of nvgpu.tma.create.descriptor calls, and the same
// for maps of pixels (im2col). A program never gives a map back, so that the
// device keeps one of each content, and frees them with its modules. Where the
// caller has a place for a map, it is made in one that is aligned as drivers of
// all versions ask, and copied there.
//
//===----------------------------------------------------------------------===//

#include "gpu/upstream/mgpu.h"

#include "async_gpu/compiled/mgpu.h"
#include "gpu/kernel/raw_module.h"

#include <string.h>

#define MOST_RANK 5

void mgpuTensorMapEncodeTiled(void *map, int32_t type, uint32_t rank,
                              void *address, const uint64_t *sizes,
                              const uint64_t *strides, const uint32_t *box,
                              const uint32_t *steps, int32_t interleave,
                              int32_t swizzle, int32_t promotion,
                              int32_t fill) {
  const agpu__device *device = agpu__mgpu_enter();
  CUtensorMap made;
  CUresult result =
      device->driver->cuTensorMapEncodeTiled
          ? device->driver->cuTensorMapEncodeTiled(
                &made, (CUtensorMapDataType)type, rank, address, sizes, strides,
                box, steps, (CUtensorMapInterleave)interleave,
                (CUtensorMapSwizzle)swizzle, (CUtensorMapL2promotion)promotion,
                (CUtensorMapFloatOOBfill)fill)
          : CUDA_ERROR_NOT_SUPPORTED;
  agpu__mgpu_check(device, result,
                   "making a tensor map of rank %u for the tensor at %p", rank,
                   address);
  agpu__device_leave(device);
  memcpy(map, &made, sizeof made);
}

void mgpuTensorMapEncodeIm2col(void *map, int32_t type, uint32_t rank,
                               void *address, const uint64_t *sizes,
                               const uint64_t *strides, const int32_t *lower,
                               const int32_t *upper, uint32_t channels,
                               uint32_t pixels, const uint32_t *steps,
                               int32_t interleave, int32_t swizzle,
                               int32_t promotion, int32_t fill) {
  const agpu__device *device = agpu__mgpu_enter();
  CUtensorMap made;
  CUresult result =
      device->driver->cuTensorMapEncodeIm2col
          ? device->driver->cuTensorMapEncodeIm2col(
                &made, (CUtensorMapDataType)type, rank, address, sizes, strides,
                lower, upper, channels, pixels, steps,
                (CUtensorMapInterleave)interleave, (CUtensorMapSwizzle)swizzle,
                (CUtensorMapL2promotion)promotion,
                (CUtensorMapFloatOOBfill)fill)
          : CUDA_ERROR_NOT_SUPPORTED;
  agpu__mgpu_check(device, result,
                   "making a tensor map of rank %u for the pixels at %p", rank,
                   address);
  agpu__device_leave(device);
  memcpy(map, &made, sizeof made);
}

/// A memref as the calls want it: from the innermost dimension.
typedef struct tensor {
  char *address;
  uint64_t sizes[MOST_RANK], strides[MOST_RANK];
} tensor;

static tensor describe(int64_t rank, const void *descriptor, int64_t type) {
  static const uint8_t element_bytes[] = {1, 2, 4, 4, 8, 8, 2,
                                          4, 8, 2, 4, 4, 4};
  struct {
    char *allocated, *aligned;
    int64_t offset, sizes_and_strides[2 * MOST_RANK];
  } memref;
  tensor result;
  if (rank < 1 || rank > MOST_RANK || type < 0 ||
      (size_t)type >= sizeof element_bytes)
    agpu__mgpu_check_status(agpu_status_create(
        AGPU_STATUS_INVALID_ARGUMENT, NULL,
        "a tensor map of rank %lld and element type %lld; the rank can be 1 to "
        "%d",
        (long long)rank, (long long)type, MOST_RANK));
  memcpy(&memref, descriptor, (size_t)(3 + 2 * rank) * sizeof(int64_t));
  int64_t bytes = element_bytes[type];
  for (int64_t d = 0; d < rank; ++d) {
    int64_t dimension = rank - 1 - d;
    int64_t stride = memref.sizes_and_strides[rank + dimension];
    if (d == 0 && stride != 1 && memref.sizes_and_strides[dimension] > 1)
      agpu__mgpu_check_status(agpu_status_create(
          AGPU_STATUS_INVALID_ARGUMENT, NULL,
          "a tensor map of a memref whose innermost stride is %lld: it has to "
          "be 1",
          (long long)stride));
    result.sizes[d] = (uint64_t)memref.sizes_and_strides[dimension];
    if (d)
      result.strides[d - 1] = (uint64_t)(stride * bytes);
  }
  result.address = memref.aligned + memref.offset * bytes;
  return result;
}

/// What does not fit is what no rule allows.
static uint32_t narrow(int64_t value) {
  return value < 0 || value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static int32_t narrow_corner(int64_t value) {
  return value < INT32_MIN || value > INT32_MAX ? INT32_MAX : (int32_t)value;
}

/// The map in device memory.
static void *keep(const CUtensorMap *map) {
  const agpu__device *device = agpu__mgpu_enter();
  CUdeviceptr place = agpu__raw_modules_find_map(device->raw_modules, map);
  if (!place) {
    agpu__mgpu_check(device, device->driver->cuMemAlloc(&place, sizeof *map),
                     "allocation of a tensor map");
    mgpuMemcpy((void *)(uintptr_t)place, (void *)(uintptr_t)map, sizeof *map,
               NULL);
    agpu__raw_modules_add_map(device->raw_modules, map, place);
  }
  agpu__device_leave(device);
  return (void *)(uintptr_t)place;
}

void *mgpuTensorMapEncodeTiledMemref(int64_t rank, void *descriptor,
                                     int64_t type, int64_t interleave,
                                     int64_t swizzle, int64_t promotion,
                                     int64_t fill, int64_t *box) {
  tensor of = describe(rank, descriptor, type);
  uint32_t boxes[MOST_RANK], steps[MOST_RANK];
  for (int64_t d = 0; d < rank; ++d) {
    boxes[d] = narrow(box[rank - 1 - d]);
    steps[d] = 1;
  }
  CUtensorMap map;
  mgpuTensorMapEncodeTiled(&map, (int32_t)type, (uint32_t)rank, of.address,
                           of.sizes, of.strides, boxes, steps,
                           (int32_t)interleave, (int32_t)swizzle,
                           (int32_t)promotion, (int32_t)fill);
  return keep(&map);
}

void *mgpuTensorMapEncodeIm2colMemref(int64_t rank, void *descriptor,
                                      int64_t type, int64_t interleave,
                                      int64_t swizzle, int64_t promotion,
                                      int64_t fill, int64_t channels,
                                      int64_t pixels, int64_t *lower,
                                      int64_t *upper, int64_t *step) {
  tensor of = describe(rank, descriptor, type);
  uint32_t steps[MOST_RANK];
  int32_t first[MOST_RANK], last[MOST_RANK];
  for (int64_t d = 0; d < rank; ++d)
    steps[d] = narrow(step[rank - 1 - d]);
  for (int64_t d = 0; d + 2 < rank; ++d) {
    first[d] = narrow_corner(lower[rank - 3 - d]);
    last[d] = narrow_corner(upper[rank - 3 - d]);
  }
  CUtensorMap map;
  mgpuTensorMapEncodeIm2col(
      &map, (int32_t)type, (uint32_t)rank, of.address, of.sizes, of.strides,
      first, last, narrow(channels), narrow(pixels), steps, (int32_t)interleave,
      (int32_t)swizzle, (int32_t)promotion, (int32_t)fill);
  return keep(&map);
}
