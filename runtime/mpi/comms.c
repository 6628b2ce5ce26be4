//===- comms.c - The communicators of a program ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library's handle of a communicator says nothing on another rank. So each
// has an identity here that its ranks agree on without a message: that of the
// communicator it was split from, which split of that it was, and the color.
// All ranks of a communicator come to its splits in one order, as to all that
// they do together. The dialect frees no communicators, so that the table only
// grows.
//
//===----------------------------------------------------------------------===//

#include "mpi/internal.h"

#include "base/report/fatal.h"
#include "base/sync/mutex.h"

#include <stdlib.h>

typedef struct known {
  int64_t comm;
  uint64_t id;
  uint64_t splits; // so far
  uint32_t track;  // in a trace; 0: none yet
} known;

/// Requests that a trace counts together; a count of 0: there is none.
typedef struct channel {
  uint64_t comm; // its identity
  int32_t peer, tag;
  int kind;
  uint64_t count;
} channel;

static struct {
  agpu__mutex lock;
  known *list AGPU__GUARDED_BY(lock); // the first is the world
  size_t count AGPU__GUARDED_BY(lock);
  // By a hash, with linear probing; `places` is a power of two, or 0.
  channel *channels AGPU__GUARDED_BY(lock);
  size_t channel_count AGPU__GUARDED_BY(lock);
  size_t places AGPU__GUARDED_BY(lock);
} self = {.lock = AGPU__MUTEX_INIT(AGPU__RANK_MPI_COMMS)};

static void add(int64_t comm, uint64_t id) AGPU__REQUIRES(self.lock) {
  size_t bytes = (self.count + 1) * sizeof *self.list;
  known *list = realloc(self.list, bytes);
  if (!list)
    agpu__fatal_out_of_memory("communicators of MPI", (long long)bytes);
  self.list = list;
  self.list[self.count++] = (known){.comm = comm, .id = id};
}

/// NULL: none of ours.
static known *find(int64_t comm) AGPU__REQUIRES(self.lock) {
  if (!self.count)
    add(0, 0);
  for (size_t i = self.count; i-- > 0;)
    if (self.list[i].comm == comm)
      return &self.list[i];
  return NULL;
}

/// Of 64 bits, all of which depend on all of `value`'s: the finalizer of
/// SplitMix64 (Steele, Lea and Flood, 2014).
static uint64_t mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

uint64_t agpu__mpi_comm_id(int64_t comm) {
  agpu__mutex_lock(&self.lock);
  const known *of = find(comm);
  uint64_t id = of ? of->id : mix((uint64_t)comm);
  agpu__mutex_unlock(&self.lock);
  return id;
}

uint64_t agpu__mpi_comm_split_id(int64_t parent, int32_t color) {
  agpu__mutex_lock(&self.lock);
  known *of = find(parent);
  uint64_t id = of ? of->id : mix((uint64_t)parent);
  uint64_t number = of ? ++of->splits : 0;
  agpu__mutex_unlock(&self.lock);
  id = mix(mix(mix(id) ^ number) ^ (uint32_t)color);
  return id ? id : 1; // 0 is the world
}

void agpu__mpi_comm_add(int64_t comm, uint64_t id) {
  agpu__mutex_lock(&self.lock);
  known *of = find(comm);
  if (of)
    *of = (known){.comm = comm, .id = id};
  else
    add(comm, id);
  agpu__mutex_unlock(&self.lock);
}

int agpu__mpi_comm_place(int64_t comm, int *out_rank, int *out_size) {
  const agpu__mpi_library *library = &agpu__the_mpi_world.library;
  agpu__mpi_handle handle = agpu__mpi_comm(comm);
  int code = library->comm_rank(handle, out_rank);
  return code ? code : library->comm_size(handle, out_size);
}

uint32_t agpu__mpi_comm_track(int64_t comm, uint32_t track) {
  agpu__mutex_lock(&self.lock);
  known *of = find(comm);
  if (of && !of->track)
    of->track = track;
  track = of ? of->track : 0;
  agpu__mutex_unlock(&self.lock);
  return track;
}

/// Where the channel is, or would be.
static channel *find_channel(const channel *wanted) AGPU__REQUIRES(self.lock) {
  uint64_t key = (uint64_t)(uint32_t)wanted->peer << 32 | (uint32_t)wanted->tag;
  size_t at = (size_t)mix(mix(wanted->comm + (uint64_t)wanted->kind) ^ key);
  for (;; ++at) {
    channel *of = &self.channels[at & (self.places - 1)];
    if (!of->count || (of->comm == wanted->comm && of->peer == wanted->peer &&
                       of->tag == wanted->tag && of->kind == wanted->kind))
      return of;
  }
}

/// Keeps half of the places free.
static void grow_channels(void) AGPU__REQUIRES(self.lock) {
  if (2 * (self.channel_count + 1) <= self.places)
    return;
  channel *before = self.channels;
  size_t places = self.places;
  self.places = places ? 2 * places : 64;
  self.channels = calloc(self.places, sizeof *self.channels);
  if (!self.channels)
    agpu__fatal_out_of_memory("messages that a trace counts",
                              (long long)(self.places * sizeof *self.channels));
  for (size_t i = 0; i < places; ++i)
    if (before[i].count)
      *find_channel(&before[i]) = before[i];
  free(before);
}

uint64_t agpu__mpi_comm_count(int64_t comm, int kind, int32_t peer,
                              int32_t tag) {
  channel wanted = {
      .comm = agpu__mpi_comm_id(comm), .peer = peer, .tag = tag, .kind = kind};
  agpu__mutex_lock(&self.lock);
  grow_channels();
  channel *of = find_channel(&wanted);
  if (!of->count) {
    *of = wanted;
    ++self.channel_count;
  }
  uint64_t number = of->count++;
  agpu__mutex_unlock(&self.lock);
  return number;
}

int32_t agpu__mpi_comm_world_rank(int64_t comm, int32_t peer) {
  const agpu__mpi_library *library = &agpu__the_mpi_world.library;
  int rank = peer;
  if (comm && peer >= 0 &&
      library->world_rank(agpu__mpi_comm(comm), peer, &rank))
    return peer;
  return rank;
}
