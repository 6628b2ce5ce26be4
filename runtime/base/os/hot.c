//===- hot.c - What each task needs of its thread -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a file of its own: the emulated device's library has no tasks, and should
// take nothing of the little room that libraries which are loaded late share.
//
//===----------------------------------------------------------------------===//

#include "base/os/self.h"

AGPU__HOT_THREAD_LOCAL agpu__thread_hot agpu__hot;
