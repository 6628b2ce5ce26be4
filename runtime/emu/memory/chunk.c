//===- chunk.c - Where device memory lies ---------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small allocations share a chunk with others of their size class; a large one
// has a chunk of its own, which stays for a while when it is freed, and is
// taken by the next of its size, if it is not guarded. Chunks are closed; the
// pages of a slot are opened when it is first used. A process may have some
// 65,000 mappings: after MOST_OPENED slots, chunks are opened as a whole.
//
//===----------------------------------------------------------------------===//

#include "emu/memory/chunk.h"

#include "base/report/assert.h"
#include "emu/base/result.h"
#include "emu/base/settings.h"
#include "emu/memory/guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SLOTS_PER_CHUNK 64u
#define GAP ((size_t)64 << 10)
#define MOST_OPENED 8192u
/// What the addresses of allocations are multiples of.
#define ALIGNMENT ((size_t)256)
/// Larger allocations have a chunk of their own.
#define MAX_SHARED_SLOT ((size_t)1 << 20)
#define SIZE_CLASSES 9 // 4 KiB, or a page, to 1 MiB, in powers of two
/// Freed slots of a size, and freed chunks, that stay unused, so that late uses
/// are noticed; and unless all accesses are checked, only a few slots, and no
/// more than so many bytes of a size: a slot's first use opens pages and
/// faults, and a program is fast whose memory is in its processor's caches.
#define QUARANTINE 64u
#define QUARANTINE_UNCHECKED 4u
#define QUARANTINE_BYTES ((size_t)256 << 10)
/// Bytes of freed chunks that are not given back to the system.
#define MOST_KEPT ((size_t)256 << 20)

typedef STAILQ_HEAD(slots, agpu__emu_slot) slots;

typedef struct size_class {
  slots free; // the one freed first stands first
  unsigned free_count;
  agpu__emu_chunk *open; // has slots that were never used
} size_class;

agpu__rwlock agpu__emu_memory_lock = AGPU__RWLOCK_INIT(AGPU__RANK_EMU_MEMORY);

static struct {
  agpu__emu_chunk **chunks; // sorted by address
  size_t count, capacity;
  size_class classes[AGPU__EMU_ACCESS_COUNT][SIZE_CLASSES];
  // Chunks of one freed slot, the oldest first.
  STAILQ_HEAD(, agpu__emu_chunk) retired;
  unsigned retired_count;
  size_t kept;     // bytes of these, with memory
  unsigned opened; // slots with gaps around them
} all AGPU__GUARDED_BY(agpu__emu_memory_lock) = {
    .retired = STAILQ_HEAD_INITIALIZER(all.retired)};

