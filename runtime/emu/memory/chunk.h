//===- chunk.h - Where device memory lies ----------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device memory comes from reserved ranges of addresses, chunks. A chunk is cut
// into slots of one size; an allocation has a slot. So whether an address is
// device memory, and whose, is known for every address at any time, and a
// freed slot is known as freed until it is used again: slots are reused first
// in, first out, and never before some others were freed, or, where all
// accesses are checked, many.
//
// A slot is a gap, where there is no memory, pages, and another gap. The
// allocation lies at the end of its pages, so that what runs over its end by
// 256 bytes faults, as it does on a GPU where nothing else lies there.
//
// For the files of this folder. Everything here is under their lock, which
// readers share.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MEMORY_CHUNK_H
#define ASYNC_GPU_RUNTIME_EMU_MEMORY_CHUNK_H

#include "emu/memory/memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/queue.h>

/// How memory was allocated.
typedef enum agpu__emu_memory_kind {
  AGPU__EMU_PLAIN,
  AGPU__EMU_ORDERED, ///< by a stream
  AGPU__EMU_MANAGED,
  AGPU__EMU_OF_GRAPH, ///< by a graph, again and again at one address
} agpu__emu_memory_kind;

/// Who may touch the addresses of a chunk.
typedef enum agpu__emu_access {
  AGPU__EMU_OF_BOTH,
  AGPU__EMU_OF_DEVICES, ///< not the host
  AGPU__EMU_IN_TURN,    ///< the host while no device works
  AGPU__EMU_ACCESS_COUNT
} agpu__emu_access;

/// Marks of an allocation.
enum {
  AGPU__EMU_REACHED = 1,  // the stream has come to the allocation
  AGPU__EMU_UNNAMED = 2,  // the call that frees has been made
  AGPU__EMU_RELEASED = 4, // the stream has come to the free
};

typedef struct agpu__emu_slot {
  CUdeviceptr base AGPU__GUARDED_BY(agpu__emu_memory_lock);
  CUdevice device AGPU__GUARDED_BY(agpu__emu_memory_lock);
  CUcontext context AGPU__GUARDED_BY(agpu__emu_memory_lock); // of that device
  agpu__emu_memory_kind kind AGPU__GUARDED_BY(agpu__emu_memory_lock);
  // Of a graph's: the device's capacity is taken.
  bool is_backed AGPU__GUARDED_BY(agpu__emu_memory_lock);
  // The graph is gone, and the memory is not.
  bool is_orphan AGPU__GUARDED_BY(agpu__emu_memory_lock);
  // Its free is in a stream.
  bool is_leaving AGPU__GUARDED_BY(agpu__emu_memory_lock);
  // As asked for; 0: never allocated.
  size_t bytes AGPU__GUARDED_BY(agpu__emu_memory_lock);
  // Relaxed: they report, they order nothing.
  atomic_uint marks;
  STAILQ_ENTRY(agpu__emu_slot) free;
  agpu__emu_record record;
  // Where a check asks for it.
  agpu__op_name allocated AGPU__GUARDED_BY(agpu__emu_memory_lock);
  agpu__op_name freed AGPU__GUARDED_BY(agpu__emu_memory_lock);
} agpu__emu_slot;

typedef struct agpu__emu_chunk {
  STAILQ_ENTRY(agpu__emu_chunk) retired;
  bool is_kept; // retired, and not guarded: has its memory
  CUdeviceptr base;
  size_t bytes;
  size_t slot_bytes, room; // of a slot, with its gaps, and of its pages
  agpu__emu_access access;
  ptrdiff_t distance; // from the addresses to the memory; 0: not guarded
  unsigned slot_count, used;
  unsigned opened;  // slots with gaps around them
  bool has_no_gaps; // after the slots used so far
  agpu__emu_slot slots[];
} agpu__emu_chunk;

/// The chunk that `pointer` lies in, or NULL.
agpu__emu_chunk *agpu__emu_chunk_find(CUdeviceptr pointer)
    AGPU__REQUIRES_SHARED(agpu__emu_memory_lock);

/// The slot that `pointer` lies in, or NULL where that is no device memory. Its
/// allocation may be shorter, or gone.
agpu__emu_slot *agpu__emu_slot_find(CUdeviceptr pointer)
    AGPU__REQUIRES_SHARED(agpu__emu_memory_lock);

/// Whether any part of [pointer, pointer + bytes) is device memory.
bool agpu__emu_chunk_is_near(CUdeviceptr pointer, size_t bytes)
    AGPU__REQUIRES_SHARED(agpu__emu_memory_lock);

/// A slot for so many bytes, whose base is set, of addresses with this access,
/// as far as the system lets it be kept. NULL: out of memory.
agpu__emu_slot *agpu__emu_slot_take(size_t bytes, agpu__emu_access access)
    AGPU__REQUIRES(agpu__emu_memory_lock);

/// Its allocation is freed.
void agpu__emu_slot_give(agpu__emu_slot *slot)
    AGPU__REQUIRES(agpu__emu_memory_lock);

/// Calls `visit` for each slot that has been used.
void agpu__emu_slots_each(void (*visit)(const agpu__emu_slot *slot,
                                        void *argument),
                          void *argument)
    AGPU__REQUIRES_SHARED(agpu__emu_memory_lock);

/// Gives the memory of freed chunks back to the system.
void agpu__emu_chunks_trim(void) AGPU__REQUIRES(agpu__emu_memory_lock);

/// Gives all back.
void agpu__emu_chunks_reset(void) AGPU__REQUIRES(agpu__emu_memory_lock);

/// The slot of the last allocation that was made at or before `pointer` in its
/// chunk; NULL: none.
agpu__emu_slot *agpu__emu_slot_nearest(CUdeviceptr pointer)
    AGPU__REQUIRES_SHARED(agpu__emu_memory_lock);

/// Writes where `pointer` lies: "at byte 4 of the 16 allocated at LOCATION,
/// freed at LOCATION", "8 bytes past the end of the ...", as far as that is
/// known; `at`: agpu__emu_slot_nearest, or NULL. It is freed that has the mark
/// `gone`: AGPU__EMU_UNNAMED or AGPU__EMU_RELEASED.
void agpu__emu_slot_describe(CUdeviceptr pointer, const agpu__emu_slot *at,
                             unsigned gone, char *out, size_t size)
    AGPU__REQUIRES_SHARED(agpu__emu_memory_lock);

/// Notes what is wrong with a range, and where it lies.
void agpu__emu_slot_note(const char *what, CUdeviceptr pointer, size_t bytes)
    AGPU__REQUIRES_SHARED(agpu__emu_memory_lock);

/// The address whose memory is at `memory`; 0: no chunk's is.
CUdeviceptr agpu__emu_chunk_address_of(uintptr_t memory)
    AGPU__REQUIRES_SHARED(agpu__emu_memory_lock);

#endif // ASYNC_GPU_RUNTIME_EMU_MEMORY_CHUNK_H
