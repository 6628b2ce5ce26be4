//===- model.h - A machine whose time is modelled -----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the modelled clock knows of a machine: a file of lines "KEY = VALUE
// UNIT", with comments from "#" on. docs/modelled-time.md lists the keys and
// says what the clock makes of each.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MODEL_MODEL_H
#define ASYNC_GPU_RUNTIME_EMU_MODEL_MODEL_H

#include "async_gpu/status.h"

#include <stdbool.h>

/// X(key, kind of unit, least, most). What stands in a model is in the first
/// unit of its kind (model.c): nanoseconds, bytes per nanosecond, bytes, GHz.
#define AGPU__EMU_MODEL_KEYS(X)                                                \
  X(multiprocessors, COUNT, 1, 1e4)                                            \
  X(clock, FREQUENCY, 0.01, 100)                                               \
  X(blocks, COUNT, 1, 1e3)                                                     \
  X(warps, COUNT, 1, 1e3)                                                      \
  X(registers, COUNT, 1, 1e7)                                                  \
  X(thread_registers, COUNT, 1, 255)                                           \
  X(workgroup_memory, BYTES, 0, 1e9)                                           \
  X(issue_rate, COUNT, 0.1, 100)                                               \
  X(fp32_rate, COUNT, 0.1, 1e5)                                                \
  X(fp64_rate, COUNT, 0.1, 1e5)                                                \
  X(integer_rate, COUNT, 0.1, 1e5)                                             \
  X(special_rate, COUNT, 0.1, 1e5)                                             \
  X(matrix_rate, COUNT, 0.1, 1e6)                                              \
  X(workgroup_access_rate, COUNT, 0.1, 1e5)                                    \
  X(memory_bandwidth, BANDWIDTH, 0.001, 1e6)                                   \
  X(memory_efficiency, COUNT, 0.01, 1)                                         \
  X(l2_size, BYTES, 0, 1e12)                                                   \
  X(l2_bandwidth, BANDWIDTH, 0.001, 1e6)                                       \
  X(l2_write_bandwidth, BANDWIDTH, 0.001, 1e6)                                 \
  X(l2_latency, TIME, 0, 1e6)                                                  \
  X(memory_latency, TIME, 0, 1e6)                                              \
  X(block_start, TIME, 0, 1e6)                                                 \
  X(block_rate, COUNT, 0.001, 1e3)                                             \
  X(instruction_latency, TIME, 0, 1e6)                                         \
  X(workgroup_latency, TIME, 0, 1e6)                                           \
  X(loads_in_flight, COUNT, 1, 1e3)                                            \
  X(kernel_least, TIME, 0, 1e9)                                                \
  X(kernel_gap, TIME, 0, 1e9)                                                  \
  X(graph_gap, TIME, 0, 1e9)                                                   \
  X(event_gap, TIME, 0, 1e9)                                                   \
  X(condition_gap, TIME, 0, 1e9)                                               \
  X(launch_latency, TIME, 0, 1e9)                                              \
  X(to_device_bandwidth, BANDWIDTH, 0.0001, 1e6)                               \
  X(to_host_bandwidth, BANDWIDTH, 0.0001, 1e6)                                 \
  X(pageable_bandwidth, BANDWIDTH, 0.0001, 1e6)                                \
  X(peer_bandwidth, BANDWIDTH, 0.0001, 1e6)                                    \
  X(peer_links, COUNT, 0, 1)                                                   \
  X(copy_least, TIME, 0, 1e9)                                                  \
  X(node_ranks, COUNT, 1, 1e6)                                                 \
  X(node_latency, TIME, 1, 1e9)                                                \
  X(node_overhead, TIME, 1, 1e9)                                               \
  X(node_gap, TIME, 0, 1e9)                                                    \
  X(node_bandwidth, BANDWIDTH, 0.0001, 1e6)                                    \
  X(node_rendezvous, BYTES, 0, 1e9)                                            \
  X(network_latency, TIME, 1, 1e9)                                             \
  X(network_overhead, TIME, 1, 1e9)                                            \
  X(network_gap, TIME, 0, 1e9)                                                 \
  X(network_bandwidth, BANDWIDTH, 0.0001, 1e6)                                 \
  X(network_rendezvous, BYTES, 0, 1e9)                                         \
  X(launch_call, TIME, 0, 1e9)                                                 \
  X(copy_call, TIME, 0, 1e9)                                                   \
  X(event_call, TIME, 0, 1e9)                                                  \
  X(query_call, TIME, 0, 1e9)                                                  \
  X(synchronize_call, TIME, 0, 1e9)                                            \
  X(graph_call, TIME, 0, 1e9)                                                  \
  X(graph_node_call, TIME, 0, 1e9)                                             \
  X(graph_instantiate_call, TIME, 0, 1e9)                                      \
  X(allocation_call, TIME, 0, 1e9)                                             \
  X(memory_call, TIME, 0, 1e9)                                                 \
  X(other_call, TIME, 0, 1e9)                                                  \
  X(host_function_latency, TIME, 0, 1e9)                                       \
  X(wake_latency, TIME, 0, 1e9)                                                \
  X(task, TIME, 0, 1e9)                                                        \
  X(host_time, COUNT, 0, 1e3)                                                  \
  X(error, COUNT, 0, 10)

typedef struct agpu__emu_model {
  char name[64]; ///< of the device
#define AGPU__EMU_MODEL_MEMBER(key, kind, least, most) double key;
  AGPU__EMU_MODEL_KEYS(AGPU__EMU_MODEL_MEMBER)
#undef AGPU__EMU_MODEL_MEMBER
} agpu__emu_model;

/// Reads the model that ASYNC_GPU_EMU_MODEL names: a path, where it has a "/"
/// or ends in ".model", and else the name of one that is installed. False where
/// the variable is not set, and on errors: INVALID_ARGUMENT or NOT_FOUND, with
/// the place in the file. `model` is the caller's. Any thread.
bool agpu__emu_model_load(agpu__emu_model *model, agpu_status *out_status);

/// Reads `text`, which is called `path` in messages.
agpu_status agpu__emu_model_parse(const char *path, const char *text,
                                  agpu__emu_model *out_model);

#endif // ASYNC_GPU_RUNTIME_EMU_MODEL_MODEL_H
