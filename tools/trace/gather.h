//===- gather.h - Traces of ranks, as these end -------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each rank of a run writes a dump, at its end; the last one to do so joins all
// of them. Nobody waits, and no message is sent: MPI may have ended.
// Signal-safe.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_TRACE_GATHER_H
#define ASYNC_GPU_TOOLS_TRACE_GATHER_H

#include "trace/convert.h"

/// Writes what is asked for of the dump `path`, as agpu__trace_targets_write
/// does, unless it is of one rank of several and no name has the process's
/// number in it. Then it is copied to where the other ranks find it: beside the
/// trace, or beside the profile, or in TMPDIR. Who finds all there writes what
/// is asked for, of all, and removes the copies. False after a `message` says
/// what failed.
bool agpu__trace_targets_gather(agpu__trace_targets *self, const char *path,
                                char *message, size_t size);

#endif // ASYNC_GPU_TOOLS_TRACE_GATHER_H
