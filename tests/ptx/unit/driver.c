//===- driver.c - What the driver refuses and reports --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Beside the conformance suite: what CUDA leaves open, and this driver decides
// against the program.
//
//===----------------------------------------------------------------------===//

#include "driver_api/values.h"
#include "harness.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#define PRINTING                                                               \
  ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a); "     \
  ".global .align 1 .b8 f[3] = {104, 105, 0}; .entry k() { .param .b64 x; "    \
  ".param .b64 y; .param .b32 z; .reg .b64 %a; mov.u64 %a, f; "                \
  "cvta.global.u64 %a, %a; st.param.b64 [x], %a; st.param.b64 [y], %a; call "  \
  "(z), vprintf, (x, y); ret; }"

static CUstream stream;

static void open_stream(void) {
  harness_open();
  CALL(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
}

static CUfunction load(const char *text) {
  CUfunction function;
  CALL(cuModuleGetFunction(&function, harness_load(text), "k"));
  return function;
}

static void launch(CUfunction function, void **params) {
  CALL(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
}

/// Runs `body` in a process of its own: its exit status and what it printed.
static int run_apart(void (*body)(void), char *out, size_t size) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  fflush(NULL);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    dup2(ends[1], 1);
    close(ends[0]);
    close(ends[1]);
    harness_start();
    open_stream();
    body();
    exit(0);
  }
  close(ends[1]);
  size_t used = 0;
  ssize_t got;
  while ((got = read(ends[0], out + used, size - 1 - used)) > 0)
    used += (size_t)got;
  out[used] = 0;
  close(ends[0]);
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// The host has no access to device memory.
static void touch_device_memory(void) {
  CUdeviceptr memory;
  CALL(cuMemAlloc_v2(&memory, 16));
  signal(SIGSEGV, SIG_DFL); // which a sanitizer takes
  *(volatile int *)(uintptr_t)memory = 1;
}

/// Nor has a kernel to memory of the host that the driver does not know.
static void use_host_memory(void) {
  int cell = 0;
  uintptr_t address = (uintptr_t)&cell;
  launch(load(".entry k(.param .u64 p) { .reg .b64 %a; ld.param.u64 %a, [p]; "
              "st.global.u32 [%a], 1; ret; }"),
         (void *[]){&address});
  CHECK_EQ((int)cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK(strstr(harness_take_reports(), "no memory that a device can access"));
}

static void use_freed_memory(void) {
  CUdeviceptr memory;
  CALL(cuMemAlloc_v2(&memory, 16));
  CALL(cuMemFree_v2(memory));
  CHECK_EQ((int)cuMemFree_v2(memory), CUDA_ERROR_INVALID_VALUE);
  CHECK_EQ((int)cuMemsetD8Async(memory, 0, 16, stream),
           CUDA_ERROR_INVALID_VALUE);
  CALL(cuMemAllocAsync(&memory, 16, stream));
  CALL(cuMemFreeAsync(memory, stream));
  CHECK_EQ((int)cuMemFreeAsync(memory, stream), CUDA_ERROR_INVALID_VALUE);
}

static void copy_over_itself(void) {
  CUdeviceptr memory;
  CALL(cuMemAlloc_v2(&memory, 32));
  CALL(cuMemcpyAsync(memory + 8, memory, 16, stream));
  CALL(cuStreamSynchronize(stream));
}

static atomic_int calls;

static void call_the_driver(void *argument) {
  (void)argument;
  calls = (int)cuStreamQuery(stream);
}

static void call_in_host_function(void) {
  CALL(cuLaunchHostFunc(stream, call_the_driver, NULL));
  CALL(cuStreamSynchronize(stream));
  CHECK_EQ(calls, CUDA_ERROR_NOT_PERMITTED);
}

static void use_ended_handles(void) {
  CUevent event;
  CUstream other;
  CALL(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  CALL(cuStreamDestroy_v2(other));
  CHECK_EQ((int)cuStreamQuery(other), CUDA_ERROR_INVALID_HANDLE);
  CALL(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  CALL(cuEventDestroy_v2(event));
  CHECK_EQ((int)cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
  CUmodule module = harness_load(".entry k() { ret; }");
  CUfunction function;
  CALL(cuModuleGetFunction(&function, module, "k"));
  CALL(cuModuleUnload(module));
  CHECK_EQ(
      (int)cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL),
      CUDA_ERROR_INVALID_HANDLE);
  CALL(cuStreamDestroy_v2(stream));
  harness_close();
  CHECK_EQ((int)cuStreamCreate(&stream, 0), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

static atomic_bool may_go_on;

static void wait_for_go(void *argument) {
  (void)argument;
  while (!may_go_on)
    usleep(100);
}

/// What is read of pageable memory is read at the call.
static void copy_from_pageable(void) {
  uint32_t value = 1, result = 0;
  CUdeviceptr memory;
  CALL(cuMemAlloc_v2(&memory, 4));
  CALL(cuLaunchHostFunc(stream, wait_for_go, NULL));
  CALL(cuMemcpyAsync(memory, (uintptr_t)&value, 4, stream));
  value = 2;
  may_go_on = true;
  // What is written is there when the call returns.
  CALL(cuMemcpyAsync((uintptr_t)&result, memory, 4, stream));
  CHECK_EQ(result, 1);
}

/// Printed text comes out where CUDA says so, and not at a query.
static void print_and_query(void) {
  launch(load(PRINTING), NULL);
  while (cuStreamQuery(stream) == CUDA_ERROR_NOT_READY)
    usleep(100);
  printf("queried ");
  fflush(stdout);
  CALL(cuStreamSynchronize(stream));
}

static void print_and_end(void) {
  launch(load(PRINTING), NULL);
  while (cuStreamQuery(stream) == CUDA_ERROR_NOT_READY)
    usleep(100);
}

/// A launch that is held up by nothing but itself ends as an error.
static void run_for_ever(void) {
  launch(load(".entry k() { x: bra x; }"), NULL);
  CHECK_EQ((int)cuStreamSynchronize(stream), PTX_TIMEOUT);
}

/// A variable of shared memory that is smaller than its alignment is a
/// variable: a launch without dynamic shared memory may use it.
static void use_aligned_number(void) {
  launch(load(".entry k() { .shared .align 16 .u32 s; .reg .b32 %r; "
              "mov.u32 %r, 1; st.shared.u32 [s], %r; ret; }"),
         NULL);
  CALL(cuStreamSynchronize(stream));
}

static const struct {
  void (*body)(void);
  const char *setting;
  int status;
  const char *output;
} cases[] = {
    {touch_device_memory, NULL, -SIGSEGV, ""},
    {use_host_memory, NULL, 0, ""},
    {use_freed_memory, NULL, 0, ""},
    {copy_over_itself, NULL, PTX_VIOLATION_STATUS, ""},
    {call_in_host_function, NULL, 0, ""},
    {use_ended_handles, NULL, 0, ""},
    {copy_from_pageable, NULL, 0, ""},
    {print_and_query, NULL, 0, "queried hi"},
    {print_and_end, NULL, PTX_VIOLATION_STATUS, ""},
    {run_for_ever, "PTX_DEVICE_SECONDS=1", 0, ""},
    {use_aligned_number, "PTX_DEVICE_LENIENT=1", 0, ""},
    {use_freed_memory, "PTX_DEVICE_DEVICES=some", PTX_VIOLATION_STATUS, ""},
    {use_freed_memory, "PTX_DEVICE_APPROX=left", PTX_VIOLATION_STATUS, ""},
};

int main(void) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char output[256], setting[64] = "";
    if (cases[i].setting) {
      snprintf(setting, sizeof setting, "%s", cases[i].setting);
      CHECK(putenv(setting) == 0);
    }
    int status = run_apart(cases[i].body, output, sizeof output);
    if (cases[i].setting) {
      *strchr(setting, '=') = 0;
      unsetenv(setting);
    }
    fprintf(stderr, "case %zu: status %d, output '%s'\n", i, status, output);
    CHECK_EQ(status, cases[i].status);
    CHECK_STR(output, cases[i].output);
  }
  return 0;
}
