//===- copy.c - Copies and fills -----------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA Driver API, "API synchronization behavior": memory of the host that the
// driver does not know is pageable. What is read from it is read before the
// call returns, after the stream's work if there is much of it; what is written
// to it is there when the call returns.
//
//===----------------------------------------------------------------------===//

#include "driver/capture.h"
#include "machine/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STAGED_AT_ONCE = 64 << 10, FIRST_ADDRESS = 4096 };

static bool check_range(CUcontext context, const char *what,
                        CUdeviceptr address, uint64_t bytes) {
  ptx_memory_kind kind;
  if (ptx_range_is_valid(address, bytes, &kind))
    return true;
  char place[300], text[500];
  ptx_memory_describe(address, place, sizeof place);
  snprintf(text, sizeof text, "%s of %llu bytes at 0x%llx: %s", what,
           (unsigned long long)bytes, (unsigned long long)address, place);
  ptx_set_error(context, CUDA_ERROR_ILLEGAL_ADDRESS, text);
  return false;
}

typedef struct copy_work {
  ptx_work work;
  CUdeviceptr target, source;
  size_t bytes;
  void *staged; ///< a copy of a pageable source
} copy_work;

static void copy_bytes(ptx_work *work) {
  copy_work *copy = (copy_work *)work;
  CUcontext context = work->stream->context;
  CUdeviceptr from = copy->source, to = copy->target;
  if (!ptx_get_error(context) &&
      check_range(context, "a copy to", to, copy->bytes) &&
      check_range(context, "a copy from", from, copy->bytes)) {
    if (from != to && (from < to ? to - from : from - to) < copy->bytes)
      ptx_violation("a copy of %zu bytes from 0x%llx to 0x%llx overlaps itself",
                    copy->bytes, (unsigned long long)from,
                    (unsigned long long)to);
    memmove(ptx_address_host(to), ptx_address_host(from), copy->bytes);
  }
  free(copy->staged);
}

static void stage(CUstream stream, copy_work *copy, bool may_wait) {
  if (may_wait && copy->bytes > STAGED_AT_ONCE)
    ptx_drain_stream(stream);
  copy->staged = malloc(copy->bytes);
  if (!copy->staged)
    abort();
  memcpy(copy->staged, (void *)(uintptr_t)copy->source, copy->bytes);
  copy->source = (uintptr_t)copy->staged;
}

static CUresult add_copy(CUgraphNode *node, CUgraph graph,
                         const CUgraphNode *after, size_t count,
                         const void *of) {
  return cuGraphAddMemcpyNode(node, graph, after, count, of, graph->context);
}

