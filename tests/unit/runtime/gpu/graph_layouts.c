//===- graph_layouts.c - Kernels' parameters in graphs --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel whose descriptor says how large its parameters are becomes part of a
// graph without a question to the driver; of others the driver is asked, where
// it is not an "old" one.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/graph.h"
#include "support.h"

enum { ROUNDS = 5 };

static const uint32_t sizes[] = {8, 8, 8};

static void launch(agpu_stream *stream, agpu_kernel_desc *kernel,
                   void **params) {
  agpu_launch(stream, kernel, 1, 1, 1, 1, 1, 1, 0, params, NULL);
}

/// Returns how many graphs were launched.
static int run(agpu_graph_site *part, agpu_kernel_desc *kernel) {
  int before = log_count("cuGraphLaunch(");
  int64_t seen = 0, none = 0;
  agpu_stream *stream = agpu_stream_acquire(NULL);
  void *cell = agpu_alloc(stream, 8, false, NULL);
  agpu_memset(stream, cell, 0, 8, 1, NULL);
  for (int i = 0; i < ROUNDS; ++i) {
    agpu_graph_begin(part, stream);
    launch(stream, kernel, (void *[]){&cell, &none, &none});
    agpu_graph_end(part, stream);
  }
  agpu_memcpy(stream, &seen, cell, 8, NULL);
  agpu_dealloc(stream, cell, NULL);
  await_and_drop(agpu_stream_record(stream));
  agpu_stream_release(stream);
  CHECK_EQ(seen, ROUNDS);
  return log_count("cuGraphLaunch(") - before;
}

int main(int argc, char **argv) {
  (void)argv;
  bool asks = argc == 1;
  log_begin();
  static agpu_graph_site known_part = {.mode = AGPU_GRAPH_ON},
                         unknown_part = {.mode = AGPU_GRAPH_ON};
  static agpu_kernel_desc known = {.module = &test_module,
                                   .name = "increment",
                                   .param_sizes = sizes,
                                   .param_count = 1,
                                   .flags = AGPU_KERNEL_KNOWS_PARAMS};
  CHECK_EQ(run(&known_part, &known), ROUNDS - 1);
  CHECK_EQ(log_count("cuFuncGetParamInfo("), 0);
  CHECK_EQ(run(&unknown_part, &test_pause), asks ? ROUNDS - 1 : 0);
  CHECK_EQ(log_count("cuFuncGetParamInfo(") > 0, asks);
  check_end();
  return 0;
}
