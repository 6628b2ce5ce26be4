//===- any_thread.c - Every public function, from threads of a program's own
//===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each case runs on a few threads at once that the runtime does not know, and
// that end afterwards. CALL notes which functions were called; with --list the
// program prints them, for tests/support/check_all_called.py to compare with
// what the library exports.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/graph.h"
#include "async_gpu/compiled/host_access.h"
#include "async_gpu/compiled/mgpu.h"
#include "async_gpu/compiled/object_layout.h"
#include "async_gpu/compiled/trace.h"
#include "async_gpu/device.h"
#include "async_gpu/object.h"
#include "async_gpu/parallel.h"
#include "support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define THREADS 3
#define MOST_FUNCTIONS 256

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *called[MOST_FUNCTIONS];
static int called_count;

static void note(const char *name) {
  pthread_mutex_lock(&lock);
  int i = 0;
  while (i < called_count && strcmp(called[i], name) != 0)
    ++i;
  if (i == called_count) {
    CHECK(called_count < MOST_FUNCTIONS);
    called[called_count++] = name;
  }
  pthread_mutex_unlock(&lock);
}

#define CALL(function) (note(#function), function)

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

static void drop(agpu_object *object) {
  CALL(mlirAsyncRuntimeDropRef)(object, 1);
}

static void make_ready(void *token) {
  CALL(mlirAsyncRuntimeEmplaceToken)(token);
}

static void make_ready_last(void *token) {
  CALL(agpu_object_emplace_last)(token);
}

/// A frame of an enqueued call.
typedef struct call_frame {
  char header[AGPU_ENQUEUED_CALL_BYTES];
  agpu_object *result, *awaited;
} call_frame;

static void complete_result(void *data) {
  make_ready(((call_frame *)data)->result);
  drop(((call_frame *)data)->awaited);
}

static void call_enqueued(agpu_object *awaited, agpu_object *result) {
  call_frame *self =
      CALL(agpu_frame_alloc)(sizeof(call_frame), _Alignof(call_frame));
  *self = (call_frame){.result = result, .awaited = awaited};
  mlirAsyncRuntimeAddRef(awaited, 1);
  CALL(agpu_call_enqueued)(self, complete_result, 1, 1, 2);
}

static agpu_object *spawn(void) {
  agpu_object *token = CALL(mlirAsyncRuntimeCreateToken)();
  CALL(mlirAsyncRuntimeExecute)(token, make_ready);
  return token;
}

static void spawn_and_wait(void) {
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  CALL(agpu_execute)(token, make_ready, /*results=*/1);
  await_and_drop(token);
}

static void use_tokens(void) {
  spawn_and_wait();
  agpu_object *token = spawn();
  CALL(mlirAsyncRuntimeAddRef)(token, 1);
  drop(token);
  CALL(mlirAsyncRuntimeAwaitToken)(token);
  CHECK(!CALL(mlirAsyncRuntimeIsTokenError)(token));
  CHECK(CALL(agpu_object_is_ready)(token));
  CHECK(CALL(agpu_object_is_enqueued)(token));
  CHECK(!CALL(agpu_object_is_error)(token));
  CHECK(!CALL(agpu_object_has_failed)(token));
  CALL(agpu_object_check)(token, "a.mlir:1:1");
  CALL(agpu_check_allocation)(true, 1, "a.mlir:1:1");
  CHECK(!CALL(agpu_object_get_status)(token));
  drop(token);

  token = spawn();
  CALL(agpu_object_await_enqueued)(token);
  drop(token);
  token = spawn();
  CALL(agpu_object_await)(token, "a.mlir:1:1");
  drop(token);
  token = spawn();
  CALL(agpu_object_await_either)(token, "a.mlir:1:1");
  drop(token);

  token = CALL(mlirAsyncRuntimeCreateToken)();
  CALL(agpu_execute_brief)(token, make_ready);
  CALL(mlirAsyncRuntimeAwaitToken)(token);
  drop(token);
}

