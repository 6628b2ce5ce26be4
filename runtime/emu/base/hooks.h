//===- hooks.h - What checks are notified of -------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ASYNC_GPU_EMU_CHECK: the device tells the checks (emu/check) what it does
// through this table, and knows nothing else of them. check/checks.c fills it
// when the device is chosen; what nobody asks for is NULL, and costs a load and
// a branch.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_BASE_HOOKS_H
#define ASYNC_GPU_RUNTIME_EMU_BASE_HOOKS_H

#include "driver_api/extension.h"
#include "driver_api/functions.h"
#include "emu/base/random.h"
#include "emu/base/stamp.h"

#include <stdbool.h>
#include <stdint.h>

struct agpu__emu_marker;
struct agpu__emu_op;
struct agpu__emu_runner;
struct agpu__emu_timed;
struct agpu_native_thread;

/// What the checks keep of an allocation; theirs to set and to free.
typedef struct agpu__emu_record {
  struct agpu__emu_history *history; ///< races.c's
  void *written;                     ///< written.c's
} agpu__emu_record;

/// The same of a stream: its number, and the stamp of its last op.
typedef struct agpu__emu_order {
  unsigned number;
  agpu__emu_stamp *last;
  struct agpu__emu_timed_stream *timed; ///< emu/model's
  CUdevice device;                      ///< whose stream it is
} agpu__emu_order;

/// The same of an mbarrier object: what has come before the arrivals of this
/// phase, and of all that are complete.
typedef struct agpu__emu_phase_record {
  struct agpu__emu_clock *arriving, *complete;
} agpu__emu_phase_record;

/// An asynchronous copy that is under way. Addresses are the program's.
typedef struct agpu__emu_flight {
  const struct agpu__emu_runner *target; ///< whose shared memory is written
  uintptr_t to, from;                    ///< either may be 0: not looked at
  uint32_t to_bytes, from_bytes;
  uint32_t thread;               ///< that has begun it, of the current block
  const char *location;          ///< where
  const char *wait;              ///< what ends it, in words
  struct agpu__emu_clock *begun; ///< the check's
} agpu__emu_flight;

