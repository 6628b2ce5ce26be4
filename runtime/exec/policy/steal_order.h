//===- steal_order.h - Whom to steal from first -------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workers are not bound to CPUs: the kernel may move them, and a thread that a
// task creates would inherit the binding. A thief asks where it is, and goes
// through the workers from near to far by the CPUs on which they last looked
// for work (topology.h). Among those that are equally far it begins anywhere,
// so that thieves do not all meet at the same one.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EXEC_POLICY_STEAL_ORDER_H
#define ASYNC_GPU_RUNTIME_EXEC_POLICY_STEAL_ORDER_H

#include "exec/policy/topology.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct agpu__steal_order {
  const agpu__topology *topology;
  const _Atomic(int32_t) *cpus; ///< of the workers
  uint32_t count;
  uint32_t start;
  int32_t here;
  // How far it has got.
  int32_t distance, next_distance;
  uint32_t looked;
} agpu__steal_order;

/// Begins with the nearest of `count` workers as seen from CPU `here`, among
/// those equally far with the first from `start` (below `count`) on. `cpus` may
/// change meanwhile: a worker may then be met twice, or not at all.
void agpu__steal_order_begin(agpu__steal_order *order,
                             const agpu__topology *topology,
                             const _Atomic(int32_t) *cpus, uint32_t count,
                             uint32_t start, int32_t here);

/// The next worker. False at the end.
bool agpu__steal_order_next(agpu__steal_order *order, uint32_t *out_worker);

#endif // ASYNC_GPU_RUNTIME_EXEC_POLICY_STEAL_ORDER_H
