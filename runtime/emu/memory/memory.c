//===- memory.c - Questions about device memory ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each question looks at the slot of the address (chunk.h), and at the three
// marks that keep apart whether its allocation has been named, reached and
// released.
//
//===----------------------------------------------------------------------===//

#include "emu/memory/memory.h"

#include "emu/base/context.h"
#include "emu/base/result.h"
#include "emu/memory/chunk.h"
#include "emu/memory/host_memory.h"
#include "emu/memory/peers.h"

void agpu__emu_memory_hold(void) { agpu__rwlock_read(&agpu__emu_memory_lock); }

void agpu__emu_memory_let_go(void) {
  agpu__rwlock_end_read(&agpu__emu_memory_lock);
}

static bool check(CUdeviceptr pointer, size_t bytes, unsigned wanted,
                  unsigned unwanted)
    AGPU__REQUIRES_SHARED(agpu__emu_memory_lock) {
  if (bytes == 0)
    return true;
  if (pointer + bytes < pointer)
    return false;
  if (!agpu__emu_chunk_is_near(pointer, bytes))
    return true; // host memory, which the host's own tools check
  const agpu__emu_slot *at = agpu__emu_slot_find(pointer);
  if (!at) {
    agpu__emu_slot_note("the range runs into device memory", pointer, bytes);
    return false;
  }
  size_t offset = (size_t)(pointer - at->base);
  if (!at->bytes || offset > at->bytes || bytes > at->bytes - offset) {
    agpu__emu_slot_note("out of the bounds of an allocation", pointer, bytes);
    return false;
  }
  unsigned marks = atomic_load_explicit(&at->marks, memory_order_relaxed);
  if (marks & unwanted) {
    agpu__emu_slot_note("device memory that is freed", pointer, bytes);
    return false;
  }
  if ((marks & wanted) != wanted) {
    agpu__emu_slot_note(
        "device memory that is not allocated yet in stream order", pointer,
        bytes);
    return false;
  }
  return true;
}

bool agpu__emu_memory_is_nameable(CUdeviceptr pointer, size_t bytes) {
  agpu__emu_memory_hold();
  // Nodes name memory of graphs before it is there, and when it has gone.
  const agpu__emu_slot *at = agpu__emu_slot_find(pointer);
  unsigned gone = at && at->kind == AGPU__EMU_OF_GRAPH ? 0 : AGPU__EMU_UNNAMED;
  bool result = check(pointer, bytes, 0, gone);
  agpu__emu_memory_let_go();
  return result;
}

bool agpu__emu_memory_is_usable(CUdeviceptr pointer, size_t bytes) {
  agpu__emu_memory_hold();
  bool result = check(pointer, bytes, AGPU__EMU_REACHED, AGPU__EMU_RELEASED);
  agpu__emu_memory_let_go();
  return result;
}

bool agpu__emu_memory_takes_values(CUdeviceptr pointer) {
  agpu__emu_memory_hold();
  const agpu__emu_slot *at = agpu__emu_slot_find(pointer);
  bool result = at ? at->kind != AGPU__EMU_MANAGED &&
                         check(pointer, sizeof(uint32_t), 0, AGPU__EMU_UNNAMED)
                   : agpu__emu_host_memory_is_mapped(pointer, sizeof(uint32_t));
  agpu__emu_memory_let_go();
  return result;
}

/// Whether kernels of the current context may use the allocation. "Each context
/// has its own distinct address space." (CUDA C++ Programming Guide, driver
/// API)
static bool is_open(const agpu__emu_slot *at, CUdeviceptr pointer)
    AGPU__REQUIRES_SHARED(agpu__emu_memory_lock) {
  if (at->kind == AGPU__EMU_MANAGED ||
      agpu__emu_may_access(agpu__emu_get_context(), at->context,
                           at->kind == AGPU__EMU_ORDERED))
    return true;
  bool is_own = at->device == agpu__emu_current_device();
  agpu__emu_note("a kernel parameter of device %d points to memory of %sdevice "
                 "%d, which is not open to it: %zu bytes at 0x%llx",
                 agpu__emu_current_device(),
                 is_own ? "another context of " : "", at->device, at->bytes,
                 pointer);
  return false;
}

static unsigned get_marks(const agpu__emu_slot *of) {
  return atomic_load_explicit(&of->marks, memory_order_relaxed);
}

static bool is_live(unsigned marks) {
  return (marks & (AGPU__EMU_REACHED | AGPU__EMU_RELEASED)) ==
         AGPU__EMU_REACHED;
}

