//===- native_async.h - Copies that go on by themselves --------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What native kernels and the emulated device share about work that goes on
// while the thread that began it does: asynchronous copies, and the mbarrier
// objects that count it. The functions are for the thread that runs the block,
// inside the block function only. `x`, `y` and `z` are the calling thread's id,
// and `location` is its place in the source, "file:line:col", or NULL.
//
// What breaks a rule of the PTX ISA that the device can see does not return:
// the launch fails.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_COMPILED_NATIVE_ASYNC_H
#define ASYNC_GPU_COMPILED_NATIVE_ASYNC_H

#include "async_gpu/status.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What groups are of: a thread has a row of them for each.
typedef enum agpu_native_groups {
  AGPU_NATIVE_COPY_GROUPS,  ///< copies of cp.async
  AGPU_NATIVE_BULK_GROUPS,  ///< copies in bulk from shared to global memory
  AGPU_NATIVE_WGMMA_GROUPS, ///< products of a warp group
} agpu_native_groups;

/// Begins to copy `copied` of `bytes` bytes (4, 8 or 16) of global memory to
/// shared memory, and zeros for the others, in the thread's open group.
AGPU_EXPORT void agpu_native_copy_async(void *to, const void *from,
                                        uint32_t bytes, uint32_t copied,
                                        const char *location, uint32_t x,
                                        uint32_t y, uint32_t z);

/// Closes the thread's open group, and opens another.
AGPU_EXPORT void agpu_native_commit_group(uint32_t groups, const char *location,
                                          uint32_t x, uint32_t y, uint32_t z);

/// Ends all but the last `pending` closed groups of the thread; with
/// `reads_only`, reads their sources.
AGPU_EXPORT void agpu_native_wait_group(uint32_t groups, uint32_t pending,
                                        uint32_t reads_only,
                                        const char *location, uint32_t x,
                                        uint32_t y, uint32_t z);

/// Copies in bulk.
typedef enum agpu_native_bulk {
  AGPU_NATIVE_BULK_LOAD,    ///< global to shared memory
  AGPU_NATIVE_BULK_CLUSTER, ///< shared memory to that of a block of the cluster
  AGPU_NATIVE_BULK_STORE,   ///< shared to global memory, in the open group
  AGPU_NATIVE_BULK_REDUCE,  ///< likewise; combined with what is there
} agpu_native_bulk;

/// How elements are combined, in the order of NVVM's TMAReduxKind.
typedef enum agpu_native_bulk_reduction {
  AGPU_NATIVE_BULK_ADD,
  AGPU_NATIVE_BULK_MIN,
  AGPU_NATIVE_BULK_MAX,
  AGPU_NATIVE_BULK_INC,
  AGPU_NATIVE_BULK_DEC,
  AGPU_NATIVE_BULK_AND,
  AGPU_NATIVE_BULK_OR,
  AGPU_NATIVE_BULK_XOR,
} agpu_native_bulk_reduction;

/// No mask of blocks: the one whose memory `to` is of.
#define AGPU_NATIVE_ONE_BLOCK 0x10000u

/// Begins to copy `bytes` bytes, a multiple of 16. The mbarrier object at
/// `barrier` counts those that come to shared memory, of the blocks in `mask`
/// (AGPU_NATIVE_BULK_LOAD), in each of these. Of a store, `mask` is of the
/// bytes of each 16 that are written.
AGPU_EXPORT void agpu_native_bulk_copy(uint32_t what, void *to,
                                       const void *from, uint32_t bytes,
                                       void *barrier, uint32_t mask,
                                       const char *location, uint32_t x,
                                       uint32_t y, uint32_t z);

/// How a tensor copy goes through its tensor.
typedef enum agpu_native_tensor_mode {
  AGPU_NATIVE_TENSOR_TILE,
  AGPU_NATIVE_TENSOR_IM2COL,
} agpu_native_tensor_mode;

/// The same of a box of the tensor that `tensor_map` describes, whose first
/// element has these coordinates, `rank` of them, the innermost first; or of
/// its pixels from there on, moved by the offsets o0, o1 and o2.
AGPU_EXPORT void agpu_native_tensor_copy(
    uint32_t what, uint32_t reduction, const void *tensor_map, void *shared,
    uint32_t rank, int32_t c0, int32_t c1, int32_t c2, int32_t c3, int32_t c4,
    uint32_t mode, uint32_t o0, uint32_t o1, uint32_t o2, void *barrier,
    uint32_t mask, const char *location, uint32_t x, uint32_t y, uint32_t z);

/// What is done to an mbarrier object, with `count`: arrivals, or bytes of
/// transactions where that is said.
typedef enum agpu_native_phase_op {
  AGPU_NATIVE_PHASE_INIT,
  AGPU_NATIVE_PHASE_INVALIDATE,
  AGPU_NATIVE_PHASE_EXPECT,   ///< bytes
  AGPU_NATIVE_PHASE_COMPLETE, ///< bytes
  AGPU_NATIVE_PHASE_ARRIVE,
  AGPU_NATIVE_PHASE_DROP,          ///< and never again
  AGPU_NATIVE_PHASE_ARRIVE_EARLY,  ///< not the last of the phase
  AGPU_NATIVE_PHASE_DROP_EARLY,    ///< likewise
  AGPU_NATIVE_PHASE_ARRIVE_EXPECT, ///< bytes; one arrival
  AGPU_NATIVE_PHASE_DROP_EXPECT,   ///< likewise
} agpu_native_phase_op;

