//===- native_thread.h - Threads that wait for each other -------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What native kernels and the emulated device share about the threads of a
// block. A kernel whose threads wait for each other is a coroutine: its block
// function (agpu_native_kernel_fn) calls agpu_native_begin_block, starts every
// thread, and calls agpu_native_run_block, which resumes threads until all have
// ended. A thread that waits leaves in its record where, and with which
// operands. The functions are for the thread that runs the block, inside the
// block function only.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_COMPILED_NATIVE_THREAD_H
#define ASYNC_GPU_COMPILED_NATIVE_THREAD_H

#include "async_gpu/compiled/kernel.h"
#include "async_gpu/status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a thread waits at.
typedef enum agpu_native_wait {
  /// All threads of the block that have not ended. Mode: none.
  AGPU_NATIVE_BARRIER = 1,
  /// `a`: which of the 16 barriers; `b`: how many threads it takes, 0: all of
  /// the block. Mode: agpu_native_barrier_mode, over `value`.
  AGPU_NATIVE_NUMBERED_BARRIER,
  /// A phase of the mbarrier object at `value`: `a` is which, `b` how
  /// (agpu_native_wait_mode). Result: whether the phase is complete.
  AGPU_NATIVE_PHASE_WAIT,
  /// All threads of the cluster that have not ended, to have arrived.
  AGPU_NATIVE_CLUSTER_WAIT,
  /// From here on: the threads of the warp in `mask` that have not ended.
  AGPU_NATIVE_WARP_BARRIER,
  /// `value` of the lane that `a` (offset) and `b` (mask and clamp) choose, as
  /// PTX's shfl.sync does. Mode: 0 xor, 1 up, 2 down, 3 index.
  AGPU_NATIVE_SHUFFLE,
  /// Over `value`, 0 or 1. Mode: 0 any, 1 all, 2 ballot, 3 uniform.
  AGPU_NATIVE_VOTE,
  /// Lanes with the same `value`. Mode: 0 any, 1 all.
  AGPU_NATIVE_MATCH,
  /// Over the 32-bit `value`; `a`: 1 of absolute values, 2 NaN wins. Mode:
  /// agpu_native_reduction.
  AGPU_NATIVE_REDUCTION,
  /// One of the threads.
  AGPU_NATIVE_ELECTION,
  /// Which threads of the warp are at the same place, once none of the warp can
  /// go on by itself.
  AGPU_NATIVE_ACTIVE_MASK,
  /// All 32 lanes of the warp, at the same place. `value`: where the lane's
  /// operands are, and its results then. Mode:
  /// async_gpu/compiled/native_matrix.h.
  AGPU_NATIVE_COLLECTIVE,
} agpu_native_wait;

typedef enum agpu_native_barrier_mode {
  AGPU_NATIVE_BARRIER_PLAIN,
  AGPU_NATIVE_BARRIER_COUNT,
  AGPU_NATIVE_BARRIER_AND,
  AGPU_NATIVE_BARRIER_OR,
} agpu_native_barrier_mode;

typedef enum agpu_native_reduction {
  AGPU_NATIVE_ADD,
  AGPU_NATIVE_AND,
  AGPU_NATIVE_MAX,
  AGPU_NATIVE_MIN,
  AGPU_NATIVE_OR,
  AGPU_NATIVE_UMAX,
  AGPU_NATIVE_UMIN,
  AGPU_NATIVE_XOR,
  AGPU_NATIVE_FMIN,
  AGPU_NATIVE_FMAX,
} agpu_native_reduction;

/// A place in a kernel where threads wait or fail: constant data.
typedef struct agpu_native_site {
  uint32_t number; ///< different for each site of a module
  uint32_t wait;   ///< agpu_native_wait
  uint32_t mode;
  // C++ has no such members; the text begins here all the same.
#ifndef __cplusplus
  char location[]; ///< "file:line:col", or empty
#endif
} agpu_native_site;