typedef struct agpu__emu_hooks {
  // Streams and ops.
  void (*stream_created)(agpu__emu_order *order);
  /// The op is the stream's next, after what was on it and `after` (NULL:
  /// nothing else). Sets its stamp. Under the stream's lock.
  void (*op_enqueued)(agpu__emu_order *order, const agpu__emu_stamp *after,
                      struct agpu__emu_op *op);
  /// The host learns that the op with this stamp is done; NULL: there was none.
  void (*observed)(const agpu__emu_stamp *stamp);
  /// Runs what touches memory by calling `run`, on its stream's thread.
  void (*run)(const struct agpu__emu_op *op, agpu__emu_random *random,
              void (*run)(const struct agpu__emu_op *op,
                          agpu__emu_random *random));

  // Launches.
  bool one_at_a_time; ///< kernels, and the blocks of each
  void (*block_begins)(const struct agpu__emu_runner *runner);
  /// Whether the block, of no cluster, is not run; NULL: all are.
  bool (*is_left_out)(const struct agpu__emu_runner *runner);
  /// All threads of the block that have not ended meet; or some, by number.
  void (*barrier)(void);
  void (*meet)(const uint16_t *threads, uint32_t count);
  /// A lane reads another in a shuffle that is not there.
  void (*absent_lane_read)(const struct agpu_native_thread *warp, uint32_t lane,
                           uint32_t source);

  // Work asynchronous to a block's threads. A phase is left by arrivals, then
  // complete, then observed by threads that wait for it.
  void (*phase_arrived)(agpu__emu_phase_record *record, uint32_t thread);
  void (*phase_completed)(agpu__emu_phase_record *record);
  void (*phase_observed)(const agpu__emu_phase_record *record, uint32_t thread);
  void (*phase_dropped)(agpu__emu_phase_record *record);
  /// The threads of a cluster have met.
  void (*cluster_barrier)(const struct agpu__emu_runner *runner);
  /// A thread uses an mbarrier object, or makes or ends one.
  void (*phase_used)(const void *place, bool writes, const char *location,
                     const uint32_t *thread);
  /// A thread orders what it knows before what copies and products read.
  void (*proxies_fenced)(uint32_t thread);
  /// A box of a tensor has been copied to shared memory, swizzled so
  /// (CUtensorMapSwizzle).
  void (*tensor_loaded)(const void *to, uint32_t bytes, unsigned swizzle,
                        const char *location);
  // Products of a warp group, which have a phase's record: their threads
  // arrive, one of them completes it, and each observes it.
  /// A thread begins a product of what lies there, as if it were swizzled so.
  void (*matrix_read)(uintptr_t place, uint32_t bytes, unsigned swizzle,
                      const char *location, const uint32_t *thread);
  /// All that a product reads: once when it begins, and once, between two
  /// calls for its record, when it is over.
  void (*matrix_held)(uintptr_t place, uint32_t bytes, const char *location,
                      const uint32_t *thread);
  void (*product_ending)(const agpu__emu_phase_record *record);
  void (*matrix_released)(const struct agpu__emu_runner *runner,
                          uintptr_t place, uint32_t bytes,
                          const char *location);
  void (*product_ended)(agpu__emu_phase_record *record);
  /// A copy begins; it is known by the number that this returns.
  uint32_t (*flight_begins)(const agpu__emu_flight *flight);
  /// It is made, for an mbarrier, or (NULL) for the thread that has begun it.
  void (*flight_ends)(uint32_t flight, agpu__emu_phase_record *record);

  // Memory. The record is that of the allocation.
  /// Memory of the device alone is allocated.
  void (*allocated)(agpu__emu_record *record, size_t bytes);
  void (*record_dropped)(agpu__emu_record *record);
  /// A fill or a copy has written a range.
  void (*filled)(CUdeviceptr target, size_t bytes);
  void (*copied)(CUdeviceptr target, CUdeviceptr source, size_t bytes);
  /// A thread has touched `address`, where it may not. True: it may try again,
  /// or, where `*out_next` is set, goes on there as if it had called it. In a
  /// signal handler.
  bool (*faulted)(uintptr_t address, void (**out_next)(void));

  // Modelled time (emu/model): all of these are set, or none is.
  int multiprocessors; ///< that the modelled card has
  /// A thread calls that function of the driver.
  void (*called)(const char *function);
  /// The work has run, in real time, or was dropped; a host function was.
  void (*op_ran)(struct agpu__emu_timed *of);
  void (*host_function_dropped)(struct agpu__emu_timed *of);
  /// The thread waits until there is room in a stream, or has waited.
  void (*held_up)(bool is_held);
  /// The work, or conditional node, runs from now on, in real time.
  void (*op_runs)(void);
  /// The conditional node asks for its condition (NULL), or its body has that
  /// op next, which runs now.
  void (*part_begins)(struct agpu__emu_timed *of, struct agpu__emu_op *op);
  /// Has `call` call a host function once it is its turn.
  void (*host_function)(struct agpu__emu_timed *of,
                        void (*call)(const struct agpu__emu_op *op),
                        const struct agpu__emu_op *op);
  /// The calling thread waits for all that the stream has been given, or for
  /// the marker; whether it sees that they are over.
  void (*await_stream)(const agpu__emu_order *order);
  void (*await_marker)(struct agpu__emu_marker *marker);
  bool (*sees_stream)(const agpu__emu_order *order);
  bool (*sees_marker)(struct agpu__emu_marker *marker);
  void (*stream_ended)(agpu__emu_order *order);
  /// From now on `ran` is told of work that has a number.
  void (*tell_times)(agpu__emu_ran *ran);
  /// A thread of the block accesses memory (agpu_native_check); the runner
  /// ends.
  void (*accessed)(struct agpu__emu_runner *runner, uintptr_t place,
                   uint64_t size, uint32_t flags, bool is_shared,
                   const char *location, uint32_t thread);
  /// A warp, or a warp group, of the block multiplies matrices: so many
  /// products, of elements of so many bits.
  void (*multiplied)(struct agpu__emu_runner *runner, uint32_t products,
                     uint32_t bits);
  void (*runner_ends)(struct agpu__emu_runner *runner);

  /// A context ends: before its memory is given back.
  void (*ending)(CUcontext context);
  /// The last one has.
  void (*ended)(void);
} agpu__emu_hooks;

/// Constant once the device is chosen.
extern agpu__emu_hooks agpu__emu_hooks_table;

/// Calls a hook, with arguments in parentheses, if a check wants it.
#define AGPU__EMU_TELL(hook, arguments)                                        \
  do {                                                                         \
    if (agpu__emu_hooks_table.hook)                                            \
      agpu__emu_hooks_table.hook arguments;                                    \
  } while (0)

#endif // ASYNC_GPU_RUNTIME_EMU_BASE_HOOKS_H
