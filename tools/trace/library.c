//===- library.c - Traces of programs that embed us -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// agpu_trace_convert of include/async_gpu/compiler.h.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiler.h"
#include "trace/convert.h"

#include <unistd.h>

agpu_status agpu_trace_convert(const char *dump, const char *trace,
                               const char *profile) {
  char message[sizeof(agpu__trace_path) + 256];
  agpu__trace_targets targets;
  if (agpu__trace_targets_set(&targets, trace, profile, message,
                              sizeof message) &&
      (dump ? agpu__trace_targets_write(&targets, &dump, 1, message,
                                        sizeof message)
            : agpu__trace_targets_check(&targets, getpid(), message,
                                        sizeof message)))
    return AGPU_OK;
  return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL, "%s", message);
}
