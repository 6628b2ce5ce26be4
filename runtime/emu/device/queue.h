//===- queue.h - The ops of a stream, and who runs them ---------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_DEVICE_QUEUE_H
#define ASYNC_GPU_RUNTIME_EMU_DEVICE_QUEUE_H

#include "base/sync/mutex.h"
#include "emu/device/carrier.h"
#include "emu/device/connection.h"
#include "emu/device/op.h"

#include <stdatomic.h>
#include <stdbool.h>

typedef struct agpu__emu_queue {
  agpu__emu_random random; // of the thread that runs the ops
  CUcontext context;
  agpu__emu_connection *connection;

  agpu__mutex lock;
  agpu__condition changed; // `done` or `entries` has
  agpu__emu_order order AGPU__GUARDED_BY(lock);
  STAILQ_HEAD(, agpu__emu_op) ops AGPU__GUARDED_BY(lock);
  uint64_t enqueued AGPU__GUARDED_BY(lock); // ops
  // Set under the lock. Release and acquire: what the ops did is visible.
  _Atomic(uint64_t) done;
  unsigned entries AGPU__GUARDED_BY(lock); // not done, without graphs' parts
  // Runs the ops; NULL: none is needed now.
  agpu__emu_carrier *carrier AGPU__GUARDED_BY(lock);
  // The carrier has the queue, or who has taken it over; set under the lock.
  atomic_bool running;
} agpu__emu_queue;

/// Of a stream of the context, which has a connection and a random of its own
/// before anything is appended.
void agpu__emu_queue_init(agpu__emu_queue *queue, CUcontext context);

/// Of a queue that does not run and that no one else has. Undoes the above.
void agpu__emu_queue_end(agpu__emu_queue *queue);

/// Appends `op` (taken over on every path), and has a thread run it. Waits
/// while the queue is full. OUT_OF_MEMORY: there is no thread. Any thread.
CUresult agpu__emu_queue_append(agpu__emu_queue *queue, agpu__emu_op *op);

/// Waits until all is done that was appended before. `tells`: the host may rely
/// on having waited. `may_run`: as agpu__emu_queue_run_here. Any thread.
void agpu__emu_queue_wait(agpu__emu_queue *queue, bool tells, bool may_run);

/// Has the calling thread, which waits until is_done(of), run ops that no
/// thread has begun, until then or up to a host function. It holds no lock.
void agpu__emu_queue_run_here(agpu__emu_queue *queue, bool (*is_done)(void *of),
                              void *of);

/// Whether all is done; if so and `tells`, the host relies on it. Any thread.
bool agpu__emu_queue_is_idle(agpu__emu_queue *queue, bool tells);

/// Whether waiting for it orders anything. What is done already is still before
/// what comes, of which checks are notified. Any thread.
bool agpu__emu_queue_has_work(agpu__emu_queue *queue);

/// Whether a thread has it, or is about to. Any thread.
bool agpu__emu_queue_is_running(agpu__emu_queue *queue);

#endif // ASYNC_GPU_RUNTIME_EMU_DEVICE_QUEUE_H
