//===- ranges.c - What runs, for a tool in the process --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Events of tasks and waits come in pairs on their threads, one inside the
// other, as NVTX's ranges do. The names are those of a trace; a region that
// runs on top of its spawner has none yet when it begins.
//
//===----------------------------------------------------------------------===//

#include "base/trace/ranges.h"

#include "base/os/self.h"
#include "base/trace/names.h"
#include "base/trace/ring.h"

#include <dlfcn.h>
#include <pthread.h>

static void name_thread(void) {
  char name[32] = "";
  agpu__self.trace.is_named = true;
  if (pthread_getname_np(pthread_self(), name, sizeof name) == 0)
    agpu__nvtx_name_thread(name);
}

static void push_region(const void *code) {
  char label[AGPU__LABEL];
  const char *name = "region";
  Dl_info about = {0};
  if (code) {
    const agpu_trace_name *known = agpu__trace_name_of(code);
    if (!known)
      (void)dladdr(code, &about);
    name = agpu__trace_label(label, known, about.dli_sname, code);
  }
  agpu__nvtx_push(AGPU__NVTX_REGION, name, 0);
}

static void tell(agpu__trace_kind kind, const void *name) {
  if (!agpu__self.trace.is_named)
    name_thread();
  switch (kind) {
  case AGPU__TRACE_RUN: push_region(name); break;
  case AGPU__TRACE_HERE: push_region(NULL); break;
  case AGPU__TRACE_WAIT: agpu__nvtx_push(AGPU__NVTX_WAIT, "wait", 0); break;
  case AGPU__TRACE_RAN:
  case AGPU__TRACE_HERE_END:
  case AGPU__TRACE_WAIT_END: agpu__nvtx_pop(); break;
  default: break;
  }
}

void agpu__trace_ranges_begin(void) {
  if (agpu__nvtx_start())
    agpu__trace_set_ranges(tell);
}
