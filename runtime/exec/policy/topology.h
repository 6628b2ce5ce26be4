//===- topology.h - Which CPUs share what -------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the kernel says in /sys/devices/system about the machine's CPUs: which
// are threads of one core, share a cluster, a cache, a package, a NUMA node,
// and how far nodes are from each other.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EXEC_POLICY_TOPOLOGY_H
#define ASYNC_GPU_RUNTIME_EXEC_POLICY_TOPOLOGY_H

#include <stdint.h>

/// How far two CPUs are from each other. Nodes follow each other from
/// AGPU__OTHER_NODE on: the nearest first, those equally far alike.
enum {
  AGPU__SAME_CORE,    ///< threads of one core, or the same CPU
  AGPU__SAME_CLUSTER, ///< of cores, below a cache of the last level
  AGPU__SAME_CACHE,   ///< of the last level
  AGPU__SAME_PACKAGE, ///< and node
  AGPU__SAME_NODE,
  AGPU__OTHER_NODE,
  AGPU__UNKNOWN_DISTANCE = INT32_MAX,
};

/// Where a CPU is. CPUs that share something have the same number there; -1
/// where nothing is known.
typedef struct agpu__place {
  int32_t core, cluster, cache, package, node;
} agpu__place;

typedef struct agpu__topology {
  int32_t cpu_count; ///< numbers of CPUs are below
  int32_t node_count;
  agpu__place *places;     ///< by the CPU's number
  int32_t *node_distances; ///< node_count x node_count, as agpu__distance
} agpu__topology;

/// Reads the topology; `root` is as in base/os/machine_file.h. Where the kernel
/// tells nothing, all CPUs are equally far. Ends the process where memory is
/// out.
void agpu__topology_read(agpu__topology *out_topology, const char *root);

/// Frees what it holds.
void agpu__topology_destroy(agpu__topology *topology);

/// How far CPU `b` is from CPU `a`; AGPU__UNKNOWN_DISTANCE for one that is not
/// known, such as -1.
int32_t agpu__topology_distance(const agpu__topology *topology, int32_t a,
                                int32_t b);

#endif // ASYNC_GPU_RUNTIME_EXEC_POLICY_TOPOLOGY_H
