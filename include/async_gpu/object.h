//===- object.h - Tokens, values and groups ---------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `!async.token`, `!gpu.async.token`, `!async.value<T>` and `!async.group` are
// one reference-counted kind of object at run time. An object is
//
//     PENDING ──work enqueued──▶ ENQUEUED ──work completes──▶ READY
//        │                          │
//        └────────▶ ERROR ◀─────────┘
//
// READY and ERROR are final. ENQUEUED means that all its device work is on
// a stream: consumers on a stream may go on (see stream.h), the host may not.
//
// This header has what upstream's `mlirAsyncRuntime*` functions
// (compiled/mlir_async_runtime.h) have no call for, for compiled programs and
// for C. All functions are thread safe.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_OBJECT_H
#define ASYNC_GPU_OBJECT_H

#include "async_gpu/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A token, value or group. Made by mlirAsyncRuntimeCreate{Token,Value,Group}
/// and agpu_stream_record; counted by mlirAsyncRuntime{AddRef,DropRef}.
typedef struct agpu_object agpu_object;

/// A suspended coroutine and the function that resumes it.
typedef void (*agpu_coro_resume)(void *handle);

/// Memory for a coroutine frame: `size` bytes aligned to `alignment` (a power
/// of two). Never NULL: where memory is out, the program ends with a message.
AGPU_EXPORT void *agpu_frame_alloc(int64_t size, int64_t alignment);

/// Gives a frame back. NULL is allowed (an elided frame). Any thread.
AGPU_EXPORT void agpu_frame_free(void *frame);

/// A token, or a value of `payload` bytes, that a coroutine gives, together
/// with memory for its frame: `size` bytes aligned to `alignment`, whose
/// address is in the object (compiled/object_layout.h). Two references: the
/// caller's, and the producer's, which stays when the object gets READY or into
/// ERROR, and goes with the frame. Never NULL, as agpu_frame_alloc.
AGPU_EXPORT agpu_object *agpu_task_create_token(int64_t size,
                                                int64_t alignment);
AGPU_EXPORT agpu_object *agpu_task_create_value(int64_t payload, int64_t size,
                                                int64_t alignment);

/// The coroutine that gives `task` has ended. Frees its frame, and drops the
/// producer's reference. Any thread.
AGPU_EXPORT void agpu_task_free_frame(agpu_object *task);

/// As agpu_object_await_and_execute, for the coroutine that gives `task`.
AGPU_EXPORT void agpu_task_await(agpu_object *task, agpu_object *object,
                                 void *handle, agpu_coro_resume resume,
                                 const char *location);

/// As agpu_execute_after, likewise.
AGPU_EXPORT void agpu_task_start_after(agpu_object *task, agpu_object *object,
                                       void *handle, agpu_coro_resume resume,
                                       bool brief, const char *location);

/// After an allocation on the host of `bytes` (INT64_MAX: more than there are
/// addresses). Does not return unless `ok`: the program ends with an error at
/// `location`.
AGPU_EXPORT void agpu_check_allocation(bool ok, int64_t bytes,
                                       const char *location);

/// PENDING → ERROR, where such an allocation has failed in what gives `object`.
AGPU_EXPORT void agpu_object_set_out_of_memory(agpu_object *object,
                                               int64_t bytes,
                                               const char *location);

/// As mlirAsyncRuntimeExecute, for a coroutine that completes the `results`
/// tokens and values which the calling thread has created last. A thread
/// outside of tasks that submits it and waits for one of these may run it
/// itself, before another thread does.
AGPU_EXPORT void agpu_execute(void *handle, agpu_coro_resume resume,
                              uint32_t results);

/// As mlirAsyncRuntimeExecute, for a coroutine that takes a moment until it
/// ends or suspends: it neither blocks, nor loops, nor spawns, nor calls what
/// might. A thread outside of tasks that waits may run it itself.
AGPU_EXPORT void agpu_execute_brief(void *handle, agpu_coro_resume resume);

/// As mlirAsyncRuntimeExecute once `object` is READY or ERROR, for a coroutine
/// that awaits it first; `brief` if it is such a one as agpu_execute_brief
/// takes. `location` is that of the await, as in agpu_object_await_and_execute.
/// The caller keeps the object alive until then.
AGPU_EXPORT void agpu_execute_after(agpu_object *object, void *handle,
                                    agpu_coro_resume resume, bool brief,
                                    const char *location);

/// Whether a coroutine that neither blocks nor loops starts in the calling
/// thread, on its stack, and not on the executor: so it does if the thread has
/// queued enough for the others to do, and its stack is not too deep for it. If
/// true, agpu_started_here follows on the same thread, when the coroutine has
/// ended or is suspended; what is started in between is not held up.
AGPU_EXPORT bool agpu_start_here(void);

/// See above. If the coroutine is suspended, waits as agpu_throttle does.
AGPU_EXPORT void agpu_started_here(bool suspended);

/// For a thread that has started a coroutine, which is suspended now: waits
/// while some thousands of tasks have not ended and get fewer.
AGPU_EXPORT void agpu_throttle(void);