/// One thread of a block.
typedef struct agpu_native_thread {
  void *frame; ///< the coroutine's; NULL once the thread has ended
  const agpu_native_site *site; ///< where it waits
  uint64_t value;               ///< operand, and the result when it goes on
  uint32_t mask, a, b;
  uint32_t valid; ///< second result: shuffles and matches
} agpu_native_thread;

/// The records of the block that the calling thread runs, in the order of the
/// threads' numbers (x fastest). They are not initialised.
AGPU_EXPORT agpu_native_thread *
agpu_native_begin_block(const agpu_native_block *block);

/// Memory for the frame of one thread of the calling thread's block. All frames
/// of a block have one size. Does not return where memory is exhausted: the
/// launch fails.
AGPU_EXPORT void *agpu_native_frame(const agpu_native_thread *thread,
                                    uint64_t size, uint64_t alignment);

/// Runs the threads, each of which has started, to their ends. Does not return
/// where they wait for each other in vain: the launch fails.
AGPU_EXPORT void agpu_native_run_block(const agpu_native_block *block);

/// For a kernel with loops over its threads, all of which are at a wait of kind
/// AGPU_NATIVE_COLLECTIVE: does it for each warp of the calling thread's block.
/// The operands of the i-th thread are i * `stride` bytes after `operands`.
/// Does not return where the last warp lacks threads: the launch fails.
AGPU_EXPORT void agpu_native_together(const agpu_native_site *site,
                                      void *operands, uint64_t stride);

/// The thread with id `x`, `y`, `z` arrives at barrier `number` for `threads`
/// threads, and does not wait for the others.
AGPU_EXPORT void agpu_native_arrive(uint32_t number, uint32_t threads,
                                    uint32_t x, uint32_t y, uint32_t z);

/// Alignment of what agpu_native_memory gives, in bytes.
#define AGPU_NATIVE_MEMORY_ALIGNMENT 256

/// For a kernel with loops over its threads: memory with `bytes` for each
/// thread of the calling thread's block, so aligned, that is there until the
/// block ends. Each block of a kernel asks for the same, in the same order. Not
/// initialised. Does not return where memory is exhausted: the launch fails.
AGPU_EXPORT void *agpu_native_memory(uint64_t bytes);

//===----------------------------------------------------------------------===//
// What a device does for its kernels
//===----------------------------------------------------------------------===//

/// What agpu_native_register reads: special registers of PTX that a kernel does
/// not know from its own ids and sizes. Of those with three members, x is
/// named; y and z follow.
typedef enum agpu_native_register_name {
  AGPU_NATIVE_GLOBALTIMER,       ///< nanoseconds
  AGPU_NATIVE_GRIDID,            ///< different for each launch
  AGPU_NATIVE_TOTAL_SMEM_SIZE,   ///< bytes of shared memory
  AGPU_NATIVE_DYNAMIC_SMEM_SIZE, ///< those that the launch has added
  AGPU_NATIVE_CLUSTERID,         ///< which cluster of the grid, x
  AGPU_NATIVE_NCLUSTERID = AGPU_NATIVE_CLUSTERID + 3,
  AGPU_NATIVE_CLUSTER_CTAID = AGPU_NATIVE_NCLUSTERID + 3,
  AGPU_NATIVE_CLUSTER_NCTAID = AGPU_NATIVE_CLUSTER_CTAID + 3,
  AGPU_NATIVE_CLUSTER_CTARANK = AGPU_NATIVE_CLUSTER_NCTAID + 3,
  AGPU_NATIVE_CLUSTER_NCTARANK,
} agpu_native_register_name;

/// What the register holds for the block that the calling thread runs.
AGPU_EXPORT uint64_t agpu_native_register(uint32_t name);

/// Prints `format`, as printf does, with the arguments at `arguments`: one
/// after the other as in a C structure, their types in `types` (b, h, w, l:
/// integers of 1, 2, 4, 8 bytes; f, d: floats of 4, 8 bytes; p: a pointer).
/// Integers keep their value whatever length the format gives. The text of a
/// block comes out in one piece when the block ends. Returns how many arguments
/// there are.
AGPU_EXPORT int32_t agpu_native_print(const char *format, const char *types,
                                      const void *arguments);

