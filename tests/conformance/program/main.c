//===- main.c - Runs one program of the driver's API ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// driver_program TEST     runs it; exit status 77 where there is no driver, or
//                         it lacks what the test needs
// driver_program all      runs every test in a process of its own
//
//===----------------------------------------------------------------------===//

#include "program.h"

#include <dlfcn.h>
#include <string.h>

static const struct {
  const char *name;
  void (*run)(void);
} tests[] = {
#define ENTRY(name) {#name, test_##name},
    PROGRAM_TESTS(ENTRY)
#undef ENTRY
};
static const size_t test_count = sizeof tests / sizeof *tests;

void expect_result(CUresult expected, CUresult result, const char *call,
                   const char *file, int line) {
  if (result == expected)
    return;
  const char *got = NULL, *wanted = NULL;
  (void)cuGetErrorName(result, &got);
  (void)cuGetErrorName(expected, &wanted);
  fprintf(stderr, "%s:%d: %s: got %s (%d), expected %s\n", file, line, call,
          got ? got : "?", (int)result, wanted ? wanted : "?");
  exit(1);
}

void need(const char *symbol) {
  if (dlsym(RTLD_DEFAULT, symbol))
    return;
  fprintf(stderr, "the driver has no %s\n", symbol);
  exit(SKIPPED);
}

CUcontext make_context(CUdevice device) {
  CUcontext context;
#if CUDA_VERSION >= 13000
  need("cuCtxCreate_v4");
  CALL(cuCtxCreate(&context, NULL, 0, device));
#else
  need("cuCtxCreate_v2");
  CALL(cuCtxCreate(&context, 0, device));
#endif
  return context;
}

CUcontext get_current(void) {
  CUcontext context;
  CALL(cuCtxGetCurrent(&context));
  return context;
}

// ../kernels.c
extern const char conformance_ptx[];
extern const char conformance_native[];

CUfunction make_kernel(CUdevice device, const char *name) {
  int major;
  CALL(cuDeviceGetAttribute(
      &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  CUmodule module;
  CUfunction function;
  // The emulated device has none, and runs native code.
  CALL(cuModuleLoadDataEx(&module, major ? conformance_ptx : conformance_native,
                          0, NULL, NULL));
  CALL(cuModuleGetFunction(&function, module, name));
  return function;
}

CUdeviceptr make_memory(size_t bytes) {
  CUdeviceptr pointer;
  CALL(cuMemAlloc(&pointer, bytes));
  return pointer;
}

uint32_t read_word(CUdeviceptr pointer, CUstream stream) {
  uint32_t value = 0;
  CALL(cuMemcpyAsync((CUdeviceptr)(uintptr_t)&value, pointer, sizeof value,
                     stream));
  CALL(cuStreamSynchronize(stream));
  return value;
}

static int run_test(size_t i) {
  CUresult result = cuInit(0);
  CUdevice device;
  if (result || cuDeviceGet(&device, 0)) {
    fprintf(stderr, "no device: result %d\n", (int)result);
    return SKIPPED;
  }
  tests[i].run();
  return 0;
}

static const char *name_of(size_t i) { return tests[i].name; }

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s TEST|all\n", argv[0]);
    return 2;
  }
  if (strcmp(argv[1], "all") == 0)
    return suite_run_all(test_count, "", name_of, run_test);
  for (size_t i = 0; i < test_count; ++i)
    if (strcmp(tests[i].name, argv[1]) == 0)
      return run_test(i);
  fprintf(stderr, "no test named %s\n", argv[1]);
  return 2;
}
