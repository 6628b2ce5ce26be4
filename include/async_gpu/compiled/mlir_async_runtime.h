//===- mlir_async_runtime.h - Upstream's async ABI --------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that upstream's convert-async-to-llvm calls, under their own
// names (one is misspelt there), with their own signatures: the runtime takes
// the place of libmlir_async_runtime. Tokens, values and groups are the
// objects of async_gpu/object.h.
//
// All functions are thread safe. None returns NULL: where memory is out, the
// process ends with a message.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_COMPILED_MLIR_ASYNC_RUNTIME_H
#define ASYNC_GPU_COMPILED_MLIR_ASYNC_RUNTIME_H

#include "async_gpu/object.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Adds `count` references to, or drops them from, a token, value or group.
/// The object is freed with its last reference.
AGPU_EXPORT void mlirAsyncRuntimeAddRef(agpu_object *object, int64_t count);
AGPU_EXPORT void mlirAsyncRuntimeDropRef(agpu_object *object, int64_t count);

/// A new PENDING token or value with two references: the caller's, and the
/// producer's, which Emplace* or Set*Error drops. A value has `size` bytes of
/// storage, aligned to 64, not initialised.
AGPU_EXPORT agpu_object *mlirAsyncRuntimeCreateToken(void);
AGPU_EXPORT agpu_object *mlirAsyncRuntimeCreateValue(int64_t size);

/// A new group for `size` members with one reference, the caller's. It is
/// READY (or ERROR) once that many members are; at once for 0. A negative size
/// makes a group in ERROR.
AGPU_EXPORT agpu_object *mlirAsyncRuntimeCreateGroup(int64_t size);

/// Adds a token or value to a group and returns its rank, from 0. A member
/// beyond the group's size puts the group in ERROR.
AGPU_EXPORT int64_t mlirAsyncRuntimeAddTokenToGroup(agpu_object *token,
                                                    agpu_object *group);

/// PENDING → READY. A value's storage has been written before. Drops the
/// producer's reference.
AGPU_EXPORT void mlirAsyncRuntimeEmplaceToken(agpu_object *token);
AGPU_EXPORT void mlirAsyncRuntimeEmplaceValue(agpu_object *value);

/// PENDING → ERROR, with a status that names no place; agpu_object_set_error
/// takes one. Drops the producer's reference.
AGPU_EXPORT void mlirAsyncRuntimeSetTokenError(agpu_object *token);
AGPU_EXPORT void mlirAsyncRuntimeSetValueError(agpu_object *value);

/// True in ERROR; for a group, as soon as any member is. If the calling thread
/// then aborts without going on to other calls of the runtime (but for
/// DropRef), the error is printed to stderr: that is how MLIR's own lowering of
/// an await in a plain function ends. A handler of SIGABRT does so, which is
/// installed with the first error, and calls the one before it.
AGPU_EXPORT bool mlirAsyncRuntimeIsTokenError(agpu_object *token);
AGPU_EXPORT bool mlirAsyncRuntimeIsValueError(agpu_object *value);
AGPU_EXPORT bool mlirAsyncRuntimeIsGroupError(agpu_object *group);

/// Waits until the object is READY or ERROR. Tasks go on meanwhile: for a
/// thread that is inside one, another takes over.
AGPU_EXPORT void mlirAsyncRuntimeAwaitToken(agpu_object *token);
AGPU_EXPORT void mlirAsyncRuntimeAwaitValue(agpu_object *value);
AGPU_EXPORT void mlirAsyncRuntimeAwaitAllInGroup(agpu_object *group);

/// A value's storage; lives as long as the value.
AGPU_EXPORT void *mlirAsyncRuntimeGetValueStorage(agpu_object *value);

/// Calls `resume(handle)` on a thread of the executor. Waits while some
/// thousands of tasks have not ended and get fewer. A thread outside of
/// tasks that creates one token or value and then submits a task says that this
/// task gives it: if the thread waits for it later, it may run the task itself.
AGPU_EXPORT void mlirAsyncRuntimeExecute(void *handle, agpu_coro_resume resume);

/// The same once the object is READY or ERROR; never inside this call. The
/// caller keeps the object alive until then.
AGPU_EXPORT void mlirAsyncRuntimeAwaitTokenAndExecute(agpu_object *token,
                                                      void *handle,
                                                      agpu_coro_resume resume);
AGPU_EXPORT void mlirAsyncRuntimeAwaitValueAndExecute(agpu_object *value,
                                                      void *handle,
                                                      agpu_coro_resume resume);
AGPU_EXPORT void
mlirAsyncRuntimeAwaitAllInGroupAndExecute(agpu_object *group, void *handle,
                                          agpu_coro_resume resume);

/// Workers of the executor.
AGPU_EXPORT int64_t mlirAsyncRuntimGetNumWorkerThreads(void);

/// Prints "Current thread id: N" to stdout, for tests.
AGPU_EXPORT void mlirAsyncRuntimePrintCurrentThreadId(void);

/// What MLIR's execution engine calls when it opens the library, and before it
/// unmaps the program's code: the second waits for all work in flight.
AGPU_EXPORT void __mlir_execution_engine_init(void *symbols);
AGPU_EXPORT void __mlir_execution_engine_destroy(void);

#ifdef __cplusplus
}
#endif

#endif // ASYNC_GPU_COMPILED_MLIR_ASYNC_RUNTIME_H
