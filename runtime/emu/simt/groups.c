//===- groups.c - Groups of asynchronous work -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread closes groups, and waits for all but the last of them: of copies of
// cp.async, of copies in bulk to global memory, and of products, each by
// themselves. The fence before what it begins.
//
//===----------------------------------------------------------------------===//

#include "emu/simt/bulk.h"
#include "emu/simt/wgmma.h"

#include <stdatomic.h>

void agpu_native_commit_group(uint32_t groups, const char *location, uint32_t x,
                              uint32_t y, uint32_t z) {
  (void)location;
  agpu__emu_runner *runner = agpu__emu_runner_current();
  uint32_t thread = agpu__emu_thread_number(runner, x, y, z);
  if (groups == AGPU_NATIVE_WGMMA_GROUPS)
    agpu__emu_wgmma_commit(runner, thread);
  else if (groups == AGPU_NATIVE_BULK_GROUPS)
    agpu__emu_bulk_commit(runner, thread);
  else
    agpu__emu_copies_commit(runner, thread);
}

void agpu_native_wait_group(uint32_t groups, uint32_t pending,
                            uint32_t reads_only, const char *location,
                            uint32_t x, uint32_t y, uint32_t z) {
  (void)location;
  agpu__emu_runner *runner = agpu__emu_runner_current();
  uint32_t thread = agpu__emu_thread_number(runner, x, y, z);
  if (groups == AGPU_NATIVE_WGMMA_GROUPS)
    agpu__emu_wgmma_wait(runner, thread, pending);
  else if (groups == AGPU_NATIVE_BULK_GROUPS)
    agpu__emu_bulk_wait(runner, thread, pending, reads_only);
  else
    agpu__emu_copies_wait(runner, thread, pending);
}

void agpu_native_fence_proxies(const char *location, uint32_t x, uint32_t y,
                               uint32_t z) {
  (void)location;
  atomic_thread_fence(memory_order_seq_cst);
  AGPU__EMU_TELL(proxies_fenced, (agpu__emu_thread_number(
                                     agpu__emu_runner_current(), x, y, z)));
}