static void hold(void *may_end) {
  while (!atomic_load((atomic_int *)may_end))
    usleep(100);
}

/// Queues tasks that hold the workers up until enough are queued for the thread
/// to start one itself.
static void start_here(void) {
  atomic_int may_end = 0; // handles are even
  agpu_object *group = mlirAsyncRuntimeCreateGroup(1);
  while (!CALL(agpu_start_here)())
    mlirAsyncRuntimeExecute(&may_end, hold);
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  make_ready(token);
  CALL(agpu_started_here)(/*suspended=*/false);
  CALL(agpu_throttle)();
  CHECK(CALL(agpu_group_add)(group, token) == 0);
  drop(token);
  mlirAsyncRuntimeAwaitAllInGroup(group);
  drop(group);
  atomic_store(&may_end, 1);
  // Until none of the tasks looks at this stack any more.
  __mlir_execution_engine_destroy();
}

static void write_value(void *value) {
  *(int64_t *)CALL(mlirAsyncRuntimeGetValueStorage)(value) = 42;
  CALL(mlirAsyncRuntimeEmplaceValue)(value);
}

static void use_values(void) {
  agpu_object *value = CALL(mlirAsyncRuntimeCreateValue)(8);
  CALL(mlirAsyncRuntimeExecute)(value, write_value);
  CALL(mlirAsyncRuntimeAwaitValue)(value);
  CHECK(!CALL(mlirAsyncRuntimeIsValueError)(value));
  CHECK_EQ(*(int64_t *)mlirAsyncRuntimeGetValueStorage(value), 42);
  drop(value);

  agpu_object *payload = spawn();
  value = CALL(mlirAsyncRuntimeCreateValue)(sizeof(payload));
  CALL(agpu_value_own_payload)(value);
  memcpy(mlirAsyncRuntimeGetValueStorage(value), &payload, sizeof(payload));
  CALL(mlirAsyncRuntimeEmplaceValue)(value);
  CALL(mlirAsyncRuntimeAwaitToken)(payload);
  drop(value);
}

/// Coroutines whose frames come with their tokens.
static void end_task(void *handle) {
  agpu_object *task = *(agpu_object **)handle;
  make_ready_last(task);
  CALL(agpu_task_free_frame)(task);
}

static void resume_task(void *handle) {
  agpu_object **frame = handle;
  CALL(agpu_task_await)(frame[0], frame[1], handle, end_task, NULL);
}

static agpu_object *start_task(agpu_object *task, agpu_object *after) {
  agpu_object **frame = NULL;
  memcpy(&frame, (char *)task + AGPU_OBJECT_FRAME_OFFSET, sizeof(frame));
  frame[0] = task;
  frame[1] = after;
  CALL(agpu_task_start_after)(task, after, frame, resume_task, false, NULL);
  return task;
}

static void use_tasks(void) {
  agpu_object *token = spawn();
  agpu_object *a = start_task(CALL(agpu_task_create_token)(16, 8), token);
  agpu_object *b = start_task(CALL(agpu_task_create_value)(8, 16, 8), a);
  mlirAsyncRuntimeAwaitValue(b);
  drop(b);
  drop(a);
  drop(token);
}

