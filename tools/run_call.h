//===- run_call.h - A call with what it takes and gives -----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_RUN_CALL_H
#define ASYNC_GPU_TOOLS_RUN_CALL_H

#include "array.h"

#include "async_gpu/call.h"

#include <stdbool.h>

/// A function of the program, its arguments, and the results of its latest
/// call. Free with agpu__call_free.
typedef struct agpu__call agpu__call;

/// A call with `inputs`, as --input has them, one for each argument that is no
/// token; `signature` is taken over. NULL with a message appended to `error`.
agpu__call *agpu__call_create(agpu_signature *signature,
                              const char *const *inputs, size_t input_count,
                              agpu__text *error);
void agpu__call_free(agpu__call *call);

const agpu_signature *agpu__call_signature(const agpu__call *call);

/// Gives the arguments the numbers that they had at first, and gives back what
/// the latest call has returned.
void agpu__call_prepare(agpu__call *call);

/// Calls `function` and waits for the tokens and values that it gives. One that
/// has failed ends the process with its message.
void agpu__call_run(agpu__call *call, agpu_packed_function function);

/// True if result `index` is something to look at, and no token.
bool agpu__call_has_result(const agpu__call *call, size_t index);

/// A copy of result `index`, or of argument `index` as it is now, which the
/// caller frees. False with a message appended to `error`.
bool agpu__call_result(const agpu__call *call, size_t index,
                       agpu__array *out_array, agpu__text *error);
bool agpu__call_argument(const agpu__call *call, size_t index,
                         agpu__array *out_array, agpu__text *error);

#endif // ASYNC_GPU_TOOLS_RUN_CALL_H
