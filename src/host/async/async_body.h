//===- async_body.h - The body of an async function -------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_ASYNC_BODY_H
#define ASYNC_GPU_HOST_ASYNC_BODY_H

#include "lower/ir/build.h"

/// A function that holds the body of an async function, whatever it has become.
typedef struct agpu__async_body {
  MlirOperation function;
  agpu__values results; ///< what it completes: token and values
  MlirValue stream;     ///< null: the function has none
  bool upstream;        ///< only calls that upstream's runtime has
  /// What may have the results before the body ends: all, or, where `shared` is
  /// not null, those whom the i1 at this address says, or nobody.
  bool unshared;
  MlirValue shared;
  MlirBlock exit; ///< where the body goes on once it has completed the results
} agpu__async_body;

/// `async.await`, `async.await_all` and `agpu.stream_wait`.
bool agpu__is_await(MlirOperation op);

/// `memref.alloc` and `memref.realloc`.
bool agpu__is_heap_allocation(MlirOperation op);

/// `cf.assert`, `agpu.propagate` and allocations on the heap.
bool agpu__can_end_body(MlirOperation op);

/// True if `op` stands directly in the function; an error otherwise.
bool agpu__async_body_has(const agpu__async_body *self, MlirOperation op);

/// Why something fails: one of these is not null.
typedef struct agpu__failure {
  MlirValue from;        ///< an object: its error
  MlirAttribute message; ///< of an assertion
  MlirValue bytes;       ///< that could not be allocated
} agpu__failure;

/// What a check finds: if not `ok`, there is a failure.
typedef struct agpu__failure_check {
  MlirValue ok;
  agpu__failure failure;
  MlirBlock before, rest; ///< the end of the one branches to the other, if `ok`
  MlirLocation location;
} agpu__failure_check;

/// Splits the block at `op`, a `cf.assert` or `agpu.propagate`, which goes
/// away, or an allocation on the host. The caller branches at the end of
/// `before`. False where `op` cannot fail.
bool agpu__split_at_failure(MlirOperation op, agpu__failure_check *out_check);

/// A block after `after` that puts the results into ERROR.
MlirBlock agpu__async_body_error(const agpu__async_body *self, MlirBlock after,
                                 MlirLocation location, agpu__failure failure);

/// What agpu__can_end_body says, and `async.return`.
MlirLogicalResult agpu__async_body_check(const agpu__async_body *self,
                                         MlirOperation op);
MlirLogicalResult agpu__async_body_return(const agpu__async_body *self,
                                          MlirOperation op);

/// What is left of an await, at `at`, once `object` is there without an error:
/// the stream depends on it, and the payload takes the place of `await`, which
/// goes away.
void agpu__build_awaited(agpu__builder *at, MlirOperation await,
                         MlirValue object);

/// Puts `object` into ERROR.
void agpu__build_failure(agpu__builder *at, MlirValue object,
                         agpu__failure failure);

/// A new token in ERROR.
MlirValue agpu__build_failed_token(agpu__builder *at, agpu__failure failure);

#endif // ASYNC_GPU_HOST_ASYNC_BODY_H
