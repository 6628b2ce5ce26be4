//===- full_streams.c - Streams whose queues may be full ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device that makes no progress has as many streams as its queues need,
// beyond the bound: who enqueues on one of the pool's does not wait for it.
// When it goes on, its streams are used again.
//
//===----------------------------------------------------------------------===//

#include "gpu/stream/event.h"

#include "check.h"

#include <stdbool.h>
#include <time.h>

/// Of the queue of a card's stream; and the most that one position takes.
enum { ENTRIES = 1024, EACH = 4, BOUND = 2, MOST = 5, LOANS = 3000 };

/// Of a pool with many.
enum { MANY = 32 };

static int created;
static bool stands_still, lacks_memory;
static uint64_t pending[MANY + 1]; ///< on each stream
static uintptr_t with_room;        ///< goes on while the others stand still
static int pauses;
static bool trims; ///< in each pause
static agpu__device device;

static CUresult create_stream(CUstream *stream, unsigned int flags) {
  (void)flags;
  if (lacks_memory)
    return CUDA_ERROR_OUT_OF_MEMORY;
  CHECK(created < MANY);
  *stream = (CUstream)(void *)(uintptr_t)++created;
  return CUDA_SUCCESS;
}

static CUresult destroy_stream(CUstream stream) {
  (void)stream;
  return CUDA_SUCCESS;
}

static CUresult query_stream(CUstream stream) {
  if (stands_still && (uintptr_t)(void *)stream != with_room)
    return CUDA_ERROR_NOT_READY;
  pending[(uintptr_t)(void *)stream] = 0;
  return CUDA_SUCCESS;
}

/// Instead of the system's: while the pool waits.
int nanosleep(const struct timespec *duration, struct timespec *left) {
  (void)duration, (void)left;
  ++pauses;
  if (trims) {
    stands_still = false;
    (void)agpu__stream_pool_trim(&device);
    CHECK(agpu__stream_pool_trim(&device));
  }
  return 0;
}

static CUresult set_current(CUcontext context) {
  (void)context;
  return CUDA_SUCCESS;
}

static const agpu__driver driver = {.name = "test",
                                    .cuCtxSetCurrent = set_current,
                                    .cuStreamCreate = create_stream,
                                    .cuStreamDestroy = destroy_stream,
                                    .cuStreamQuery = query_stream};
static agpu__shared shared;

/// A region with one piece of work. The entries pending on its stream then.
static uint64_t enqueue(void) {
  agpu__pool_stream *stream;
  uint64_t loan;
  CHECK(!agpu__stream_pool_acquire(&device, 0, NULL, &stream, &loan));
  atomic_fetch_add(&stream->position, 1);
  uint64_t entries = pending[(uintptr_t)(void *)stream->handle] += EACH;
  agpu__stream_pool_release(stream, NULL);
  return entries;
}

static void open_pool(unsigned bound, unsigned most) {
  created = pauses = 0;
  memset(pending, 0, sizeof pending);
  device = (agpu__device){.driver = &driver, .opening = 1, .shared = &shared};
  device.streams = agpu__stream_pool_create(bound, most);
}

int main(void) {
  // Nothing is pending for long: the bound holds.
  open_pool(BOUND, MOST);
  for (int i = 0; i < LOANS; ++i)
    (void)enqueue();
  CHECK_EQ(created, BOUND);

  // Up to the most that are possible no queue is full.
  stands_still = true;
  while (created < MOST)
    CHECK(enqueue() <= ENTRIES);
  CHECK(enqueue() <= ENTRIES);

  // It goes on, and the streams that there are have room.
  stands_still = false;
  for (int i = 0; i < LOANS; ++i)
    CHECK(enqueue() <= ENTRIES);
  CHECK_EQ(created, MOST);
  agpu__stream_pool_destroy(device.streams);

  // Where the driver has none for another one, those that are lent are shared.
  open_pool(BOUND, MOST);
  agpu__pool_stream *lent;
  uint64_t loan;
  for (int i = 0; i < BOUND; ++i)
    CHECK(!agpu__stream_pool_acquire(&device, 0, NULL, &lent, &loan));
  lacks_memory = stands_still = true;
  for (int i = 0; i < LOANS; ++i)
    (void)enqueue();
  CHECK_EQ(created, BOUND);
  lacks_memory = false;
  agpu__stream_pool_destroy(device.streams);

  // All are looked at before the first pause.
  open_pool(MANY, MANY + 1);
  stands_still = true;
  for (int i = 0; i < MANY * 200; ++i)
    (void)enqueue();
  CHECK_EQ(created, MANY);
  with_room = MANY;
  (void)enqueue();
  CHECK_EQ(pauses, 0);
  with_room = 0;
  agpu__stream_pool_destroy(device.streams);

  // In a pause, those that no one has may go.
  open_pool(BOUND, MOST);
  for (int i = 0; i < BOUND * 200; ++i)
    (void)enqueue();
  trims = true;
  (void)enqueue();
  CHECK_EQ(pauses, 1);
  CHECK_EQ(created, BOUND + 1);
  trims = false;
  agpu__stream_pool_destroy(device.streams);

  // Without more, as in the rounds of graphs, nothing is asked.
  stands_still = true;
  open_pool(BOUND, BOUND);
  for (int i = 0; i < LOANS; ++i)
    (void)enqueue();
  CHECK_EQ(created, BOUND);
  agpu__stream_pool_destroy(device.streams);
  return 0;
}
