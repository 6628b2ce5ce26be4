//===- copy.c - Copies that hold up no thread -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A batch is what one host function moves: rows, and the buffer's place for
// each. The parts of a batch are enqueued under the lock of the stream's
// staging; the batch itself lives until whoever enqueues and the host function
// are both done with it.
//
//===----------------------------------------------------------------------===//

#include "gpu/stream/copy.h"

#include "base/memory/memory.h"
#include "base/sync/mutex.h"
#include "gpu/device/pins.h"

#include <errno.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/uio.h>
#include <unistd.h>

/// Buffers: most copies are small, and pinned memory is dear. A host function
/// that moves as much as the large one holds takes well below a millisecond,
/// in which those of other streams wait.
static const size_t buffer_bytes[] = {(size_t)64 << 10, (size_t)4 << 20};
#define BUFFERS (sizeof buffer_bytes / sizeof *buffer_bytes)

/// Rows that one host function moves, at most.
#define MOST_ROWS ((size_t)1024)

typedef struct row {
  char *to;         ///< what the host function writes
  const char *from; ///< and reads
  CUdeviceptr device;
  size_t bytes;
} row;

/// What one host function moves. Until it has, or can no longer, it is in the
/// stream's list.
typedef struct agpu__copy_batch {
  LIST_ENTRY(agpu__copy_batch) link;
  agpu__staging *staging;
  atomic_uint references; ///< whoever enqueues, and the host function
  size_t bytes, count, capacity;
  row rows[];
} batch;

struct agpu__staging {
  /// Held while the parts of a batch are enqueued, which have to stay together:
  /// loans may share a stream.
  agpu__mutex lock;
  /// NULL: not needed so far.
  char *buffers[BUFFERS] AGPU__GUARDED_BY(lock);
  /// Never held in a call of the driver, which may wait for a host function.
  agpu__lock list_lock;
  /// Whose host functions have not come.
  LIST_HEAD(, agpu__copy_batch) batches AGPU__GUARDED_BY(list_lock);
};

agpu__staging *agpu__staging_create(void) {
  agpu__staging *staging = agpu__memory_alloc(
      sizeof *staging, _Alignof(agpu__staging), "buffers of a stream");
  *staging =
      (agpu__staging){.list_lock = AGPU__LOCK_INIT(AGPU__RANK_STAGING_LIST)};
  agpu__mutex_init(&staging->lock, AGPU__RANK_STAGING);
  return staging;
}

void agpu__staging_trim(agpu__staging *staging, const agpu__device *device) {
  agpu__mutex_lock(&staging->lock);
  for (size_t i = 0; i < BUFFERS; ++i) {
    // Refused where the process fails: it gives back what is there.
    if (staging->buffers[i] &&
        device->driver->cuMemFreeHost(staging->buffers[i]) !=
            CUDA_ERROR_DEINITIALIZED)
      staging->buffers[i] = NULL;
  }
  agpu__mutex_unlock(&staging->lock);
}