/// The index of the first chunk whose base is above `pointer`.
static size_t upper_bound(CUdeviceptr pointer)
    AGPU__REQUIRES_SHARED(agpu__emu_memory_lock) {
  size_t low = 0, high = all.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (all.chunks[middle]->base <= pointer)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

agpu__emu_chunk *agpu__emu_chunk_find(CUdeviceptr pointer) {
  size_t index = upper_bound(pointer);
  if (index == 0)
    return NULL;
  agpu__emu_chunk *found = all.chunks[index - 1];
  return pointer - found->base < found->bytes ? found : NULL;
}

agpu__emu_slot *agpu__emu_slot_find(CUdeviceptr pointer) {
  agpu__emu_chunk *in = agpu__emu_chunk_find(pointer);
  return in ? &in->slots[(pointer - in->base) / in->slot_bytes] : NULL;
}

bool agpu__emu_chunk_is_near(CUdeviceptr pointer, size_t bytes) {
  if (agpu__emu_chunk_find(pointer))
    return true;
  size_t index = upper_bound(pointer);
  return index < all.count && all.chunks[index]->base - pointer < bytes;
}

/// The memory of a chunk, which is guarded if it has a distance. False: there
/// is none.
static bool map_chunk(agpu__emu_chunk *created)
    AGPU__REQUIRES(agpu__emu_memory_lock) {
  if (created->access != AGPU__EMU_OF_BOTH) {
    created->base = agpu__emu_guard_map(created->bytes,
                                        created->access == AGPU__EMU_IN_TURN,
                                        &created->distance);
    return created->base != 0;
  }
  // Large pages are not asked for: kernels that stream through memory gain a
  // twentieth by them, but those whose threads go in strides of a power of two,
  // as histograms do, take more than twice as long, since what they touch then
  // falls into few sets of the second cache.
  void *memory = mmap(NULL, created->bytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  created->base = (CUdeviceptr)(uintptr_t)memory;
  return memory != MAP_FAILED;
}

static void free_chunk(agpu__emu_chunk *old)
    AGPU__REQUIRES(agpu__emu_memory_lock) {
  for (unsigned i = 0; i < old->slot_count; ++i)
    AGPU__EMU_TELL(record_dropped, (&old->slots[i].record));
  all.opened -= old->opened;
  if (old->distance)
    agpu__emu_guard_unmap((uintptr_t)old->base, old->bytes, old->distance);
  else
    munmap((void *)(uintptr_t)old->base, old->bytes);
  free(old);
}

static agpu__emu_chunk *create_chunk(size_t room, unsigned slot_count,
                                     agpu__emu_access access)
    AGPU__REQUIRES(agpu__emu_memory_lock) {
  if (all.count == all.capacity) {
    size_t capacity = all.capacity ? all.capacity * 2 : 16;
    agpu__emu_chunk **grown = realloc(all.chunks, capacity * sizeof *grown);
    if (!grown)
      return NULL;
    all.chunks = grown;
    all.capacity = capacity;
  }
  agpu__emu_chunk *created =
      calloc(1, sizeof *created + slot_count * sizeof *created->slots);
  if (!created)
    return NULL;
  created->room = room;
  created->slot_bytes = GAP + room + GAP;
  created->slot_count = slot_count;
  created->bytes = created->slot_bytes * slot_count;
  created->access = access;
  if (!map_chunk(created)) {
    free(created);
    return NULL;
  }
  size_t index = upper_bound(created->base);
  memmove(&all.chunks[index + 1], &all.chunks[index],
          (all.count - index) * sizeof *all.chunks);
  all.chunks[index] = created;
  ++all.count;
  return created;
}

static void destroy_chunk(agpu__emu_chunk *old)
    AGPU__REQUIRES(agpu__emu_memory_lock) {
  size_t index = upper_bound(old->base) - 1;
  AGPU__ASSERT(all.chunks[index] == old);
  --all.count;
  memmove(&all.chunks[index], &all.chunks[index + 1],
          (all.count - index) * sizeof *all.chunks);
  free_chunk(old);
}

static size_t round_up(size_t bytes, size_t multiple) {
  return (bytes + multiple - 1) & ~(multiple - 1);
}

static size_t page_bytes(void) {
  long bytes = sysconf(_SC_PAGESIZE);
  return bytes > 0 ? (size_t)bytes : 4096;
}

/// Where the pages of a slot begin, from the chunk's base.
static size_t pages_of(const agpu__emu_chunk *chunk, size_t slot) {
  return slot * chunk->slot_bytes + GAP;
}

static void *memory_of(const agpu__emu_chunk *chunk, size_t offset) {
  return (void *)((uintptr_t)chunk->base + (uintptr_t)chunk->distance + offset);
}

/// Opens the pages of the chunk's next slot. False: the system does not.
static bool open_next(agpu__emu_chunk *of)
    AGPU__REQUIRES(agpu__emu_memory_lock) {
  if (of->has_no_gaps)
    return true;
  bool is_one = all.opened < MOST_OPENED;
  size_t from = pages_of(of, of->used);
  if (mprotect(memory_of(of, from), is_one ? of->room : of->bytes - from,
               PROT_READ | PROT_WRITE))
    return false;
  of->has_no_gaps = !is_one;
  of->opened += is_one;
  all.opened += is_one;
  return true;
}

/// Puts the allocation where its end is that of its pages.
static agpu__emu_slot *place(const agpu__emu_chunk *in, agpu__emu_slot *slot,
                             size_t bytes)
    AGPU__REQUIRES(agpu__emu_memory_lock) {
  slot->base = in->base + pages_of(in, (size_t)(slot - in->slots)) + in->room -
               round_up(bytes, ALIGNMENT);
  return slot;
}

static agpu__emu_slot *use_next(agpu__emu_chunk *of, size_t bytes)
    AGPU__REQUIRES(agpu__emu_memory_lock) {
  AGPU__ASSERT(of->used < of->slot_count);
  return open_next(of) ? place(of, &of->slots[of->used++], bytes) : NULL;
}

/// Of slots with room for `bytes`.
static unsigned class_of(size_t bytes) {
  unsigned index = 0;
  while (page_bytes() << index < bytes)
    ++index;
  return index;
}

/// How many freed slots of that size stay unused.
static unsigned quarantine_of(size_t bytes) {
  if (agpu__emu_get_settings()->check_memory)
    return QUARANTINE;
  size_t most = QUARANTINE_BYTES / bytes;
  return most < QUARANTINE_UNCHECKED ? (unsigned)most : QUARANTINE_UNCHECKED;
}

/// The only slot of a retired chunk of that size, which is taken; NULL: none
/// has memory, or all accesses are checked.
static agpu__emu_slot *take_retired(size_t room)
    AGPU__REQUIRES(agpu__emu_memory_lock) {
  agpu__emu_chunk *found = NULL;
  if (!agpu__emu_get_settings()->check_memory)
    STAILQ_FOREACH (found, &all.retired, retired)
      if (found->room == room && found->is_kept)
        break;
  if (!found)
    return NULL;
  STAILQ_REMOVE(&all.retired, found, agpu__emu_chunk, retired);
  --all.retired_count;
  all.kept -= room;
  found->is_kept = false;
  return &found->slots[0];
}

agpu__emu_slot *agpu__emu_slot_take(size_t bytes, agpu__emu_access access) {
  if (bytes > MAX_SHARED_SLOT) {
    if (bytes > SIZE_MAX / 2)
      return NULL;
    agpu__emu_slot *retired = access == AGPU__EMU_OF_BOTH
                                  ? take_retired(round_up(bytes, page_bytes()))
                                  : NULL;
    if (retired)
      return place(agpu__emu_chunk_find(retired->base), retired, bytes);
    agpu__emu_chunk *own = create_chunk(
        round_up(bytes, page_bytes()), 1,
        agpu__emu_guard_is_available() ? access : AGPU__EMU_OF_BOTH);
    agpu__emu_slot *only = own ? use_next(own, bytes) : NULL;
    if (own && !only)
      destroy_chunk(own);
    return only;
  }
  unsigned index = class_of(bytes);
  size_class *of = &all.classes[access][index];
  if (of->free_count > quarantine_of(page_bytes() << index)) {
    agpu__emu_slot *reused = STAILQ_FIRST(&of->free);
    STAILQ_REMOVE_HEAD(&of->free, free);
    --of->free_count;
    return place(agpu__emu_chunk_find(reused->base), reused, bytes);
  }
  if (!of->open || of->open->used == of->open->slot_count) {
    if (access != AGPU__EMU_OF_BOTH && !agpu__emu_guard_is_available())
      return agpu__emu_slot_take(bytes, AGPU__EMU_OF_BOTH);
    agpu__emu_chunk *created =
        create_chunk(page_bytes() << index, SLOTS_PER_CHUNK, access);
    if (!created)
      return NULL;
    of->open = created;
  }
  return use_next(of->open, bytes);
}

/// Gives the memory of a retired chunk back; the addresses stay reserved.
static void empty(agpu__emu_chunk *of) AGPU__REQUIRES(agpu__emu_memory_lock) {
  if (!of->is_kept)
    return;
  madvise(memory_of(of, GAP), of->room, MADV_DONTNEED);
  of->is_kept = false;
  all.kept -= of->room;
}

/// Of a chunk with one slot: a late use is noticed until it is taken again.
static void retire(agpu__emu_chunk *old) AGPU__REQUIRES(agpu__emu_memory_lock) {
  STAILQ_INSERT_TAIL(&all.retired, old, retired);
  if (old->distance)
    madvise(memory_of(old, GAP), old->room, MADV_REMOVE);
  old->is_kept = old->distance == 0;
  all.kept += old->is_kept ? old->room : 0;
  agpu__emu_chunk *at;
  STAILQ_FOREACH (at, &all.retired, retired)
    if (all.kept > MOST_KEPT)
      empty(at);
  if (++all.retired_count > QUARANTINE) {
    agpu__emu_chunk *oldest = STAILQ_FIRST(&all.retired);
    STAILQ_REMOVE_HEAD(&all.retired, retired);
    --all.retired_count;
    empty(oldest);
    destroy_chunk(oldest);
  }
}

void agpu__emu_chunks_trim(void) {
  agpu__emu_chunk *at;
  STAILQ_FOREACH (at, &all.retired, retired)
    empty(at);
}

void agpu__emu_slot_give(agpu__emu_slot *slot) {
  agpu__emu_chunk *in = agpu__emu_chunk_find(slot->base);
  if (in->slot_count == 1) {
    retire(in);
    return;
  }
  size_class *of = &all.classes[in->access][class_of(in->room)];
  if (of->free_count++ == 0)
    STAILQ_INIT(&of->free);
  STAILQ_INSERT_TAIL(&of->free, slot, free);
}

void agpu__emu_slots_each(void (*visit)(const agpu__emu_slot *slot,
                                        void *argument),
                          void *argument) {
  for (size_t i = 0; i < all.count; ++i)
    for (unsigned k = 0; k < all.chunks[i]->used; ++k)
      visit(&all.chunks[i]->slots[k], argument);
}

void agpu__emu_chunks_reset(void) {
  for (size_t i = 0; i < all.count; ++i)
    free_chunk(all.chunks[i]);
  free(all.chunks);
  memset(&all, 0, sizeof all);
  STAILQ_INIT(&all.retired);
}

CUdeviceptr agpu__emu_chunk_address_of(uintptr_t memory) {
  for (size_t i = 0; i < all.count; ++i) {
    const agpu__emu_chunk *at = all.chunks[i];
    uintptr_t first = (uintptr_t)memory_of(at, 0);
    if (memory - first < at->bytes)
      return at->base + (memory - first);
  }
  return 0;
}

agpu__emu_slot *agpu__emu_slot_nearest(CUdeviceptr pointer) {
  agpu__emu_chunk *in = agpu__emu_chunk_find(pointer);
  if (!in || !in->used)
    return NULL;
  size_t index = (size_t)((pointer - in->base) / in->slot_bytes);
  return &in->slots[index < in->used ? index : in->used - 1];
}

void agpu__emu_slot_describe(CUdeviceptr pointer, const agpu__emu_slot *at,
                             unsigned gone, char *out, size_t size) {
  char where[48];
  if (!at) {
    (void)snprintf(out, size, "at 0x%llx", pointer);
    return;
  }
  unsigned marks = atomic_load_explicit(&at->marks, memory_order_relaxed);
  size_t offset = (size_t)(pointer - at->base);
  if (pointer < at->base)
    (void)snprintf(where, sizeof where, "%llu bytes before the",
                   at->base - pointer);
  else if (offset < at->bytes)
    (void)snprintf(where, sizeof where, "at byte %zu of the", offset);
  else if (offset == at->bytes)
    (void)snprintf(where, sizeof where, "just past the end of the");
  else
    (void)snprintf(where, sizeof where, "%zu bytes past the end of the",
                   offset - at->bytes);
  const char *allocated = at->allocated.location;
  bool is_freed = marks & gone && at->kind != AGPU__EMU_OF_GRAPH;
  const char *freed = is_freed ? at->freed.location : NULL;
  (void)snprintf(out, size, "%s %zu allocated%s%s%s%s%s", where, at->bytes,
                 allocated ? " at " : "", allocated ? allocated : "",
                 is_freed ? ", freed" : "", freed ? " at " : "",
                 freed ? freed : "");
}

void agpu__emu_slot_note(const char *what, CUdeviceptr pointer, size_t bytes) {
  const agpu__emu_slot *at = agpu__emu_slot_nearest(pointer);
  char where[320] = "";
  if (at)
    agpu__emu_slot_describe(pointer, at, AGPU__EMU_UNNAMED, where,
                            sizeof where);
  agpu__emu_note("%s: %zu bytes at 0x%llx%s%s", what, bytes, pointer,
                 at ? ", " : "", where);
}
