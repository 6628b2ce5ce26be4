//===- wait.h - Threads that wait, in words --------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_SIMT_WAIT_H
#define ASYNC_GPU_RUNTIME_EMU_SIMT_WAIT_H

#include "emu/simt/block.h"

/// What threads do there: "a shuffle".
const char *agpu__emu_describe_wait(const agpu_native_site *site);

/// The threads of the runner's block that have not ended, some, wait in vain:
/// fails the block.
_Noreturn void agpu__emu_fail_waiting(const agpu__emu_runner *runner);

#endif // ASYNC_GPU_RUNTIME_EMU_SIMT_WAIT_H