/// Continuations, each of which makes its token ready.
static void use_continuations(void) {
  agpu_object *token = spawn(), *value = mlirAsyncRuntimeCreateValue(8);
  agpu_object *group = CALL(mlirAsyncRuntimeCreateGroup)(2);
  CHECK(CALL(mlirAsyncRuntimeAddTokenToGroup)(token, group) == 0);
  CHECK(CALL(mlirAsyncRuntimeAddTokenToGroup)(value, group) == 1);
  agpu_object *after[8];
  for (int i = 0; i < 8; ++i)
    after[i] = mlirAsyncRuntimeCreateToken();
  CALL(mlirAsyncRuntimeAwaitTokenAndExecute)(token, after[0], make_ready);
  CALL(mlirAsyncRuntimeAwaitValueAndExecute)(value, after[1], make_ready);
  CALL(mlirAsyncRuntimeAwaitAllInGroupAndExecute)(group, after[2], make_ready);
  CALL(agpu_object_await_and_execute)(token, after[3], make_ready_last, NULL);
  CALL(agpu_object_await_enqueued_and_execute)(token, after[4], make_ready);
  CALL(agpu_execute_after)(token, after[5], make_ready, true, NULL);
  call_enqueued(token, after[6]);
  if (CALL(agpu_object_enqueued_or_execute)(token, after[7], make_ready))
    make_ready(after[7]);
  mlirAsyncRuntimeExecute(value, write_value);
  CALL(mlirAsyncRuntimeAwaitAllInGroup)(group);
  CHECK(!CALL(mlirAsyncRuntimeIsGroupError)(group));
  for (int i = 0; i < 8; ++i) {
    mlirAsyncRuntimeAwaitToken(after[i]);
    drop(after[i]);
  }
  drop(token);
  drop(value);
  drop(group);
}

static void use_errors(void) {
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  agpu_object *other = mlirAsyncRuntimeCreateToken();
  agpu_object *value = mlirAsyncRuntimeCreateValue(8);
  agpu_object *named = mlirAsyncRuntimeCreateToken();
  CALL(mlirAsyncRuntimeSetTokenError)(token);
  CALL(mlirAsyncRuntimeSetValueError)(value);
  CALL(agpu_object_set_error)(named, "it broke", "a.mlir:1:1");
  agpu_object *large = mlirAsyncRuntimeCreateToken();
  CALL(agpu_object_set_out_of_memory)(large, INT64_MAX, "a.mlir:1:1");
  CHECK(mlirAsyncRuntimeIsTokenError(large));
  drop(large);
  CALL(agpu_object_forward_error)(other, named);
  CHECK(mlirAsyncRuntimeIsTokenError(token));
  CHECK(mlirAsyncRuntimeIsValueError(value));
  agpu_status status = agpu_object_get_status(other);
  CALL(agpu_status_retain)(status);
  CHECK_EQ(CALL(agpu_status_get_code)(status), AGPU_STATUS_PROGRAM);
  CHECK_STR(CALL(agpu_status_get_message)(status), "it broke");
  CHECK_STR(CALL(agpu_status_get_location)(status), "a.mlir:1:1");
  CALL(agpu_status_release)(status);
  agpu_status_release(status);
  drop(token);
  drop(other);
  drop(value);
  drop(named);
  agpu_status_release(
      CALL(agpu_status_create)(AGPU_STATUS_INTERNAL, NULL, "%d", 1));
}

static void add_up(void *sum, int64_t begin, int64_t end) {
  atomic_fetch_add((atomic_int *)sum, (int)(end - begin));
}

static void count_piece(void *unused, int64_t begin, int64_t end,
                        void *out_partial) {
  (void)unused;
  *(int64_t *)out_partial = end - begin;
}

static void combine(void *unused, void *into, const void *partial) {
  (void)unused;
  *(int64_t *)into += *(const int64_t *)partial;
}

static agpu_object *add_up_to(void *sum, int64_t begin, int64_t end) {
  add_up(sum, begin, end);
  return &agpu_ready_token;
}

static agpu_object *count_or_fail(void *first, int64_t begin, int64_t end,
                                  void *out_partial) {
  count_piece(NULL, begin, end, out_partial);
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  if (end <= *(int64_t *)first)
    mlirAsyncRuntimeEmplaceToken(token);
  else
    agpu_object_set_error(token, begin <= *(int64_t *)first ? "first" : "not",
                          NULL);
  return token;
}

