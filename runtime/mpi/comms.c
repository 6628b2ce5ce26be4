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
} known;

static struct {
  agpu__mutex lock;
  known *list AGPU__GUARDED_BY(lock); // the first is the world
  size_t count AGPU__GUARDED_BY(lock);
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

int32_t agpu__mpi_comm_world_rank(int64_t comm, int32_t peer) {
  const agpu__mpi_library *library = &agpu__the_mpi_world.library;
  int rank = peer;
  if (comm && peer >= 0 &&
      library->world_rank(agpu__mpi_comm(comm), peer, &rank))
    return peer;
  return rank;
}
