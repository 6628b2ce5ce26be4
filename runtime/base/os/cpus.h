//===- cpus.h - How many CPUs the process may use -----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The affinity mask says on which CPUs threads may run, and control groups
// (cgroups) may bound the CPU time: a container with a quota of 2 CPUs on a
// machine of 64 sees all 64 in its mask, and 64 threads would spend most of
// each period throttled. Ranks of MPI on one machine divide its CPUs, unless
// the launcher has bound them to fewer.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_OS_CPUS_H
#define ASYNC_GPU_RUNTIME_BASE_OS_CPUS_H

#include <stdint.h>

typedef struct agpu__cpus {
  int64_t in_mask;          ///< CPUs in the affinity mask, at least 1
  int64_t quota_thousandth; ///< thousandths of a CPU; 0: no quota
  /// Those in the mask, and no more than this rank's part of the machine's or
  /// of the quota, rounded up; at least 1.
  int64_t usable;
} agpu__cpus;

/// Looks all up. Any thread.
agpu__cpus agpu__cpus_get(void);

/// The same with a mask of so many CPUs, for one of so many ranks, on a machine
/// with `all` CPUs, or more in the mask, whose files are below `root` ("": this
/// one's).
agpu__cpus agpu__cpus_of(int64_t in_mask, int64_t all, int64_t ranks,
                         const char *root);

/// The smallest quota of the control groups that the process is in, from its
/// own up to the one that is mounted, in thousandths of a CPU; 0 where there is
/// none. Versions 1 and 2, where /proc/self/mountinfo says they are, below
/// `root`.
int64_t agpu__cpus_read_quota(const char *root);

#endif // ASYNC_GPU_RUNTIME_BASE_OS_CPUS_H
