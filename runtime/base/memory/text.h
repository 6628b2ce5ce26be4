//===- text.h - Text that lasts -----------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Places and names are constants of compiled code, which may be released before
// the process ends. Who remembers one for longer than the work it is of keeps
// the text.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_MEMORY_TEXT_H
#define ASYNC_GPU_RUNTIME_BASE_MEMORY_TEXT_H

#include "base/os/fork.h"

/// The same text for as long as the process lives, once however often it is
/// asked for; NULL: NULL. Any thread.
const char *agpu__text_keep(const char *text);

/// A step of a fork, which takes its lock last: others keep texts under theirs.
void agpu__text_fork(agpu__fork_step step);

#endif // ASYNC_GPU_RUNTIME_BASE_MEMORY_TEXT_H
