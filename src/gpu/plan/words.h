//===- words.h - What the plan decided, in words -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One wording for remarks and pictures.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_PLAN_WORDS_H
#define ASYNC_GPU_GPU_PLAN_WORDS_H

#include "gpu/plan/plan.h"

/// How `body` waits for its operand `operand`: "event", "reuses its
/// stream, no event". The caller frees it.
char *agpu__plan_words_of_dependency(const agpu__plan *plan,
                                     const agpu__body *body, size_t operand);

/// Why the host waits before `op`: "memref.load may observe device results".
/// The caller frees it.
char *agpu__plan_words_of_wait(MlirOperation op);

/// The dependency whose stream `body` reuses, if the run settles which that
/// is; NULL where there is none.
const agpu__dependency *agpu__plan_unknown_stream(const agpu__body *body);

#endif // ASYNC_GPU_GPU_PLAN_WORDS_H
