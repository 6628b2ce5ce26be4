//===- runtime.c - The runtime as an object -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As it is before anything has started. Each member is the business of the file
// that the header names beside it.
//
//===----------------------------------------------------------------------===//

#include "async/runtime.h"

agpu__runtime agpu__the_runtime = {
    .start_lock = AGPU__MUTEX_INIT(AGPU__RANK_RUNTIME_START),
    .end_lock = AGPU__MUTEX_INIT(AGPU__RANK_RUNTIME_END),
    .next_number = 1,
    .handler_once = PTHREAD_ONCE_INIT,
};

atomic_bool agpu__lifecycle_started;
