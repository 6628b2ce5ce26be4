//===- memory.c - Device memory -------------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device memory comes from reserved ranges of addresses, chunks. A chunk is
// cut into slots of one size; an allocation has a slot. So whether an address
// is device memory, and whose, can be told for every address at any time, and
// a freed slot is known as freed until it is used again, which is late: slots
// are reused first in, first out, and never before many others were freed.
//
// Stream-ordered allocations are named (returned by the call) before they are
// reached (by the stream), and unnamed before they are freed. Three marks keep
// these apart; see agpu__emu_memory_is_nameable and _is_usable.
//
//===----------------------------------------------------------------------===//

#include "emu/check/guard.h"
#include "emu/check/host_access.h"
#include "emu/check/races.h"
#include "emu/emu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MIN_SLOT ((size_t)256)
#define SLOTS_PER_CHUNK 64u
/// Larger allocations have a chunk of their own.
#define MAX_SHARED_SLOT ((size_t)1 << 20)
#define SIZE_CLASSES 13 // 256 bytes to 1 MiB, in powers of two
/// Freed slots of a size that stay unused, so that late uses are noticed.
#define QUARANTINE 64u
#define PAGE ((size_t)4096)

enum {
  REACHED = 1,  // the stream has come to the allocation
  UNNAMED = 2,  // the call that frees has been made
  RELEASED = 4, // the stream has come to the free
};

/// How memory was allocated.
typedef enum memory_kind { PLAIN, ORDERED, MANAGED } memory_kind;

typedef struct slot {
  CUdeviceptr base;
  CUdevice device;
  memory_kind kind;
  bool is_leaving; // its free is in a stream
  size_t bytes;    // as asked for; 0: never allocated
  // Relaxed: they report, they order nothing.
  atomic_uint marks;
  struct slot *next_free;
  agpu__emu_written *written;     // NULL: not followed
  agpu__emu_history *history;     // races.c's
  agpu__op_name allocated, freed; // with ASYNC_GPU_EMU_CHECK
} slot;

typedef struct chunk {
  struct chunk *next_retired;
  CUdeviceptr base;
  size_t bytes, slot_bytes;
  ptrdiff_t distance; // from the addresses to the memory; 0: not guarded
  unsigned slot_count, used;
  slot slots[];
} chunk;

typedef struct size_class {
  slot *first_free, **last_free;
  unsigned free_count;
  chunk *open; // has slots that were never used
} size_class;

// Readers are checks, on every stream's thread; writers allocate and free. A
// reader lock does not order readers, so that checks hide no race between
// streams from the thread sanitizer.
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static chunk **chunks; // sorted by address
static size_t chunk_count, chunk_capacity;
static size_class classes[2][SIZE_CLASSES]; // guarded or not
// Chunks of one freed slot, the oldest first.
static chunk *first_retired, **last_retired = &first_retired;
static unsigned retired_count;

// Relaxed: a kernel that touches what another stream frees meanwhile may be
// found or not.
static atomic_uint version;

/// Says what is wrong with a range, and where its allocation came from and went
/// as far as that is known.
static void note(const char *what, CUdeviceptr pointer, size_t bytes,
                 const slot *at) {
  char origins[256] = "";
  const char *allocated = at ? at->allocated.location : NULL;
  const char *freed = at ? at->freed.location : NULL;
  if (allocated || freed)
    (void)snprintf(origins, sizeof origins, "; allocated at %s%s%s",
                   allocated ? allocated : "an unknown place",
                   freed ? ", freed at " : "", freed ? freed : "");
  agpu__emu_note("%s: %zu bytes at 0x%llx%s", what, bytes, pointer, origins);
}

static agpu__op_name get_origin(void) {
  const agpu__emu_settings *settings = agpu__emu_get_settings();
  return settings->check_memory || settings->check_races
             ? agpu__driver_get_origin()
             : (agpu__op_name){.what = NULL};
}

