//===- kernel_fault.h - Accesses of addresses where nothing is -- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that touches such an address fails; what else faults goes to a check
// (hooks.h), and then to the handler that was installed before.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_SIMT_KERNEL_FAULT_H
#define ASYNC_GPU_RUNTIME_EMU_SIMT_KERNEL_FAULT_H

/// From now on, faults are explained: in a function that the thread goes on in,
/// and that finds the access in the thread's block (`fault` of base/os/self.h).
/// Called before there is device memory; again: nothing happens.
void agpu__emu_kernel_fault_watch(void);

#endif // ASYNC_GPU_RUNTIME_EMU_SIMT_KERNEL_FAULT_H
