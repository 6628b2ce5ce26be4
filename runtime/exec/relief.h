//===- relief.h - How many tasks are too many ---------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EXEC_RELIEF_H
#define ASYNC_GPU_RUNTIME_EXEC_RELIEF_H

#include <stdint.h>

/// How many tasks more may be alive before a spawner should wait; none or less:
/// it should. Any thread.
int64_t agpu__exec_room(void);

/// A spawner waits until there are fewer tasks, or in vain; see relief.c.
void agpu__exec_hold(void);

/// From time to time while spawners wait: tells them if they have waited
/// enough. Any thread.
void agpu__exec_relieve(void);

#endif // ASYNC_GPU_RUNTIME_EXEC_RELIEF_H
