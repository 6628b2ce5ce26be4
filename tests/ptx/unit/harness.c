//===- harness.c - Kernels of a few lines, run on the interpreter --------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "harness.h"

#include <sys/mman.h>

/// Of a file without a name, which no end of the process leaves behind.
static char log_path[32];
static long log_read;
static CUdevice device;

void harness_start(void) {
  int file = memfd_create("log", MFD_CLOEXEC);
  CHECK(file >= 0);
  snprintf(log_path, sizeof log_path, "/proc/self/fd/%d", file);
  setenv("PTX_DEVICE_LOG", log_path, 1);
  CALL(cuInit(0));
  CALL(cuDeviceGet(&device, 0));
}

const char *harness_take_reports(void) {
  static char text[4096];
  FILE *file = fopen(log_path, "r");
  CHECK(file);
  fseek(file, log_read, SEEK_SET);
  size_t length = fread(text, 1, sizeof text - 1, file);
  text[length] = 0;
  log_read += (long)length;
  fclose(file);
  return text;
}

void harness_open(void) {
  CUcontext context;
  CALL(cuDevicePrimaryCtxRetain(&context, device));
  CALL(cuCtxSetCurrent(context));
}

void harness_close(void) { CALL(cuDevicePrimaryCtxRelease_v2(device)); }

CUresult harness_try_load(const char *kernels, CUmodule *out_module) {
  static const char head[] = ".version 8.6\n.target sm_90\n.address_size 64\n";
  size_t size = sizeof head + strlen(kernels);
  char *text = malloc(size);
  CHECK(text);
  snprintf(text, size, "%s%s", head, kernels);
  CUresult result = cuModuleLoadDataEx(out_module, text, 0, NULL, NULL);
  free(text);
  return result;
}

CUmodule harness_load(const char *kernels) {
  CUmodule module = NULL;
  CUresult result = harness_try_load(kernels, &module);
  if (result)
    fprintf(stderr, "%s\n", harness_take_reports());
  CHECK_EQ((int)result, CUDA_SUCCESS);
  return module;
}

CUresult harness_run(const char *kernels, unsigned threads, uint64_t *values,
                     size_t count) {
  CUmodule module = harness_load(kernels);
  CUfunction function;
  CUstream stream;
  CUdeviceptr memory;
  CALL(cuModuleGetFunction(&function, module, "k"));
  CALL(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CALL(cuMemAlloc_v2(&memory, count * 8));
  CALL(cuMemcpyAsync(memory, (uintptr_t)values, count * 8, stream));
  CALL(cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, stream,
                      (void *[]){&memory}, NULL));
  CUresult result = cuStreamSynchronize(stream);
  if (result)
    return result;
  CALL(cuMemcpyAsync((uintptr_t)values, memory, count * 8, stream));
  CALL(cuMemFree_v2(memory));
  CALL(cuStreamDestroy_v2(stream));
  CALL(cuModuleUnload(module));
  return CUDA_SUCCESS;
}
