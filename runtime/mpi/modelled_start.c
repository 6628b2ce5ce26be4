//===- modelled_start.c - Ranks come to share a clock ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// They share memory, which has a name only until all have it: nothing is left
// when they end, however that is.
//
//===----------------------------------------------------------------------===//

#include "mpi/modelled.h"

#include "base/sync/schedule.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static agpu__mpi_world *const world = &agpu__the_mpi_world;

/// Whether all ranks say so. False where the library fails.
static bool all_of(bool said, int *code) {
  const agpu__mpi_library *library = &world->library;
  int32_t least = said;
  agpu__mpi_handle request;
  agpu__mpi_ended end = {0};
  if (!*code)
    *code = library->iallreduce(NULL, &least, 1, library->types[AGPU_MPI_INT32],
                                library->reductions[AGPU_MPI_MIN],
                                library->world, &request);
  if (*code)
    return false;
  while (!library->test(&request, &end))
    (void)sched_yield();
  *code = end.code;
  return !*code && least;
}

/// Whether all ranks are on this machine.
static bool is_together(int *code) {
  const agpu__mpi_library *library = &world->library;
  agpu__mpi_handle local;
  int size = 0;
  if (!*code)
    *code = library->comm_split_shared(library->world, &local);
  if (*code)
    return false;
  *code = library->comm_size(local, &size);
  (void)library->comm_free(local);
  return size == world->size;
}

static void *map(const char *name, int flags, size_t bytes) {
  int file = open(name, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
  void *memory = MAP_FAILED;
  if (file >= 0 &&
      !((flags & O_CREAT) && posix_fallocate(file, 0, (off_t)bytes)))
    memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file >= 0)
    (void)close(file);
  return memory == MAP_FAILED ? NULL : memory;
}

/// Why it cannot be; NULL: the rank has joined.
static const char *join(const agpu__network_calls *network, int *code) {
  char name[64];
  bool is_first = world->rank == 0;
  (void)snprintf(name, sizeof name, "/dev/shm/async-gpu-%016" PRIx64,
                 world->job);
  if (!all_of(is_together(code), code))
    return "ranks on several machines have no clock in common: run all on one";
  void *memory =
      is_first ? map(name, O_RDWR | O_CREAT | O_EXCL, network->bytes) : NULL;
  bool is_made = !is_first || (memory && network->create(memory, world->size));
  is_made = all_of(is_made, code);
  if (is_made && !is_first)
    memory = map(name, O_RDWR, network->bytes);
  bool has_memory = all_of(is_made && memory, code);
  if (is_first)
    (void)unlink(name);
  if (!has_memory)
    return "ranks could not share memory (/dev/shm), or are more than 256";
  bool has_joined = network->join(memory, world->rank, agpu__mpi_modelled_poll);
  return all_of(has_joined, code) ? NULL : "ranks have different models";
}

int agpu__mpi_modelled_init(agpu__mpi_request *request) {
  const agpu__network_calls *network = agpu__schedule_network();
  int code = 0;
  bool is_wanted = network != NULL;
  bool are_all = all_of(is_wanted, &code);
  bool is_none = all_of(!is_wanted, &code);
  if (code || is_none)
    return code;
  const char *why = !are_all ? "some ranks have a model, and others none"
                    : !world->is_multiple
                        ? "the MPI library lets but one thread call it"
                        : join(network, &code);
  if (code)
    return code;
  if (why) {
    request->failure = agpu_status_create(
        AGPU_STATUS_UNSUPPORTED, request->location,
        "%s: no modelled time for messages: %s", request->operation->name, why);
    return 0;
  }
  atomic_store(&world->is_modelled, true);
  atomic_store(&request->is_here, true);
  if (network->begin_all(request, AGPU__NETWORK_BARRIER, 0, world->size, 0,
                         request->handed))
    while (!network->await())
      ;
  return 0;
}
