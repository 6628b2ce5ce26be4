//===- steal_order.c - Steal orders on machines of several kinds ----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The trees of files are those of real machines (machines/), and some as Linux
// writes them where it is old, has no NUMA, or says nothing. What is expected
// of each is derived from its layout by hand.
//
//===----------------------------------------------------------------------===//

#include "exec/policy/steal_order.h"
#include "machine_snapshot.h"

#define CPUS "/sys/devices/system/cpu"
#define NODES "/sys/devices/system/node"

#define MOST_WORKERS 128

static void write_cpu(const char *root, int cpu, const char *core,
                      const char *package, const char *cache) {
  machine_write(root, core, CPUS "/cpu%d/topology/core_cpus_list", cpu);
  machine_write(root, package, CPUS "/cpu%d/topology/package_cpus_list", cpu);
  // Data and instructions have caches of their own; the last is the largest.
  static const char *const levels[] = {"1", "1", "2", "3"};
  for (int i = 0; i < 4; ++i) {
    machine_write(root, levels[i], CPUS "/cpu%d/cache/index%d/level", cpu, i);
    machine_write(root, i < 3 ? core : cache,
                  CPUS "/cpu%d/cache/index%d/shared_cpu_list", cpu, i);
  }
}

static void write_node(const char *root, int node, const char *cpus,
                       const char *distances) {
  machine_write(root, cpus, NODES "/node%d/cpulist", node);
  machine_write(root, distances, NODES "/node%d/distance", node);
}

/// "A-B", or "A" if they are equal, in memory that the fourth call uses again.
static const char *range(int a, int b) {
  static char text[4][32];
  static int next;
  char *into = text[next++ % 4];
  snprintf(into, sizeof(text[0]), a == b ? "%d\n" : "%d-%d\n", a, b);
  return into;
}

/// Four small and four large cores, with a cache for each four; no nodes, as
/// kernels without NUMA have it, and the lists' older names.
static void write_big_little(const char *root) {
  machine_write(root, "0-7\n", CPUS "/possible");
  for (int cpu = 0; cpu < 8; ++cpu) {
    const char *cluster = cpu < 4 ? "0-3\n" : "4-7\n";
    machine_write(root, range(cpu, cpu),
                  CPUS "/cpu%d/topology/thread_siblings_list", cpu);
    machine_write(root, "0-7\n", CPUS "/cpu%d/topology/core_siblings_list",
                  cpu);
    machine_write(root, "2\n", CPUS "/cpu%d/cache/index0/level", cpu);
    machine_write(root, cluster, CPUS "/cpu%d/cache/index0/shared_cpu_list",
                  cpu);
  }
}

/// Two nodes whose numbers are 0 and 8, on cores of two threads, of which some
/// are offline.
static void write_holes(const char *root) {
  machine_write(root, "0-15\n", CPUS "/possible");
  machine_write(root, "0,8\n", NODES "/online");
  write_node(root, 0, "0,2-3\n", "10 40\n");
  write_node(root, 8, "12-14\n", "40 10\n");
  write_cpu(root, 0, "0\n", "0,2-3\n", "0\n");
  write_cpu(root, 2, "2-3\n", "0,2-3\n", "2-3\n");
  write_cpu(root, 3, "2-3\n", "0,2-3\n", "2-3\n");
  write_cpu(root, 12, "12-13\n", "12-14\n", "12-13\n");
  write_cpu(root, 13, "12-13\n", "12-14\n", "12-13\n");
  write_cpu(root, 14, "14\n", "12-14\n", "14\n");
}

static void write_nothing(const char *root) { (void)root; }

/// A thief on CPU `here`, and the workers in the order in which it has to visit
/// them: a list of CPUs for each distance.
typedef struct view {
  int here;
  const char *groups[7];
} view;

typedef struct machine {
  const char *what; ///< the name of a snapshot, where there is no `write`
  void (*write)(const char *root);
  const char *workers; ///< a list of their CPUs
  view views[4];
} machine;

