//===- bulk.c - Copies in bulk --------------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy is checked when it begins, and made when it ends: only then is its
// source read. A box of a tensor is copied row by row, in pieces of 16 bytes,
// which is what swizzling moves; elements out of bounds are filled, and counted
// like others, or not written.
//
//===----------------------------------------------------------------------===//

#include "emu/simt/bulk.h"

#include "async_gpu/compiled/native_thread.h"
#include "driver_api/values.h"
#include "emu/base/settings.h"
#include "emu/memory/memory.h"
#include "emu/simt/elements.h"

#include <stdlib.h>
#include <string.h>

#define PIECE 16u
/// Bytes of the longest row of a box.
#define LONGEST_ROW (256u * 8u)
#define TENSOR_ALIGNMENT 128u

static agpu__emu_actor actor_of(const agpu__emu_runner *runner,
                                const agpu__emu_bulk *copy) {
  const uint32_t *size = runner->block.block_dim;
  return (agpu__emu_actor){copy->location,
                           {copy->thread % size[0],
                            copy->thread / size[0] % size[1],
                            copy->thread / (size[0] * size[1])}};
}

/// Where global memory is: as an access of the thread that has begun the copy.
static char *global(const agpu__emu_runner *runner, const agpu__emu_bulk *copy,
                    uintptr_t address, uint32_t bytes, uint32_t flags) {
  if (!agpu__emu_checks_accesses() || !bytes)
    return agpu__emu_memory_host((CUdeviceptr)address);
  agpu__emu_actor actor = actor_of(runner, copy);
  return agpu_native_check((void *)address, bytes, 1, flags, copy->location,
                           actor.thread[0], actor.thread[1], actor.thread[2]);
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

/// Moves a row between its place in a box in shared memory and `row`.
static void move_row(const agpu__emu_tensor_map *map, char *place, char *row,
                     uint32_t bytes, bool to_shared) {
  for (uint32_t i = 0; i < bytes; i += PIECE) {
    bool flipped;
    uintptr_t address = (uintptr_t)(place + i);
    char *piece = (char *)agpu__emu_swizzle(address, map->swizzle, &flipped);
    char halves[PIECE];
    memcpy(halves, to_shared ? row + i : piece, PIECE);
    if (flipped) {
      char half[PIECE / 2];
      memcpy(half, halves, sizeof half);
      memcpy(halves, halves + PIECE / 2, PIECE / 2);
      memcpy(halves + PIECE / 2, half, sizeof half);
    }
    memcpy(to_shared ? piece : row + i, halves, PIECE);
  }
}

static void load_box(const agpu__emu_runner *runner, const agpu__emu_bulk *copy,
                     char *to) {
  const agpu__emu_tensor_map *map = &copy->map;
  uint32_t bytes = agpu__emu_tensor_map_row_bytes(map);
  uint32_t rows = agpu__emu_tensor_map_box_bytes(map) / bytes;
  uint32_t element = (uint32_t)map->strides[0];
  for (uint32_t i = 0; i < rows; ++i) {
    char row[LONGEST_ROW];
    agpu__emu_tensor_row part =
        agpu__emu_tensor_map_row(map, copy->at, copy->offsets, i);
    if (map->fill)
      agpu__emu_elements_fill_nan((CUtensorMapDataType)map->type, row, bytes);
    else
      memset(row, 0, bytes);
    uint32_t inside = (part.end - part.first) * element;
    if (inside)
      memcpy(row + part.first * element,
             global(runner, copy, (uintptr_t)part.address, inside,
                    AGPU_NATIVE_READS),
             inside);
    move_row(map, to + i * bytes, row, bytes, true);
  }
}

/// Writes a box that has been read, or combines it with what is there.
static void store_box(const agpu__emu_runner *runner,
                      const agpu__emu_bulk *copy, char *box) {
  const agpu__emu_tensor_map *map = &copy->map;
  uint32_t bytes = agpu__emu_tensor_map_row_bytes(map);
  uint32_t rows = agpu__emu_tensor_map_box_bytes(map) / bytes;
  uint32_t element = (uint32_t)map->strides[0];
  bool combines = copy->what == AGPU_NATIVE_BULK_REDUCE;
  for (uint32_t i = 0; i < rows; ++i) {
    agpu__emu_tensor_row part =
        agpu__emu_tensor_map_row(map, copy->at, copy->offsets, i);
    uint32_t inside = (part.end - part.first) * element;
    if (!inside)
      continue;
    char *to = global(runner, copy, (uintptr_t)part.address, inside,
                      combines ? AGPU_NATIVE_READS | AGPU_NATIVE_WRITES |
                                     AGPU_NATIVE_ATOMIC
                               : AGPU_NATIVE_WRITES);
    const char *from = box + i * bytes + part.first * element;
    if (combines)
      agpu__emu_elements_combine((CUtensorMapDataType)map->type,
                                 copy->reduction, to, from, inside);
    else
      memcpy(to, from, inside);
  }
}

//===----------------------------------------------------------------------===//
// The end of a copy
//===----------------------------------------------------------------------===//

static void end_flights(const agpu__emu_bulk *copy,
                        agpu__emu_phase_record *record, size_t i) {
  if (copy->flights[i])
    AGPU__EMU_TELL(flight_ends, (copy->flights[i], record));
}

/// The same place of another block's shared memory.
static void *in_block(const agpu__emu_runner *owner, const void *place,
                      agpu__emu_runner *block) {
  return (char *)block->block.shared +
         ((const char *)place - (const char *)owner->block.shared);
}

/// Makes a copy to shared memory, of one block or several.
static void end_load(agpu__emu_runner *runner, const agpu__emu_bulk *copy) {
  agpu__emu_actor actor = actor_of(runner, copy);
  uint32_t count = agpu__emu_peer_count(runner);
  size_t flight = 0;
  for (uint32_t rank = 0; rank < count; ++rank) {
    agpu__emu_runner *peer = agpu__emu_peer(runner, rank);
    agpu__emu_runner *owner = agpu__emu_owner(copy->to);
    bool is_one = copy->mask == AGPU_NATIVE_ONE_BLOCK;
    if (is_one ? peer != owner : !(copy->mask >> rank & 1))
      continue;
    char *to = in_block(owner, copy->to, peer);
    agpu__emu_phase *phase = agpu__emu_phase_find(
        in_block(agpu__emu_owner(copy->barrier), copy->barrier, peer), &actor);
    end_flights(copy, &phase->record, flight++);
    if (copy->is_tensor) {
      load_box(runner, copy, to);
      AGPU__EMU_TELL(tensor_loaded,
                     (to, copy->bytes, copy->map.swizzle, copy->location));
    } else if (copy->what == AGPU_NATIVE_BULK_LOAD) {
      memcpy(to,
             global(runner, copy, (uintptr_t)copy->from, copy->bytes,
                    AGPU_NATIVE_READS),
             copy->bytes);
    } else {
      memcpy(to, copy->from, copy->bytes);
    }
    agpu__emu_phase_complete(phase, 0, copy->bytes, &actor);
  }
}

/// Reads the source of a copy from shared memory.
static void read_source(agpu__emu_bulk *copy) {
  if (copy->kept)
    return;
  copy->kept = malloc(copy->bytes);
  if (!copy->kept)
    agpu__emu_block_fail(CUDA_ERROR_OUT_OF_MEMORY, NULL,
                         "no memory for its copies");
  end_flights(copy, NULL, 0);
  copy->flights[0] = 0;
  if (!copy->is_tensor) {
    memcpy(copy->kept, copy->from, copy->bytes);
    return;
  }
  uint32_t row = agpu__emu_tensor_map_row_bytes(&copy->map);
  for (uint32_t done = 0; done < copy->bytes; done += row)
    move_row(&copy->map, (char *)(uintptr_t)copy->from + done,
             copy->kept + done, row, false);
}

static void end_store(const agpu__emu_runner *runner, agpu__emu_bulk *copy) {
  read_source(copy);
  if (copy->is_tensor) {
    store_box(runner, copy, copy->kept);
  } else {
    char *to = global(runner, copy, (uintptr_t)copy->to, copy->bytes,
                      AGPU_NATIVE_WRITES);
    for (uint32_t i = 0; i < copy->bytes; ++i)
      if (copy->mask >> i % PIECE & 1)
        to[i] = copy->kept[i];
  }
  free(copy->kept);
  copy->kept = NULL;
}

static bool is_store(const agpu__emu_bulk *copy) {
  return copy->what == AGPU_NATIVE_BULK_STORE ||
         copy->what == AGPU_NATIVE_BULK_REDUCE;
}

static void remove_copy(agpu__emu_async *async, size_t i) {
  memmove(&async->bulks[i], &async->bulks[i + 1],
          (async->bulk_count - i - 1) * sizeof *async->bulks);
  --async->bulk_count;
}

bool agpu__emu_bulk_end_one(agpu__emu_runner *runner) {
  agpu__emu_async *async = runner->async;
  size_t loads = 0;
  for (size_t i = 0; async && i < async->bulk_count; ++i)
    loads += !is_store(&async->bulks[i]);
  if (!loads)
    return false;
  size_t wanted = agpu__emu_get_settings()->seeded
                      ? agpu__emu_random_next(&runner->random) % loads
                      : 0;
  size_t i = 0;
  while (is_store(&async->bulks[i]) || wanted--)
    ++i;
  const agpu__emu_bulk copy = async->bulks[i];
  remove_copy(async, i);
  end_load(runner, &copy);
  return true;
}

void agpu__emu_bulk_wait(agpu__emu_runner *runner, uint32_t thread,
                         uint32_t pending, bool reads_only) {
  agpu__emu_async *async = agpu__emu_async_get(runner);
  uint32_t closed = async->bulk_closed ? async->bulk_closed[thread] : 0;
  for (size_t i = 0; i < async->bulk_count; ++i) {
    agpu__emu_bulk *copy = &async->bulks[i];
    if (!is_store(copy) || copy->thread != thread ||
        copy->group + pending >= closed)
      continue;
    if (reads_only) {
      read_source(copy);
      continue;
    }
    end_store(runner, copy);
    remove_copy(async, i--);
  }
}

void agpu__emu_bulk_commit(agpu__emu_runner *runner, uint32_t thread) {
  agpu__emu_async *async = agpu__emu_async_get(runner);
  if (!async->bulk_closed)
    async->bulk_closed =
        calloc(runner->thread_count, sizeof *async->bulk_closed);
  if (!async->bulk_closed)
    agpu__emu_block_fail(CUDA_ERROR_OUT_OF_MEMORY, NULL,
                         "no memory for its copies");
  ++async->bulk_closed[thread];
}

/// The threads of the block have ended: ends all copies to global memory. Fails
/// the block where one to shared memory is under way.
static void finish(agpu__emu_runner *runner) {
  agpu__emu_async *async = runner->async;
  while (async && async->bulk_count) {
    agpu__emu_bulk *copy = &async->bulks[0];
    if (!is_store(copy)) {
      agpu__emu_actor actor = actor_of(runner, copy);
      agpu__emu_actor_fail(&actor, CUDA_ERROR_LAUNCH_FAILED,
                           "has begun a copy to shared memory that no thread "
                           "has waited for, and its block has ended");
    }
    end_store(runner, copy);
    remove_copy(async, 0);
  }
}

//===----------------------------------------------------------------------===//
// The beginning of a copy
//===----------------------------------------------------------------------===//

static void check_shared(const agpu__emu_runner *runner, const void *place,
                         uint32_t bytes, unsigned alignment,
                         const agpu__emu_actor *actor) {
  const agpu__emu_runner *owner = agpu__emu_owner(place);
  uintptr_t offset =
      owner ? (uintptr_t)place - (uintptr_t)owner->block.shared : 0;
  if (!owner || bytes > owner->block.shared_bytes - offset)
    agpu__emu_actor_fail(
        actor, CUDA_ERROR_ILLEGAL_ADDRESS,
        "copies %u bytes at offset %lld of workgroup memory of %u bytes", bytes,
        (long long)((intptr_t)place - (intptr_t)runner->block.shared),
        runner->block.shared_bytes);
  if (offset % alignment)
    agpu__emu_actor_fail(actor, CUDA_ERROR_MISALIGNED_ADDRESS,
                         "copies in bulk at offset %zu of workgroup memory, "
                         "which is not a multiple of %u",
                         (size_t)offset, alignment);
}

/// Tells the check of what a copy is about to touch.
static void begin_flights(agpu__emu_runner *runner, agpu__emu_bulk *copy) {
  if (!agpu__emu_hooks_table.flight_begins)
    return;
  agpu__emu_flight flight = {
      .target = runner, .thread = copy->thread, .location = copy->location};
  if (is_store(copy)) {
    flight.from = (uintptr_t)copy->from;
    flight.from_bytes = copy->bytes;
    flight.wait = "wait for its group (cp.async.bulk.wait_group)";
    copy->flights[0] = agpu__emu_hooks_table.flight_begins(&flight);
    return;
  }
  agpu__emu_runner *owner = agpu__emu_owner(copy->to);
  flight.to_bytes = copy->bytes;
  flight.wait = "wait for the phase of its mbarrier";
  size_t count = 0;
  for (uint32_t rank = 0; rank < agpu__emu_peer_count(runner); ++rank) {
    agpu__emu_runner *peer = agpu__emu_peer(runner, rank);
    if (copy->mask == AGPU_NATIVE_ONE_BLOCK ? peer != owner
                                            : !(copy->mask >> rank & 1))
      continue;
    flight.target = peer;
    flight.to = (uintptr_t)in_block(owner, copy->to, peer);
    copy->flights[count++] = agpu__emu_hooks_table.flight_begins(&flight);
  }
}

static void add(agpu__emu_runner *runner, agpu__emu_bulk *copy) {
  agpu__emu_async *async = agpu__emu_async_get(runner);
  async->bulks = agpu__emu_grow(async->bulks, async->bulk_count,
                                &async->bulk_capacity, sizeof *async->bulks);
  async->finish = finish;
  copy->group = async->bulk_closed ? async->bulk_closed[copy->thread] : 0;
  begin_flights(runner, copy);
  async->bulks[async->bulk_count++] = *copy;
}

void agpu_native_bulk_copy(uint32_t what, void *to, const void *from,
                           uint32_t bytes, void *barrier, uint32_t mask,
                           const char *location, uint32_t x, uint32_t y,
                           uint32_t z) {
  agpu__emu_runner *runner = agpu__emu_runner_current();
  const agpu__emu_actor actor = {location, {x, y, z}};
  agpu__emu_bulk copy = {.what = (agpu_native_bulk)what,
                         .to = to,
                         .from = from,
                         .bytes = bytes,
                         .barrier = barrier,
                         .mask = mask,
                         .thread = agpu__emu_thread_number(runner, x, y, z),
                         .location = location};
  if (bytes % PIECE || !bytes)
    agpu__emu_actor_fail(&actor, CUDA_ERROR_LAUNCH_FAILED,
                         "copies %u bytes in bulk, which is not a multiple of "
                         "%u",
                         bytes, PIECE);
  uintptr_t other = (uintptr_t)(what == AGPU_NATIVE_BULK_STORE ? to : from);
  if (other % PIECE)
    agpu__emu_actor_fail(&actor, CUDA_ERROR_MISALIGNED_ADDRESS,
                         "copies in bulk at 0x%llx, which is not a multiple of "
                         "%u",
                         (unsigned long long)other, PIECE);
  if (what != AGPU_NATIVE_BULK_STORE) {
    check_shared(runner, to, bytes, PIECE, &actor);
    (void)agpu__emu_phase_find(barrier, &actor);
  }
  if (what != AGPU_NATIVE_BULK_LOAD)
    check_shared(runner, from, bytes, PIECE, &actor);
  if (bytes)
    add(runner, &copy);
}

void agpu_native_tensor_copy(uint32_t what, uint32_t reduction,
                             const void *tensor_map, void *shared,
                             uint32_t rank, int32_t c0, int32_t c1, int32_t c2,
                             int32_t c3, int32_t c4, uint32_t mode, uint32_t o0,
                             uint32_t o1, uint32_t o2, void *barrier,
                             uint32_t mask, const char *location, uint32_t x,
                             uint32_t y, uint32_t z) {
  agpu__emu_runner *runner = agpu__emu_runner_current();
  const agpu__emu_actor actor = {location, {x, y, z}};
  agpu__emu_bulk copy = {.what = (agpu_native_bulk)what,
                         .reduction = (agpu_native_bulk_reduction)reduction,
                         .is_tensor = true,
                         .to = shared,
                         .from = shared,
                         .at = {c0, c1, c2, c3, c4},
                         .offsets = {(uint16_t)o0, (uint16_t)o1, (uint16_t)o2},
                         .barrier = barrier,
                         .mask = mask,
                         .thread = agpu__emu_thread_number(runner, x, y, z),
                         .location = location};
  tensor_map = global(runner, &copy, (uintptr_t)tensor_map, sizeof(CUtensorMap),
                      AGPU_NATIVE_READS);
  if (!agpu__emu_tensor_map_read(tensor_map, &copy.map))
    agpu__emu_actor_fail(&actor, CUDA_ERROR_LAUNCH_FAILED,
                         "copies by a tensor map that the driver has not made, "
                         "or that has changed since");
  if (copy.map.rank != rank)
    agpu__emu_actor_fail(&actor, CUDA_ERROR_LAUNCH_FAILED,
                         "gives %u coordinates for a tensor map of rank %u",
                         rank, copy.map.rank);
  if (copy.map.is_im2col != (mode == AGPU_NATIVE_TENSOR_IM2COL))
    agpu__emu_actor_fail(&actor, CUDA_ERROR_LAUNCH_FAILED,
                         "copies %s by a tensor map for %s",
                         copy.map.is_im2col ? "boxes" : "pixels (im2col)",
                         copy.map.is_im2col ? "pixels (im2col)" : "boxes");
  if (copy.map.interleave)
    agpu__emu_actor_fail(&actor, CUDA_ERROR_NOT_SUPPORTED,
                         "copies an interleaved tensor, which the emulated "
                         "device does not");
  if (what == AGPU_NATIVE_BULK_REDUCE &&
      !agpu__emu_elements_can((CUtensorMapDataType)copy.map.type,
                              copy.reduction))
    agpu__emu_actor_fail(&actor, CUDA_ERROR_LAUNCH_FAILED,
                         "combines elements that cannot be, of type %u of "
                         "CUtensorMapDataType",
                         copy.map.type);
  copy.bytes = agpu__emu_tensor_map_box_bytes(&copy.map);
  check_shared(runner, shared, copy.bytes, TENSOR_ALIGNMENT, &actor);
  if (what == AGPU_NATIVE_BULK_LOAD)
    (void)agpu__emu_phase_find(barrier, &actor);
  add(runner, &copy);
}
