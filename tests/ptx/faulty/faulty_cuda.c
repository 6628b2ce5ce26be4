//===- faulty_cuda.c - A CUDA driver one of whose calls fails -------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A libcuda that hands all calls of the driver's table on to the one in the
// folder above its own. FAULTY_CUDA=FUNCTION:N:CODE: the N-th call of that
// function fails with the result of that number, and does nothing, but for
// calls that give something back.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/device.h"
#include "driver_api/functions.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *real;
static char failing[64];
static unsigned long number, code;
static atomic_ulong calls;

static void load(void) {
  Dl_info own;
  char path[4096];
  if (!dladdr(&once, &own))
    abort();
  (void)snprintf(path, sizeof path, "%.*s/../libcuda.so.1",
                 (int)(strrchr(own.dli_fname, '/') - own.dli_fname),
                 own.dli_fname);
  real = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const char *fault = getenv("FAULTY_CUDA");
  if (!real || (fault && sscanf(fault, "%63[^:]:%lu:%lu", failing, &number,
                                &code) != 3)) {
    fprintf(stderr, "faulty_cuda: %s\n",
            real ? "FAULTY_CUDA is no FUNCTION:N:CODE" : dlerror());
    abort();
  }
}

static void *find(const char *symbol) {
  pthread_once(&once, load);
  void *found = dlsym(real, symbol);
  if (!found) {
    fprintf(stderr, "faulty_cuda: there is no %s\n", symbol);
    abort();
  }
  return found;
}

static bool gives_back(const char *name) {
  static const char *const parts[] = {"Destroy", "Free", "Unload", "Unregister",
                                      "Release"};
  bool result = false;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
    result |= strstr(name, parts[i]) != NULL;
  return result;
}

/// Whether this call is the one.
static bool fails(const char *name) {
  return number && !strcmp(name, failing) &&
         atomic_fetch_add(&calls, 1) + 1 == number;
}

#define FORWARD(need, name, symbol, parameters, arguments)                     \
  AGPU_EXPORT CUresult symbol parameters;                                      \
  AGPU_EXPORT CUresult symbol parameters {                                     \
    static _Atomic(void *) known;                                              \
    void *found = atomic_load(&known);                                         \
    if (!found)                                                                \
      atomic_store(&known, found = find(#symbol));                             \
    CUresult(*forward) parameters;                                             \
    memcpy((void *)&forward, &found, sizeof found);                            \
    bool is_failing = fails(#name);                                            \
    CUresult result = CUDA_SUCCESS;                                            \
    if (!is_failing || gives_back(#name))                                      \
      result = forward arguments;                                              \
    return is_failing ? (CUresult)code : result;                               \
  }
AGPU__DRIVER_FUNCTIONS(FORWARD)
