//===- call_costs.c - What calls of the driver take -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls are told apart by the beginnings of their names. The first row of the
// table that fits says which number of the model a call takes. What a wait
// takes behind what it waits for is none of its call (host.c).
//
//===----------------------------------------------------------------------===//

#include "emu/model/call_costs.h"

#include <stddef.h>
#include <string.h>

#define OF(key) offsetof(agpu__emu_model, key)

static const struct {
  const char *begins;
  size_t cost;
} rows[] = {
    {"cuLaunch", OF(launch_call)},
    {"cuMemcpy", OF(copy_call)},
    {"cuMemset", OF(launch_call)},
    {"cuEventRecord", OF(event_call)},
    {"cuStreamWait", OF(event_call)},
    {"cuStreamWrite", OF(event_call)},
    {"cuEventQuery", OF(query_call)},
    {"cuStreamQuery", OF(query_call)},
    {"cuEventElapsedTime", OF(query_call)},
    {"cuEventSynchronize", OF(query_call)},
    {"cuStreamSynchronize", OF(query_call)},
    {"cuCtxSynchronize", OF(query_call)},
    {"cuGraphLaunch", OF(graph_call)},
    {"cuGraphInstantiate", OF(graph_instantiate_call)},
    {"cuGraphExec", OF(graph_node_call)},
    {"cuGraphAdd", OF(graph_node_call)},
    {"cuMemAllocAsync", OF(allocation_call)},
    {"cuMemAllocFromPool", OF(allocation_call)},
    {"cuMemAllocHost", OF(allocation_call)},
    {"cuMemAlloc", OF(memory_call)},
    {"cuMemFreeAsync", OF(allocation_call)},
    {"cuMemFreeHost", OF(allocation_call)},
    {"cuMemFree", OF(memory_call)},
    {"cuMemHost", OF(allocation_call)},
};

double agpu__emu_call_cost(const agpu__emu_model *model, const char *function) {
  size_t cost = OF(other_call);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (strncmp(function, rows[i].begins, strlen(rows[i].begins)) == 0) {
      cost = rows[i].cost;
      break;
    }
  return *(const double *)((const char *)model + cost);
}