/// The index of the first chunk whose base is above `pointer`.
static size_t upper_bound(CUdeviceptr pointer) {
  size_t low = 0, high = chunk_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (chunks[middle]->base <= pointer)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static chunk *find_chunk(CUdeviceptr pointer) {
  size_t index = upper_bound(pointer);
  if (index == 0)
    return NULL;
  chunk *found = chunks[index - 1];
  return pointer - found->base < found->bytes ? found : NULL;
}

static slot *find_slot(chunk *in, CUdeviceptr pointer) {
  return &in->slots[(pointer - in->base) / in->slot_bytes];
}

/// Whether any part of [pointer, pointer + bytes) is device memory.
static bool touches_chunk(CUdeviceptr pointer, size_t bytes) {
  if (find_chunk(pointer))
    return true;
  size_t index = upper_bound(pointer);
  return index < chunk_count && chunks[index]->base - pointer < bytes;
}

static bool check(CUdeviceptr pointer, size_t bytes, unsigned wanted,
                  unsigned unwanted) {
  if (bytes == 0)
    return true;
  if (pointer + bytes < pointer)
    return false;
  if (!touches_chunk(pointer, bytes))
    return true; // host memory, which the host's own tools check
  chunk *in = find_chunk(pointer);
  if (!in) {
    note("the range runs into device memory", pointer, bytes, NULL);
    return false;
  }
  const slot *at = find_slot(in, pointer);
  unsigned marks = atomic_load_explicit(&at->marks, memory_order_relaxed);
  if (!at->bytes || (marks & unwanted)) {
    note("device memory that is freed", pointer, bytes, at);
    return false;
  }
  if ((marks & wanted) != wanted) {
    note("device memory that is not allocated yet in stream order", pointer,
         bytes, at);
    return false;
  }
  size_t offset = (size_t)(pointer - at->base);
  if (offset > at->bytes || bytes > at->bytes - offset) {
    note("out of the bounds of an allocation", pointer, bytes, at);
    return false;
  }
  return true;
}

bool agpu__emu_memory_is_nameable(CUdeviceptr pointer, size_t bytes) {
  pthread_rwlock_rdlock(&lock);
  bool result = check(pointer, bytes, 0, UNNAMED);
  pthread_rwlock_unlock(&lock);
  return result;
}

bool agpu__emu_memory_is_usable(CUdeviceptr pointer, size_t bytes) {
  pthread_rwlock_rdlock(&lock);
  bool result = check(pointer, bytes, REACHED, RELEASED);
  pthread_rwlock_unlock(&lock);
  return result;
}

bool agpu__emu_memory_takes_values(CUdeviceptr pointer) {
  pthread_rwlock_rdlock(&lock);
  chunk *in = find_chunk(pointer);
  bool result = in ? find_slot(in, pointer)->kind != MANAGED &&
                         check(pointer, sizeof(uint32_t), 0, UNNAMED)
                   : agpu__emu_host_memory_is_mapped(pointer, sizeof(uint32_t));
  pthread_rwlock_unlock(&lock);
  return result;
}

/// Whether the current context's device may use the allocation.
static bool is_open(const slot *at, CUdeviceptr pointer) {
  CUdevice device = agpu__emu_context_device(agpu__emu_get_context());
  if (at->kind == MANAGED ||
      agpu__emu_may_access(device, at->device, at->kind == ORDERED))
    return true;
  agpu__emu_note("a kernel parameter of device %d points to memory of device "
                 "%d, which is not open to it: %zu bytes at 0x%llx",
                 device, at->device, at->bytes, pointer);
  return false;
}

bool agpu__emu_memory_is_out_of_reach(CUdeviceptr pointer) {
  pthread_rwlock_rdlock(&lock);
  chunk *in = find_chunk(pointer);
  bool result = false;
  if (in) {
    const slot *at = find_slot(in, pointer);
    unsigned marks = atomic_load_explicit(&at->marks, memory_order_relaxed);
    result = (marks & (REACHED | RELEASED)) != REACHED;
    if (result)
      note(marks & RELEASED
               ? "a kernel parameter points to freed device memory"
               : "a kernel parameter points to device memory that is not "
                 "allocated yet in stream order",
           pointer, at->bytes, at);
    else
      result = !is_open(at, pointer);
  }
  pthread_rwlock_unlock(&lock);
  return result;
}

void agpu__emu_memory_visit(CUdeviceptr pointer,
                            void (*visit)(agpu__emu_history **history,
                                          CUdeviceptr base, size_t bytes,
                                          void *argument),
                            void *argument) {
  pthread_rwlock_rdlock(&lock);
  chunk *in = find_chunk(pointer);
  slot *at = in ? find_slot(in, pointer) : NULL;
  if (at && at->bytes)
    visit(&at->history, at->base, at->bytes, argument);
  pthread_rwlock_unlock(&lock);
}

bool agpu__emu_memory_is_open_to_host(CUdeviceptr pointer) {
  pthread_rwlock_rdlock(&lock);
  chunk *in = find_chunk(pointer);
  bool result = !in || find_slot(in, pointer)->kind == MANAGED;
  pthread_rwlock_unlock(&lock);
  return result;
}

bool agpu__emu_memory_is_near(CUdeviceptr from, size_t bytes) {
  pthread_rwlock_rdlock(&lock);
  bool result = touches_chunk(from, bytes);
  pthread_rwlock_unlock(&lock);
  return result;
}

bool agpu__emu_memory_find(CUdeviceptr pointer, agpu__emu_range *out) {
  *out = (agpu__emu_range){.version = agpu__emu_memory_version()};
  pthread_rwlock_rdlock(&lock);
  chunk *in = find_chunk(pointer);
  const slot *at = in ? find_slot(in, pointer) : NULL;
  bool found = at && pointer - at->base < at->bytes &&
               (atomic_load_explicit(&at->marks, memory_order_relaxed) &
                (REACHED | RELEASED)) == REACHED;
  if (found) {
    out->distance = in->distance;
    out->written = at->written;
    out->from = at->base;
    out->to = at->base + at->bytes;
  }
  pthread_rwlock_unlock(&lock);
  return found;
}

unsigned agpu__emu_memory_version(void) {
  return atomic_load_explicit(&version, memory_order_relaxed);
}

void agpu__emu_memory_describe(CUdeviceptr pointer, char *out, size_t size) {
  pthread_rwlock_rdlock(&lock);
  chunk *in = find_chunk(pointer);
  const slot *at = in ? find_slot(in, pointer) : NULL;
  if (at && at->bytes) {
    const char *where = at->allocated.location;
    (void)snprintf(out, size, "at byte %zu of the %zu allocated%s%s",
                   (size_t)(pointer - at->base), at->bytes, where ? " at " : "",
                   where ? where : "");
  } else {
    (void)snprintf(out, size, "at 0x%llx", pointer);
  }
  pthread_rwlock_unlock(&lock);
}

/// Under the lock: the bits of an allocation and where `pointer` lies in it;
/// NULL: not followed.
static agpu__emu_written *find_written(CUdeviceptr pointer, size_t *out_from) {
  chunk *in = find_chunk(pointer);
  const slot *at = in ? find_slot(in, pointer) : NULL;
  if (!at || pointer - at->base >= at->bytes)
    return NULL;
  *out_from = (size_t)(pointer - at->base);
  return at->written;
}

void agpu__emu_memory_note_fill(CUdeviceptr target, size_t bytes) {
  size_t to = 0;
  pthread_rwlock_rdlock(&lock);
  agpu__emu_written *bits = find_written(target, &to);
  agpu__emu_written_set(bits, to, bytes);
  pthread_rwlock_unlock(&lock);
}

void agpu__emu_memory_note_copy(CUdeviceptr target, CUdeviceptr source,
                                size_t bytes) {
  size_t to = 0, from = 0;
  pthread_rwlock_rdlock(&lock);
  agpu__emu_written *bits = find_written(target, &to);
  const agpu__emu_written *read = find_written(source, &from);
  agpu__emu_written_copy(bits, to, read, from, bytes);
  pthread_rwlock_unlock(&lock);
}

void *agpu__emu_memory_host(CUdeviceptr pointer) {
  if (!agpu__emu_get_settings()->check_memory)
    return (void *)(uintptr_t)pointer;
  pthread_rwlock_rdlock(&lock);
  const chunk *in = find_chunk(pointer);
  ptrdiff_t distance = in ? in->distance : 0;
  pthread_rwlock_unlock(&lock);
  return (void *)((uintptr_t)pointer + (uintptr_t)distance);
}

/// The memory of a chunk, which is guarded if it has a distance. False: there
/// is none.
static bool map_chunk(chunk *created, bool guarded) {
  if (guarded) {
    agpu__emu_host_access_watch();
    created->base = agpu__emu_guard_map(created->bytes, &created->distance);
    return created->base != 0;
  }
  // Large pages are not asked for: kernels that stream through memory gain a
  // twentieth by them, but those whose threads go in strides of a power of two,
  // as histograms do, take more than twice as long, since what they touch then
  // falls into few sets of the second cache.
  void *memory = mmap(NULL, created->bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  created->base = (CUdeviceptr)(uintptr_t)memory;
  return memory != MAP_FAILED;
}

static void unmap_chunk(const chunk *old) {
  if (old->distance)
    agpu__emu_guard_unmap((uintptr_t)old->base, old->bytes, old->distance);
  else
    munmap((void *)(uintptr_t)old->base, old->bytes);
}

static chunk *create_chunk(size_t slot_bytes, unsigned slot_count,
                           bool guarded) {
  if (chunk_count == chunk_capacity) {
    size_t capacity = chunk_capacity ? chunk_capacity * 2 : 16;
    chunk **grown = realloc(chunks, capacity * sizeof *grown);
    if (!grown)
      return NULL;
    chunks = grown;
    chunk_capacity = capacity;
  }
  chunk *created = calloc(1, sizeof *created + slot_count * sizeof(slot));
  if (!created)
    return NULL;
  created->slot_bytes = slot_bytes;
  created->slot_count = slot_count;
  created->bytes = slot_bytes * slot_count;
  if (!map_chunk(created, guarded)) {
    free(created);
    return NULL;
  }
  size_t index = upper_bound(created->base);
  memmove(&chunks[index + 1], &chunks[index],
          (chunk_count - index) * sizeof *chunks);
  chunks[index] = created;
  ++chunk_count;
  return created;
}

static void free_records(chunk *of) {
  for (unsigned i = 0; i < of->slot_count; ++i) {
    agpu__emu_history_free(of->slots[i].history);
    free(of->slots[i].written);
  }
}

static void destroy_chunk(chunk *old) {
  free_records(old);
  size_t index = upper_bound(old->base) - 1;
  --chunk_count;
  memmove(&chunks[index], &chunks[index + 1],
          (chunk_count - index) * sizeof *chunks);
  unmap_chunk(old);
  free(old);
}

static slot *take_slot(size_t bytes, bool guarded) {
  if (bytes > MAX_SHARED_SLOT) {
    if (bytes > SIZE_MAX / 2)
      return NULL;
    // A page more, so that running over the end meets no neighbour.
    chunk *own = create_chunk((bytes + 2 * PAGE - 1) & ~(PAGE - 1), 1, guarded);
    if (!own)
      return NULL;
    own->slots[0].base = own->base;
    own->used = 1;
    return &own->slots[0];
  }
  unsigned index = 0;
  while ((MIN_SLOT << index) < bytes)
    ++index;
  size_class *of = &classes[guarded][index];
  if (of->free_count > QUARANTINE) {
    slot *reused = of->first_free;
    of->first_free = reused->next_free;
    --of->free_count;
    return reused;
  }
  if (!of->open || of->open->used == of->open->slot_count) {
    chunk *created = create_chunk(MIN_SLOT << index, SLOTS_PER_CHUNK, guarded);
    if (!created)
      return NULL;
    of->open = created;
  }
  chunk *open = of->open;
  slot *fresh = &open->slots[open->used];
  fresh->base = open->base + open->used * open->slot_bytes;
  ++open->used;
  return fresh;
}

static bool take_capacity(CUdevice device, size_t bytes, memory_kind kind) {
  return kind == MANAGED
             ? agpu__emu_capacity_take_managed(bytes)
             : agpu__emu_capacity_take(device, bytes, kind == ORDERED);
}

static void give_capacity(CUdevice device, size_t bytes, memory_kind kind) {
  if (kind == MANAGED)
    agpu__emu_capacity_give_managed(bytes);
  else
    agpu__emu_capacity_give(device, bytes);
}

static CUresult allocate(CUdeviceptr *pointer, size_t bytes, memory_kind kind) {
  if (!pointer || bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  CUdevice device = agpu__emu_context_device(agpu__emu_get_context());
  if (!take_capacity(device, bytes, kind))
    return CUDA_ERROR_OUT_OF_MEMORY;
  pthread_rwlock_wrlock(&lock);
  // What the host may touch has other chunks.
  bool follow = kind != MANAGED && agpu__emu_get_settings()->check_memory;
  slot *at = take_slot(bytes, follow);
  if (at) {
    at->bytes = bytes;
    at->device = device;
    at->kind = kind;
    at->is_leaving = false;
    free(at->written);
    at->written = follow ? agpu__emu_written_create(bytes) : NULL;
    at->allocated = get_origin();
    at->freed = (agpu__op_name){.what = NULL};
    agpu__emu_history_free(at->history);
    at->history = NULL;
    atomic_store_explicit(&at->marks, kind == ORDERED ? 0 : REACHED,
                          memory_order_relaxed);
  }
  pthread_rwlock_unlock(&lock);
  if (!at) {
    give_capacity(device, bytes, kind);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *pointer = at->base;
  return CUDA_SUCCESS;
}

/// Under the writer's lock: the allocation that starts at `pointer` and is not
/// freed yet is unnamed now.
static bool unname(CUdeviceptr pointer) {
  chunk *in = find_chunk(pointer);
  slot *at = in ? find_slot(in, pointer) : NULL;
  if (!at || at->base != pointer || !at->bytes) {
    note("freed, but not a device allocation", pointer, 0, NULL);
    return false;
  }
  if (atomic_fetch_or_explicit(&at->marks, UNNAMED, memory_order_relaxed) &
      UNNAMED) {
    note("device memory freed twice", pointer, at->bytes, at);
    return false;
  }
  at->freed = get_origin();
  return true;
}

/// Under the writer's lock: the free of an allocation is in a stream now, or
/// was to be, and the allocation has its name again.
static void set_leaving(CUdeviceptr pointer, bool is_leaving) {
  slot *at = find_slot(find_chunk(pointer), pointer);
  at->is_leaving = is_leaving && at->kind != MANAGED;
  if (at->kind != MANAGED)
    agpu__emu_capacity_leave(at->device, at->bytes, is_leaving);
  if (!is_leaving) {
    atomic_fetch_and_explicit(&at->marks, ~(unsigned)UNNAMED,
                              memory_order_relaxed);
    at->freed = (agpu__op_name){.what = NULL};
  }
}

/// Under the lock: whether the allocation, if it is one, is the current
/// context's device's. The API does not say what freeing another's does.
static bool is_own(CUdeviceptr pointer) {
  chunk *in = find_chunk(pointer);
  const slot *at = in ? find_slot(in, pointer) : NULL;
  CUdevice device = agpu__emu_context_device(agpu__emu_get_context());
  if (!at || !at->bytes || at->device == device)
    return true;
  agpu__emu_note("memory of device %d freed on a stream of device %d",
                 at->device, device);
  return false;
}

/// Under the writer's lock.
static void release_slot(CUdeviceptr pointer) {
  atomic_fetch_add_explicit(&version, 1, memory_order_relaxed);
  chunk *in = find_chunk(pointer);
  slot *at = find_slot(in, pointer);
  // Unnamed it is already, but for one that no stream took.
  atomic_fetch_or_explicit(&at->marks, UNNAMED | RELEASED,
                           memory_order_relaxed);
  if (at->is_leaving)
    agpu__emu_capacity_leave(at->device, at->bytes, false);
  give_capacity(at->device, at->bytes, at->kind);
  if (in->slot_count == 1) {
    // The addresses stay reserved, so that a late use is noticed; the memory
    // goes back to the system.
    madvise((void *)((uintptr_t)in->base + (uintptr_t)in->distance), in->bytes,
            in->distance ? MADV_REMOVE : MADV_DONTNEED);
    in->next_retired = NULL;
    *last_retired = in;
    last_retired = &in->next_retired;
    if (++retired_count > QUARANTINE) {
      chunk *oldest = first_retired;
      first_retired = oldest->next_retired;
      --retired_count;
      destroy_chunk(oldest);
    }
    return;
  }
  unsigned index = 0;
  while ((MIN_SLOT << index) < in->slot_bytes)
    ++index;
  size_class *of = &classes[in->distance != 0][index];
  at->next_free = NULL;
  if (of->free_count++ == 0)
    of->first_free = at;
  else
    *of->last_free = at;
  of->last_free = &at->next_free;
}

void agpu__emu_memory_reach_alloc(CUdeviceptr pointer) {
  pthread_rwlock_rdlock(&lock);
  slot *at = find_slot(find_chunk(pointer), pointer);
  atomic_fetch_or_explicit(&at->marks, REACHED, memory_order_relaxed);
  pthread_rwlock_unlock(&lock);
}

void agpu__emu_memory_reach_free(CUdeviceptr pointer) {
  pthread_rwlock_wrlock(&lock);
  release_slot(pointer);
  pthread_rwlock_unlock(&lock);
}

void agpu__emu_memory_each(void (*visit)(const char *location, size_t bytes,
                                         void *argument),
                           void *argument) {
  pthread_rwlock_rdlock(&lock);
  for (size_t i = 0; i < chunk_count; ++i)
    for (unsigned k = 0; k < chunks[i]->slot_count; ++k) {
      const slot *at = &chunks[i]->slots[k];
      unsigned marks = atomic_load_explicit(&at->marks, memory_order_relaxed);
      if (at->bytes && !(marks & UNNAMED))
        visit(at->allocated.location, at->bytes, argument);
    }
  pthread_rwlock_unlock(&lock);
}

void agpu__emu_memory_reset(void) {
  pthread_rwlock_wrlock(&lock);
  for (size_t i = 0; i < chunk_count; ++i) {
    free_records(chunks[i]);
    unmap_chunk(chunks[i]);
    free(chunks[i]);
  }
  free(chunks);
  chunks = NULL;
  chunk_count = chunk_capacity = 0;
  memset(classes, 0, sizeof classes);
  first_retired = NULL;
  last_retired = &first_retired;
  retired_count = 0;
  agpu__emu_capacity_reset();
  pthread_rwlock_unlock(&lock);
}

CUresult agpu__emu_mem_alloc(CUdeviceptr *pointer, size_t bytes) {
  CUresult result = agpu__emu_enter();
  return result ? result : allocate(pointer, bytes, PLAIN);
}

CUresult agpu__emu_mem_alloc_managed(CUdeviceptr *pointer, size_t bytes,
                                     unsigned int flags) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (flags != CU_MEM_ATTACH_GLOBAL)
    return CUDA_ERROR_INVALID_VALUE;
  return allocate(pointer, bytes, MANAGED);
}

CUresult agpu__emu_mem_free(CUdeviceptr pointer) {
  CUresult result = agpu__emu_enter();
  if (result || !pointer)
    return result;
  pthread_rwlock_wrlock(&lock);
  bool found = unname(pointer);
  pthread_rwlock_unlock(&lock);
  if (!found)
    return CUDA_ERROR_INVALID_VALUE;
  // As the API has it: not before all work in flight is done.
  agpu__emu_streams_wait();
  agpu__emu_memory_reach_free(pointer);
  return CUDA_SUCCESS;
}

CUresult agpu__emu_mem_alloc_async(CUdeviceptr *pointer, size_t bytes,
                                   CUstream stream) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (!agpu__emu_get_settings()->memory_pools)
    return CUDA_ERROR_NOT_SUPPORTED;
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  result = allocate(pointer, bytes, ORDERED);
  if (result)
    return result;
  agpu__emu_op *op = agpu__emu_op_create(AGPU__EMU_OP_ALLOC, 0);
  if (op) {
    op->pointer = *pointer;
    result = agpu__emu_stream_enqueue(stream, op);
  } else {
    result = CUDA_ERROR_OUT_OF_MEMORY;
  }
  if (result)
    agpu__emu_memory_reach_free(*pointer);
  return result;
}

CUresult agpu__emu_mem_free_async(CUdeviceptr pointer, CUstream stream) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (!agpu__emu_get_settings()->memory_pools)
    return CUDA_ERROR_NOT_SUPPORTED;
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  agpu__emu_op *op = agpu__emu_op_create(AGPU__EMU_OP_FREE, 0);
  if (!op)
    return CUDA_ERROR_OUT_OF_MEMORY;
  op->pointer = pointer;
  pthread_rwlock_wrlock(&lock);
  bool found = is_own(pointer) && unname(pointer);
  if (found)
    set_leaving(pointer, true);
  pthread_rwlock_unlock(&lock);
  if (!found) {
    free(op);
    return CUDA_ERROR_INVALID_VALUE;
  }
  result = agpu__emu_stream_enqueue(stream, op);
  if (result) {
    // A call that fails has done nothing: it can be made again.
    pthread_rwlock_wrlock(&lock);
    set_leaving(pointer, false);
    pthread_rwlock_unlock(&lock);
  }
  return result;
}

/// Of freed device memory, too: whoever copies it then is told what is wrong.
static CUresult get_memory_type(CUdeviceptr pointer, void *data) {
  bool on_device = agpu__emu_memory_is_near(pointer, 1);
  if (!on_device && !agpu__emu_host_memory_is_mapped(pointer, 1))
    return CUDA_ERROR_INVALID_VALUE;
  *(unsigned *)data = on_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
  return CUDA_SUCCESS;
}

CUresult agpu__emu_pointer_get_attribute(void *data,
                                         CUpointer_attribute attribute,
                                         CUdeviceptr pointer) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (!data)
    return CUDA_ERROR_INVALID_VALUE;
  if (attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
    return get_memory_type(pointer, data);
  if (attribute != CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
    return CUDA_ERROR_INVALID_VALUE;
  if (agpu__emu_host_memory_is_mapped(pointer, 1)) {
    *(int *)data = agpu__emu_context_device(agpu__emu_get_context());
    return CUDA_SUCCESS;
  }
  pthread_rwlock_rdlock(&lock);
  chunk *in = find_chunk(pointer);
  const slot *at = in ? find_slot(in, pointer) : NULL;
  bool named =
      at && at->bytes && pointer - at->base < at->bytes &&
      !(atomic_load_explicit(&at->marks, memory_order_relaxed) & UNNAMED);
  if (named)
    *(int *)data = at->device;
  pthread_rwlock_unlock(&lock);
  return named ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
