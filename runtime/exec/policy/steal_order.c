//===- steal_order.c - Whom to steal from first ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pass over the workers for each distance that there is. A pass also finds
// the distance of the next. Where the machine has one, there is one pass.
//
//===----------------------------------------------------------------------===//

#include "exec/policy/steal_order.h"

void agpu__steal_order_begin(agpu__steal_order *order,
                             const agpu__topology *topology,
                             const _Atomic(int32_t) *cpus, uint32_t count,
                             uint32_t start, int32_t here) {
  *order = (agpu__steal_order){.topology = topology,
                               .cpus = cpus,
                               .count = count,
                               .start = start,
                               .here = here,
                               .distance = AGPU__SAME_CORE,
                               .next_distance = AGPU__UNKNOWN_DISTANCE};
}

bool agpu__steal_order_next(agpu__steal_order *order, uint32_t *out_worker) {
  for (;;) {
    while (order->looked < order->count) {
      uint32_t worker = (order->start + order->looked) % order->count;
      ++order->looked;
      int32_t distance = agpu__topology_distance(
          order->topology, order->here,
          atomic_load_explicit(&order->cpus[worker], memory_order_relaxed));
      if (distance == order->distance) {
        *out_worker = worker;
        return true;
      }
      if (distance > order->distance && distance < order->next_distance)
        order->next_distance = distance;
    }
    if (order->distance == AGPU__UNKNOWN_DISTANCE)
      return false;
    order->looked = 0;
    order->distance = order->next_distance;
    order->next_distance = AGPU__UNKNOWN_DISTANCE;
  }
}
