//===- options.h - Options of native code ----------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_NATIVE_OPTIONS_H
#define ASYNC_GPU_GPU_NATIVE_OPTIONS_H

#include "lower/pass/pass.h"

#define AGPU__CHECK_ACCESSES_OPTION                                            \
  {"check-accesses", AGPU_OPTION_BOOL, "false",                                \
   "Have native code report each memory access to the emulated device, for "   \
   "its checks."}

#define AGPU__COUNT_OPTION                                                     \
  {"count", AGPU_OPTION_BOOL, "false",                                         \
   "Have native code report what it executes and accesses to the emulated "    \
   "device, for models of time."}

#define AGPU__NATIVE_THREADS_OPTION                                            \
  {"native-threads", AGPU_OPTION_WORD, "auto|coroutines",                      \
   "How native code runs threads that wait for each other: auto, which is "    \
   "loops over all threads between barriers that they all reach alike, or "    \
   "coroutines always."}

#endif // ASYNC_GPU_GPU_NATIVE_OPTIONS_H
