//===- settle.h - Texts of programs that are released -------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What else agpu__trace_settle (base/trace/trace.h) needs.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_TRACE_SETTLE_H
#define ASYNC_GPU_RUNTIME_BASE_TRACE_SETTLE_H

#include "async_gpu/status.h"
#include "base/os/fork.h"

/// agpu__trace_end (base/trace/session.h) while nobody settles.
agpu_status agpu__trace_end_alone(void);

/// At a fork.
void agpu__trace_settle_fork(agpu__fork_step step);

#endif // ASYNC_GPU_RUNTIME_BASE_TRACE_SETTLE_H
