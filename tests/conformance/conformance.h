//===- conformance.h - One suite for every driver -----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the runtime relies on from a driver table, whoever fills it. Every test
// is a function that calls the table and ends the process at the first thing
// that is not as it should be; every test runs in a process of its own.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_CONFORMANCE_H
#define ASYNC_GPU_TESTS_CONFORMANCE_H

#include "driver_api/values.h"
#include "gpu/driver/driver.h"

#include "suite.h"

#include <semaphore.h>
#include <stdint.h>
#include <string.h>

/// Where a test runs: a driver with its primary context current.
typedef struct bench {
  const agpu__driver *driver;
  CUdevice device;
  bool is_emu;      ///< the emulated driver was asked for
  bool is_emulated; ///< it is behind the table, if as CUDA's
} bench;

/// The tests: X(name, emu_only). emu_only: a real driver leaves what is tested
/// undefined. Those that begin with "differs_" say what the emulated driver
/// does otherwise than a real one, and hold both to it.
#define CONFORMANCE_TESTS(X)                                                   \
  X(stream_runs_in_order, false)                                               \
  X(streams_are_independent, false)                                            \
  X(stream_query_tells_idle_from_busy, false)                                  \
  X(stream_writes_values_in_order, false)                                      \
  X(stream_destroyed_while_busy_finishes, false)                               \
  X(event_never_recorded_is_complete, false)                                   \
  X(event_orders_streams, false)                                               \
  X(event_wait_is_for_the_record_before_it, false)                             \
  X(event_destroyed_while_waited_for, false)                                   \
  X(event_query_follows_the_last_record, false)                                \
  X(event_wait_on_own_stream, false)                                           \
  X(event_chain_across_many_streams, false)                                    \
  X(event_recorded_again_while_waited_for, false)                              \
  X(event_destroyed_before_it_completes, false)                                \
  X(host_function_runs_in_order, false)                                        \
  X(host_function_may_signal_other_threads, false)                             \
  X(stream_takes_work_from_many_threads, false)                                \
  X(event_times, false)                                                        \
  X(event_flags, false)                                                        \
  X(copies_in_every_direction, false)                                          \
  X(copies_of_odd_sizes, false)                                                \
  X(fills_of_every_width, false)                                               \
  X(copies_of_boxes, false)                                                    \
  X(boxes_hold_their_rows, false)                                              \
  X(fills_of_rows, false)                                                      \
  X(conditional_loops_end_with_their_condition, false)                         \
  X(conditional_branches_run_once_or_not, false)                               \
  X(conditions_are_set_by_kernels, false)                                      \
  X(conditional_bodies_nest, false)                                            \
  X(conditional_nodes_are_work_of_their_stream, false)                         \
  X(conditional_handles_have_one_node, false)                                  \
  X(conditional_bodies_allocate_nothing, false)                                \
  X(graph_copies_and_fills_rows, false)                                        \
  X(stream_ordered_memory, false)                                              \
  X(stream_ordered_free_on_another_stream, false)                              \
  X(stream_ordered_memory_is_freed_without_waiting, false)                     \
  X(pageable_copies_hold_up_their_caller, false)                               \
  X(allocation_limits, false)                                                  \
  X(memory_runs_out_and_comes_back, false)                                     \
  X(managed_memory_is_shared, false)                                           \
  X(host_allocation, false)                                                    \
  X(host_registration, false)                                                  \
  X(module_load_failures, false)                                               \
  X(function_attributes, false)                                                \
  X(module_functions_by_name, false)                                           \
  X(modules_are_loaded_apart, false)                                           \
  X(launch_covers_the_grid, false)                                             \
  X(launch_reads_parameters_at_the_call, false)                                \
  X(launch_limits, false)                                                      \
  X(launch_with_dynamic_shared_memory, false)                                  \
  X(launch_with_much_shared_memory, false)                                     \
  X(launch_in_clusters, false)                                                 \
  X(launch_in_clusters_of_all_shapes, false)                                   \
  X(launch_that_may_begin_early, false)                                        \
  X(launch_with_a_priority, false)                                             \
  X(graph_runs_nodes_in_order, false)                                          \
  X(graph_is_work_of_its_stream, false)                                        \
  X(graph_launches_do_not_overlap, false)                                      \
  X(graph_updates_are_for_later_launches, false)                               \
  X(graph_allocates_and_frees, false)                                          \
  X(graph_memory_outlives_a_launch, false)                                     \
  X(graph_has_child_graphs, false)                                             \
  X(graph_kernels_have_clusters, false)                                        \
  X(graph_kernels_have_priorities, false)                                      \
  X(graph_arguments_are_checked, false)                                        \
  X(host_nodes_run_in_their_place, false)                                      \
  X(host_nodes_run_once_a_launch, false)                                       \
  X(host_nodes_arguments_are_checked, false)                                   \
  X(host_nodes_of_a_failed_context_do_not_run, false)                          \
  X(host_nodes_stand_in_no_body, false)                                        \
  X(graph_records_events, false)                                               \
  X(event_nodes_arguments_are_checked, false)                                  \
  X(event_nodes_stand_in_no_body, false)                                       \
  X(function_parameters_are_known, false)                                      \
  X(attributes_are_sane, false)                                                \
  X(results_have_names, false)                                                 \
  X(context_must_be_current, false)                                            \
  X(context_is_each_threads_own, false)                                        \
  X(context_that_is_current_is_told, false)                                    \
  X(context_is_counted, false)                                                 \
  X(context_has_limits, false)                                                 \
  X(stream_holds_up_who_fills_it, false)                                       \
  X(streams_may_share_a_connection, false)                                     \
  X(host_functions_may_hold_up_other_streams, false)                           \
  X(loading_may_wait_for_the_context, false)                                   \
  X(kernels_that_are_loaded_wait_for_nothing, false)                           \
  X(pools_keep_what_their_threshold_says, false)                               \
  X(registration_is_by_page, false)                                            \
  X(registration_of_memory_to_read, false)                                     \
  X(kernels_reach_what_the_device_says, false)                                 \
  X(managed_memory_is_the_devices_while_it_works, false)                       \
  X(host_functions_take_turns, false)                                          \
  X(arguments_are_checked, false)                                              \
  X(error_of_work_is_sticky, false)                                            \
  X(error_of_a_call_is_not, false)                                             \
  X(differs_managed_memory_of_the_host, false)                                 \
  X(devices_have_contexts_of_their_own, false)                                 \
  X(devices_wait_for_each_others_events, false)                                \
  X(devices_copy_from_each_other, false)                                       \
  X(devices_reach_memory_that_is_open, false)                                  \
  X(devices_open_their_pools, false)                                           \
  X(devices_are_used_by_many_threads, false)                                   \
  X(graph_has_nodes_on_two_devices, false)                                     \
  X(graph_nodes_stay_on_their_devices, false)                                  \
  X(graph_bodies_are_of_one_device, false)                                     \
  X(emu_graph_fails_on_one_device, true)                                       \
  X(emu_memory_of_another_device_is_closed, true)                              \
  X(emu_free_on_another_device_is_refused, true)                               \
  X(emu_device_fails_alone, true)                                              \
  X(emu_handles_belong_to_their_context, true)                                 \
  X(emu_destroyed_streams_are_refused, true)                                   \
  X(emu_destroyed_events_are_refused, true)                                    \
  X(emu_unloaded_modules_are_refused, true)                                    \
  X(emu_what_is_no_handle_is_refused, true)                                    \
  X(emu_parameters_that_do_not_fit_are_refused, true)                          \
  X(emu_value_written_elsewhere_is_refused, true)                              \
  X(emu_graph_updates_keep_their_memory, true)                                 \
  X(emu_graph_of_unloaded_kernels_is_refused, true)                            \
  X(emu_graph_memory_is_gone_behind_its_free, true)                            \
  X(emu_conditional_nodes_are_strict, true)                                    \
  X(emu_driver_calls_in_host_nodes_are_refused, true)                          \
  X(emu_copy_out_of_bounds_is_refused, true)                                   \
  X(emu_copies_and_fills_take_one_piece, true)                                 \
  X(emu_copy_of_freed_memory_is_refused, true)                                 \
  X(emu_use_after_free_on_another_stream_is_sticky, true)                      \
  X(emu_use_before_allocation_is_sticky, true)                                 \
  X(emu_use_after_free_without_waiting_is_sticky, true)                        \
  X(emu_kernel_with_freed_parameter_is_sticky, true)                           \
  X(emu_free_under_a_kernel_is_sticky, true)                                   \
  X(emu_free_under_a_kernel_in_a_stream_is_sticky, true)                       \
  X(emu_managed_memory_may_exceed_a_device, true)                              \
  X(emu_free_that_fails_can_be_made_again, true)                               \
  X(emu_error_texts_belong_to_contexts, true)                                  \
  X(emu_double_free_is_refused, true)                                          \
  X(emu_driver_calls_in_host_function_are_refused, true)                       \
  X(emu_write_of_memory_to_read_is_sticky, true)                               \
  X(emu_kernels_of_a_connection_run_together, true)                            \
  X(emu_heap_is_fixed_once_used, true)                                         \
  X(emu_context_starts_afresh, true)

