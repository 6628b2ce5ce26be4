//===- traced.c - What the recording of calls shares ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state, and the tracks of streams by their handles. A device's streams are
// numbered as they turn up.
//
//===----------------------------------------------------------------------===//

#include "gpu/trace/traced.h"

/// The null stream of a device, as a key.
#define NULL_STREAM(device) ((uint64_t)(device) + 1)
/// Keys of lanes are no addresses.
#define LANE_KEY ((uint64_t)1 << 63)

agpu__traced_state agpu__traced = {.lock = AGPU__MUTEX_INIT(AGPU__RANK_TRACED)};

static unsigned
    stream_counts[AGPU__MAX_DEVICES] AGPU__GUARDED_BY(agpu__traced.lock);

static uint64_t key_of(CUstream stream) {
  return stream ? (uint64_t)(uintptr_t)stream
                : NULL_STREAM(agpu__traced_device());
}

/// The track of that key; the first time, a new one.
static agpu__stream_track *get_track(uint64_t key) {
  agpu__mutex_lock(&agpu__traced.lock);
  agpu__stream_track *track =
      (agpu__stream_track *)(uintptr_t)agpu__traced_find(&agpu__traced.streams,
                                                         key);
  if (!track) {
    int device = agpu__traced_device();
    track = agpu__stream_track_create(device, stream_counts[device]++);
    (void)agpu__traced_store(&agpu__traced.streams, key,
                             (uint64_t)(uintptr_t)track);
  }
  agpu__mutex_unlock(&agpu__traced.lock);
  return track;
}

agpu__stream_track *agpu__traced_stream(CUstream stream) {
  return get_track(key_of(stream));
}

agpu__stream_track *agpu__traced_lane(CUstream stream, unsigned lane) {
  return get_track(lane ? LANE_KEY | key_of(stream) << 8 | lane
                        : key_of(stream));
}
