//===- signals.h - Traces of programs that a signal ends ----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SIGINT, SIGTERM, SIGHUP and SIGABRT end a process without its handlers at
// exit; a trace is written all the same.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_TRACE_SIGNALS_H
#define ASYNC_GPU_RUNTIME_BASE_TRACE_SIGNALS_H

/// Takes part in these signals, in front of who does already. Once.
void agpu__trace_signals_begin(void);

#endif // ASYNC_GPU_RUNTIME_BASE_TRACE_SIGNALS_H
