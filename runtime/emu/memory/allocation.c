//===- allocation.c - The life of device memory ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each step of an allocation's life is a mark of its slot. The capacity of the
// device (capacity.h) is taken before there is a slot, and given back when the
// slot is.
//
//===----------------------------------------------------------------------===//

#include "emu/memory/allocation.h"

#include "base/report/assert.h"
#include "emu/base/context.h"
#include "emu/base/origin.h"
#include "emu/base/result.h"
#include "emu/base/settings.h"
#include "emu/memory/capacity.h"
#include "emu/memory/memory.h"

// Relaxed: a kernel that touches what another stream frees meanwhile may be
// found or not.
static atomic_uint version;

unsigned agpu__emu_memory_version(void) {
  return atomic_load_explicit(&version, memory_order_relaxed);
}

static const agpu__op_name nothing = {.what = NULL};

static bool take_capacity(CUdevice device, size_t bytes,
                          agpu__emu_memory_kind kind) {
  if (kind == AGPU__EMU_MANAGED)
    return agpu__emu_capacity_take_managed(bytes);
  return kind == AGPU__EMU_ORDERED
             ? agpu__emu_capacity_take_of_pool(device, bytes)
             : agpu__emu_capacity_take(device, bytes, false);
}

static void give_capacity(CUdevice device, size_t bytes,
                          agpu__emu_memory_kind kind) {
  if (kind == AGPU__EMU_MANAGED)
    agpu__emu_capacity_give_managed(bytes);
  else if (kind == AGPU__EMU_ORDERED)
    agpu__emu_capacity_give_to_pool(device, bytes);
  else
    agpu__emu_capacity_give(device, bytes);
}