void agpu__staging_destroy(agpu__staging *staging) {
  // After a failure of the device, host functions do not run.
  agpu__lock_acquire(&staging->list_lock);
  while (!LIST_EMPTY(&staging->batches)) {
    batch *first = LIST_FIRST(&staging->batches);
    LIST_REMOVE(first, link);
    agpu__memory_free(first);
  }
  agpu__lock_release(&staging->list_lock);
  agpu__mutex_destroy(&staging->lock);
  agpu__memory_free(staging);
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

static batch *create_batch(agpu__staging *staging, size_t rows) {
  size_t capacity = rows < MOST_ROWS ? rows : MOST_ROWS;
  batch *created =
      agpu__memory_alloc((int64_t)(sizeof *created + capacity * sizeof(row)),
                         _Alignof(batch), "rows of a copy");
  *created = (batch){.staging = staging, .capacity = capacity};
  atomic_init(&created->references, 2);
  return created;
}

static void release(batch *of) {
  // Release and acquire: the thread that frees it follows all uses by others.
  if (atomic_fetch_sub_explicit(&of->references, 1, memory_order_acq_rel) == 1)
    agpu__memory_free(of);
}

static void add_to_list(batch *of) {
  agpu__staging *staging = of->staging;
  agpu__lock_acquire(&staging->list_lock);
  LIST_INSERT_HEAD(&staging->batches, of, link);
  agpu__lock_release(&staging->list_lock);
}

static void take_off_list(batch *of) {
  agpu__staging *staging = of->staging;
  agpu__lock_acquire(&staging->list_lock);
  LIST_REMOVE(of, link);
  agpu__lock_release(&staging->list_lock);
}

/// A host function: moves what a batch holds.
static void move(void *argument) {
  batch *of = argument;
  // The buffer is the driver's. Where the process fails it may be gone.
  if (agpu__driver_gate_enter()) {
    for (size_t i = 0; i < of->count; ++i)
      memcpy(of->rows[i].to, of->rows[i].from, of->rows[i].bytes);
    agpu__driver_gate_leave();
  }
  take_off_list(of);
  release(of);
}

/// What the program's part of the batch is, for a driver that wants to know.
static agpu__host_range *list_touched(const agpu__copy *copy, const batch *of,
                                      size_t *out_count) {
  *out_count = 0;
  const agpu__driver *driver = copy->device->driver;
  if (!driver->extension || !driver->extension->checks_races)
    return NULL;
  agpu__host_range *touched =
      agpu__memory_alloc((int64_t)(2 * of->count * sizeof *touched),
                         _Alignof(agpu__host_range), "rows of a copy");
  for (size_t i = 0; i < of->count; ++i) {
    const row *at = &of->rows[i];
    if (copy->way != AGPU__COPY_OUT)
      touched[(*out_count)++] = (agpu__host_range){at->from, at->bytes, false};
    if (copy->way != AGPU__COPY_IN)
      touched[(*out_count)++] = (agpu__host_range){at->to, at->bytes, true};
  }
  return touched;
}

static CUresult launch_move(const agpu__copy *copy, batch *of) {
  size_t count;
  agpu__host_range *touched = list_touched(copy, of, &count);
  add_to_list(of);
  agpu__driver_set_touched(touched, count);
  // A graph would run it with each launch.
  CUresult result =
      agpu__self.gpu.capturing
          ? CUDA_ERROR_NOT_PERMITTED
          : copy->device->driver->cuLaunchHostFunc(copy->handle, move, of);
  agpu__driver_set_touched(NULL, 0);
  agpu__memory_free(touched);
  if (result) {
    take_off_list(of);
    release(of);
  }
  return result;
}

/// The rows from `first` on that one copy moves: of one size, and the device's
/// as far apart as its first two. In the buffer they lie side by side.
static size_t count_alike(const batch *of, size_t first) {
  const row *rows = &of->rows[first];
  size_t left = of->count - first, count = 1;
  // Wraps around where rows go down, and is no pitch then.
  CUdeviceptr pitch = left > 1 ? rows[1].device - rows[0].device : 0;
  while (pitch >= rows->bytes && pitch <= AGPU__MAX_PITCH && count < left &&
         rows[count].bytes == rows->bytes &&
         rows[count].device - rows[count - 1].device == pitch)
    ++count;
  return count;
}

/// The copies between the buffer and the device.
static CUresult copy_rows(const agpu__copy *copy, const batch *of) {
  CUresult result = CUDA_SUCCESS;
  for (size_t i = 0, count; i < of->count && !result; i += count) {
    const row *at = &of->rows[i];
    count = count_alike(of, i);
    size_t pitch = count > 1 ? at[1].device - at[0].device : at->bytes;
    bool in = copy->way == AGPU__COPY_IN;
    CUdeviceptr staged = (CUdeviceptr)(uintptr_t)(in ? at->to : at->from);
    agpu__box box = {.target = in ? at->device : staged,
                     .source = in ? staged : at->device,
                     .width = at->bytes,
                     .height = count,
                     .depth = 1,
                     .target_pitch = in ? pitch : at->bytes,
                     .target_height = count,
                     .source_pitch = in ? at->bytes : pitch,
                     .source_height = count};
    if (pitch == at->bytes)
      box = agpu__box_of(box.target, box.source, count * at->bytes);
    result = agpu__box_copy(copy->device->driver, &box, copy->handle);
  }
  return result;
}

/// The buffer's place for each row; until now it is told from the buffer's
/// beginning.
static CUresult place(const agpu__copy *copy, batch *of)
    AGPU__REQUIRES(of->staging->lock) {
  AGPU__ASSERT_HELD(&of->staging->lock);
  char **buffer = &of->staging->buffers[copy->is_large];
  CUresult result = CUDA_SUCCESS;
  if (!*buffer) {
    void *memory;
    result = copy->device->driver->cuMemHostAlloc(
        &memory, buffer_bytes[copy->is_large], CU_MEMHOSTALLOC_PORTABLE);
    if (result)
      return result;
    *buffer = memory;
  }
  char *staged = *buffer;
  for (size_t i = 0; i < of->count; staged += of->rows[i++].bytes) {
    if (copy->way == AGPU__COPY_IN)
      of->rows[i].to = staged;
    else
      of->rows[i].from = staged;
  }
  return result;
}

/// Enqueues the batch, and lets go of it.
static CUresult flush(agpu__copy *copy) {
  batch *of = copy->batch;
  copy->batch = NULL;
  if (!of)
    return CUDA_SUCCESS;
  agpu__mutex_lock(&of->staging->lock);
  CUresult result =
      copy->way == AGPU__COPY_HOST ? CUDA_SUCCESS : place(copy, of);
  bool launched = false;
  // The program learns of the whole of it.
  agpu__op_name op = *copy->op;
  op.is_silent = true;
  agpu__driver_set_origin(&op);
  if (!result && copy->way == AGPU__COPY_OUT)
    result = copy_rows(copy, of);
  if (!result) {
    launched = true;
    result = launch_move(copy, of);
  }
  if (!result && copy->way == AGPU__COPY_IN)
    result = copy_rows(copy, of);
  agpu__driver_set_origin(copy->op);
  agpu__mutex_unlock(&of->staging->lock);
  if (!launched)
    release(of); // the host function's reference: there is no such function
  release(of);
  return result;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// A device's memory has an ordinal, and the host's that was allocated or
/// registered through the driver.
static bool has_ordinal(const agpu__driver *driver, CUdeviceptr pointer) {
  int value;
  return driver->cuPointerGetAttribute(&value,
                                       CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                       pointer) != CUDA_ERROR_INVALID_VALUE;
}

/// Whether the host can read the byte. Device memory lies at addresses where it
/// cannot, also once it is freed. Yes, where the system does not say.
static bool is_readable(CUdeviceptr pointer) {
  char byte;
  struct iovec here = {.iov_base = &byte, .iov_len = 1};
  struct iovec there = {.iov_base = (void *)(uintptr_t)pointer, .iov_len = 1};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1 ||
         errno != EFAULT;
}

/// Whether the byte is the host's, and the driver knows nothing of it. Other
/// memory that it knows nothing of, such as what has been freed, is for its own
/// error.
static bool is_pageable(const agpu__driver *driver, CUdeviceptr pointer) {
  unsigned value;
  return !has_ordinal(driver, pointer) &&
         driver->cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                       pointer) == CUDA_ERROR_INVALID_VALUE &&
         is_readable(pointer);
}

void agpu__copy_begin(agpu__copy *copy, const agpu__device *device,
                      agpu__pool_stream *stream, CUstream handle,
                      const agpu__copy_side *target,
                      const agpu__copy_side *source, size_t bytes, size_t rows,
                      const agpu__op_name *op) {
  *copy = (agpu__copy){.device = device,
                       .stream = stream,
                       .handle = handle,
                       .op = op,
                       .way = AGPU__COPY_DIRECT,
                       .is_large = bytes > buffer_bytes[0] / rows,
                       .rows = rows};
  if (!stream || !target->pointer || !source->pointer)
    return;
  // The driver copies from or to memory that it was told of as one, or of none
  // of it: a page may be registered for another memref.
  agpu__pins *pins = device->shared->pins;
  bool in = is_pageable(device->driver, source->pointer) ||
            agpu__pins_split(pins, source->low, source->span);
  bool out = is_pageable(device->driver, target->pointer) ||
             agpu__pins_split(pins, target->low, target->span);
  copy->way = in && out ? AGPU__COPY_HOST
              : in      ? AGPU__COPY_IN
              : out     ? AGPU__COPY_OUT
                        : AGPU__COPY_DIRECT;
  // What runs over the end of an allocation is the driver's to refuse, before
  // the host's side is touched.
  const agpu__copy_side *own = in ? target : source;
  if (in != out && own->span > 1 &&
      !has_ordinal(device->driver, own->low + own->span - 1))
    copy->way = AGPU__COPY_DIRECT;
}

/// Adds `bytes`, for which there is room.
static void add(agpu__copy *copy, CUdeviceptr target, CUdeviceptr source,
                size_t bytes) {
  batch *of = copy->batch;
  row *added = &of->rows[of->count++];
  *added = (row){.bytes = bytes};
  if (copy->way != AGPU__COPY_IN)
    added->to = (char *)(uintptr_t)target;
  else
    added->device = target;
  if (copy->way != AGPU__COPY_OUT)
    added->from = (const char *)(uintptr_t)source;
  else
    added->device = source;
  of->bytes += bytes;
}

static CUresult stage_row(agpu__copy *copy, CUdeviceptr target,
                          CUdeviceptr source, size_t bytes) {
  CUresult result = CUDA_SUCCESS;
  while (bytes && !result) {
    if (!copy->batch)
      copy->batch = create_batch(copy->stream->staging,
                                 copy->rows + (copy->rows < MOST_ROWS));
    size_t room = buffer_bytes[copy->is_large] - copy->batch->bytes;
    size_t part = bytes < room ? bytes : room;
    add(copy, target, source, part);
    target += part;
    source += part;
    bytes -= part;
    if (part == room || copy->batch->count == copy->batch->capacity)
      result = flush(copy);
  }
  return result;
}

CUresult agpu__copy_box(agpu__copy *copy, const agpu__box *box) {
  if (copy->way == AGPU__COPY_DIRECT)
    return agpu__box_copy(copy->device->driver, box, copy->handle);
  CUresult result = CUDA_SUCCESS;
  for (size_t z = 0; z < box->depth && !result; ++z)
    for (size_t y = 0; y < box->height && !result; ++y)
      result = stage_row(
          copy, box->target + (z * box->target_height + y) * box->target_pitch,
          box->source + (z * box->source_height + y) * box->source_pitch,
          box->width);
  return result;
}

CUresult agpu__copy_end(agpu__copy *copy, CUresult result) {
  if (!result)
    return flush(copy);
  if (copy->batch)
    agpu__memory_free(copy->batch);
  copy->batch = NULL;
  return result;
}