static void use_failing_loops(void) {
  atomic_int sum = 0;
  agpu_object *token = CALL(agpu_parallel_try)(1000, 10, add_up_to, &sum);
  CHECK(token == &agpu_ready_token);
  CHECK_EQ(sum, 1000);
  int64_t count = 5, first = 500;
  token = CALL(agpu_parallel_try_reduce)(1000, 100, count_or_fail, combine,
                                         &first, &count, sizeof(count));
  agpu_status status = agpu_object_get_status(token);
  CHECK(strstr(agpu_status_get_message(status), "first"));
  agpu_status_release(status);
  mlirAsyncRuntimeDropRef(token, 1);
  CHECK_EQ(count, 5);
}

static void name_regions(void) {
  const agpu_trace_name name = {.name = "region", .file = "a.mlir", .line = 1};
  agpu_trace_names names = {.resume = make_ready, .names = &name, .count = 1};
  CALL(agpu_trace_names_add)(&names);
  CALL(agpu_trace_begin)(&name);
  CALL(agpu_trace_end)();
  CALL(agpu_trace_here)(&name);
  CALL(agpu_trace_names_remove)(&names);
}

static void ask_for_trace(void) {
  // There is no such folder.
  agpu_status status = CALL(agpu_runtime_set_trace)("/nowhere/t.trace");
  CHECK(status);
  agpu_status_release(status);
  CALL(agpu_runtime_set_trace_handler)(NULL);
  CALL(agpu_runtime_allow_traces)();
  CHECK(!CALL(agpu_runtime_check_settings)());
  status = CALL(agpu_runtime_begin_trace)("/nowhere/t.trace");
  CHECK(status);
  agpu_status_release(status);
  status = CALL(agpu_runtime_end_trace)();
  CHECK(status);
  agpu_status_release(status);
}

