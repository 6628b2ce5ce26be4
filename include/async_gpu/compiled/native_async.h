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
  AGPU_NATIVE_COPY_GROUPS, ///< copies of cp.async
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

#ifdef __cplusplus
}
#endif

#endif // ASYNC_GPU_COMPILED_NATIVE_ASYNC_H
