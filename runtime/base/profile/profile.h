//===- profile.h - A profile at the end of a program ---------------*- C
//-*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With ASYNC_GPU_PROFILE, and for the critical path of a trace.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_PROFILE_PROFILE_H
#define ASYNC_GPU_RUNTIME_BASE_PROFILE_PROFILE_H

/// Once, when the runtime is loaded: what is recorded will be looked at when it
/// ends (agpu__trace_set_reader). Ends the program where the profile cannot be
/// written to where it is to go.
void agpu__profile_install(void);

#endif // ASYNC_GPU_RUNTIME_BASE_PROFILE_PROFILE_H
