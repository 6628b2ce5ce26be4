//===- module_interleaved.c - Cached functions in all interleavings -------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads that launch a kernel for the first time, on the same device and on
// different ones: each gets the function of its device, which is loaded once
// there, and what a device that is gone has left in the kernel's descriptor
// serves one of them.
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#include "base/sync/lock.c"
#include "gpu/kernel/module.c"

#include "check.h"
#include "interleave_memory.h"

#define THREADS 3
#define DEVICES 2
#define SHARED_BYTES 1000u

// What else module.c needs of the runtime.
bool agpu__driver_gate_enter(void) { return true; }
void agpu__driver_gate_leave(void) {}

agpu_status agpu_status_create(agpu_status_code code, const char *location,
                               const char *format, ...) {
  (void)code, (void)location, (void)format;
  CHECK(false);
  return NULL;
}

agpu_status agpu__driver_error(const agpu__driver *driver, CUresult result,
                               const char *location, const char *what, ...) {
  (void)driver, (void)result, (void)location, (void)what;
  CHECK(false);
  return NULL;
}

void agpu__image_list(const agpu_module_desc *module, char *out, size_t size) {
  (void)module, (void)size;
  *out = '\0';
}

const agpu_image_desc *agpu__image_choose(const agpu_module_desc *module,
                                          uint32_t format, uint32_t chip) {
  (void)format, (void)chip;
  return module->images;
}

const void *agpu__image_data(const agpu_image_desc *image) {
  return image->data;
}

agpu_status agpu__device_reaches_host(const agpu__device *device,
                                      bool *out_reaches) {
  (void)device;
  *out_reaches = true;
  return NULL;
}

void agpu__stream_pool_note_output(agpu__stream_pool *pool) { (void)pool; }

// The driver: a module's handle and a function's are their device's.
static agpu__device devices[DEVICES];
static int loads[DEVICES], looks[DEVICES], allowed[DEVICES];
static int of_thread[THREADS] = {0, 1, 0}; // its device

static CUresult load(CUmodule *module, const void *image, unsigned int count,
                     CUjit_option *options, void **values) {
  (void)image, (void)count, (void)options, (void)values;
  int device = of_thread[interleave_thread()];
  ++loads[device];
  *module = (CUmodule)(void *)&loads[device];
  return CUDA_SUCCESS;
}

static CUresult look_up(CUfunction *function, CUmodule module,
                        const char *name) {
  CHECK_STR(name, "k");
  int device = (int)((int *)(void *)module - loads);
  ++looks[device];
  *function = (CUfunction)(void *)&looks[device];
  return CUDA_SUCCESS;
}

static CUresult allow(CUfunction function, CUfunction_attribute attribute,
                      int value) {
  (void)attribute;
  int device = (int)((int *)(void *)function - looks);
  CHECK(allowed[device] < value);
  allowed[device] = value;
  return CUDA_SUCCESS;
}

static CUresult unload(CUmodule module) {
  --*(int *)(void *)module;
  return CUDA_SUCCESS;
}

static const agpu__driver driver = {.name = "test",
                                    .image_format = AGPU_IMAGE_NATIVE,
                                    .cuModuleLoadDataEx = load,
                                    .cuModuleGetFunction = look_up,
                                    .cuFuncSetAttribute = allow,
                                    .cuModuleUnload = unload};
static const agpu_image_desc image = {.format = AGPU_IMAGE_NATIVE};
static agpu_module_desc module = {AGPU_MODULE_VERSION, 1, "m", &image, NULL};
static agpu_kernel_desc kernel;
static agpu__shared shared;

static void open_device(int i) {
  devices[i] =
      (agpu__device){.driver = &driver,
                     .opening = 1 + atomic_fetch_add(&shared.openings, 1),
                     .shared = &shared,
                     .modules = agpu__module_set_create()};
}

static void begin(void) {
  kernel = (agpu_kernel_desc){.module = &module, .name = "k"};
  memset(loads, 0, sizeof loads);
  memset(looks, 0, sizeof looks);
  memset(allowed, 0, sizeof allowed);
  atomic_init(&shared.openings, 0);
  for (int i = 0; i < DEVICES; ++i)
    open_device(i);
}

/// The same where a device has been there before.
static void begin_again(void) {
  begin();
  agpu__function *left = claim_function(&shared, &kernel);
  atomic_init(&left->opening, 0);
}

static void launch(int device, unsigned bytes) {
  CUfunction function = NULL;
  CHECK(!agpu__module_get_function(&devices[device], &kernel, bytes, NULL,
                                   &function));
  CHECK((void *)function == &looks[device]);
  if (bytes)
    CHECK_EQ(allowed[device], (int)bytes);
}

/// Those of one device want as much memory: it is asked for once.
static void work(int thread) { launch(of_thread[thread], SHARED_BYTES); }

/// None wants any.
static void work_with_none(int thread) { launch(of_thread[thread], 0); }

/// The first device is closed while the other looks for a function that none
/// has any more.
static void work_and_close(int thread) {
  if (thread == 2)
    return;
  work(thread);
  if (thread == 0)
    agpu__module_set_destroy(devices[0].modules, &devices[0]);
}

// No other thread runs by then.
AGPU__UNCHECKED_LOCKS static void end(void) {
  int cached = 0, all = 0;
  for (const agpu__function *of = kernel.cache; of; of = of->next_device) {
    ++cached;
    CHECK((void *)of->handle == &looks[of->opening - 1]);
  }
  for (const agpu__function *of = shared.functions; of; of = of->next_of_all)
    ++all;
  CHECK_EQ(cached, DEVICES);
  CHECK_EQ(all, DEVICES);
  for (int i = 0; i < DEVICES; ++i) {
    CHECK_EQ(loads[i], 1);
    CHECK_EQ(looks[i], 1);
    agpu__module_set_release(&devices[i], &module);
    CHECK_EQ(loads[i], 0);
    agpu__module_set_destroy(devices[i].modules, &devices[i]);
  }
  agpu__module_forget(&shared, &module);
  CHECK(!shared.functions);
}

/// The same where the first device is gone.
AGPU__UNCHECKED_LOCKS static void end_closed(void) {
  CHECK_EQ(looks[0], 1);
  CHECK_EQ(looks[1], 1);
  agpu__module_set_destroy(devices[1].modules, &devices[1]);
  agpu__module_forget(&shared, &module);
  CHECK(!shared.functions);
}

int main(void) {
  static const struct {
    void (*begin)(void);
    void (*run)(int thread);
    void (*end)(void);
  } all[] = {{begin, work, end},
             {begin_again, work_with_none, end},
             {begin, work_and_close, end_closed}};
  for (int i = 0; i < 3; ++i) {
    long runs =
        interleave(&(interleaving){.threads = THREADS,
                                   .preemptions = INTERLEAVE_BOUND(3, 2),
                                   .begin = all[i].begin,
                                   .run = all[i].run,
                                   .end = all[i].end});
    printf("%ld runs\n", runs);
    CHECK(runs > 100);
  }
  return 0;
}
