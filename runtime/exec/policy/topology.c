//===- topology.c - Which CPUs share what ---------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The files are described in the kernel's documents "How CPU topology info is
// exported via sysfs" and "sysfs-devices-node". Each list of CPUs that share
// something is read once, for the first of them; the number of what they share
// is that CPU's.
//
//===----------------------------------------------------------------------===//

#include "exec/policy/topology.h"

#include "base/memory/memory.h"
#include "base/os/machine_file.h"
#include "base/os/platform.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#define CPUS "/sys/devices/system/cpu"
#define NODES "/sys/devices/system/node"

/// A list of thousands of CPUs, none beside the next, is no longer than this.
#define LIST_BYTES 16384

/// More levels of cache than any machine has.
#define CACHES 16

/// No CPU's or node's number is as high.
#define MOST 65536

/// One past the highest number in a list, 0 for an empty one.
static int32_t end_of(const char *list) {
  int32_t end = 0;
  int first, last;
  while (agpu__machine_next_range(&list, &first, &last))
    if (last >= end && last < MOST)
      end = last + 1;
  return end;
}

/// Sets the number at `field` of all CPUs in `list`.
static void set_all(agpu__topology *topology, const char *list, size_t field,
                    int32_t number) {
  int first, last;
  while (agpu__machine_next_range(&list, &first, &last))
    for (int cpu = first; cpu <= last && cpu < topology->cpu_count; ++cpu)
      *(int32_t *)((char *)&topology->places[cpu] + field) = number;
}

/// Reads the list of the cache of the last level that holds CPU `cpu`'s data.
static bool read_cache(const char *root, int32_t cpu, char *list) {
  int64_t highest = 0, last = -1;
  for (int64_t i = 0; i < CACHES; ++i) {
    int64_t level = 0;
    if (!agpu__machine_read_integer(
            root, &level, CPUS "/cpu%d/cache/index%d/level", (int)cpu, (int)i))
      break;
    if (level > highest) {
      highest = level;
      last = i;
    }
  }
  return last >= 0 &&
         agpu__machine_read(root, list, LIST_BYTES,
                            CPUS "/cpu%d/cache/index%d/shared_cpu_list",
                            (int)cpu, (int)last);
}

/// The list has had two names.
static bool read_siblings(const char *root, int32_t cpu, const char *name,
                          const char *old_name, char *list) {
  return agpu__machine_read(root, list, LIST_BYTES, CPUS "/cpu%d/topology/%s",
                            (int)cpu, name) ||
         agpu__machine_read(root, list, LIST_BYTES, CPUS "/cpu%d/topology/%s",
                            (int)cpu, old_name);
}

static void read_cpus(agpu__topology *topology, const char *root, char *list) {
  for (int32_t cpu = 0; cpu < topology->cpu_count; ++cpu) {
    agpu__place *place = &topology->places[cpu];
    if (place->core < 0 && read_siblings(root, cpu, "core_cpus_list",
                                         "thread_siblings_list", list))
      set_all(topology, list, offsetof(agpu__place, core), cpu);
    if (place->core < 0)
      continue; // offline, or does not exist
    if (place->cluster < 0 &&
        agpu__machine_read(root, list, LIST_BYTES,
                           CPUS "/cpu%d/topology/cluster_cpus_list", (int)cpu))
      set_all(topology, list, offsetof(agpu__place, cluster), cpu);
    if (place->package < 0 && read_siblings(root, cpu, "package_cpus_list",
                                            "core_siblings_list", list))
      set_all(topology, list, offsetof(agpu__place, package), cpu);
    if (place->cache < 0 && read_cache(root, cpu, list))
      set_all(topology, list, offsetof(agpu__place, cache), cpu);
  }
}

