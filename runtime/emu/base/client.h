//===- client.h - Who uses the emulated device ------------------ -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the runtime says of its calls beyond the driver's API, and where errors
// go that no caller can be given (driver_api/extension.h). A program that calls
// the driver by itself says nothing, and reads of errors on standard error.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_BASE_CLIENT_H
#define ASYNC_GPU_RUNTIME_EMU_BASE_CLIENT_H

#include "driver_api/extension.h"

/// Constant while the driver is used; not NULL.
extern const agpu__emu_client *agpu__emu_client_now;

/// Which op what the calling thread enqueues is part of, and the number of that
/// work, or 0: what the client says, or what was said last with
/// agpu__emu_set_node, for a node of a graph (NULL: none).
agpu__op_name agpu__emu_get_origin(void);
uint64_t agpu__emu_get_work(void);
void agpu__emu_set_node(const agpu__op_name *origin, uint64_t work);

/// Takes over `status`, an error that no caller can be given.
void agpu__emu_report_error(agpu_status status);

/// Ends the process with the error.
_Noreturn void agpu__emu_end(agpu_status status);

#endif // ASYNC_GPU_RUNTIME_EMU_BASE_CLIENT_H