/// Memory of the heap that kernels have, which ends where a card's does unless
/// its limit is raised: 8 MiB. NULL where there is not enough left. It stays
/// until some kernel of the process gives it back; NULL may be given back, too.
AGPU_EXPORT void *agpu_native_malloc(uint64_t bytes);
AGPU_EXPORT void agpu_native_free(void *memory);

/// The condition of a graph's node is `value` from now on: what
/// cudaGraphSetConditional does. The launch fails where there is no such
/// handle.
AGPU_EXPORT void agpu_native_set_condition(uint64_t handle, uint32_t value);

/// A thread ran into a trap: the launch fails. Does not return.
AGPU_EXPORT void agpu_native_trap(const char *location, uint32_t x, uint32_t y,
                                  uint32_t z);

/// A thread's assertion failed, which is written to stderr as CUDA does. The
/// thread has to end; the launch fails once the other threads of its block have
/// gone on to a barrier of all of them at the most. All strings live as long as
/// the program.
AGPU_EXPORT void agpu_native_assert_failed(const char *message,
                                           const char *file, uint32_t line,
                                           const char *function,
                                           const char *location, uint32_t x,
                                           uint32_t y, uint32_t z);

/// Does not return where an assertion of a thread of the block has failed.
AGPU_EXPORT void agpu_native_check_assertions(void);

/// What agpu_native_check is told of an access.
typedef enum agpu_native_access {
  AGPU_NATIVE_SHARED = 1, ///< of the block's shared memory
  AGPU_NATIVE_WRITES = 2,
  AGPU_NATIVE_ATOMIC = 4, ///< or volatile: may meet others like it
  AGPU_NATIVE_READS = 8,
  AGPU_NATIVE_LOADED = 16, ///< the address was found in memory
} agpu_native_access;

/// A thread is about to access `size` bytes at an address that a card wants to
/// be a multiple of `alignment` (1 to 16); `flags` of agpu_native_access.
/// Returns where they are: at another address where device memory is kept away
/// from the host (ASYNC_GPU_EMU_CHECK=memory). Does not return where they are
/// not there: the launch fails. 0 bytes are not accessed, only found.
AGPU_EXPORT void *agpu_native_check(void *address, uint64_t size,
                                    uint32_t alignment, uint32_t flags,
                                    const char *location, uint32_t x,
                                    uint32_t y, uint32_t z);

/// What a thread executes until it says so again, for models of time: so many
/// instructions on floats of 32 bits, on those of 64, on integers, and such as
/// sqrt, in eight bits each from the lowest on; in 16 bits, how many of them
/// each need the one before, in eight and seven, how many loads of workgroup
/// and of other memory these wait for; and in the last one, whether it comes to
/// a barrier of the block then.
AGPU_EXPORT void agpu_native_count(uint64_t counts);

/// What is wrong with a division of integers.
typedef enum agpu_native_division {
  AGPU_NATIVE_DIVISION_DEFINED,
  AGPU_NATIVE_DIVISION_BY_ZERO,
  AGPU_NATIVE_DIVISION_OVERFLOWS, ///< the smallest integer by -1
} agpu_native_division;

/// A thread is about to divide; `fault` of agpu_native_division. The division
/// is defined on the emulated device, so that it goes on; with
/// ASYNC_GPU_EMU_CHECK=arithmetic a fault is an error of the program when it
/// ends.
AGPU_EXPORT void agpu_native_check_division(uint32_t fault,
                                            const char *location, uint32_t x,
                                            uint32_t y, uint32_t z);

/// The kernel is compiled for blocks of this size. Does not return where the
/// calling thread's has another: the launch fails.
AGPU_EXPORT void agpu_native_expect_size(uint32_t x, uint32_t y, uint32_t z);

/// The kernel holds what the emulated device cannot run: the launch fails.
/// Does not return.
AGPU_EXPORT void agpu_native_refuse(const char *what, const char *location);

#ifdef __cplusplus
}
#endif

#endif // ASYNC_GPU_COMPILED_NATIVE_THREAD_H