CUresult cuMemcpyAsync(CUdeviceptr target, CUdeviceptr source, size_t bytes,
                       CUstream stream) {
  CUcontext context;
  ptx_memory_kind to, from;
  CUresult result = ptx_enter_stream(&context, &stream);
  if (result || !bytes)
    return result;
  if (target < FIRST_ADDRESS || source < FIRST_ADDRESS ||
      !ptx_range_is_valid(target, bytes, &to) ||
      !ptx_range_is_valid(source, bytes, &from))
    return CUDA_ERROR_INVALID_VALUE;
  const CUDA_MEMCPY3D row = {.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                             .srcDevice = source,
                             .srcPitch = bytes,
                             .srcHeight = 1,
                             .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                             .dstDevice = target,
                             .dstPitch = bytes,
                             .dstHeight = 1,
                             .WidthInBytes = bytes,
                             .Height = 1,
                             .Depth = 1};
  if (ptx_capture(stream, add_copy, &row, &result))
    return result;
  bool blocks = !ptx_get_settings()->pageable_is_async;
  copy_work *copy = ptx_new_work(sizeof *copy, copy_bytes);
  copy->target = target;
  copy->source = source;
  copy->bytes = bytes;
  if (from == PTX_PLAIN && blocks && to != PTX_PLAIN)
    stage(stream, copy, true);
  copy->work.activity = PTX_COPY;
  copy->work.bytes = bytes;
  ptx_enqueue(stream, &copy->work);
  if (to == PTX_PLAIN && blocks)
    ptx_drain_stream(stream);
  return ptx_get_error(stream->context);
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

typedef struct box_work {
  ptx_work work;
  CUDA_MEMCPY3D box;
} box_work;

/// "Start address: base + (Z * Height + Y) * Pitch + XInBytes", of row y of
/// plane z of the box.
static CUdeviceptr target_row(const CUDA_MEMCPY3D *box, size_t y, size_t z) {
  return (box->dstMemoryType == CU_MEMORYTYPE_HOST ? (uintptr_t)box->dstHost
                                                   : box->dstDevice) +
         ((box->dstZ + z) * box->dstHeight + box->dstY + y) * box->dstPitch +
         box->dstXInBytes;
}

static CUdeviceptr source_row(const CUDA_MEMCPY3D *box, size_t y, size_t z) {
  return (box->srcMemoryType == CU_MEMORYTYPE_HOST ? (uintptr_t)box->srcHost
                                                   : box->srcDevice) +
         ((box->srcZ + z) * box->srcHeight + box->srcY + y) * box->srcPitch +
         box->srcXInBytes;
}

static void copy_box(ptx_work *work) {
  const CUDA_MEMCPY3D *box = &((const box_work *)work)->box;
  CUcontext context = work->stream->context;
  for (size_t z = 0; z < box->Depth; ++z)
    for (size_t y = 0; y < box->Height; ++y) {
      CUdeviceptr to = target_row(box, y, z), from = source_row(box, y, z);
      if (ptx_get_error(context) ||
          !check_range(context, "a copy to", to, box->WidthInBytes) ||
          !check_range(context, "a copy from", from, box->WidthInBytes))
        return;
      memmove(ptx_address_host(to), ptx_address_host(from), box->WidthInBytes);
    }
}

static bool has_address(unsigned type) {
  return type == CU_MEMORYTYPE_HOST || type == CU_MEMORYTYPE_DEVICE ||
         type == CU_MEMORYTYPE_UNIFIED;
}

/// "dstPitch must be greater than or equal to WidthInBytes + dstXInBytes, and
/// dstHeight must be greater than or equal to Height + dstY", or "may be 0 if
/// Depth==1" (cuda.h); "an error if any pitch is greater than the maximum
/// allowed".
CUresult ptx_check_box(const CUDA_MEMCPY3D *box) {
  return box && has_address(box->srcMemoryType) &&
                 has_address(box->dstMemoryType) && !box->srcLOD &&
                 !box->dstLOD && !box->reserved0 && !box->reserved1 &&
                 box->srcPitch >= box->WidthInBytes + box->srcXInBytes &&
                 box->dstPitch >= box->WidthInBytes + box->dstXInBytes &&
                 box->srcPitch <= PTX_MAX_PITCH &&
                 box->dstPitch <= PTX_MAX_PITCH &&
                 (box->srcHeight >= box->Height + box->srcY ||
                  (!box->srcHeight && box->Depth == 1)) &&
                 (box->dstHeight >= box->Height + box->dstY ||
                  (!box->dstHeight && box->Depth == 1))
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *box, CUstream stream) {
  CUcontext context;
  CUresult result = ptx_enter_stream(&context, &stream);
  if (!result)
    result = ptx_check_box(box);
  if (result || !box->WidthInBytes || !box->Height || !box->Depth)
    return result;
  bool is_plain = false;
  for (size_t z = 0; z < box->Depth; ++z)
    for (size_t y = 0; y < box->Height; ++y) {
      CUdeviceptr target = target_row(box, y, z),
                  source = source_row(box, y, z);
      ptx_memory_kind to, from;
      if (target < FIRST_ADDRESS || source < FIRST_ADDRESS ||
          !ptx_range_is_valid(target, box->WidthInBytes, &to) ||
          !ptx_range_is_valid(source, box->WidthInBytes, &from))
        return CUDA_ERROR_INVALID_VALUE;
      is_plain |= to == PTX_PLAIN || from == PTX_PLAIN;
    }
  if (ptx_capture(stream, add_copy, box, &result))
    return result;
  box_work *work = ptx_new_work(sizeof *work, copy_box);
  work->box = *box;
  work->work.activity = PTX_COPY;
  work->work.bytes = box->WidthInBytes * box->Height * box->Depth;
  ptx_enqueue(stream, &work->work);
  if (is_plain && !ptx_get_settings()->pageable_is_async)
    ptx_drain_stream(stream);
  return ptx_get_error(stream->context);
}

//===----------------------------------------------------------------------===//
// Fills
//===----------------------------------------------------------------------===//

typedef struct fill_work {
  ptx_work work;
  CUdeviceptr target;
  size_t pitch, width, height; ///< width in elements
  uint32_t value;
  unsigned bytes; ///< of an element
} fill_work;

static void fill_rows(ptx_work *work) {
  const fill_work *fill = (const fill_work *)work;
  CUcontext context = work->stream->context;
  if (ptx_get_error(context))
    return;
  for (size_t row = 0; row < fill->height; ++row) {
    CUdeviceptr begin = fill->target + row * fill->pitch;
    if (!check_range(context, "a fill", begin, fill->width * fill->bytes))
      return;
    uint8_t *at = ptx_address_host(begin);
    for (size_t i = 0; i < fill->width; ++i)
      memcpy(at + i * fill->bytes, &fill->value, fill->bytes);
  }
}

static CUresult add_fill(CUgraphNode *node, CUgraph graph,
                         const CUgraphNode *after, size_t count,
                         const void *of) {
  return cuGraphAddMemsetNode(node, graph, after, count, of, graph->context);
}

static CUresult enqueue_fill(fill_work fill, CUstream stream) {
  CUcontext context;
  ptx_memory_kind kind;
  CUresult result = ptx_enter_stream(&context, &stream);
  if (result)
    return result;
  if (fill.target % fill.bytes ||
      (fill.height > 1 &&
       (fill.pitch % fill.bytes || fill.pitch < fill.width * fill.bytes ||
        fill.pitch > PTX_MAX_PITCH)))
    return CUDA_ERROR_INVALID_VALUE;
  if (!fill.width || !fill.height)
    return CUDA_SUCCESS;
  if (!ptx_range_is_valid(fill.target, fill.width * fill.bytes, &kind) ||
      kind == PTX_PLAIN)
    return CUDA_ERROR_INVALID_VALUE;
  const CUDA_MEMSET_NODE_PARAMS rows = {.dst = fill.target,
                                        .pitch = fill.pitch,
                                        .value = fill.value,
                                        .elementSize = fill.bytes,
                                        .width = fill.width,
                                        .height = fill.height};
  if (ptx_capture(stream, add_fill, &rows, &result))
    return result;
  fill_work *work = ptx_new_work(sizeof *work, fill_rows);
  fill.work = work->work;
  *work = fill;
  work->work.activity = PTX_FILL;
  ptx_enqueue(stream, &work->work);
  return CUDA_SUCCESS;
}

CUresult cuMemsetD2D8Async(CUdeviceptr target, size_t pitch,
                           unsigned char value, size_t width, size_t height,
                           CUstream stream) {
  return enqueue_fill((fill_work){.target = target,
                                  .pitch = pitch,
                                  .width = width,
                                  .height = height,
                                  .value = value,
                                  .bytes = 1},
                      stream);
}

CUresult cuMemsetD2D16Async(CUdeviceptr target, size_t pitch,
                            unsigned short value, size_t width, size_t height,
                            CUstream stream) {
  return enqueue_fill((fill_work){.target = target,
                                  .pitch = pitch,
                                  .width = width,
                                  .height = height,
                                  .value = value,
                                  .bytes = 2},
                      stream);
}

CUresult cuMemsetD2D32Async(CUdeviceptr target, size_t pitch,
                            unsigned int value, size_t width, size_t height,
                            CUstream stream) {
  return enqueue_fill((fill_work){.target = target,
                                  .pitch = pitch,
                                  .width = width,
                                  .height = height,
                                  .value = value,
                                  .bytes = 4},
                      stream);
}

CUresult cuMemsetD8Async(CUdeviceptr target, unsigned char value, size_t count,
                         CUstream stream) {
  return cuMemsetD2D8Async(target, 0, value, count, 1, stream);
}

CUresult cuMemsetD16Async(CUdeviceptr target, unsigned short value,
                          size_t count, CUstream stream) {
  return cuMemsetD2D16Async(target, 0, value, count, 1, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr target, unsigned int value, size_t count,
                          CUstream stream) {
  return cuMemsetD2D32Async(target, 0, value, count, 1, stream);
}
