//===- work.h - Work of an ENQUEUED object ----------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How objects (runtime/async) speak of device work without knowing devices:
// the GPU layer gives an ENQUEUED object a reference to its work
// (an event on a stream), and is asked for its completion when the first
// consumer on the host turns up.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_ASYNC_WORK_H
#define ASYNC_GPU_RUNTIME_ASYNC_WORK_H

#include "async_gpu/object.h"
#include "base/os/platform.h"

#include <stdbool.h>

/// Reference-counted work on a device. First member of the GPU layer's event.
typedef struct agpu__work agpu__work;

typedef struct agpu__work_ops {
  void (*release)(agpu__work *work);
  /// Asks for one call agpu__object_complete(object, status) when the work has
  /// completed or failed: exactly once, from any thread but never inside this
  /// call. `object` is kept alive by a reference that the call consumes.
  void (*request)(agpu__work *work, agpu_object *object);
  /// Waits on the calling thread, outside of tasks, until the work has ended.
  /// True where it has succeeded and that is all there is to say; else the
  /// completion has to be asked for. NULL: always so.
  bool (*wait)(agpu__work *work);
  /// Before another stream is made to wait for it, or the driver is told of it:
  /// waits until it has been enqueued. Of events of rounds alone.
  void (*settle)(agpu__work *work);
} agpu__work_ops;

struct agpu__work {
  const agpu__work_ops *ops;
};

/// PENDING → ENQUEUED, by `work` (one reference is taken over). Consumers
/// of kind "enqueued" go on; if consumers of kind "ready" already wait,
/// completion is requested. Drops the producer's reference.
void agpu__object_enqueue(agpu_object *object, agpu__work *work);

/// A token that is created ENQUEUED, by `work` (one reference taken over) with
/// one reference, the caller's.
agpu_object *agpu__token_create_enqueued(agpu__work *work);

/// A token that is born READY, with one reference, the caller's.
agpu_object *agpu__token_create_ready(void);

/// PENDING → READY. Drops the producer's reference.
AGPU__SHARED void agpu__object_emplace(agpu_object *object);

/// The same in a task that returns as soon as this has: the first that waits
/// for the object is what the thread runs next.
void agpu__object_emplace_last(agpu_object *object);

/// A token that is born in ERROR with `status` (one reference taken over).
agpu_object *agpu__token_create_error(agpu_status status);

/// PENDING → ERROR with `status` (one reference taken over); drops the
/// producer's reference.
AGPU__SHARED void agpu__object_fail(agpu_object *object, agpu_status status);

/// ENQUEUED → READY, or ERROR with `status` (reference taken over). Consumes
/// the reference that the request took.
void agpu__object_complete(agpu_object *object, agpu_status status);

#endif // ASYNC_GPU_RUNTIME_ASYNC_WORK_H
