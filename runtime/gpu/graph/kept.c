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
//
//===----------------------------------------------------------------------===//

#include "gpu/graph/record.h"

#include "base/memory/memory.h"

struct agpu__kept_block {
  CUdeviceptr pointer;
  size_t bytes;         ///< 0: it is to be freed at the end of the round
  const char *location; ///< where it was freed
  bool is_used;
  uint64_t round; ///< in which it was freed, after the nodes
  uint32_t *ends;
  size_t end_count, end_capacity;
};

static agpu__kept_block *append(agpu__recorder *of) {
  of->kept = agpu__memory_grow(of->kept, &of->kept_capacity, of->kept_count + 1,
                               sizeof *of->kept, "a graph");
  agpu__kept_block *made = &of->kept[of->kept_count++];
  *made = (agpu__kept_block){.is_used = true};
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

bool agpu__kept_take(agpu__lane *lane, size_t bytes, CUdeviceptr *out_pointer) {
  agpu__recorder *of = lane->of;
  size_t i = 0;
  while (i < of->kept_count &&
         (of->kept[i].is_used || of->kept[i].bytes != bytes))
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

void agpu__kept_add(agpu__recorder *of, CUdeviceptr pointer, size_t bytes) {
  // Where the device looks at memory, what is freed has to be gone.
  if (agpu__driver_checks_memory(of->base->driver))
    return;
  agpu__kept_block *block = append(of);
  block->pointer = pointer;
  block->bytes = bytes;
}

void agpu__kept_give(agpu__lane *lane, CUdeviceptr pointer) {
  agpu__recorder *of = lane->of;
  agpu__kept_block *block = find_used(of, pointer);
  if (!block) {
    block = append(of);
    block->pointer = pointer;
  }
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
      CUresult freed =
          driver->cuMemFreeAsync(block->pointer, of->stream->handle);
      atomic_fetch_add_explicit(&of->stream->position, 1, memory_order_release);
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
  agpu__device_enter(of->base);
  const agpu__driver *driver = of->base->driver;
  // That of the last round. One without a handle was idle when that went.
  CUstream busy =
      work != AGPU__KEPT_DONE && of->kept_on ? of->kept_on->handle : NULL;
  size_t used = 0, count = of->kept_count;
  for (size_t i = 0; i < of->kept_count; ++i) {
    if (of->kept[i].is_used) {
      of->kept[used++] = of->kept[i];
      continue;
    }
    // cuMemFree would not wait for work that uses memory of a pool.
    (void)(busy ? driver->cuMemFreeAsync(of->kept[i].pointer, busy)
                : driver->cuMemFree(of->kept[i].pointer));
    agpu__memory_free(of->kept[i].ends);
  }
  of->kept_count = used;
  if (work == AGPU__KEPT_AWAITED && busy && used < count)
    (void)driver->cuStreamSynchronize(busy);
  return used < count;
}
