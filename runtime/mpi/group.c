//===- group.c - The communicators of a grid ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ranks of the world are a grid, the last axis of which is the fastest.
// What takes place along some of its axes has a communicator of its own: ranks
// that begin such things in different orders do not mix them up.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/mpi.h"

#include "mpi/internal.h"

#include <stdio.h>

static agpu__mpi_world *const world = &agpu__the_mpi_world;

enum { AXES = 3 };

typedef struct place {
  int64_t sizes[AXES];
  int64_t at[AXES]; // where this rank is
} place;

/// What is asked for, behind the request.
typedef struct question {
  int64_t sizes[AXES];
  int64_t axes;
} question;

static void print_sizes(const int64_t *sizes, char *buffer, size_t size) {
  int used = 0;
  for (int i = 0; i < AXES; ++i) {
    // Axes that a grid does not have are of size 1.
    bool is_last = i + 1 == AXES || (sizes[i + 1] == 1 && i + 2 == AXES) ||
                   (sizes[i + 1] == 1 && sizes[AXES - 1] == 1);
    int length = sizes[i] < 0
                     ? snprintf(buffer + used, size - (size_t)used, "?")
                     : snprintf(buffer + used, size - (size_t)used, "%lld",
                                (long long)sizes[i]);
    used += length;
    if (is_last)
      return;
    used += snprintf(buffer + used, size - (size_t)used, "x");
  }
}

/// Finds where the rank is. False, with a failure, where the ranks are not as
/// many as the grid has, which is for the first to say: others wait for it in
/// the call that it does not make, and are ended by it.
static bool find_place(agpu__mpi_request *request, const question *asked,
                       place *out_grid) {
  int64_t known = 1;
  int unknown = -1;
  for (int i = 0; i < AXES; ++i) {
    out_grid->sizes[i] = asked->sizes[i];
    if (asked->sizes[i] < 0)
      unknown = i;
    else
      known *= asked->sizes[i];
  }
  bool fits = known > 0 &&
              (unknown < 0 ? world->size == known : world->size % known == 0);
  if (!fits && world->rank) {
    *out_grid =
        (place){.sizes = {world->size, 1, 1}, .at = {world->rank, 0, 0}};
    return true;
  }
  if (!fits) {
    char sizes[80];
    print_sizes(asked->sizes, sizes, sizeof sizes);
    request->failure = agpu_status_create(
        AGPU_STATUS_PROGRAM, request->location,
        "shard.grid: a grid of %s needs %s%lld ranks, and the launcher has "
        "started %d",
        sizes, unknown < 0 ? "" : "a multiple of ", (long long)known,
        world->size);
    return false;
  }
  if (unknown >= 0)
    out_grid->sizes[unknown] = world->size / known;
  int64_t rest = world->rank;
  for (int i = AXES; i-- > 0; rest /= out_grid->sizes[i])
    out_grid->at[i] = rest % out_grid->sizes[i];
  return true;
}

static agpu__mpi_started start_group(agpu__mpi_request *request) {
  const question *asked = request->packed;
  place grid;
  if (!find_place(request, asked, &grid))
    return AGPU__MPI_DONE;
  bool is_in[AXES] = {false};
  int64_t key = 0, color = 0;
  for (int64_t axes = asked->axes; axes; axes >>= 4) {
    int64_t axis = (axes & 15) - 1;
    is_in[axis] = true;
    key = key * grid.sizes[axis] + grid.at[axis];
  }
  for (int i = 0; i < AXES; ++i)
    if (!is_in[i])
      color = color * grid.sizes[i] + grid.at[i];
  agpu__mpi_handle made = 0;
  uint64_t id = agpu__mpi_comm_split_id(0, (int32_t)color);
  request->end.code = world->library.comm_split(world->library.world,
                                                (int)color, (int)key, &made);
  if (!request->end.code)
    agpu__mpi_comm_add((int64_t)made, id);
  agpu__mpi_result *result = agpu__object_storage(request->object);
  result->value.comm = (int64_t)made;
  request->waits_for_all = true;
  return AGPU__MPI_DONE;
}

static const agpu__mpi_operation group = {.name = "shard.grid",
                                          .start = start_group,
                                          .is_blocking = true,
                                          .needs_mpi = true};

agpu_object *agpu_mpi_begin(const char *location) {
  return agpu__mpi_ask_to_begin(&agpu__mpi_operation_begin, location);
}

agpu_object *agpu_mpi_group(int64_t rows, int64_t columns, int64_t layers,
                            int64_t axes, const char *location) {
  question asked = {{rows, columns, layers}, axes};
  return agpu__mpi_ask(&group, &asked, sizeof asked, 0, location);
}
