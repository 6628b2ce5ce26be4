//===- program.h - Programs of the driver's API alone -------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program may rely on that knows nothing of async-gpu and is linked with
// libcuda.so.1. Each test is a process of its own, and holds on every driver
// that has the functions it calls.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_PROGRAM_H
#define ASYNC_GPU_TESTS_PROGRAM_H

#include "../suite.h"
#include "cuda_api.h"

#include <stdint.h>

/// The tests: X(NAME).
#define PROGRAM_TESTS(X)                                                       \
  X(context_is_current_once_created)                                           \
  X(contexts_are_a_stack)                                                      \
  X(contexts_are_each_threads_own)                                             \
  X(context_that_is_destroyed_elsewhere)                                       \
  X(context_goes_from_thread_to_thread)                                        \
  X(context_owns_what_is_made_in_it)                                           \
  X(context_has_addresses_of_its_own)                                          \
  X(context_gives_back_what_it_owns)                                           \
  X(context_is_waited_for)                                                     \
  X(contexts_keep_their_handles_apart)                                         \
  X(primary_context_is_reset)                                                  \
  X(primary_context_has_flags)                                                 \
  X(primary_context_is_not_destroyed)                                          \
  X(program_adds_vectors)                                                      \
  X(parameters_may_be_in_one_buffer)                                           \
  X(default_stream_waits_for_blocking_streams)                                 \
  X(default_stream_leaves_others_alone)                                        \
  X(default_stream_comes_behind_what_is_done)                                  \
  X(default_stream_while_others_are_destroyed)                                 \
  X(streams_have_priorities)                                                   \
  X(memory_has_rows)                                                           \
  X(memory_of_the_host_is_mapped)                                              \
  X(memory_has_bounds)                                                         \
  X(events_tell_times)                                                         \
  X(devices_say_what_they_have)                                                \
  X(kernels_say_what_they_need)                                                \
  X(modules_that_do_not_load_say_why)                                          \
  X(modules_are_loaded_as_the_driver_says)                                     \
  X(functions_are_found_by_name)                                               \
  X(capture_makes_a_graph)                                                     \
  X(capture_is_told_of)                                                        \
  X(capture_begins_and_ends_on_one_stream)                                     \
  X(capture_ends_on_its_thread)                                                \
  X(capture_takes_in_streams_by_events)                                        \
  X(capture_forks_are_joined)                                                  \
  X(captures_are_not_merged)                                                   \
  X(capture_is_isolated)                                                       \
  X(captured_streams_and_events_are_not_waited_for)                            \
  X(captured_events_stay_so_until_recorded_again)                              \
  X(capture_holds_the_default_stream)                                          \
  X(capture_forbids_what_is_unsafe)                                            \
  X(capture_of_another_thread_is_ignored_by_mode)                              \
  X(capture_has_dependencies_that_programs_change)                             \
  X(capture_allocates_by_nodes)                                                \
  X(capture_of_destroyed_streams_is_invalid)                                   \
  X(child_graphs_are_copies_and_change)

#define DECLARE(name) void test_##name(void);
PROGRAM_TESTS(DECLARE)
#undef DECLARE

#define EXPECT(expected, call)                                                 \
  expect_result((expected), (call), #call, __FILE__, __LINE__)
#define CALL(call) EXPECT(CUDA_SUCCESS, call)
void expect_result(CUresult expected, CUresult result, const char *call,
                   const char *file, int line);

/// Skips the test where the driver has no such symbol.
void need(const char *symbol);

/// A context of the device, current from now on; a kernel of kernels.c for that
/// device, in the current context; memory.
CUcontext make_context(CUdevice device);
CUfunction make_kernel(CUdevice device, const char *name);
CUdeviceptr make_memory(size_t bytes);

CUcontext get_current(void);

/// The number at `pointer`, once all work before is done on `stream`.
uint32_t read_word(CUdeviceptr pointer, CUstream stream);

#endif // ASYNC_GPU_TESTS_PROGRAM_H
