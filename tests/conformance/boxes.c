//===- boxes.c - Copies and fills of several rows -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conformance.h"
#include "driver_api/values.h"

#include <string.h>

enum { WIDTH = 5, HEIGHT = 3, DEPTH = 2, PITCH = 16, ROWS = 4, BYTES = 256 };

/// Planes of rows between two sides whose pitches differ: 16 and 8, of 4 and 5
/// rows a plane.
static CUDA_MEMCPY3D box_of(CUdeviceptr target, CUdeviceptr source) {
  return (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                         .srcDevice = source,
                         .srcPitch = 8,
                         .srcHeight = 5,
                         .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                         .dstDevice = target,
                         .dstPitch = PITCH,
                         .dstHeight = ROWS,
                         .WidthInBytes = WIDTH,
                         .Height = HEIGHT,
                         .Depth = DEPTH};
}

static void need_boxes(const bench *b) {
  if (!b->driver->cuMemcpy3DAsync || !b->driver->cuMemsetD2D8Async ||
      !b->driver->cuMemsetD2D16Async)
    exit(SKIPPED);
}

/// Whether the box, and nothing beside it, has come from memory whose bytes are
/// their numbers.
static void check_box(const bench *b, CUdeviceptr target) {
  static unsigned char seen[BYTES];
  download(b, seen, target, BYTES);
  for (unsigned at = 0; at < BYTES; ++at) {
    unsigned x = at % PITCH, y = at / PITCH % ROWS, z = at / PITCH / ROWS;
    bool is_in = x < WIDTH && y < HEIGHT && z < DEPTH;
    CHECK(seen[at] == (is_in ? (z * 5 + y) * 8 + x : 0xee));
  }
}

void test_copies_of_boxes(const bench *b) {
  need_boxes(b);
  static unsigned char numbers[BYTES];
  CUstream stream = make_stream(b);
  CUdeviceptr source = make_memory(b, BYTES);
  // With room before it, for a box that begins there.
  CUdeviceptr memory = make_memory(b, 2 * PITCH + BYTES);
  CUdeviceptr target = memory + 2 * PITCH;
  unsigned char *pinned = make_pinned(b, BYTES);
  for (unsigned i = 0; i < BYTES; ++i)
    pinned[i] = numbers[i] = (unsigned char)i;
  upload(b, source, numbers, BYTES);
  const CUdeviceptr sources[] = {source, (CUdeviceptr)(uintptr_t)pinned,
                                 (CUdeviceptr)(uintptr_t)numbers};
  for (int i = 0; i < 3; ++i) {
    CALL(cuMemsetD8Async(target, 0xee, BYTES, stream));
    CUDA_MEMCPY3D box = box_of(target, sources[i]);
    CALL(cuMemcpy3DAsync(&box, stream));
    CALL(cuStreamSynchronize(stream));
    check_box(b, target);
  }
  // The same by where it begins, and by what kind of memory it is.
  CALL(cuMemsetD8Async(target, 0xee, BYTES, stream));
  CUDA_MEMCPY3D box = box_of(target - PITCH - 3, source);
  box.dstXInBytes = 3;
  box.dstY = 1;
  box.dstHeight = ROWS;
  box.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  box.srcMemoryType = CU_MEMORYTYPE_HOST;
  box.srcHost = pinned;
  box.srcDevice = 0;
  CALL(cuMemcpy3DAsync(&box, stream));
  box.WidthInBytes = 0; // nothing
  CALL(cuMemcpy3DAsync(&box, stream));
  CALL(cuStreamSynchronize(stream));
  check_box(b, target);
  CALL(cuMemFreeHost(pinned));
  CALL(cuMemFree(source));
  CALL(cuMemFree(memory));
  CALL(cuStreamDestroy(stream));
}

void test_boxes_hold_their_rows(const bench *b) {
  need_boxes(b);
  CUstream stream = make_stream(b);
  CUdeviceptr memory = make_memory(b, 2 * BYTES);
  const CUDA_MEMCPY3D good = box_of(memory + BYTES, memory);
  CUDA_MEMCPY3D box = good;
  // The manual: "srcPitch must be greater than or equal to WidthInBytes +
  // srcXInBytes, and srcHeight must be greater than or equal to Height + srcY."
  box.srcPitch = WIDTH - 1;
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DAsync(&box, stream));
  box = good;
  box.dstHeight = HEIGHT - 1;
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DAsync(&box, stream));
  // "returns an error if any pitch is greater than the maximum allowed
  // (CU_DEVICE_ATTRIBUTE_MAX_PITCH)".
  int most;
  CALL(cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_PITCH, b->device));
  CHECK(most >= 1 << 16);
  box = good;
  box.dstPitch = (size_t)most + 1;
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DAsync(&box, stream));
  // The heights "may be 0 if Depth==1" (cuda.h). A driver of CUDA 13.0 copies
  // with others, too.
  box = good;
  box.srcHeight = box.dstHeight = 0;
  if (b->is_emu)
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DAsync(&box, stream));
  box.Depth = 1;
  CALL(cuMemcpy3DAsync(&box, stream));
  CALL(cuStreamSynchronize(stream)); // refused calls are not sticky
  CALL(cuMemFree(memory));
  CALL(cuStreamDestroy(stream));
}

