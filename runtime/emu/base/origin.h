//===- origin.h - What a call is for, to keep ------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the device remembers of allocations and ops, for messages that come when
// the code may have been released that was the cause.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_BASE_ORIGIN_H
#define ASYNC_GPU_RUNTIME_EMU_BASE_ORIGIN_H

#include "driver_api/extension.h"

/// The same with texts that last as long as the process.
agpu__op_name agpu__emu_origin_keep(agpu__op_name origin);

/// Whose op the calling thread's call is, with such texts.
agpu__op_name agpu__emu_origin_now(void);

#endif // ASYNC_GPU_RUNTIME_EMU_BASE_ORIGIN_H
