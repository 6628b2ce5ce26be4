//===- host_node.c - Functions of the host in graphs ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches of an executable graph run one after the other, so run number N of a
// node is that of launch number N. What changes from a launch on is appended
// for it, while earlier ones are in flight: a queue of one producer and one
// consumer whose newest element stays. A run frees what is behind it.
//
// `left` counts runs down, and gets their number when that is known: who brings
// it to 0 frees all. If the device has failed, some never come.
//
//===----------------------------------------------------------------------===//

#include "gpu/graph/nodes.h"

#include "base/memory/memory.h"

#include <stdatomic.h>

typedef struct change {
  _Atomic(struct change *) next; ///< release, with the acquire of runs
  uint64_t first;                ///< run
  agpu_host_function *function;
  _Alignas(16) char arguments[];
} change;

struct agpu__host_node {
  _Atomic(int64_t) left; ///< acquire and release: who frees follows all runs
  change *newest;        ///< of who launches
  change *now;           ///< of who runs, as is the number of the next run
  uint64_t run, first;
};

static change *make(agpu__host_call call, uint64_t first) {
  change *made = agpu__memory_alloc((int64_t)(sizeof *made + call.bytes),
                                    _Alignof(change), "a host node");
  *made = (change){.first = first, .function = call.function};
  memcpy(made->arguments, call.arguments, call.bytes);
  return made;
}

agpu__host_node *agpu__host_node_create(agpu__host_call call, uint64_t first) {
  agpu__host_node *made = agpu__memory_alloc(
      sizeof *made, _Alignof(agpu__host_node), "a host node");
  *made = (agpu__host_node){.run = first, .first = first};
  made->newest = made->now = make(call, first);
  return made;
}

void agpu__host_node_change(agpu__host_node *of, agpu__host_call call,
                            uint64_t first) {
  change *added = make(call, first);
  atomic_store_explicit(&of->newest->next, added, memory_order_release);
  of->newest = added;
}

/// So many runs fewer are left; frees it after the last.
static void count(agpu__host_node *of, int64_t added) {
  if (atomic_fetch_add_explicit(&of->left, added, memory_order_acq_rel) + added)
    return;
  while (of->now) {
    change *next = atomic_load_explicit(&of->now->next, memory_order_relaxed);
    agpu__memory_free(of->now);
    of->now = next;
  }
  agpu__memory_free(of);
}

void agpu__host_node_end(agpu__host_node *of, uint64_t end) {
  count(of, (int64_t)(end - of->first));
}

void agpu__host_node_run(void *argument) {
  agpu__host_node *of = argument;
  uint64_t run = of->run++;
  change *next;
  while ((next = atomic_load_explicit(&of->now->next, memory_order_acquire)) &&
         next->first <= run) {
    agpu__memory_free(of->now);
    of->now = next;
  }
  of->now->function(of->now->arguments);
  count(of, -1);
}

CUresult agpu__host_node_enqueue(const agpu__driver *driver, CUstream stream,
                                 agpu__host_call call) {
  agpu__host_node *once = agpu__host_node_create(call, 0);
  CUresult result = driver->cuLaunchHostFunc(stream, agpu__host_node_run, once);
  // It may have run by now.
  agpu__host_node_end(once, result ? 0 : 1);
  return result;
}
