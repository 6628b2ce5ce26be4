//===- park.h - Putting a thread to sleep -----------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A parker is one word on which one thread sleeps and any threads signal. A
// signal is a set of bits; it stays until the owner clears it, so a signal
// that comes before the wait is not lost.
//
// A signal's last access to the parker is the one that makes the bits visible:
// the owner may free the parker (it usually lies on the owner's stack) as soon
// as it has seen the bits it needs. What follows, waking the sleeper, uses the
// address alone.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_SYNC_PARK_H
#define ASYNC_GPU_RUNTIME_BASE_SYNC_PARK_H

#include "base/os/platform.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct agpu__parker {
  _Atomic(uint32_t) word;
  bool is_device; ///< the owner is the emulated device's: no schedule has it
} agpu__parker;

/// Bits for signals. Their meaning is the users'; bit 0 is the parker's own.
#define AGPU__PARK_BIT(n) (UINT32_C(2) << (n))

/// Clears all bits. Before the parker is known to any other thread.
AGPU__SHARED void agpu__parker_init(agpu__parker *parker);

/// Sets `bits` and wakes the owner if it sleeps. Everything the caller wrote
/// before is visible to the owner once it sees the bits. Any thread.
AGPU__SHARED void agpu__parker_signal(agpu__parker *parker, uint32_t bits);

/// The two halves of agpu__parker_signal, for signals under a lock that the
/// owner takes next: the second comes behind the lock, so that the owner need
/// not wait for it, if the first was true. Only the first uses more of the
/// parker than its address.
bool agpu__parker_set(agpu__parker *parker, uint32_t bits);
void agpu__parker_wake(agpu__parker *parker);

/// Where a schedule decides who goes on (schedule.h): waits until the owner, a
/// thread that was just created, sleeps. What it finds is the same each time.
void agpu__parker_await_owner(agpu__parker *parker);

/// The bits that are set now. Acquire: see agpu__parker_signal.
AGPU__SHARED uint32_t agpu__parker_poll(agpu__parker *parker);

/// Sleeps until any of `mask` is set and returns all bits set. Owner only.
AGPU__SHARED uint32_t agpu__parker_wait(agpu__parker *parker, uint32_t mask);

/// As agpu__parker_wait, for `timeout_ns` nanoseconds at most; returns the
/// bits set, which have none of `mask` when time is up. Owner only.
AGPU__SHARED uint32_t agpu__parker_wait_for(agpu__parker *parker, uint32_t mask,
                                            int64_t timeout_ns);

/// For an owner that looks for something which signals nobody: yields in the
/// first of the `rounds` that it has looked in vain, and then sleeps for longer
/// and longer, up to `most_ns`, or until any of `mask` is set. Owner only.
AGPU__SHARED void agpu__parker_pause(agpu__parker *parker, uint32_t mask,
                                     unsigned rounds, int64_t most_ns);

/// Clears `bits`. Owner only.
AGPU__SHARED void agpu__parker_clear(agpu__parker *parker, uint32_t bits);

#endif // ASYNC_GPU_RUNTIME_BASE_SYNC_PARK_H
