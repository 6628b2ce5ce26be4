//===- mgpu_errors.c - Upstream's ABI: a failing call ends the process ----===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/mgpu.h"
#include "child.h"
#include "driver_api/values.h"
#include "support.h"

/// What a child wrote before it ended with status 1.
static const char *get_message(void (*function)(void)) {
  static char text[4096];
  int status = child_exit(function, text, sizeof text);
  if (status != 1) {
    fprintf(stderr, "status %d: %s\n", status, text);
    exit(1);
  }
  return text;
}

static void check(void (*function)(void), const char *part) {
  const char *text = get_message(function);
  const char *newline = strchr(text, '\n');
  if (strncmp(text, "error: ", 7) == 0 && strstr(text, part) && newline &&
      !newline[1])
    return;
  fprintf(stderr, "\"%s\" is not one line with \"%s\"\n", text, part);
  exit(1);
}

static void load_ptx(void) {
  static char ptx[] = ".version 7.0\n.target sm_70\n";
  mgpuModuleLoadJIT(ptx, 2);
}

static void load_cubin(void) {
  static char cubin[64] = "\177ELF";
  mgpuModuleLoad(cubin, sizeof cubin);
}

static void look_up(void) {
  mgpuModuleGetFunction(mgpuModuleLoad(get_test_image(), 0), "nobody");
}

static void launch(intptr_t threads) {
  struct CUmod_st *module = mgpuModuleLoad(get_test_image(), 0);
  int64_t *cell = mgpuMemAlloc(8, NULL, false);
  mgpuLaunchKernel(mgpuModuleGetFunction(module, "increment"), 2, 1, 1, threads,
                   1, 1, 0, NULL, (void *[]){&cell}, NULL, 1);
}

static void launch_too_many(void) { launch(2048); }
static void launch_negative(void) { launch(-1); }

static void launch_cluster(void) {
  struct CUmod_st *module = mgpuModuleLoad(get_test_image(), 0);
  int64_t *cell = mgpuMemAlloc(8, NULL, false);
  // Four blocks are no whole number of clusters of three.
  mgpuLaunchClusterKernel(mgpuModuleGetFunction(module, "increment"), 3, 1, 1,
                          4, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&cell}, NULL,
                          1);
}

static void copy_too_much(void) {
  static char host[64];
  void *memory = mgpuMemAlloc(16, NULL, false);
  mgpuMemcpy(memory, host, (size_t)1 << 30, NULL);
}

static void free_twice(void) {
  struct CUstream_st *stream = mgpuStreamCreate();
  void *memory = mgpuMemAlloc(16, stream, false);
  mgpuMemFree(memory, stream);
  mgpuMemFree(memory, stream);
}

static void destroy_twice(void) {
  // A region's loan of the same stream is not the program's to give back.
  setenv("ASYNC_GPU_STREAMS", "1", 1);
  struct CUstream_st *stream = mgpuStreamCreate();
  agpu_stream *loan = agpu_stream_acquire(NULL);
  mgpuStreamDestroy(stream);
  mgpuStreamDestroy(stream);
  agpu_stream_release(loan);
}

static void destroy_unknown(void) {
  (void)mgpuStreamCreate(); // the runtime is there
  mgpuStreamDestroy((struct CUstream_st *)(uintptr_t)8);
}

static void destroy_event_twice(void) {
  struct CUevent_st *event = mgpuEventCreate();
  mgpuEventDestroy(event);
  mgpuEventDestroy(event);
}

static void unregister_unknown(void) {
  static char host[64];
  mgpuMemHostUnregister((mgpuSetDefaultDevice(0), host));
}

static void register_strided(void) {
  static int64_t host[64];
  struct {
    void *allocated, *aligned;
    int64_t offset, size, stride;
  } memref = {host, host, 0, 8, 2};
  mgpuMemHostRegisterMemRef(1, &memref, 8);
}

static void choose_missing_device(void) { mgpuSetDefaultDevice(77); }

int main(void) {
  check(load_ptx, "cannot load PTX");
  check(load_cubin, "cannot load a cubin");
  check(look_up, "looking for kernel 'nobody': CUDA_ERROR_NOT_FOUND");
  check(launch_too_many, "launch of kernel 'increment' with grid 2x1x1, block "
                         "2048x1x1 and 0 bytes");
  check(launch_negative, "block -1x1x1");
  check(launch_cluster, "launch of kernel 'increment' with clusters of 3x1x1, "
                        "grid 4x1x1, block 1x1x1");
  check(copy_too_much, "copy of 1073741824 bytes");
  check(free_twice, "which is not allocated");
  check(destroy_twice, "destruction of stream");
  check(destroy_unknown,
        "destruction of stream 0x8, which mgpuStreamCreate has "
        "not given");
  check(destroy_event_twice, "destruction of event");
  check(unregister_unknown, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED");
  check(register_strided, "are not contiguous");
  check(choose_missing_device,
        "there is no device 77: the emu driver has 1 device");
  return 0;
}