CUresult agpu__emu_memory_allocate(CUdeviceptr *pointer, size_t bytes,
                                   agpu__emu_memory_kind kind) {
  if (!pointer || bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  CUdevice device = agpu__emu_current_device();
  if (!take_capacity(device, bytes, kind))
    return CUDA_ERROR_OUT_OF_MEMORY;
  agpu__rwlock_write(&agpu__emu_memory_lock);
  // What the host may touch has other chunks.
  bool guarded = kind != AGPU__EMU_MANAGED;
  agpu__emu_slot *at = agpu__emu_slot_take(
      bytes, guarded ? AGPU__EMU_OF_DEVICES
             : agpu__emu_get_settings()->exclusive_managed ? AGPU__EMU_IN_TURN
                                                           : AGPU__EMU_OF_BOTH);
  if (at) {
    at->bytes = bytes;
    at->device = device;
    at->context = agpu__emu_get_context();
    at->kind = kind;
    at->is_leaving = false;
    at->allocated = agpu__emu_origin_now();
    at->freed = nothing;
    AGPU__EMU_TELL(record_dropped, (&at->record));
    if (guarded)
      AGPU__EMU_TELL(allocated, (&at->record, bytes));
    atomic_store_explicit(&at->marks,
                          kind == AGPU__EMU_ORDERED ? 0 : AGPU__EMU_REACHED,
                          memory_order_relaxed);
    *pointer = at->base;
  }
  agpu__rwlock_end_write(&agpu__emu_memory_lock);
  if (!at)
    give_capacity(device, bytes, kind);
  return at ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/// The allocation that starts at `pointer` and is not freed yet is unnamed now.
static bool unname(CUdeviceptr pointer) AGPU__REQUIRES(agpu__emu_memory_lock) {
  agpu__emu_slot *at = agpu__emu_slot_find(pointer);
  if (!at || at->base != pointer || !at->bytes) {
    agpu__emu_slot_note("freed, but not a device allocation", pointer, 0);
    return false;
  }
  if (atomic_fetch_or_explicit(&at->marks, AGPU__EMU_UNNAMED,
                               memory_order_relaxed) &
      AGPU__EMU_UNNAMED) {
    agpu__emu_slot_note("device memory freed twice", pointer, at->bytes);
    return false;
  }
  at->freed = agpu__emu_origin_now();
  return true;
}

bool agpu__emu_memory_unname(CUdeviceptr pointer, bool *out_is_ordered) {
  agpu__rwlock_write(&agpu__emu_memory_lock);
  bool found = unname(pointer);
  *out_is_ordered =
      found && agpu__emu_slot_find(pointer)->kind == AGPU__EMU_ORDERED;
  agpu__rwlock_end_write(&agpu__emu_memory_lock);
  return found;
}

/// Whether the allocation, if it is one, is the current context's device's. The
/// API does not say what freeing another's does.
static bool is_own(CUdeviceptr pointer)
    AGPU__REQUIRES_SHARED(agpu__emu_memory_lock) {
  const agpu__emu_slot *at = agpu__emu_slot_find(pointer);
  CUdevice device = agpu__emu_current_device();
  if (!at || !at->bytes || at->device == device)
    return true;
  agpu__emu_note("memory of device %d freed on a stream of device %d",
                 at->device, device);
  return false;
}

bool agpu__emu_memory_leave(CUdeviceptr pointer) {
  agpu__rwlock_write(&agpu__emu_memory_lock);
  bool found = is_own(pointer) && unname(pointer);
  if (found) {
    agpu__emu_slot *at = agpu__emu_slot_find(pointer);
    at->is_leaving =
        at->kind != AGPU__EMU_MANAGED && at->kind != AGPU__EMU_OF_GRAPH;
    if (at->is_leaving)
      agpu__emu_capacity_leave(at->device, at->bytes, true);
  }
  agpu__rwlock_end_write(&agpu__emu_memory_lock);
  return found;
}

static void stop_leaving(agpu__emu_slot *at)
    AGPU__REQUIRES(agpu__emu_memory_lock) {
  if (at->is_leaving)
    agpu__emu_capacity_leave(at->device, at->bytes, false);
  at->is_leaving = false;
}

void agpu__emu_memory_stay(CUdeviceptr pointer) {
  agpu__rwlock_write(&agpu__emu_memory_lock);
  agpu__emu_slot *at = agpu__emu_slot_find(pointer);
  AGPU__ASSERT(at && at->base == pointer);
  stop_leaving(at);
  atomic_fetch_and_explicit(&at->marks, ~(unsigned)AGPU__EMU_UNNAMED,
                            memory_order_relaxed);
  at->freed = nothing;
  agpu__rwlock_end_write(&agpu__emu_memory_lock);
}

/// Fresh memory at an address that has been used before. The marks of names are
/// those of calls, the two others are the stream's: a launch may be enqueued
/// before the stream has come to the free in the one before.
static void reach_again(CUdeviceptr pointer) {
  agpu__rwlock_write(&agpu__emu_memory_lock);
  agpu__emu_slot *at = agpu__emu_slot_find(pointer);
  AGPU__ASSERT(at && at->base == pointer);
  AGPU__EMU_TELL(record_dropped, (&at->record));
  AGPU__EMU_TELL(allocated, (&at->record, at->bytes));
  atomic_fetch_and_explicit(&at->marks, ~(unsigned)AGPU__EMU_RELEASED,
                            memory_order_relaxed);
  atomic_fetch_or_explicit(&at->marks, AGPU__EMU_REACHED, memory_order_relaxed);
  agpu__rwlock_end_write(&agpu__emu_memory_lock);
}

void agpu__emu_memory_reach_alloc(CUdeviceptr pointer) {
  agpu__rwlock_read(&agpu__emu_memory_lock);
  agpu__emu_slot *at = agpu__emu_slot_find(pointer);
  AGPU__ASSERT(at && at->base == pointer);
  bool is_of_graph = at->kind == AGPU__EMU_OF_GRAPH;
  if (!is_of_graph)
    atomic_fetch_or_explicit(&at->marks, AGPU__EMU_REACHED,
                             memory_order_relaxed);
  agpu__rwlock_end_read(&agpu__emu_memory_lock);
  if (is_of_graph)
    reach_again(pointer);
}

CUresult agpu__emu_memory_reserve(CUdeviceptr *pointer, size_t bytes) {
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  agpu__rwlock_write(&agpu__emu_memory_lock);
  agpu__emu_slot *at = agpu__emu_slot_take(bytes, AGPU__EMU_OF_DEVICES);
  if (at) {
    at->bytes = bytes;
    at->device = agpu__emu_current_device();
    at->context = agpu__emu_get_context();
    at->kind = AGPU__EMU_OF_GRAPH;
    at->is_leaving = at->is_backed = at->is_orphan = false;
    at->allocated = agpu__emu_origin_now();
    at->freed = nothing;
    AGPU__EMU_TELL(record_dropped, (&at->record));
    atomic_store_explicit(&at->marks, AGPU__EMU_UNNAMED | AGPU__EMU_RELEASED,
                          memory_order_relaxed);
    *pointer = at->base;
  }
  agpu__rwlock_end_write(&agpu__emu_memory_lock);
  return at ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult agpu__emu_memory_back(CUdeviceptr pointer, bool is_named) {
  CUresult result = CUDA_SUCCESS;
  agpu__rwlock_write(&agpu__emu_memory_lock);
  agpu__emu_slot *at = agpu__emu_slot_find(pointer);
  AGPU__ASSERT(at && at->base == pointer);
  unsigned marks = atomic_load_explicit(&at->marks, memory_order_relaxed);
  if (!(marks & AGPU__EMU_UNNAMED)) {
    agpu__emu_slot_note("a graph allocates what it has allocated before, and "
                        "nothing has freed",
                        pointer, at->bytes);
    result = CUDA_ERROR_INVALID_VALUE;
  } else if (!at->is_backed &&
             !agpu__emu_capacity_take(at->device, at->bytes, true)) {
    result = CUDA_ERROR_OUT_OF_MEMORY;
  } else {
    at->is_backed = true;
    if (is_named)
      atomic_fetch_and_explicit(&at->marks, ~(unsigned)AGPU__EMU_UNNAMED,
                                memory_order_relaxed);
  }
  agpu__rwlock_end_write(&agpu__emu_memory_lock);
  return result;
}

bool agpu__emu_memory_is_named(CUdeviceptr pointer) {
  agpu__rwlock_read(&agpu__emu_memory_lock);
  const agpu__emu_slot *at = agpu__emu_slot_find(pointer);
  bool is_named = !(atomic_load_explicit(&at->marks, memory_order_relaxed) &
                    AGPU__EMU_UNNAMED);
  agpu__rwlock_end_read(&agpu__emu_memory_lock);
  return is_named;
}

/// Of a graph's that is not there now.
static void unback(agpu__emu_slot *at) AGPU__REQUIRES(agpu__emu_memory_lock) {
  if (at->is_backed)
    agpu__emu_capacity_give(at->device, at->bytes);
  at->is_backed = false;
}

void agpu__emu_memory_unreserve(CUdeviceptr pointer) {
  agpu__rwlock_write(&agpu__emu_memory_lock);
  agpu__emu_slot *at = agpu__emu_slot_find(pointer);
  unsigned marks = atomic_load_explicit(&at->marks, memory_order_relaxed);
  if (marks & AGPU__EMU_RELEASED) {
    unback(at);
    at->kind = AGPU__EMU_ORDERED;
    agpu__emu_slot_give(at);
  } else {
    at->is_orphan = true; // its free gives it back
  }
  agpu__rwlock_end_write(&agpu__emu_memory_lock);
}

/// Under the lock of who writes; who calls it for each slot is content with
/// less.
AGPU__UNCHECKED_LOCKS static void trim_one(const agpu__emu_slot *slot,
                                           void *argument) {
  const CUdevice *device = argument;
  unsigned marks = atomic_load_explicit(&slot->marks, memory_order_relaxed);
  if (slot->bytes && slot->kind == AGPU__EMU_OF_GRAPH &&
      slot->device == *device && marks & AGPU__EMU_RELEASED)
    unback((agpu__emu_slot *)(uintptr_t)slot);
}

void agpu__emu_memory_trim_graphs(CUdevice device) {
  agpu__rwlock_write(&agpu__emu_memory_lock);
  agpu__emu_slots_each(trim_one, &device);
  agpu__rwlock_end_write(&agpu__emu_memory_lock);
}

/// The stream has come to the free of an allocation, or there is none any more.
static void release(agpu__emu_slot *at) AGPU__REQUIRES(agpu__emu_memory_lock) {
  atomic_fetch_add_explicit(&version, 1, memory_order_relaxed);
  // Unnamed it is already, but for one that no stream took.
  unsigned before = atomic_fetch_or_explicit(
      &at->marks, AGPU__EMU_UNNAMED | AGPU__EMU_RELEASED, memory_order_relaxed);
  AGPU__ASSERT(!(before & AGPU__EMU_RELEASED));
  stop_leaving(at);
  if (at->kind != AGPU__EMU_OF_GRAPH) {
    give_capacity(at->device, at->bytes, at->kind);
    agpu__emu_slot_give(at);
  } else {
    // Named it is where a later launch has been enqueued by now: this free is
    // that of the one before.
    atomic_fetch_and_explicit(&at->marks, ~(unsigned)AGPU__EMU_REACHED,
                              memory_order_relaxed);
    if (!(before & AGPU__EMU_UNNAMED))
      atomic_fetch_and_explicit(&at->marks, ~(unsigned)AGPU__EMU_UNNAMED,
                                memory_order_relaxed);
    if (at->is_orphan) {
      unback(at);
      at->kind = AGPU__EMU_ORDERED;
      agpu__emu_slot_give(at);
    }
  }
}

void agpu__emu_memory_reach_free(CUdeviceptr pointer) {
  agpu__rwlock_write(&agpu__emu_memory_lock);
  agpu__emu_slot *at = agpu__emu_slot_find(pointer);
  AGPU__ASSERT(at && at->base == pointer);
  release(at);
  agpu__rwlock_end_write(&agpu__emu_memory_lock);
}

/// What agpu__emu_memory_end looks for: one of the context's that is left.
typedef struct left {
  CUcontext of;
  const agpu__emu_slot *found;
} left;

/// Under the lock of who writes, as trim_one.
AGPU__UNCHECKED_LOCKS static void find_left(const agpu__emu_slot *slot,
                                            void *argument) {
  left *in = argument;
  if (slot->bytes && slot->context == in->of &&
      !(atomic_load_explicit(&slot->marks, memory_order_relaxed) &
        AGPU__EMU_RELEASED))
    in->found = slot;
}

void agpu__emu_memory_end(CUcontext context) {
  left next;
  agpu__rwlock_write(&agpu__emu_memory_lock);
  // One at a time: chunks may go with a slot.
  do {
    next = (left){.of = context};
    agpu__emu_slots_each(find_left, &next);
    if (next.found)
      release((agpu__emu_slot *)(uintptr_t)next.found);
  } while (next.found);
  agpu__rwlock_end_write(&agpu__emu_memory_lock);
}

/// What agpu__emu_memory_each passes on.
typedef struct visitor {
  CUcontext context;
  void (*visit)(const char *location, size_t bytes, void *argument);
  void *argument;
} visitor;

static void visit_live(const agpu__emu_slot *slot, void *argument)
    AGPU__REQUIRES_SHARED(agpu__emu_memory_lock) {
  const visitor *by = argument;
  unsigned marks = atomic_load_explicit(&slot->marks, memory_order_relaxed);
  if (slot->bytes && slot->context == by->context &&
      !(marks & AGPU__EMU_UNNAMED))
    by->visit(slot->allocated.location, slot->bytes, by->argument);
}

void agpu__emu_memory_each(CUcontext context,
                           void (*visit)(const char *location, size_t bytes,
                                         void *argument),
                           void *argument) {
  visitor by = {context, visit, argument};
  agpu__rwlock_read(&agpu__emu_memory_lock);
  agpu__emu_slots_each(visit_live, &by);
  agpu__rwlock_end_read(&agpu__emu_memory_lock);
}

void agpu__emu_memory_trim(void) {
  agpu__rwlock_write(&agpu__emu_memory_lock);
  agpu__emu_chunks_trim();
  agpu__rwlock_end_write(&agpu__emu_memory_lock);
}

void agpu__emu_memory_reset(void) {
  agpu__rwlock_write(&agpu__emu_memory_lock);
  agpu__emu_chunks_reset();
  agpu__emu_capacity_reset();
  agpu__rwlock_end_write(&agpu__emu_memory_lock);
}
