//===- carrier.h - Threads that run streams ---------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_DEVICE_CARRIER_H
#define ASYNC_GPU_RUNTIME_EMU_DEVICE_CARRIER_H

#include <stdbool.h>

/// A thread that runs what it is given, one item after the other.
typedef struct agpu__emu_carrier agpu__emu_carrier;

/// A carrier that no one has: the one given back last, whose memory is still
/// near, or a new one. NULL: no thread can be created. Any thread.
agpu__emu_carrier *agpu__emu_carrier_take(void);

/// Has the carrier, which the caller has taken and which runs nothing or is
/// about to return, call run(argument) on its thread.
void agpu__emu_carrier_start(agpu__emu_carrier *carrier, void (*run)(void *),
                             void *argument);

/// Takes back what the carrier was started with, if that has not begun: the
/// caller then does it, or starts a carrier anew. Any thread.
bool agpu__emu_carrier_stop(agpu__emu_carrier *carrier);

/// Gives the carrier back. What it runs may do so itself, if it then returns
/// without waiting for anyone.
void agpu__emu_carrier_give(agpu__emu_carrier *carrier);

/// Ends and joins the threads. All carriers have been given back.
void agpu__emu_carriers_reset(void);

#endif // ASYNC_GPU_RUNTIME_EMU_DEVICE_CARRIER_H
