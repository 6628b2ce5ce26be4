//===- graph_untimed.c - A launch before which no event is recorded -------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The clock says of the launch's first node that it has no time. Each other
// node that is in no body comes into the trace once.
//
//===----------------------------------------------------------------------===//

#include "gpu/trace/node_events.h"
#include "gpu/trace/traced.h"

#include "check.h"

enum { NODES = 5 };

static unsigned told[NODES];
static uint64_t first_work;

static void count_ran(uint64_t work, uint64_t round, int64_t begin,
                      int64_t end) {
  CHECK_EQ(round, 0);
  CHECK_EQ(begin, 0);
  CHECK_EQ(end, 0);
  ++told[work - first_work];
}

#define agpu__stream_track_ran count_ran
#include "gpu/trace/graph_launch.c"

static void *before(uint64_t work, int device, CUstream stream) {
  (void)device, (void)stream;
  first_work = work;
  count_ran(work, 0, 0, 0);
  return NULL;
}

static void after(void *token, int device, CUstream stream, bool enqueued) {
  (void)device, (void)stream;
  CHECK(!token && enqueued);
}

static void take_nodes(void *token, agpu__node_events *events) {
  (void)token, (void)events;
  CHECK(false);
}

static unsigned created, destroyed;

static CUresult create_event(CUevent *out, unsigned int flags) {
  (void)flags;
  *out = (CUevent)(uintptr_t)++created;
  return CUDA_SUCCESS;
}

static CUresult destroy_event(CUevent event) {
  (void)event;
  ++destroyed;
  return CUDA_SUCCESS;
}

static CUresult launch_graph(CUgraphExec exec, CUstream stream) {
  (void)exec, (void)stream;
  return CUDA_SUCCESS;
}

int main(void) {
  static const agpu__driver driver = {.cuEventCreate = create_event,
                                      .cuEventDestroy = destroy_event,
                                      .cuGraphLaunch = launch_graph};
  static const agpu__work_clock clock = {
      .before = before, .after = after, .take_nodes = take_nodes};
  // The third has a body of one node.
  agpu__traced_node nodes[NODES] = {0};
  for (int i = 0; i < NODES; ++i)
    nodes[i].item =
        (agpu__stream_item){.kind = AGPU__TRACE_KERNEL, .name = "node"};
  nodes[2].item.kind = AGPU__TRACE_CONDITIONAL;
  nodes[2].inside = 1;
  agpu__traced.inner = &driver;
  agpu__traced.clock = &clock;
  agpu__node_events *events = agpu__node_events_create(NODES);
  for (size_t i = 0; i < NODES; ++i) {
    CUevent event;
    if (i != 3)
      CHECK(!agpu__node_events_add(events, i, &event));
  }
  CHECK(!agpu__traced_launch_graph(&driver, NULL, NULL, nodes, NODES, events));
  for (int i = 0; i < NODES; ++i)
    CHECK_EQ(told[i], i != 3);
  CHECK_EQ(destroyed, created);
  return 0;
}
