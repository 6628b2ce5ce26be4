//===- extension.h - What the emulated device has beside a driver -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emulated device is a driver of its own library, libasync_gpu_emu.so, and
// is opened and called as libcuda is. What runtime and emulated device tell
// each other beyond the driver's API goes through the two structures here,
// which the runtime asks for by one symbol that no libcuda has. Each side works
// without the other: then nothing is known of where work comes from, and what
// the emulated device finds wrong goes to standard error.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_DRIVER_API_EXTENSION_H
#define ASYNC_GPU_RUNTIME_DRIVER_API_EXTENSION_H

#include "async_gpu/compiled/native_thread.h"
#include "async_gpu/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What an op is called in messages. Strings live as long as the program.
typedef struct agpu__op_name {
  const char *what;     ///< "launch of kernel"; NULL: not known
  const char *kernel;   ///< its name, or NULL
  const char *location; ///< or NULL
  /// Part of an op that the runtime makes of several: no one learns from its
  /// host functions that the work before them is done, and the host's memory
  /// that its copies name is the runtime's own.
  bool is_silent;
} agpu__op_name;

/// Memory of the program's.
typedef struct agpu__host_range {
  const void *from;
  size_t bytes;
  bool writes; ///< else: reads
} agpu__host_range;

/// What the emulated device asks the runtime for. All functions are set and may
/// be called on any thread.
typedef struct agpu__emu_client {
  /// Of the calling thread's call of the driver: which op it is for, the number
  /// of the work that it enqueues (0: none is wanted), and what the host
  /// function that it enqueues touches.
  agpu__op_name (*get_origin)(void);
  uint64_t (*get_work)(void);
  const agpu__host_range *(*get_touched)(size_t *out_count);
  /// Where the calling thread last called a function that does not say what it
  /// accesses; NULL: not known. In a signal handler.
  const char *(*get_host_call)(void);
  /// Takes an error that no caller can be given.
  void (*report)(agpu_status_code code, const char *location,
                 const char *message);
  /// Ends the process with an error; exit status 1.
  void (*end)(const char *location, const char *message)
      __attribute__((noreturn));
  /// Whether a thread has begun to end the process so.
  bool (*is_ending)(void);
  /// While it does, `of` is asked about faults, in the signal handler: true
  /// where the thread can go on.
  void (*set_resolve_fault)(bool (*of)(const void *info, void *context));
} agpu__emu_client;

/// The work of that number ran from `begin` to `end`. Nodes of a graph have
/// numbers in the order in which they were added, a conditional node's followed
/// by those of its body: such a one is reported each time that it ran, in the
/// `round` of the body it is in, from 1, and before the node around it. Of
/// other work the round is 0.
typedef void agpu__emu_ran(uint64_t work, uint64_t round, int64_t begin,
                           int64_t end);

/// What the runtime asks the emulated device for. Constant until the driver is
/// started anew. Functions may be called on any thread.
typedef struct agpu__emu_extension {
  /// Each allocation is looked at: they should have the sizes that programs ask
  /// for, none be used twice, and those that are not freed be left.
  bool checks_memory;
  /// Whose time work takes, and how far that may be off; NULL: the machine's.
  const char *modelled;
  /// What host functions touch is looked at.
  bool checks_races;
  /// From now on `ran` is told when the work of each number began and ended, by
  /// base/os/clock.h, on the thread that has run it. Before the driver is used.
  void (*start_clock)(agpu__emu_ran *ran);
  /// async_gpu/compiled/host_access.h.
  void (*check_host_access)(const void *address, uint64_t size, uint32_t flags,
                            const char *location);
  void (*check_host_free)(void *memory, const char *location);
  /// Programs that are compiled where they run should be compiled for devices
  /// that reach all memory of the host.
  bool wants_unified;
  /// Such a program is loaded: from now on the devices do, and say so when
  /// asked. Without effect where they cannot.
  void (*become_unified)(void);
} agpu__emu_extension;

/// What the host or a thread divides that it must not (agpu_native_division).
static inline const char *agpu__division_fault(uint32_t fault) {
  return fault == AGPU_NATIVE_DIVISION_BY_ZERO
             ? "an integer by zero"
             : "the smallest integer by -1, a result that does not fit";
}

#define AGPU__EMU_EXTENSION_VERSION 4u

/// asyncGpuEmuExtension: before cuInit, each time the driver is started. Reads
/// the settings of the emulated device. NULL where one is malformed, or where
/// the extension has another version: `message` says so, and `*out_place`, a
/// text that stays, where it is in a file.
typedef const agpu__emu_extension *
agpu__emu_get_extension(uint32_t version, const agpu__emu_client *client,
                        char *message, size_t size, const char **out_place);
#define AGPU__EMU_EXTENSION_SYMBOL "asyncGpuEmuExtension"

#endif // ASYNC_GPU_RUNTIME_DRIVER_API_EXTENSION_H
