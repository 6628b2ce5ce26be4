//===- own_self.h - The blocks of a thread, for one file ----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines what base/os/self.h declares, for a test of single files.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_OWN_SELF_H
#define ASYNC_GPU_TESTS_OWN_SELF_H

#include "base/os/self.h"

AGPU__HOT_THREAD_LOCAL agpu__thread_hot agpu__hot;
AGPU__HOT_THREAD_LOCAL agpu__thread_self *agpu__self_known;

static AGPU__HOT_THREAD_LOCAL agpu__thread_self own_self;

agpu__thread_self *agpu__self_begin(void) {
  return agpu__self_known = &own_self;
}

#endif // ASYNC_GPU_TESTS_OWN_SELF_H
