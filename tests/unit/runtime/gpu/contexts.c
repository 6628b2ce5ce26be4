//===- contexts.c - Contexts that others make current ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Another library of the process uses the driver on the program's threads, and
// both find what they have left. The tests have two devices.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/mgpu.h"
#include "async_gpu/device.h"
#include "base/os/self.h"
#include "child.h"
#include "gpu/device/device.h"
#include "gpu/driver/driver.h"
#include "support.h"

#include <dlfcn.h>

/// As a library that is linked with the driver sees it.
static struct {
  CUresult (*init)(unsigned int);
  CUresult (*retain)(CUcontext *, CUdevice);
  CUresult (*release)(CUdevice);
  CUresult (*set)(CUcontext);
  CUresult (*get)(CUcontext *);
} foreign;

static void *find(void *library, const char *name) {
  void *found = dlsym(library, name);
  CHECK(found);
  return found;
}

static void load_foreign(void) {
  void *library = dlopen("libasync_gpu_emu.so.0", RTLD_NOW | RTLD_LOCAL);
  CHECK(library);
  void *found;
#define FIND(field, name)                                                      \
  found = find(library, name);                                                 \
  memcpy(&foreign.field, &found, sizeof found)
  FIND(init, "cuInit");
  FIND(retain, "cuDevicePrimaryCtxRetain");
  FIND(release, "cuDevicePrimaryCtxRelease_v2");
  FIND(set, "cuCtxSetCurrent");
  FIND(get, "cuCtxGetCurrent");
#undef FIND
}

/// Uses the device on this thread, and checks what came of it.
static void use_device(agpu_stream *stream, int64_t *cell, int64_t expected) {
  launch_increment(stream, cell);
  int64_t value = -1;
  agpu_memcpy(stream, &value, cell, sizeof value, NULL);
  await_and_drop(agpu_stream_record(stream));
  CHECK_EQ(value, expected);
}

/// What others have made current between two calls does not matter.
static void others_may_change_it(void) {
  load_foreign();
  agpu_stream *stream = agpu_stream_acquire(NULL);
  int64_t *cell = agpu_alloc(stream, sizeof *cell, false, NULL);
  agpu_memset(stream, cell, 0, 8, 1, NULL);
  use_device(stream, cell, 1);
  CUcontext other;
  CHECK(!foreign.retain(&other, 1));
  CHECK(!foreign.set(other));
  use_device(stream, cell, 2);
  CHECK(!foreign.set(NULL));
  use_device(stream, cell, 3);
  agpu_dealloc(stream, cell, NULL);
  agpu_stream_release(stream);
  CHECK(!foreign.release(1));
  check_end();
}

static void check_current(CUcontext expected) {
  CUcontext now = NULL;
  CHECK(!foreign.get(&now));
  CHECK(now == expected);
}

/// What others have made current is so again after each region, each await and
/// each of upstream's calls.
static void each_region_leaves_it(void) {
  load_foreign();
  CHECK(!foreign.init(0));
  CUcontext other;
  CHECK(!foreign.retain(&other, 1));
  CHECK(!foreign.set(other));
  for (int i = 0; i < 3; ++i) {
    agpu_stream *stream = agpu_stream_acquire(NULL);
    int64_t *cell = agpu_alloc(stream, sizeof *cell, false, NULL);
    agpu_memset(stream, cell, 0, 8, 1, NULL);
    launch_increment(stream, cell);
    agpu_dealloc(stream, cell, NULL);
    agpu_object *token = agpu_stream_record(stream);
    agpu_stream_release(stream);
    check_current(other);
    await_and_drop(token);
    check_current(other);
    mgpuMemFree(mgpuMemAlloc(8, NULL, false), NULL);
    check_current(other);
  }
  // That of the second device goes where there was none.
  CHECK(!foreign.set(NULL));
  agpu_enter_device(1);
  agpu_stream *stream = agpu_stream_acquire(NULL);
  agpu_dealloc(stream, agpu_alloc(stream, 8, false, NULL), NULL);
  await_and_drop(agpu_stream_record(stream));
  agpu_stream_release(stream);
  check_current(NULL);
  CHECK(!foreign.release(1));
  check_end();
}

