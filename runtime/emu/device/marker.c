//===- marker.c - Positions in streams ------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A flag that is set once, a condition for those who wait for it, and the stamp
// of the op that sets it. A waiter polls the flag for a moment before it
// sleeps, and runs blocks meanwhile: the next op of a stream that waits for
// another begins at once then.
//
//===----------------------------------------------------------------------===//

#include "emu/device/marker.h"

#include "base/os/clock.h"
#include "base/report/assert.h"
#include "base/sync/mutex.h"
#include "emu/simt/launch.h"

#include <stdlib.h>

struct agpu__emu_marker {
  atomic_uint references;
  agpu__mutex lock;
  agpu__condition changed;             // `reached` has
  atomic_bool reached;                 // set under the lock
  int64_t time AGPU__GUARDED_BY(lock); // when it was, if it is timed
  bool is_timed;
  atomic_bool is_announced;
  _Atomic(int64_t) modelled; // emu/model's time of it; -1: not known yet
  agpu__emu_stamp *stamp;    // constant once the marker is in a stream
};

agpu__emu_marker *agpu__emu_marker_create(bool is_timed) {
  agpu__emu_marker *marker = calloc(1, sizeof *marker);
  if (!marker)
    return NULL;
  marker->is_timed = is_timed;
  atomic_init(&marker->references, 1);
  atomic_init(&marker->modelled, -1);
  agpu__mutex_init(&marker->lock, AGPU__RANK_EMU_MARKER);
  agpu__condition_init(&marker->changed);
  return marker;
}

void agpu__emu_marker_retain(agpu__emu_marker *marker) {
  atomic_fetch_add_explicit(&marker->references, 1, memory_order_relaxed);
}

void agpu__emu_marker_release(agpu__emu_marker *marker) {
  // Release and acquire: what other holders did comes before the free.
  if (!marker || atomic_fetch_sub_explicit(&marker->references, 1,
                                           memory_order_acq_rel) != 1)
    return;
  agpu__condition_destroy(&marker->changed);
  agpu__mutex_destroy(&marker->lock);
  agpu__emu_stamp_release(marker->stamp);
  free(marker);
}

void agpu__emu_marker_set_stamp(agpu__emu_marker *marker,
                                agpu__emu_stamp *stamp) {
  AGPU__ASSERT(!marker->stamp);
  marker->stamp = agpu__emu_stamp_retain(stamp);
}

const agpu__emu_stamp *
agpu__emu_marker_get_stamp(const agpu__emu_marker *marker) {
  return marker->stamp;
}

static bool is_reached(void *marker) {
  return atomic_load_explicit(&((agpu__emu_marker *)marker)->reached,
                              memory_order_acquire);
}

void agpu__emu_marker_reach(agpu__emu_marker *marker) {
  agpu__mutex_lock(&marker->lock);
  AGPU__ASSERT(!is_reached(marker));
  if (marker->is_timed)
    marker->time = agpu__clock_machine_ns();
  // Release: who sees it sees what the stream did before.
  atomic_store_explicit(&marker->reached, true, memory_order_release);
  agpu__condition_broadcast(&marker->changed);
  agpu__mutex_unlock(&marker->lock);
}

void agpu__emu_marker_wait(agpu__emu_marker *marker) {
  if (agpu__emu_launch_help(is_reached, marker))
    return;
  agpu__mutex_lock(&marker->lock);
  while (!is_reached(marker))
    agpu__condition_wait(&marker->changed, &marker->lock);
  agpu__mutex_unlock(&marker->lock);
}

bool agpu__emu_marker_is_reached(agpu__emu_marker *marker) {
  return is_reached(marker);
}

void agpu__emu_marker_set_modelled(agpu__emu_marker *marker, int64_t time,
                                   bool is_announced) {
  atomic_store(&marker->is_announced, is_announced);
  atomic_store(&marker->modelled, time);
}

bool agpu__emu_marker_is_announced(const agpu__emu_marker *marker) {
  return atomic_load(&marker->is_announced);
}

int64_t agpu__emu_marker_get_modelled(const agpu__emu_marker *marker) {
  return atomic_load(&marker->modelled);
}

int64_t agpu__emu_marker_get_time(agpu__emu_marker *marker) {
  if (agpu__emu_marker_get_modelled(marker) >= 0)
    return agpu__emu_marker_get_modelled(marker);
  agpu__mutex_lock(&marker->lock);
  int64_t time = marker->time;
  agpu__mutex_unlock(&marker->lock);
  return time;
}
