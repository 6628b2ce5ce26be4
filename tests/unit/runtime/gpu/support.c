//===- support.c - What the tests of runtime/gpu share --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "support.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void run_increment(void *const *params, const agpu_native_block *block) {
  (void)block;
  ++**(int64_t *const *)params[0];
}

static void run_pause(void *const *params, const agpu_native_block *block) {
  (void)block;
  int64_t milliseconds = *(const int64_t *)params[1];
  struct timespec pause = {.tv_sec = milliseconds / 1000,
                           .tv_nsec = milliseconds % 1000 * 1000000};
  nanosleep(&pause, NULL);
  ++**(int64_t *const *)params[0];
}

static void run_add(void *const *params, const agpu_native_block *block) {
  (void)block;
  **(int64_t *const *)params[0] =
      **(int64_t *const *)params[1] + **(int64_t *const *)params[2];
}

static const uint32_t sizes[] = {8, 8, 8};
static const agpu_native_kernel kernels[] = {
    {.name = "increment",
     .run = run_increment,
     .param_sizes = sizes,
     .param_count = 1},
    {.name = "pause", .run = run_pause, .param_sizes = sizes, .param_count = 2},
    {.name = "add", .run = run_add, .param_sizes = sizes, .param_count = 3},
};
static agpu_native_image image = {AGPU_NATIVE_MAGIC, 3, kernels};

// For the driver that takes PTX (tests/conformance/fake_libcuda.c), a device of
// compute capability 9.0. Only one of these is the right one.
static const char no_ptx[] = "not to be chosen";
static char ptx[64];

static void __attribute__((constructor)) write_ptx(void) {
  (void)snprintf(ptx, sizeof ptx, ".version 6.3 // native=%p",
                 (const void *)&image);
}

static const agpu_image_desc images[] = {
    {AGPU_IMAGE_PTX, 75, 0, 0, no_ptx, sizeof no_ptx},
    {AGPU_IMAGE_NATIVE, 0, 0, 0, &image, sizeof image},
    {AGPU_IMAGE_PTX, 90, 0, 0, ptx, sizeof ptx},
    {AGPU_IMAGE_PTX, 100, 0, 0, no_ptx, sizeof no_ptx}};

agpu_module_desc test_module = {AGPU_MODULE_VERSION, 4, "test", images, NULL};
agpu_kernel_desc test_increment = {.module = &test_module, .name = "increment"};
agpu_kernel_desc test_pause = {.module = &test_module, .name = "pause"};
agpu_kernel_desc test_add = {.module = &test_module, .name = "add"};

void *get_test_image(void) {
  agpu_device_kind kind;
  CHECK(!agpu_runtime_get_device(&kind));
  return kind == AGPU_DEVICE_EMU ? (void *)&image : ptx;
}

void launch_increment(agpu_stream *stream, void *cell) {
  agpu_launch(stream, &test_increment, 1, 1, 1, 1, 1, 1, 0, (void *[]){&cell},
              "increment.mlir:1:1");
}

void launch_pause(agpu_stream *stream, void *cell, int64_t milliseconds) {
  agpu_launch(stream, &test_pause, 1, 1, 1, 1, 1, 1, 0,
              (void *[]){&cell, &milliseconds}, "pause.mlir:1:1");
}

void launch_add(agpu_stream *stream, void *out, void *a, void *b) {
  agpu_launch(stream, &test_add, 1, 1, 1, 1, 1, 1, 0, (void *[]){&out, &a, &b},
              "add.mlir:1:1");
}

void await_and_drop(agpu_object *token) {
  mlirAsyncRuntimeAwaitToken(token);
  CHECK(!agpu_object_is_error(token));
  mlirAsyncRuntimeDropRef(token, 1);
}

const char *get_error_and_drop(agpu_object *object) {
  static char text[2048];
  mlirAsyncRuntimeAwaitToken(object);
  agpu_status status = agpu_object_get_status(object);
  (void)snprintf(text, sizeof text, "%s: %s", agpu_status_get_location(status),
                 agpu_status_get_message(status));
  agpu_status_release(status);
  mlirAsyncRuntimeDropRef(object, 1);
  return text;
}

static int log_file = -1;
static int real_stderr = -1;

void log_begin(void) {
  // Other threads write while this one reads: so they append, and reading
  // moves no position.
  char name[] = "async_gpu_log_XXXXXX";
  log_file = mkostemp(name, O_APPEND);
  CHECK(log_file >= 0 && unlink(name) == 0);
  real_stderr = dup(STDERR_FILENO);
  CHECK(real_stderr >= 0);
  CHECK(dup2(log_file, STDERR_FILENO) >= 0);
  atexit(log_show);
}

/// The log so far, for the caller to free.
static char *log_read(size_t *out_length) {
  struct stat info;
  CHECK(fstat(log_file, &info) == 0);
  char *text = calloc(1, (size_t)info.st_size + 1);
  CHECK(text);
  ssize_t length = pread(log_file, text, (size_t)info.st_size, 0);
  CHECK(length >= 0);
  *out_length = (size_t)length;
  return text;
}

int log_count(const char *text) {
  size_t length;
  char *log = log_read(&length), *rest = log;
  int count = 0;
  for (char *line; (line = strsep(&rest, "\n"));)
    count += strstr(line, text) != NULL;
  free(log);
  return count;
}

void log_show(void) {
  size_t length;
  char *log = log_read(&length);
  if (write(real_stderr, log, length) < 0)
    perror("log");
  free(log);
}

void check_end(void) {
  agpu_runtime_counters counters;
  // The last references are dropped by threads of the runtime, soon after
  // what this thread waited for.
  for (int i = 0; i < 2000; ++i) {
    agpu_runtime_get_counters(&counters);
    if (!counters.tokens && !counters.values && !counters.streams &&
        !counters.events)
      break;
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  CHECK_EQ(counters.tokens, 0);
  CHECK_EQ(counters.values, 0);
  CHECK_EQ(counters.streams, 0);
  CHECK_EQ(counters.events, 0);
  agpu_status status = agpu_runtime_shutdown();
  if (status)
    fprintf(stderr, "%s\n", agpu_status_get_message(status));
  CHECK(!status);
}