bool agpu__emu_memory_is_out_of_reach(CUdeviceptr pointer, bool has_run) {
  bool result = false;
  agpu__emu_memory_hold();
  const agpu__emu_slot *at = agpu__emu_slot_find(pointer);
  if (at) {
    unsigned marks = get_marks(at);
    result = !is_live(marks);
    if (result)
      agpu__emu_slot_note(
          !(marks & AGPU__EMU_RELEASED)
              ? "a kernel parameter points to device memory that is not "
                "allocated yet in stream order"
          : has_run ? "device memory that a kernel parameter points to was "
                      "freed while the kernel ran"
                    : "a kernel parameter points to freed device memory",
          pointer, at->bytes);
    else
      result = !is_open(at, pointer);
  }
  agpu__emu_memory_let_go();
  return result;
}

agpu__emu_allocation agpu__emu_memory_look(CUdeviceptr pointer) {
  agpu__emu_slot *at = agpu__emu_slot_find(pointer);
  return at && at->bytes
             ? (agpu__emu_allocation){at->base, at->bytes, &at->record}
             : (agpu__emu_allocation){.record = NULL};
}

agpu__emu_allocation agpu__emu_memory_bounds(CUdeviceptr pointer) {
  agpu__emu_memory_hold();
  agpu__emu_allocation found = agpu__emu_memory_look(pointer);
  agpu__emu_memory_let_go();
  return found;
}

bool agpu__emu_memory_is_open_to_host(CUdeviceptr pointer) {
  agpu__emu_memory_hold();
  const agpu__emu_slot *at = agpu__emu_slot_find(pointer);
  bool result = !at || at->kind == AGPU__EMU_MANAGED;
  agpu__emu_memory_let_go();
  return result;
}

bool agpu__emu_memory_is_near(CUdeviceptr from, size_t bytes) {
  agpu__emu_memory_hold();
  bool result = agpu__emu_chunk_is_near(from, bytes);
  agpu__emu_memory_let_go();
  return result;
}

bool agpu__emu_memory_is_pageable(CUdeviceptr pointer, size_t bytes) {
  return !agpu__emu_memory_is_near(pointer, bytes) &&
         !agpu__emu_host_memory_is_mapped(pointer, bytes);
}

bool agpu__emu_memory_is_of_graph(CUdeviceptr pointer) {
  agpu__emu_memory_hold();
  const agpu__emu_slot *at = agpu__emu_slot_find(pointer);
  bool result = at && at->base == pointer && at->kind == AGPU__EMU_OF_GRAPH;
  agpu__emu_memory_let_go();
  return result;
}

CUdevice agpu__emu_memory_slot_device(CUdeviceptr pointer) {
  agpu__emu_memory_hold();
  const agpu__emu_slot *at = agpu__emu_slot_find(pointer);
  CUdevice device = at ? at->device : -1;
  agpu__emu_memory_let_go();
  return device;
}

CUdevice agpu__emu_memory_device(CUdeviceptr pointer) {
  agpu__emu_memory_hold();
  const agpu__emu_slot *at = agpu__emu_slot_find(pointer);
  bool named = at && pointer - at->base < at->bytes &&
               !(get_marks(at) & AGPU__EMU_UNNAMED);
  CUdevice device = named ? at->device : -1;
  agpu__emu_memory_let_go();
  return device;
}

bool agpu__emu_memory_find(CUdeviceptr pointer, agpu__emu_range *out) {
  *out = (agpu__emu_range){.version = agpu__emu_memory_version()};
  agpu__emu_memory_hold();
  const agpu__emu_slot *at = agpu__emu_slot_find(pointer);
  bool found = at && pointer - at->base < at->bytes && is_live(get_marks(at));
  if (found) {
    out->distance = agpu__emu_chunk_find(pointer)->distance;
    out->written = at->record.written;
    out->from = at->base;
    out->to = at->base + at->bytes;
  }
  agpu__emu_memory_let_go();
  return found;
}

void agpu__emu_memory_describe(CUdeviceptr pointer, char *out, size_t size) {
  agpu__emu_memory_hold();
  agpu__emu_slot_describe(pointer, agpu__emu_slot_nearest(pointer),
                          AGPU__EMU_RELEASED, out, size);
  agpu__emu_memory_let_go();
}

CUdeviceptr agpu__emu_memory_address_of(uintptr_t memory) {
  agpu__emu_memory_hold();
  CUdeviceptr address = agpu__emu_chunk_address_of(memory);
  agpu__emu_memory_let_go();
  return address;
}

void *agpu__emu_memory_host(CUdeviceptr pointer) {
  agpu__emu_memory_hold();
  const agpu__emu_chunk *in = agpu__emu_chunk_find(pointer);
  ptrdiff_t distance = in ? in->distance : 0;
  agpu__emu_memory_let_go();
  return (void *)((uintptr_t)pointer + (uintptr_t)distance);
}
