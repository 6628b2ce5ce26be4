//===- mgpu.c - Upstream's ABI: what it does and what it does not repeat --===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/mgpu.h"
#include "support.h"

/// What gpu-to-llvm makes of a synchronous launch and its copies, over again.
static void run_program(struct CUmod_st *module, int64_t start) {
  int64_t host = start, seen = -1;
  struct CUstream_st *stream = mgpuStreamCreate();
  int64_t *cell = mgpuMemAlloc(8, stream, false);
  CHECK(cell);
  mgpuMemcpy(cell, &host, 8, stream);
  mgpuLaunchKernel(mgpuModuleGetFunction(module, "increment"), 1, 1, 1, 1, 1, 1,
                   0, stream, (void *[]){&cell}, NULL, 1);
  // Another stream goes on behind an event.
  struct CUevent_st *event = mgpuEventCreate();
  mgpuEventRecord(event, stream);
  struct CUstream_st *other = mgpuStreamCreate();
  CHECK(other != stream);
  mgpuStreamWaitEvent(other, event);
  mgpuLaunchClusterKernel(mgpuModuleGetFunction(module, "add"), 1, 1, 1, 1, 1,
                          1, 1, 1, 1, 0, other, (void *[]){&cell, &cell, &cell},
                          NULL, 3);
  mgpuMemcpy(&seen, cell, 8, other);
  mgpuMemFree(cell, other);
  mgpuStreamDestroy(stream);
  mgpuStreamSynchronize(other);
  mgpuStreamDestroy(other);
  mgpuEventSynchronize(event);
  mgpuEventDestroy(event);
  CHECK_EQ(seen, 2 * (start + 1));
}

static void check_fills(void) {
  struct CUstream_st *stream = mgpuStreamCreate();
  unsigned short *narrow = mgpuMemAlloc(32, stream, true);
  unsigned *wide = mgpuMemAlloc(32, stream, true);
  CHECK(narrow && wide);
  mgpuMemset16(narrow, 0x1234, 16, stream);
  mgpuMemset32(wide, 0x12345678, 8, stream);
  mgpuStreamSynchronize(stream);
  for (int i = 0; i < 16; ++i)
    CHECK_EQ(narrow[i], 0x1234);
  for (int i = 0; i < 8; ++i)
    CHECK_EQ(wide[i], 0x12345678);
  mgpuMemFree(narrow, stream);
  mgpuMemFree(wide, stream);
  mgpuStreamDestroy(stream);
}

/// The null stream: everything has happened when the call returns.
static void check_null_stream(struct CUmod_st *module) {
  int64_t *cell = mgpuMemAlloc(8, NULL, true);
  mgpuMemset32(cell, 7, 2, NULL);
  CHECK_EQ(*cell, 7 + ((int64_t)7 << 32));
  int64_t milliseconds = 20;
  mgpuLaunchKernel(mgpuModuleGetFunction(module, "pause"), 1, 1, 1, 1, 1, 1, 0,
                   NULL, (void *[]){&cell, &milliseconds}, NULL, 2);
  CHECK_EQ(*cell, 8 + ((int64_t)7 << 32));
  mgpuStreamSynchronize(NULL);
  mgpuMemFree(cell, NULL);
}

static void check_nothing_is_nothing(struct CUmod_st *module) {
  CHECK(!mgpuMemAlloc(0, NULL, false));
  mgpuMemFree(NULL, NULL);
  mgpuMemcpy(NULL, NULL, 0, NULL);
  mgpuMemset16(NULL, 0, 0, NULL);
  mgpuMemset32(NULL, 0, 0, NULL);
  mgpuMemHostRegister(NULL, 0);
  mgpuLaunchKernel(mgpuModuleGetFunction(module, "increment"), 0, 1, 1, 1, 1, 1,
                   0, NULL, NULL, NULL, 0);
}

static void check_registration(void) {
  static int64_t host[64];
  struct {
    void *allocated, *aligned;
    int64_t offset, sizes[2], strides[2];
  } memref = {host, host, 16, {4, 8}, {8, 1}};
  for (int i = 0; i < 2; ++i) {
    mgpuMemHostRegisterMemRef(2, &memref, 8);
    mgpuMemHostUnregisterMemRef(2, &memref, 8);
    mgpuMemHostRegister(host, sizeof host);
    mgpuMemHostUnregister(host);
  }
  memref.sizes[0] = 0;
  mgpuMemHostRegisterMemRef(2, &memref, 8);
  mgpuMemHostUnregisterMemRef(2, &memref, 8);
}

int main(void) {
  log_begin();
  void *image = get_test_image();
  struct CUmod_st *module = mgpuModuleLoad(image, 0);
  struct CUmod_st *again = mgpuModuleLoadJIT(image, 3);
  CHECK(module && again && module != again);
  // As newer versions of MLIR call it: with the size.
  typedef struct CUmod_st *load_with_size(void *, int, size_t);
  load_with_size *load = (load_with_size *)(void (*)(void))mgpuModuleLoadJIT;
  struct CUmod_st *newer = load(image, 3, (size_t)1 << 40);
  CHECK(newer && newer != again);
  mgpuModuleUnload(newer);
  mgpuSetDefaultDevice(0);
  check_fills();
  check_null_stream(module);
  check_nothing_is_nothing(module);
  check_registration();
  for (int i = 0; i < 40; ++i)
    run_program(module, i);

  // From here on the driver is asked for nothing new.
  static const char *const calls[] = {
      "cuStreamCreate(", "cuStreamDestroy(",      "cuEventCreate(",
      "cuEventDestroy(", "cuModuleLoadDataEx(",   "cuModuleGetFunction(",
      "cuMemAlloc",      "cuDeviceGetAttribute(", "cuFuncSetAttribute("};
  enum { CALLS = sizeof calls / sizeof *calls };
  int before[CALLS];
  for (int i = 0; i < CALLS; ++i)
    before[i] = log_count(calls[i]);
  for (int i = 0; i < 1000; ++i)
    run_program(module, i);
  for (int i = 0; i < CALLS; ++i)
    CHECK_EQ(log_count(calls[i]) - before[i], 0);
  CHECK_EQ(log_count("cuModuleLoadDataEx("), 3);

  mgpuModuleUnload(again);
  CHECK_EQ(log_count("cuModuleUnload("), 2);
  check_end();
  CHECK_EQ(log_count("cuModuleUnload("), 3);
  CHECK_EQ(log_count("cuStreamCreate("), log_count("cuStreamDestroy("));
  CHECK_EQ(log_count("cuEventCreate("), log_count("cuEventDestroy("));
  // A program's global destructors come after the runtime's end.
  mgpuModuleUnload(module);
  return 0;
}
