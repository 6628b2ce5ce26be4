//===- frame.c - Coroutine frames ---------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory of coroutines, from the lists that every thread has, and counted, so
// that what a program leaves suspended at its end can be told.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/object.h"

#include "base/memory/counter.h"
#include "base/memory/magazine.h"

void *agpu_frame_alloc(int64_t size, int64_t alignment) {
  void *frame = agpu__magazine_alloc(size, alignment, "a coroutine's frame");
  agpu__counter_add(AGPU__COUNT_FRAMES, 1);
  return frame;
}

void agpu_frame_free(void *frame) {
  if (!frame)
    return;
  agpu__counter_add(AGPU__COUNT_FRAMES, -1);
  agpu__magazine_free(frame);
}
