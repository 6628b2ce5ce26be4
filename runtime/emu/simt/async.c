//===- async.c - What goes on beside the threads of a block ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is kept of a block's mbarriers and copies, from its first one to the end
// of the launch; and whose shared memory an address is of.
//
//===----------------------------------------------------------------------===//

#include "emu/simt/async.h"

#include "base/os/self.h"

#include <stdlib.h>

agpu__emu_runner *agpu__emu_owner(const void *place) {
  agpu__emu_runner *runner = agpu__self.emu.runner;
  uintptr_t offset = (uintptr_t)place - (uintptr_t)runner->block.shared;
  return offset < runner->block.shared_bytes ? runner : NULL;
}

void agpu__emu_async_leave(agpu__emu_runner *runner) {
  agpu__emu_async *async = runner->async;
  for (size_t i = 0; i < async->phase_count; ++i)
    AGPU__EMU_TELL(phase_dropped, (&async->phases[i].record));
  async->phase_count = 0;
  for (uint32_t i = 0; async->copies && i < runner->thread_count; ++i) {
    agpu__emu_copies *copies = &async->copies[i];
    copies->count = copies->closed = 0;
  }
  async->arrivals = async->fruitless = 0;
}

void agpu__emu_async_destroy(agpu__emu_runner *runner) {
  agpu__emu_async *async = runner->async;
  if (!async)
    return;
  for (uint32_t i = 0; async->copies && i < runner->thread_count; ++i)
    free(async->copies[i].data);
  free(async->copies);
  free(async->phases);
  free(async);
}