static void use_the_rest(void) {
  void *frame = CALL(agpu_frame_alloc)(100, 16);
  CALL(agpu_frame_free)(frame);
  CHECK(CALL(mlirAsyncRuntimGetNumWorkerThreads)() >= 1);
  CALL(mlirAsyncRuntimePrintCurrentThreadId)();
  CALL(__mlir_execution_engine_init)(NULL);
  // Waits for the tasks of all threads.
  CALL(__mlir_execution_engine_destroy)();
  // Memory of the host's own is open to it.
  CALL(agpu_note_host_call)("a.mlir:1:1");
  CALL(agpu_check_host_access)(&frame, sizeof frame, 0, "a.mlir:2:1");
  CALL(agpu_note_host_call)(NULL);
  CALL(agpu_check_host_division)(0, "a.mlir:3:1");
  CALL(agpu_check_host_free)(&frame, "a.mlir:4:1");
  agpu_runtime_counters counters;
  CALL(agpu_runtime_get_counters)(&counters);
  (void)CALL(agpu_runtime_settle)(1000);
  atomic_int sum = 0;
  CALL(agpu_parallel_for)(1000, 10, add_up, &sum);
  CHECK_EQ(sum, 1000);
  int64_t count = 5;
  CALL(agpu_parallel_reduce)(1000, 10, count_piece, combine, NULL, &count,
                             sizeof(count));
  CHECK_EQ(count, 1005);
  use_failing_loops();
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

static void choose_devices(void) {
  agpu_device_kind kind;
  CHECK(!CALL(agpu_runtime_get_device)(&kind));
  bool unified;
  CHECK(!CALL(agpu_runtime_get_unified_memory)(&unified));
  CHECK(unified || kind != AGPU_DEVICE_EMU);
  agpu_status status = CALL(agpu_runtime_get_unified_memory)(NULL);
  CHECK_EQ(agpu_status_get_code(status), AGPU_STATUS_INVALID_ARGUMENT);
  agpu_status_release(status);
  int multiprocessors = 0;
  CHECK(!CALL(agpu_runtime_get_multiprocessors)(&multiprocessors));
  CHECK(multiprocessors > 0);
  status = CALL(agpu_runtime_get_multiprocessors)(NULL);
  CHECK_EQ(agpu_status_get_code(status), AGPU_STATUS_INVALID_ARGUMENT);
  agpu_status_release(status);
  status = CALL(agpu_runtime_set_device)(kind);
  CHECK_EQ(agpu_status_get_code(status), AGPU_STATUS_INVALID_ARGUMENT);
  agpu_status_release(status);
  CHECK_EQ(CALL(agpu_device_count)(), 1);
  CALL(agpu_enter_device)(0);
  CHECK_EQ(CALL(agpu_default_device)(), 0);
  agpu_stream *stream = CALL(agpu_stream_acquire)(NULL);
  CALL(agpu_set_default_device)(stream, 0, "a.mlir:1:1");
  CALL(agpu_stream_release)(stream);
}

static void count_call(const void *arguments) {
  ++**(int64_t *const *)arguments;
}

static void use_streams(void) {
  agpu_stream *stream = CALL(agpu_stream_acquire)(NULL);
  CALL(agpu_stream_set_priority)(stream, -1);
  int64_t *cells = CALL(agpu_alloc)(stream, 64, true, NULL);
  int64_t host[8] = {3};
  CALL(agpu_memset)(stream, cells, 0, 8, 8, NULL);
  CALL(agpu_memcpy)(stream, cells, host, 8, NULL);
  int64_t sizes[] = {2}, strides[] = {3};
  CALL(agpu_memset_strided)(stream, cells + 1, 5, 1, sizes, strides, 8, NULL);
  CALL(agpu_memcpy_strided)(stream, cells + 2, cells + 1, 1, sizes, strides,
                            sizes, strides, 8, NULL);
  CALL(agpu_launch)(stream, &test_increment, 1, 1, 1, 1, 1, 1, 0,
                    (void *[]){&cells}, NULL);
  CALL(agpu_launch_with)(stream, &test_increment, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0,
                         NULL, (void *[]){&cells}, NULL);
  static agpu_graph_site part = {.mode = AGPU_GRAPH_ON};
  for (int round = 0; round < 3; ++round) {
    CALL(agpu_graph_begin)(&part, stream);
    agpu_launch(stream, &test_increment, 1, 1, 1, 1, 1, 1, 0,
                (void *[]){&cells}, NULL);
    agpu_stream *inner = CALL(agpu_graph_stream_acquire)(NULL);
    agpu_stream_release(inner);
    CALL(agpu_graph_end)(&part, stream);
  }
  static agpu_graph_site loop = {.mode = AGPU_GRAPH_ON, .rounds = 2};
  agpu_graph_begin(&loop, stream);
  CHECK(CALL(agpu_graph_round)(&loop, stream));
  agpu_object *ready = agpu_stream_record(stream);
  agpu_object *same = CALL(agpu_graph_token)(&loop, ready);
  CHECK(same == ready);
  agpu_object *group = mlirAsyncRuntimeCreateGroup(1);
  CHECK_EQ(CALL(agpu_graph_group_add)(group, ready), 0);
  mlirAsyncRuntimeDropRef(group, 1);
  agpu_graph_end(&loop, stream);
  mlirAsyncRuntimeDropRef(ready, 2);
  static agpu_graph_site device_loop = {.mode = AGPU_GRAPH_ON,
                                        .flags = AGPU_GRAPH_LOOP};
  // Outside of a loop it says nothing.
  CALL(agpu_graph_branch)(&device_loop, stream, AGPU_GRAPH_IF);
  if (CALL(agpu_graph_loop_begin)(&device_loop, stream)) // without any work
    CHECK(CALL(agpu_graph_loop_end)(&device_loop, stream));
  // Outside of a round it is made as it is.
  agpu_graph_call call = {.function = &part, .mode = 1};
  CHECK(CALL(agpu_graph_call_begin)(stream, &call));
  CHECK(!CALL(agpu_graph_call_end)(stream, &call));
  int64_t calls_of_host = 0;
  void *counter = &calls_of_host;
  CALL(agpu_host_call)(stream, count_call, &counter, sizeof counter, NULL);
  static agpu_module_desc never_loaded;
  CALL(agpu_module_release)(&never_loaded);
  agpu_object *token = CALL(agpu_stream_record)(stream);

  agpu_stream *next = agpu_stream_acquire(NULL);
  CALL(agpu_stream_continue)(next, token, false);
  agpu_object *end = mlirAsyncRuntimeCreateToken();
  CALL(agpu_object_set_enqueued)(end, next);
  agpu_stream *other = agpu_stream_acquire(NULL);
  CALL(agpu_stream_wait)(other, end);
  agpu_stream *outer = CALL(agpu_stream_enter)(other);
  CHECK(CALL(agpu_stream_current)() == other);
  CHECK(CALL(agpu_current_stream)());
  CALL(agpu_stream_leave)(other, outer, NULL);
  struct {
    void *allocated, *aligned;
    int64_t offset, size, stride;
  } memref = {cells, cells, 0, 8, 1};
  void *copy = CALL(agpu_descriptor_copy)(other, 1, &memref, NULL);
  CHECK(copy);
  CALL(agpu_dealloc)(other, copy, NULL);

  await_and_drop(token);
  CHECK_EQ(cells[0], 8);
  CHECK_EQ(cells[1], 5);
  CHECK_EQ(cells[2], 5);
  agpu_dealloc(other, cells, NULL);
  agpu_stream_release(stream);
  agpu_stream_release(next);
  agpu_stream_release(other);
  await_and_drop(end);

  stream = agpu_stream_acquire(NULL);
  CALL(agpu_stream_fail)(stream, "it broke", "a.mlir:1:1");
  CHECK_STR(get_error_and_drop(agpu_stream_record(stream)),
            "a.mlir:1:1: it broke");
  agpu_stream_release(stream);
}

static void register_memory(void) {
  int64_t memory[64];
  struct {
    void *allocated, *aligned;
    int64_t offset, size, stride;
  } memref = {memory, memory, 0, 64, 1};
  agpu_stream *stream = agpu_stream_acquire(NULL);
  CALL(agpu_host_register)(stream, memory, sizeof(memory), NULL);
  CALL(agpu_host_unregister)(stream, memory, NULL);
  CALL(agpu_host_register_memref)(stream, 1, &memref, 8, NULL);
  CALL(agpu_host_unregister_memref)(stream, 1, &memref, 8, NULL);
  agpu_object *token = agpu_stream_record(stream);
  agpu_stream_release(stream);
  await_and_drop(token); // it is unregistered only then
  CALL(mgpuMemHostRegister)(memory, sizeof(memory));
  CALL(mgpuMemHostUnregister)(memory);
  CALL(mgpuMemHostRegisterMemRef)(1, &memref, 8);
  CALL(mgpuMemHostUnregisterMemRef)(1, &memref, 8);
}

/// Of 16 rows of 64 floats.
static void make_tensor_maps(struct CUstream_st *stream) {
  enum { FLOAT32 = 7, ROWS = 16, COLUMNS = 64 };
  _Alignas(64) char map[128];
  float *rows =
      mgpuMemAlloc(ROWS * COLUMNS * sizeof(float), stream, /*shared=*/false);
  CALL(mgpuTensorMapEncodeTiled)(
      map, FLOAT32, 2, rows, (uint64_t[]){COLUMNS, ROWS},
      (uint64_t[]){COLUMNS * sizeof(float)}, (uint32_t[]){8, 4},
      (uint32_t[]){1, 1}, 0, 0, 0, 0);
  struct {
    void *allocated, *aligned;
    int64_t offset, sizes[2], strides[2];
  } memref = {rows, rows, 0, {ROWS, COLUMNS}, {COLUMNS, 1}};
  CHECK(CALL(mgpuTensorMapEncodeTiledMemref)(2, &memref, FLOAT32, 0, 0, 0, 0,
                                             (int64_t[]){4, 8}));
  CALL(mgpuTensorMapEncodeIm2col)(
      map, FLOAT32, 3, rows, (uint64_t[]){8, 8, ROWS}, (uint64_t[]){32, 256},
      (int32_t[]){-1}, (int32_t[]){-1}, 8, 4, (uint32_t[]){1, 1, 1}, 0, 0, 0,
      0);
  struct {
    void *allocated, *aligned;
    int64_t offset, sizes[3], strides[3];
  } images = {rows, rows, 0, {ROWS, 8, 8}, {64, 8, 1}};
  CHECK(CALL(mgpuTensorMapEncodeIm2colMemref)(
      3, &images, FLOAT32, 0, 0, 0, 0, 8, 4, (int64_t[]){-1}, (int64_t[]){-1},
      (int64_t[]){1, 1, 1}));
  mgpuMemFree(rows, stream);
}

static void use_upstreams_functions(void) {
  void *image = get_test_image();
  CALL(mgpuSetDefaultDevice)(0);
  struct CUmod_st *module = CALL(mgpuModuleLoad)(image, 0);
  struct CUmod_st *again = CALL(mgpuModuleLoadJIT)(image, 3);
  struct CUfunc_st *function = CALL(mgpuModuleGetFunction)(module, "increment");
  struct CUstream_st *stream = CALL(mgpuStreamCreate)();
  struct CUevent_st *event = CALL(mgpuEventCreate)();
  int64_t host = 7, seen = 0;
  int64_t *cell = CALL(mgpuMemAlloc)(8, stream, false);
  CALL(mgpuMemset16)(cell, 0, 4, stream);
  CALL(mgpuMemset32)(cell, 0, 2, stream);
  CALL(mgpuMemcpy)(cell, &host, 8, stream);
  CALL(mgpuLaunchKernel)(function, 1, 1, 1, 1, 1, 1, 0, stream,
                         (void *[]){&cell}, NULL, 1);
  CALL(mgpuLaunchClusterKernel)(function, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, stream,
                                (void *[]){&cell}, NULL, 1);
  CALL(mgpuEventRecord)(event, stream);
  CALL(mgpuStreamWaitEvent)(stream, event);
  mgpuMemcpy(&seen, cell, 8, stream);
  CALL(mgpuMemFree)(cell, stream);
  CALL(mgpuEventSynchronize)(event);
  CALL(mgpuStreamSynchronize)(stream);
  CHECK_EQ(seen, 9);
  make_tensor_maps(stream);
  CALL(mgpuEventDestroy)(event);
  CALL(mgpuStreamDestroy)(stream);
  CALL(mgpuModuleUnload)(again);
  mgpuModuleUnload(module);
}

static void shut_down(void) { CHECK(!CALL(agpu_runtime_shutdown)()); }

//===----------------------------------------------------------------------===//

static const struct {
  void (*run)(void);
  int threads;
} cases[] = {
    {start_here, THREADS},
    {use_tokens, THREADS},
    {use_values, THREADS},
    {use_tasks, THREADS},
    {use_continuations, THREADS},
    {use_errors, THREADS},
    {name_regions, THREADS},
    {ask_for_trace, 1}, // one at a time, as its comment says
    {use_the_rest, THREADS},
    {choose_devices, THREADS},
    {use_streams, 1}, // its errors are in one buffer of support.c
    {register_memory, THREADS},
    {use_upstreams_functions, THREADS},
    {shut_down, THREADS},
};

static void *run_case(void *of) {
  (*(void (*const *)(void))of)();
  return NULL;
}

int main(int argc, char **argv) {
  bool list = argc > 1 && strcmp(argv[1], "--list") == 0;
  // Once more after the shutdown.
  for (int round = 0; round < 2; ++round)
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); ++i) {
      pthread_t threads[THREADS];
      void (*run)(void) = cases[i].run;
      for (int j = 0; j < cases[i].threads; ++j)
        CHECK(pthread_create(&threads[j], NULL, run_case, &run) == 0);
      for (int j = 0; j < cases[i].threads; ++j)
        CHECK(pthread_join(threads[j], NULL) == 0);
    }
  for (int i = 0; list && i < called_count; ++i)
    printf("called %s\n", called[i]);
  return 0;
}