/// Does that, and returns which phase it was done in: what
/// AGPU_NATIVE_PHASE_WAIT takes where it takes no parity.
AGPU_EXPORT uint64_t agpu_native_phase(uint32_t what, void *barrier,
                                       uint32_t count, const char *location,
                                       uint32_t x, uint32_t y, uint32_t z);

/// Arrives at the mbarrier object once all copies of cp.async are done that the
/// thread has begun: one arrival that the phase expects (`counted`), or one
/// more.
AGPU_EXPORT void agpu_native_track_copies(void *barrier, uint32_t counted,
                                          const char *location, uint32_t x,
                                          uint32_t y, uint32_t z);

/// How a thread waits for a phase (AGPU_NATIVE_PHASE_WAIT), member `b` of its
/// record. Neither TEST nor TRY: until it is complete.
typedef enum agpu_native_wait_mode {
  AGPU_NATIVE_WAIT_PARITY = 1, ///< `a` is the phase's parity, else its number
  AGPU_NATIVE_WAIT_TEST = 2,   ///< not at all
  AGPU_NATIVE_WAIT_TRY = 4,    ///< for some time
} agpu_native_wait_mode;

/// Types of the factors of a matrix product, in the order of NVVM's WGMMATypes.
typedef enum agpu_native_wgmma_type {
  AGPU_NATIVE_WGMMA_F16,
  AGPU_NATIVE_WGMMA_TF32,
  AGPU_NATIVE_WGMMA_U8,
  AGPU_NATIVE_WGMMA_S8,
  AGPU_NATIVE_WGMMA_B1,
  AGPU_NATIVE_WGMMA_BF16,
  AGPU_NATIVE_WGMMA_E4M3,
  AGPU_NATIVE_WGMMA_E5M2,
} agpu_native_wgmma_type;

typedef enum agpu_native_wgmma_flag {
  AGPU_NATIVE_WGMMA_TRANSPOSE_A = 1, ///< M is its contiguous dimension
  AGPU_NATIVE_WGMMA_TRANSPOSE_B = 2, ///< N is
  AGPU_NATIVE_WGMMA_ZERO = 4,        ///< instead of what is in `d`
  AGPU_NATIVE_WGMMA_NEGATE_A = 8,
  AGPU_NATIVE_WGMMA_NEGATE_B = 16,
  AGPU_NATIVE_WGMMA_SATURATE = 32, ///< integers
  AGPU_NATIVE_WGMMA_F16_SUMS = 64, ///< not of 32 bits
  AGPU_NATIVE_WGMMA_COPIES = 128,  ///< what `d` stood for is used later on
} agpu_native_wgmma_flag;

/// Begins to add the thread's elements of a product of 64 by `k` and `k` by `n`
/// elements in shared memory, where the matrix descriptors say, to the n / 2
/// sums at `d`, in the thread's open group. Leaves in the first
/// AGPU_NATIVE_WGMMA_MARK bytes at `d` what stands for the sums: all that may
/// be done with it is to hand it on, to this function and to
/// agpu_native_wgmma_read.
#define AGPU_NATIVE_WGMMA_MARK 8
AGPU_EXPORT void agpu_native_wgmma(void *d, uint64_t descriptor_a,
                                   uint64_t descriptor_b, uint32_t n,
                                   uint32_t k, uint32_t type_a, uint32_t type_b,
                                   uint32_t flags, const char *location,
                                   uint32_t x, uint32_t y, uint32_t z);

/// Puts the sums at `d` that what is there stands for, if it does.
AGPU_EXPORT void agpu_native_wgmma_read(void *d, uint32_t bytes,
                                        const char *location, uint32_t x,
                                        uint32_t y, uint32_t z);

/// Orders what the thread has written, or seen written, before what copies in
/// bulk and products after it read.
AGPU_EXPORT void agpu_native_fence_proxies(const char *location, uint32_t x,
                                           uint32_t y, uint32_t z);

/// Orders what the thread has done with registers before products after it.
AGPU_EXPORT void agpu_native_wgmma_fence(const char *location, uint32_t x,
                                         uint32_t y, uint32_t z);

/// Arrives at the barrier of the cluster, which AGPU_NATIVE_CLUSTER_WAIT waits
/// for. Relaxed: without ordering memory.
AGPU_EXPORT void agpu_native_cluster_arrive(uint32_t relaxed,
                                            const char *location, uint32_t x,
                                            uint32_t y, uint32_t z);

/// What `address`, in the shared memory of a block of the cluster, is in that
/// of the block with this rank.
AGPU_EXPORT void *agpu_native_map_shared(void *address, uint32_t rank,
                                         const char *location, uint32_t x,
                                         uint32_t y, uint32_t z);

#ifdef __cplusplus
}
#endif

#endif // ASYNC_GPU_COMPILED_NATIVE_ASYNC_H