/// Calls `body` with `frame` once `awaited_count` objects are ENQUEUED, READY
/// or ERROR: in this call where they are already, or on a thread of the
/// executor; and gives the frame back. It is from agpu_frame_alloc: after
/// AGPU_ENQUEUED_CALL_BYTES for this function lie `object_count` objects: those
/// that `body` completes (`result_count`), the awaited ones, others. If one
/// that is awaited has failed, `body` is not called: the results get the error
/// of the first, and of each other object a reference is dropped, as `body`
/// does.
AGPU_EXPORT void agpu_call_enqueued(void *frame, void (*body)(void *frame),
                                    uint32_t result_count,
                                    uint32_t awaited_count,
                                    uint32_t object_count);
#define AGPU_ENQUEUED_CALL_BYTES 24

/// A token that is READY, shared by all. Its references are not counted.
extern AGPU_EXPORT agpu_object agpu_ready_token;

/// True once the object is READY or ERROR: an await would not suspend.
AGPU_EXPORT bool agpu_object_is_ready(agpu_object *object);

/// True once the object is ENQUEUED, READY or ERROR.
AGPU_EXPORT bool agpu_object_is_enqueued(agpu_object *object);

/// True if the object is in ERROR. For a group: if any member is. Who asks
/// answers for the error: it is not reported when the program ends.
AGPU_EXPORT bool agpu_object_is_error(agpu_object *object);

/// The same for a region that passes the error on: the error stays one that
/// nobody has observed.
AGPU_EXPORT bool agpu_object_has_failed(agpu_object *object);

/// Waits until the object is ENQUEUED, READY or ERROR. Tasks go on meanwhile.
AGPU_EXPORT void agpu_object_await_enqueued(agpu_object *object);

/// Resumes `handle` with `resume` once the object is ENQUEUED, READY or
/// ERROR: on a thread of the executor, never inside this call, so that it may
/// stand between `coro.save` and `coro.suspend`. The caller keeps the object
/// alive until then.
AGPU_EXPORT void
agpu_object_await_enqueued_and_execute(agpu_object *object, void *handle,
                                       agpu_coro_resume resume);

/// As agpu_object_is_enqueued, and if that is false, what
/// agpu_object_await_enqueued_and_execute does: the coroutine is suspended
/// then, and goes on otherwise.
AGPU_EXPORT bool agpu_object_enqueued_or_execute(agpu_object *object,
                                                 void *handle,
                                                 agpu_coro_resume resume);

/// As mlirAsyncRuntimeEmplaceToken, for a token or value of a coroutine that
/// ends with this: it does no more than free its frame. What waits for the
/// object goes on on the same thread.
AGPU_EXPORT void agpu_object_emplace_last(agpu_object *object);

/// Puts `object` (PENDING token or value) into ERROR with a new status made
/// of `message` and `location` (both copied; location may be NULL). Drops the
/// producer's reference, as mlirAsyncRuntimeSetTokenError does.
AGPU_EXPORT void agpu_object_set_error(agpu_object *object, const char *message,
                                       const char *location);

/// Puts `object` (PENDING token or value) into ERROR with the status of
/// `from`, which is in ERROR. Drops the producer's reference of `object`.
AGPU_EXPORT void agpu_object_forward_error(agpu_object *object,
                                           agpu_object *from);

/// Waits until the object is READY or ERROR, as mlirAsyncRuntimeAwait* do.
/// `location` ("file:line:col", or NULL) is where the await stands; it names
/// the wait should the program come to a standstill, and is not copied.
AGPU_EXPORT void agpu_object_await_either(agpu_object *object,
                                          const char *location);

/// An await that has nobody to give an error to: the same, and then what
/// agpu_object_check does.
AGPU_EXPORT void agpu_object_await(agpu_object *object, const char *location);

/// As mlirAsyncRuntimeAwait*AndExecute, for an await in a coroutine that stands
/// at `location` ("file:line:col", or NULL), which is not copied and lives at
/// least until the coroutine is resumed.
AGPU_EXPORT void agpu_object_await_and_execute(agpu_object *object,
                                               void *handle,
                                               agpu_coro_resume resume,
                                               const char *location);

/// After an await outside any coroutine: does nothing unless `object` is in
/// ERROR; then prints one message (what failed, where, why) to stderr and ends
/// the process with exit status 1. `location` is where the await stands.
AGPU_EXPORT void agpu_object_check(agpu_object *object, const char *location);

/// Says, before anything else happens to a new value, that its payload is
/// itself an object (`!async.value<!async.token>`), and that the storage will
/// own one reference of it: the writer of the payload adds or hands over that
/// reference, a reader adds one of its own, and the value drops it
/// when it dies. A value that ended in ERROR before it was ENQUEUED or READY
/// has no payload and drops nothing.
AGPU_EXPORT void agpu_value_own_payload(agpu_object *value);

/// As mlirAsyncRuntimeAddTokenToGroup, for a caller whose reference of `group`
/// is its own: another user of the group has another one. Where
/// there is no other, it takes no atomic operation.
AGPU_EXPORT int64_t agpu_group_add(agpu_object *group, agpu_object *member);

/// The status of an object in ERROR, as a new reference; AGPU_OK otherwise.
AGPU_EXPORT agpu_status agpu_object_get_status(agpu_object *object);

#ifdef __cplusplus
}
#endif

#endif // ASYNC_GPU_OBJECT_H