#define DECLARE(name, emu_only) void test_##name(const bench *b);
CONFORMANCE_TESTS(DECLARE)
#undef DECLARE

/// Checks that a call of the driver returns `expected`.
#define EXPECT(expected, call)                                                 \
  expect_result(b, (expected), (b->driver->call), #call, __FILE__, __LINE__)
#define CALL(call) EXPECT(CUDA_SUCCESS, call)

/// Skips the test where the driver lacks an optional function.
#define NEED(function)                                                         \
  do {                                                                         \
    if (!b->driver->function) {                                                \
      fprintf(stderr, "the driver has no %s\n", #function);                    \
      exit(SKIPPED);                                                           \
    }                                                                          \
  } while (0)

void expect_result(const bench *b, CUresult expected, CUresult result,
                   const char *call, const char *file, int line);

/// A non-blocking stream; an event without timing; device memory of `bytes`.
CUstream make_stream(const bench *b);
CUevent make_event(const bench *b);
CUdeviceptr make_memory(const bench *b, size_t bytes);
/// Memory of the host that the driver has allocated: copies to and from it hold
/// up no one. cuMemFreeHost frees it.
void *make_pinned(const bench *b, size_t bytes);

/// Copies and waits.
void upload(const bench *b, CUdeviceptr target, const void *source,
            size_t bytes);
void download(const bench *b, void *target, CUdeviceptr source, size_t bytes);

/// Functions that drivers have, and the runtime does not call.
typedef struct memory_nodes {
  CUresult (*cuGraphAddMemAllocNode)(CUgraphNode *node, CUgraph graph,
                                     const CUgraphNode *dependencies,
                                     size_t count,
                                     CUDA_MEM_ALLOC_NODE_PARAMS *params);
  CUresult (*cuGraphAddMemFreeNode)(CUgraphNode *node, CUgraph graph,
                                    const CUgraphNode *dependencies,
                                    size_t count, CUdeviceptr pointer);
  CUresult (*cuDeviceGraphMemTrim)(CUdevice device);
} memory_nodes;

/// A node's launch of a grid and blocks along x, without workgroup memory.
CUDA_KERNEL_NODE_PARAMS kernel_node_of(CUfunction function, unsigned grid,
                                       unsigned block, void **params);

/// Skips the test where the driver lacks any.
memory_nodes find_memory_nodes(const bench *b);

/// Whether the device has stream-ordered memory. Old drivers do not know what
/// that is.
bool has_memory_pools(const bench *b);

/// Holds a stream up until it is opened: a host function that waits. One at a
/// time, since a driver may run all host functions on one thread.
typedef struct gate {
  sem_t begun; ///< the function runs
  sem_t opened;
} gate;
void gate_close(const bench *b, gate *g, CUstream stream);
void gate_open(gate *g);

/// The test kernels for this driver, and functions from them:
///   store(out, value)      out[i] = value + i, i the number of the thread in
///                          the whole grid
///   increment(cell)        one thread adds 1 to *cell
///   pause(cell, ns)        one thread waits and then adds 1 to *cell
///   reverse(out)           thread i of a block stores i in shared memory,
///                          reads what thread n - 1 - i would have stored,
///                          and writes it to out[i] (one block)
///   fault(cell)            writes to an address that is not there
CUmodule load_kernels(const bench *b);
CUfunction get_kernel(const bench *b, CUmodule module, const char *name);
/// What a driver that loads lazily does with the first launch, which may wait
/// for all that the context does. get_kernel has done it.
void load_kernel(const bench *b, CUfunction function);
const void *get_kernels_image(const bench *b);
extern const char conformance_ptx[];
extern const agpu_native_image conformance_native;
/// Those that set conditions of graphs:
///   count_down(condition, cell)  one thread subtracts 1 from *cell; that is
///                                the condition
///   set(condition, value)
extern const char conditional_ptx[];
extern const agpu_native_image conditional_native;

/// Launches with one-dimensional sizes.
void launch(const bench *b, CUfunction function, unsigned grid, unsigned block,
            CUstream stream, void **params);

#endif // ASYNC_GPU_TESTS_CONFORMANCE_H