/// What was current before the runtime's is so again behind its end.
static void it_is_left_as_found(CUdevice device) {
  load_foreign();
  CHECK(!foreign.init(0));
  CUcontext own, now = NULL;
  CHECK(!foreign.retain(&own, device));
  CHECK(!foreign.set(own));
  agpu_stream *stream = agpu_stream_acquire(NULL);
  int64_t *cell = agpu_alloc(stream, sizeof *cell, false, NULL);
  agpu_memset(stream, cell, 0, 8, 1, NULL);
  use_device(stream, cell, 1);
  agpu_dealloc(stream, cell, NULL);
  agpu_stream_release(stream);
  check_end();
  CHECK(!foreign.get(&now));
  CHECK(now == own);
  CHECK(!foreign.release(device));
}

/// A trace's device is that whose context is current, whoever has made it so.
static void a_trace_knows_the_device(void) {
  load_foreign();
  CHECK(!agpu_runtime_begin_trace("contexts.trace"));
  for (int32_t device = 0; device < 2; ++device) {
    agpu_enter_device(device);
    agpu_stream_release(agpu_stream_acquire(NULL));
  }
  CUcontext other;
  CHECK(!foreign.retain(&other, 1));
  CHECK(!foreign.set(NULL));
  agpu_enter_device(0);
  agpu_stream *stream = agpu_stream_acquire(NULL);
  agpu_dealloc(stream, agpu_alloc(stream, 8, false, NULL), NULL);
  CHECK_EQ(agpu__self.gpu.traced_device, 0);
  agpu_stream_release(stream);
  CHECK(!foreign.set(other));
  agpu_enter_device(1);
  stream = agpu_stream_acquire(NULL);
  agpu_dealloc(stream, agpu_alloc(stream, 8, false, NULL), NULL);
  CHECK_EQ(agpu__self.gpu.traced_device, 1);
  agpu_stream_release(stream);
  CHECK(!agpu_runtime_end_trace());
  CHECK(!unlink("contexts.trace"));
  CHECK(!foreign.release(1));
  check_end();
}

/// Of a driver that cannot make the second device's context current.
static CUcontext current;
static CUcontext contexts[2] = {(CUcontext)(void *)1, (CUcontext)(void *)2};

static CUresult get_current(CUcontext *context) {
  *context = current;
  return CUDA_SUCCESS;
}

static CUresult set_all_but_the_second(CUcontext context) {
  if (context == contexts[1])
    return CUDA_ERROR_UNKNOWN;
  current = context;
  return CUDA_SUCCESS;
}

/// Where a context cannot be made current none is: what follows fails, and
/// makes nothing on another device. What was found is put back all the same.
static void a_failure_leaves_none(void) {
  static const agpu__driver driver = {.name = "test",
                                      .cuCtxGetCurrent = get_current,
                                      .cuCtxSetCurrent =
                                          set_all_but_the_second};
  agpu__device devices[2];
  for (int i = 0; i < 2; ++i)
    devices[i] =
        (agpu__device){.driver = &driver, .context = contexts[i], .ordinal = i};
  CUcontext found = current = (CUcontext)(void *)3;
  agpu__device_enter(&devices[0]);
  CHECK(current == contexts[0]);
  agpu__device_enter(&devices[1]);
  CHECK(!current);
  agpu__device_enter(&devices[1]);
  CHECK(!current);
  agpu__device_leave(&devices[1]);
  CHECK(current == found);
  agpu__device_leave(&devices[1]);
  CHECK(current == found);
}

static void that_of_another_device(void) { it_is_left_as_found(1); }
static void that_of_the_same(void) { it_is_left_as_found(0); }

int main(void) {
  CHECK_EQ(child_exit(others_may_change_it, NULL, 0), 0);
  CHECK_EQ(child_exit(each_region_leaves_it, NULL, 0), 0);
  CHECK_EQ(child_exit(a_trace_knows_the_device, NULL, 0), 0);
  CHECK_EQ(child_exit(that_of_another_device, NULL, 0), 0);
  CHECK_EQ(child_exit(that_of_the_same, NULL, 0), 0);
  CHECK_EQ(child_exit(a_failure_leaves_none, NULL, 0), 0);
  return 0;
}
