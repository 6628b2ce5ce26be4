//===- kept.c - Memory of rounds ------------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first block of the size that is free is taken: rounds that allocate and
// free alike get the same ones. Work that uses it depends on what used it
// before: in a round by dependencies of nodes, between rounds by the stream.
// Each device has memory of its own.
//
//===----------------------------------------------------------------------===//

#include "gpu/graph/record.h"

#include "base/memory/memory.h"

struct agpu__kept_block {
  CUdeviceptr pointer;
  const agpu__device *device;
  size_t bytes;         ///< 0: it is to be freed at the end of the round
  const char *location; ///< where it was freed
  bool is_used;
  uint64_t round; ///< in which it was freed, after the nodes
  uint32_t *ends;
  size_t end_count, end_capacity;
};

static agpu__kept_block *append(const agpu__lane *lane, CUdeviceptr pointer,
                                size_t bytes) {
  agpu__recorder *of = lane->of;
  of->kept = agpu__memory_grow(of->kept, &of->kept_capacity, of->kept_count + 1,
                               sizeof *of->kept, "a graph");
  agpu__kept_block *made = &of->kept[of->kept_count++];
  *made = (agpu__kept_block){.pointer = pointer,
                             .device = lane->side->base,
                             .bytes = bytes,
                             .is_used = true};
  return made;
}

static agpu__kept_block *find_used(agpu__recorder *of, CUdeviceptr pointer) {
  for (size_t i = 0; i < of->kept_count; ++i)
    if (of->kept[i].is_used && of->kept[i].pointer == pointer)
      return &of->kept[i];
  return NULL;
}

/// Takes it off the list; the others keep their order.
static void take_off(agpu__recorder *of, agpu__kept_block *block) {
  size_t place = (size_t)(block - of->kept);
  agpu__memory_free(block->ends);
  --of->kept_count;
  for (size_t i = place; i < of->kept_count; ++i)
    of->kept[i] = of->kept[i + 1];
}

CUresult agpu__kept_follow(agpu__recorder *of) {
  CUresult result =
      of->kept_count ? agpu__lane_order(of->stream, of->kept_on) : CUDA_SUCCESS;
  if (!result)
    of->kept_on = of->stream;
  return result;
}

bool agpu__kept_take(agpu__lane *lane, size_t bytes, CUdeviceptr *out_pointer) {
  agpu__recorder *of = lane->of;
  size_t i = 0;
  while (i < of->kept_count &&
         (of->kept[i].is_used || of->kept[i].bytes != bytes ||
          of->kept[i].device != lane->side->base))
    ++i;
  if (i == of->kept_count)
    return false;
  agpu__kept_block *block = &of->kept[i];
  for (size_t k = 0; block->round == of->round && k < block->end_count; ++k)
    agpu__lane_add_pending(lane, block->ends[k]);
  block->is_used = true;
  *out_pointer = block->pointer;
  return true;
}

void agpu__kept_add(const agpu__lane *lane, CUdeviceptr pointer, size_t bytes) {
  // Where the device looks at memory, what is freed has to be gone.
  if (!agpu__driver_checks_memory(lane->of->base->driver))
    (void)append(lane, pointer, bytes);
}

void agpu__kept_give(agpu__lane *lane, CUdeviceptr pointer) {
  agpu__recorder *of = lane->of;
  agpu__kept_block *block = find_used(of, pointer);
  if (!block)
    block = append(lane, pointer, 0);
  block->location = agpu__driver_get_origin().location;
  block->is_used = false;
  block->round = of->round;
  block->ends = agpu__memory_grow(block->ends, &block->end_capacity,
                                  lane->pending_count + 1, sizeof *block->ends,
                                  "a graph");
  block->end_count = agpu__lane_get_ends(lane, block->ends);
}

void agpu__kept_forget(agpu__recorder *of, CUdeviceptr pointer) {
  agpu__kept_block *block = find_used(of, pointer);
  if (block)
    take_off(of, block);
}

CUresult agpu__kept_end(agpu__recorder *of, bool all,
                        const char **out_location) {
  const agpu__driver *driver = of->base->driver;
  CUresult result = CUDA_SUCCESS;
  size_t bytes = 0, kept = 0;
  for (size_t i = 0; i < of->kept_count; ++i) {
    agpu__kept_block *block = &of->kept[i];
    bytes += block->bytes;
    bool is_freed = !block->is_used && (!block->bytes || of->why ||
                                        bytes > of->base->shared->keep_bytes);
    if (is_freed) {
      agpu__pool_stream *at;
      CUresult freed = agpu__lane_cross(of->stream, block->device, &at);
      if (!freed)
        freed = agpu__lane_return(
            of->stream, at, driver->cuMemFreeAsync(block->pointer, at->handle));
      if (freed && !result) {
        result = freed;
        *out_location = block->location;
      }
    }
    if (is_freed || (all && block->is_used)) {
      bytes -= block->bytes;
      agpu__memory_free(block->ends);
    } else {
      of->kept[kept++] = *block;
    }
  }
  of->kept_count = kept;
  return result;
}

bool agpu__kept_has_free(const agpu__recorder *of) {
  for (size_t i = 0; i < of->kept_count; ++i)
    if (!of->kept[i].is_used)
      return true;
  return false;
}

bool agpu__kept_release(agpu__recorder *of, agpu__kept_work work) {
  const agpu__driver *driver = of->base->driver;
  // That of the last round. One without a handle was idle when that went.
  CUstream busy =
      work != AGPU__KEPT_DONE && of->kept_on ? of->kept_on->handle : NULL;
  size_t used = 0, count = of->kept_count;
  bool is_awaited = !busy;
  for (size_t i = 0; i < of->kept_count; ++i) {
    const agpu__kept_block *block = &of->kept[i];
    if (block->is_used) {
      of->kept[used++] = *block;
      continue;
    }
    // cuMemFree would not wait for work that uses memory of a pool, and none of
    // another device's goes back in the order of this stream.
    agpu__device_enter(of->base);
    if (!is_awaited && block->device != of->base) {
      (void)driver->cuStreamSynchronize(busy);
      is_awaited = true;
    }
    agpu__device_enter_again(block->device);
    (void)(is_awaited ? driver->cuMemFree(block->pointer)
                      : driver->cuMemFreeAsync(block->pointer, busy));
    agpu__memory_free(block->ends);
  }
  of->kept_count = used;
  agpu__device_enter(of->base);
  if (work == AGPU__KEPT_AWAITED && busy && used < count)
    (void)driver->cuStreamSynchronize(busy);
  return used < count;
}