void test_fills_of_rows(const bench *b) {
  need_boxes(b);
  static unsigned char seen[64];
  CUstream stream = make_stream(b);
  CUdeviceptr memory = make_memory(b, sizeof seen);
  CALL(cuMemsetD8Async(memory, 0xee, sizeof seen, stream));
  CALL(cuMemsetD2D8Async(memory + 1, 7, 0x11, 2, 2, stream));
  CALL(cuMemsetD2D16Async(memory + 16, 6, 0x2233, 2, 2, stream));
  CALL(cuMemsetD2D32Async(memory + 32, 12, 0x44556677, 2, 2, stream));
  CALL(cuMemsetD2D8Async(memory, 64, 0xff, 1, 0, stream)); // nothing
  CALL(cuStreamSynchronize(stream));
  download(b, seen, memory, sizeof seen);
  static const unsigned char two[] = {0x33, 0x22},
                             four[] = {0x77, 0x66, 0x55, 0x44};
  for (unsigned i = 0; i < sizeof seen; ++i) {
    unsigned char expected = 0xee;
    if (i == 1 || i == 2 || i == 8 || i == 9)
      expected = 0x11;
    if ((i >= 16 && i < 20) || (i >= 22 && i < 26))
      expected = two[i % 2];
    if ((i >= 32 && i < 40) || (i >= 44 && i < 52))
      expected = four[i % 4];
    CHECK(seen[i] == expected);
  }
  // "The dstDevice pointer and dstPitch offset must be two-byte aligned"; "...
  // to four bytes".
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuMemsetD2D16Async(memory + 1, 8, 0, 1, 2, stream));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuMemsetD2D16Async(memory, 7, 0, 1, 2, stream));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuMemsetD2D32Async(memory, 6, 0, 1, 2, stream));
  CALL(cuMemFree(memory));
  CALL(cuStreamDestroy(stream));
}

void test_graph_copies_and_fills_rows(const bench *b) {
  need_boxes(b);
  if (!b->driver->cuGraphInstantiate)
    exit(SKIPPED);
  static unsigned char numbers[BYTES];
  CUcontext context;
  CALL(cuCtxGetCurrent(&context));
  CUdeviceptr source = make_memory(b, BYTES), target = make_memory(b, BYTES);
  for (unsigned i = 0; i < BYTES; ++i)
    numbers[i] = (unsigned char)i;
  upload(b, source, numbers, BYTES);
  CUgraph graph;
  CUgraphNode fill, copy;
  CALL(cuGraphCreate(&graph, 0));
  CUDA_MEMSET_NODE_PARAMS fill_params = {.dst = target,
                                         .pitch = 64,
                                         .value = 0xeeee,
                                         .elementSize = 2,
                                         .width = 32,
                                         .height = 4};
  CALL(cuGraphAddMemsetNode(&fill, graph, NULL, 0, &fill_params, context));
  CUDA_MEMCPY3D box = box_of(target, source);
  CALL(cuGraphAddMemcpyNode(&copy, graph, &fill, 1, &box, context));
  CUgraphExec exec;
  CALL(cuGraphInstantiate(&exec, graph, 0));
  CUstream stream = make_stream(b);
  CALL(cuGraphLaunch(exec, stream));
  CALL(cuStreamSynchronize(stream));
  check_box(b, target);
  // "CUDA_ERROR_INVALID_VALUE if ... either the original or new memory operands
  // are multidimensional." A driver of CUDA 13.0 takes what is the same.
  if (b->is_emu)
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cuGraphExecMemcpyNodeSetParams(exec, copy, &box, context));
  CALL(cuGraphExecDestroy(exec));
  CALL(cuGraphDestroy(graph));
  CALL(cuMemFree(source));
  CALL(cuMemFree(target));
  CALL(cuStreamDestroy(stream));
}