/// Replaces one node's distances to the others, 0 where there is none, by
/// their ranks: the nearest get AGPU__OTHER_NODE.
static void rank_distances(int32_t *ranks, int32_t count, int32_t own) {
  for (int32_t rank = AGPU__OTHER_NODE;; ++rank) {
    int32_t next = INT32_MAX;
    for (int32_t i = 0; i < count; ++i)
      if (i != own && ranks[i] > 0 && ranks[i] < next)
        next = ranks[i];
    if (next == INT32_MAX)
      break;
    for (int32_t i = 0; i < count; ++i)
      if (ranks[i] == next)
        ranks[i] = -rank; // no distance is negative
  }
  for (int32_t i = 0; i < count; ++i)
    ranks[i] = ranks[i] < 0 ? -ranks[i] : AGPU__UNKNOWN_DISTANCE;
  ranks[own] = AGPU__SAME_NODE;
}

/// The row of node `node`: a distance for each node that is online, in order.
static void read_distances(agpu__topology *topology, const char *root,
                           int32_t node, const char *online, char *row) {
  int32_t *ranks = &topology->node_distances[node * topology->node_count];
  for (int32_t i = 0; i < topology->node_count; ++i)
    ranks[i] = 0;
  (void)agpu__machine_read(root, row, LIST_BYTES, NODES "/node%d/distance",
                           (int)node);
  int first, last;
  while (agpu__machine_next_range(&online, &first, &last))
    for (int other = first; other <= last && other < topology->node_count;
         ++other) {
      char *end = NULL;
      long distance = strtol(row, &end, 10);
      row = end;
      if (distance > 0 && distance < INT32_MAX)
        ranks[other] = (int32_t)distance;
    }
  rank_distances(ranks, topology->node_count, node);
}

static void read_nodes(agpu__topology *topology, const char *root, char *list) {
  char online[LIST_BYTES];
  (void)agpu__machine_read(root, online, sizeof(online), NODES "/online");
  topology->node_count = end_of(online);
  int64_t count = topology->node_count;
  topology->node_distances =
      agpu__memory_alloc(count * count * (int64_t)sizeof(int32_t),
                         AGPU__CACHE_LINE, "the machine's topology");
  for (int32_t node = 0; node < topology->node_count; ++node) {
    if (agpu__machine_read(root, list, LIST_BYTES, NODES "/node%d/cpulist",
                           (int)node))
      set_all(topology, list, offsetof(agpu__place, node), node);
    read_distances(topology, root, node, online, list);
  }
}

void agpu__topology_read(agpu__topology *out_topology, const char *root) {
  char *list = agpu__memory_alloc(LIST_BYTES, AGPU__CACHE_LINE,
                                  "the machine's topology");
  (void)agpu__machine_read(root, list, LIST_BYTES, CPUS "/possible");
  agpu__topology *topology = out_topology;
  topology->cpu_count = end_of(list);
  topology->places =
      agpu__memory_alloc(topology->cpu_count * (int64_t)sizeof(agpu__place),
                         AGPU__CACHE_LINE, "the machine's topology");
  for (int32_t cpu = 0; cpu < topology->cpu_count; ++cpu)
    topology->places[cpu] = (agpu__place){-1, -1, -1, -1, -1};
  read_cpus(topology, root, list);
  read_nodes(topology, root, list);
  agpu__memory_free(list);
}

void agpu__topology_destroy(agpu__topology *topology) {
  agpu__memory_free(topology->places);
  agpu__memory_free(topology->node_distances);
  *topology = (agpu__topology){0};
}

static bool same(int32_t a, int32_t b) { return a >= 0 && a == b; }

int32_t agpu__topology_distance(const agpu__topology *topology, int32_t a,
                                int32_t b) {
  if (a < 0 || b < 0 || a >= topology->cpu_count || b >= topology->cpu_count)
    return AGPU__UNKNOWN_DISTANCE;
  const agpu__place *here = &topology->places[a], *there = &topology->places[b];
  if (same(here->core, there->core))
    return AGPU__SAME_CORE;
  if (same(here->cache, there->cache))
    return same(here->cluster, there->cluster) ? AGPU__SAME_CLUSTER
                                               : AGPU__SAME_CACHE;
  if (here->node == there->node)
    return same(here->package, there->package) ? AGPU__SAME_PACKAGE
                                               : AGPU__SAME_NODE;
  if (here->node < 0 || there->node < 0)
    return AGPU__UNKNOWN_DISTANCE;
  return topology
      ->node_distances[here->node * topology->node_count + there->node];
}