static const machine machines[] = {
    {"xeon_silver_4108",
     NULL,
     "0-31",
     {{0, {"0,16", "1-7,17-23", "8-15,24-31"}},
      {31, {"15,31", "8-14,24-30", "0-7,16-23"}},
      {21, {"5,21", "0-4,6-7,16-20,22-23", "8-15,24-31"}}}},
    // Two sockets, a mask with holes.
    {"xeon_silver_4108",
     NULL,
     "1,3,9,17,25",
     {{3, {"3", "1,17", "9,25"}}, {1, {"1,17", "3", "9,25"}}}},
    {"kunpeng_920",
     NULL,
     "0-127",
     {{5, {"5", "4,6-7", "0-3,8-31", "32-63", "64-95", "96-127"}},
      {64, {"64", "65-67", "68-95", "96-127", "32-63", "0-31"}}}},
    // Cores of a module are siblings. The other node of the socket is no nearer
    // than those with a link.
    {"opteron_6276",
     NULL,
     "0-63",
     {{0, {"0-1", "2-7", "8-23,32-39,48-55", "24-31,40-47,56-63"}},
      {43, {"42-43", "40-41,44-47", "16-39,56-63", "0-15,48-55"}}}},
    {"core_i7_1370p",
     NULL,
     "0-19",
     {{1, {"0-1", "2-19"}}, {13, {"13", "12,14-15", "0-11,16-19"}}}},
    {"dgx_spark",
     NULL,
     "0-19",
     {{3, {"3", "0-2,4-9", "10-19"}}, {12, {"12", "10-11,13-19", "0-9"}}}},
    {"big and little cores",
     write_big_little,
     "0-7",
     {{6, {"6", "4-5,7", "0-3"}}, {0, {"0", "1-3", "4-7"}}}},
    {"numbers with holes",
     write_holes,
     "0,2-3,12-14",
     {{2, {"2-3", "0", "12-14"}}, {13, {"12-13", "14", "0,2-3"}}}},
    {"a thief on a CPU that is not known",
     write_holes,
     "0,2-3",
     {{7, {"0,2-3"}}}},
    {"nothing known", write_nothing, "0-9", {{0, {"0-9"}}}},
};

static uint32_t read_list(const char *text, int32_t *cpus) {
  uint32_t count = 0;
  while (text && *text) {
    char *end = NULL;
    long first = strtol(text, &end, 10), last = first;
    if (*end == '-')
      last = strtol(end + 1, &end, 10);
    for (long cpu = first; cpu <= last; ++cpu)
      cpus[count++] = (int32_t)cpu;
    text = *end == ',' ? end + 1 : end;
  }
  return count;
}

static bool contains(const int32_t *cpus, uint32_t count, int32_t cpu) {
  for (uint32_t i = 0; i < count; ++i)
    if (cpus[i] == cpu)
      return true;
  return false;
}

/// Beginning anywhere, each group's workers come before the next group's, each
/// once, and the first of a group is not always the same.
static void check_view(const agpu__topology *topology, const char *workers,
                       const view *from) {
  int32_t all[MOST_WORKERS];
  uint32_t count = read_list(workers, all);
  _Atomic(int32_t) cpus[MOST_WORKERS];
  for (uint32_t i = 0; i < count; ++i)
    atomic_init(&cpus[i], all[i]);
  for (uint32_t start = 0; start < count; ++start) {
    agpu__steal_order order;
    agpu__steal_order_begin(&order, topology, cpus, count, start, from->here);
    bool met[MOST_WORKERS] = {false};
    uint32_t worker = 0;
    for (int group = 0; from->groups[group]; ++group) {
      int32_t members[MOST_WORKERS];
      uint32_t size = read_list(from->groups[group], members);
      for (uint32_t i = 0; i < size; ++i) {
        CHECK(agpu__steal_order_next(&order, &worker));
        CHECK(!met[worker]);
        met[worker] = true;
        CHECK(contains(members, size, all[worker]));
        if (i == 0 && contains(members, size, all[start]))
          CHECK_EQ(worker, start);
      }
    }
    CHECK(!agpu__steal_order_next(&order, &worker));
  }
}

static void test_machine(const machine *of) {
  char root[64];
  machine_create(root);
  if (of->write)
    of->write(root);
  else
    machine_load(root, of->what);
  agpu__topology topology;
  agpu__topology_read(&topology, root);
  for (const view *from = of->views; from->groups[0]; ++from) {
    printf("%s, from CPU %d\n", of->what, from->here);
    check_view(&topology, of->workers, from);
  }
  agpu__topology_destroy(&topology);
  machine_destroy(root);
}

/// Workers that have not looked for work yet come last.
static void test_unknown_workers_come_last(void) {
  char root[64];
  machine_create(root);
  machine_load(root, "core_i7_1370p");
  agpu__topology topology;
  agpu__topology_read(&topology, root);
  _Atomic(int32_t) cpus[3] = {-1, 12, 1};
  agpu__steal_order order;
  uint32_t worker = 0;
  agpu__steal_order_begin(&order, &topology, cpus, 3, 0, 0);
  static const uint32_t expected[] = {2, 1, 0};
  for (int i = 0; i < 3; ++i) {
    CHECK(agpu__steal_order_next(&order, &worker));
    CHECK_EQ(worker, expected[i]);
  }
  CHECK(!agpu__steal_order_next(&order, &worker));
  agpu__topology_destroy(&topology);
  machine_destroy(root);
}

int main(void) {
  for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); ++i)
    test_machine(&machines[i]);
  test_unknown_workers_come_last();
  return 0;
}
