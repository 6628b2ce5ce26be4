//===- seat.h - Workers, and seats that change threads ------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EXEC_SEAT_H
#define ASYNC_GPU_RUNTIME_EXEC_SEAT_H

#include "exec/census.h"

#include <stdbool.h>

/// The life of a thread of the executor, an agpu__exec_thread: waits for a
/// seat, works there until it has given it away, and so on until the executor
/// stops.
void *agpu__exec_work(void *thread);

/// Seats a spare or new thread at `seat`, which the caller gives up; at the
/// start it is nobody's. False where no thread is available; the caller
/// then keeps the seat.
bool agpu__exec_hand_over(agpu__seat *seat, agpu__search search);

#endif // ASYNC_GPU_RUNTIME_EXEC_SEAT_H
