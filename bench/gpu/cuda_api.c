//===- cuda_api.c - The driver API under its own names --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cuda_api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFINE(need, name, symbol, parameters, arguments)                      \
  CUresult(*name) parameters;
AGPU__DRIVER_FUNCTIONS(DEFINE)
#undef DEFINE
#define DEFINE(name, symbol, parameters) CUresult(*name) parameters;
BENCH_MORE_FUNCTIONS(DEFINE)
#undef DEFINE

static void load_more(void) {
  // It is open already; only the handle is wanted.
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    library = dlopen("libcuda.so", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return;
  void *address;
  // POSIX gives functions the representation of object pointers.
#define LOAD(name, symbol, parameters)                                         \
  address = dlsym(library, #symbol);                                           \
  memcpy(&name, &address, sizeof address);
  BENCH_MORE_FUNCTIONS(LOAD)
#undef LOAD
}

void cuda_api_load(bool is_emu) {
  static agpu__driver driver;
  agpu_status status =
      agpu__driver_load(is_emu ? AGPU_DEVICE_EMU : AGPU_DEVICE_CUDA, &driver);
  if (status) {
    fprintf(stderr, "error: %s\n", agpu_status_get_message(status));
    exit(1);
  }
#define TAKE(need, name, symbol, parameters, arguments) name = driver.name;
  AGPU__DRIVER_FUNCTIONS(TAKE)
#undef TAKE
  if (!is_emu)
    load_more();
}

bool cuda_api_has_capture(void) {
  return cuStreamBeginCapture && cuStreamEndCapture && cuGraphInstantiate;
}

void cuda_api_check(CUresult result, const char *call, const char *file,
                    int line) {
  if (result == CUDA_SUCCESS)
    return;
  const char *name = NULL;
  (void)cuGetErrorName(result, &name);
  fprintf(stderr, "%s:%d: error: %s gave %s (%d)\n", file, line, call,
          name ? name : "an unknown result", (int)result);
  exit(1);
}
