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
  /// Who may have the results before the body ends: all, or, where `shared` is
  /// not null, those whom the i1 at this address says, or nobody.
  bool unshared;
  MlirValue shared;
  MlirBlock exit; ///< where the body goes on once it has completed the results
} agpu__async_body;

/// `async.await`, `async.await_all` and `agpu.stream_wait`.
bool agpu__is_await(MlirOperation op);

/// True if `op` stands directly in the function; an error otherwise.
bool agpu__async_body_has(const agpu__async_body *self, MlirOperation op);

/// A block behind `after` that puts the results into ERROR: with the error of
/// `from`, or with `message` where `from` is null.
MlirBlock agpu__async_body_error(const agpu__async_body *self, MlirBlock after,
                                 MlirLocation location, MlirValue from,
                                 MlirAttribute message);

/// `cf.assert` and `async.return`.
MlirLogicalResult agpu__async_body_assert(const agpu__async_body *self,
                                          MlirOperation op);
MlirLogicalResult agpu__async_body_return(const agpu__async_body *self,
                                          MlirOperation op);

/// What is left of an await, at `at`, once `object` is there without an error:
/// the stream depends on it, and the payload takes the place of `await`, which
/// goes away.
void agpu__build_awaited(agpu__builder *at, MlirOperation await,
                         MlirValue object);

/// A new token in ERROR with `message`.
MlirValue agpu__build_failed_token(agpu__builder *at, MlirAttribute message);

#endif // ASYNC_GPU_HOST_ASYNC_BODY_H
