//===- main.c - Runs one conformance test on one driver -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conformance emu|cuda TEST     runs it; exit status 77 where the driver or
//                               what the test needs is not there
// conformance emu|cuda all      runs every test in a process of its own
// conformance --list            prints the tests, one a line
// conformance --ptx             prints the kernels for real devices
//
//===----------------------------------------------------------------------===//

#include "conformance.h"

#include <dlfcn.h>

static const struct {
  const char *name;
  bool emu_only;
  void (*run)(const bench *b);
} tests[] = {
#define ENTRY(name, emu_only) {#name, emu_only, test_##name},
    CONFORMANCE_TESTS(ENTRY)
#undef ENTRY
};

void expect_result(const bench *b, CUresult expected, CUresult result,
                   const char *call, const char *file, int line) {
  if (result == expected)
    return;
  const char *got = NULL, *wanted = NULL;
  b->driver->cuGetErrorName(result, &got);
  b->driver->cuGetErrorName(expected, &wanted);
  fprintf(stderr, "%s:%d: %s: got %s (%d), expected %s\n", file, line, call,
          got ? got : "?", (int)result, wanted ? wanted : "?");
  exit(1);
}

CUstream make_stream(const bench *b) {
  CUstream stream;
  CALL(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  return stream;
}

CUevent make_event(const bench *b) {
  CUevent event;
  CALL(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  return event;
}

CUdeviceptr make_memory(const bench *b, size_t bytes) {
  CUdeviceptr pointer;
  CALL(cuMemAlloc(&pointer, bytes));
  return pointer;
}

void *make_pinned(const bench *b, size_t bytes) {
  void *memory;
  CALL(cuMemHostAlloc(&memory, bytes, CU_MEMHOSTALLOC_PORTABLE));
  return memory;
}

static void copy(const bench *b, CUdeviceptr target, CUdeviceptr source,
                 size_t bytes) {
  CUstream stream = make_stream(b);
  CALL(cuMemcpyAsync(target, source, bytes, stream));
  CALL(cuStreamSynchronize(stream));
  CALL(cuStreamDestroy(stream));
}

void upload(const bench *b, CUdeviceptr target, const void *source,
            size_t bytes) {
  copy(b, target, (CUdeviceptr)(uintptr_t)source, bytes);
}

void download(const bench *b, void *target, CUdeviceptr source, size_t bytes) {
  copy(b, (CUdeviceptr)(uintptr_t)target, source, bytes);
}

memory_nodes find_memory_nodes(const bench *b) {
  // The library that the table is of, wherever it was found. C has no cast
  // between pointers to objects and to functions.
  void *function, *library = NULL;
  memcpy(&function, &b->driver->cuGraphCreate, sizeof function);
  Dl_info of;
  if (dladdr(function, &of))
    library = dlopen(of.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  memory_nodes found = {0};
  // What poses as CUDA's has the functions of the table alone.
  if (library && b->is_emulated == b->is_emu) {
    *(void **)&found.cuGraphAddMemAllocNode =
        dlsym(library, "cuGraphAddMemAllocNode");
    *(void **)&found.cuGraphAddMemFreeNode =
        dlsym(library, "cuGraphAddMemFreeNode");
    *(void **)&found.cuDeviceGraphMemTrim =
        dlsym(library, "cuDeviceGraphMemTrim");
  }
  if (!found.cuGraphAddMemAllocNode || !found.cuGraphAddMemFreeNode ||
      !found.cuDeviceGraphMemTrim)
    exit(SKIPPED);
  return found;
}

bool has_memory_pools(const bench *b) {
  int supported = 0;
  return b->driver->cuMemAllocAsync && b->driver->cuMemFreeAsync &&
         b->driver->cuDeviceGetAttribute(
             &supported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
             b->device) == CUDA_SUCCESS &&
         supported;
}

CUDA_KERNEL_NODE_PARAMS kernel_node_of(CUfunction function, unsigned grid,
                                       unsigned block, void **params) {
  return (CUDA_KERNEL_NODE_PARAMS){.func = function,
                                   .gridDimX = grid,
                                   .gridDimY = 1,
                                   .gridDimZ = 1,
                                   .blockDimX = block,
                                   .blockDimY = 1,
                                   .blockDimZ = 1,
                                   .kernelParams = params};
}

static void wait_at_gate(void *argument) {
  gate *g = argument;
  sem_post(&g->begun);
  while (sem_wait(&g->opened))
    ;
}

void gate_close(const bench *b, gate *g, CUstream stream) {
  CHECK(sem_init(&g->begun, 0, 0) == 0 && sem_init(&g->opened, 0, 0) == 0);
  CALL(cuLaunchHostFunc(stream, wait_at_gate, g));
}

void gate_open(gate *g) { sem_post(&g->opened); }

const void *get_kernels_image(const bench *b) {
  return b->driver->image_format == AGPU_IMAGE_PTX
             ? (const void *)conformance_ptx
             : (const void *)&conformance_native;
}

CUmodule load_kernels(const bench *b) {
  CUmodule module;
  CALL(cuModuleLoadDataEx(&module, get_kernels_image(b), 0, NULL, NULL));
  return module;
}

void load_kernel(const bench *b, CUfunction function) {
  int registers;
  if (b->driver->cuFuncLoad)
    CALL(cuFuncLoad(function));
  else if (b->driver->cuFuncGetAttribute)
    CALL(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function));
}

CUfunction get_kernel(const bench *b, CUmodule module, const char *name) {
  CUfunction function;
  CALL(cuModuleGetFunction(&function, module, name));
  load_kernel(b, function);
  return function;
}

void launch(const bench *b, CUfunction function, unsigned grid, unsigned block,
            CUstream stream, void **params) {
  CALL(cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, stream, params,
                      NULL));
}

/// The driver with its first device's context current; false where it is not
/// available.
static bool set_up(bench *b, agpu__driver *driver) {
  agpu_status status =
      agpu__driver_load(b->is_emu ? AGPU_DEVICE_EMU : AGPU_DEVICE_CUDA, driver);
  if (status) {
    fprintf(stderr, "%s\n", agpu_status_get_message(status));
    agpu_status_release(status);
    return false;
  }
  b->driver = driver;
  int count = 0;
  CUresult result = driver->cuInit(0);
  if (result == CUDA_SUCCESS)
    result = driver->cuDeviceGetCount(&count);
  if (result || count == 0) {
    fprintf(stderr, "no device: result %d\n", (int)result);
    return false;
  }
  CUcontext context;
  CALL(cuDeviceGet(&b->device, 0));
  CALL(cuDevicePrimaryCtxRetain(&context, b->device));
  CALL(cuCtxSetCurrent(context));
  char name[256];
  CALL(cuDeviceGetName(name, sizeof name, b->device));
  b->is_emulated = strstr(name, "emulated") != NULL;
  return true;
}

static const size_t test_count = sizeof tests / sizeof *tests;

static bool is_emu; ///< the driver is the emulated device's

/// Runs the i-th test and gives everything back.
static int run_test(size_t i) {
  static agpu__driver driver;
  bench b = {.is_emu = is_emu};
  if ((tests[i].emu_only && !is_emu) || !set_up(&b, &driver))
    return SKIPPED;
  tests[i].run(&b);
  // In a context in error, too. The emulated device then holds nothing, which
  // the leak checker sees.
  (void)driver.cuDevicePrimaryCtxRelease(b.device);
  return 0;
}

static const char *name_of(size_t i) { return tests[i].name; }

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--list") == 0) {
    for (size_t i = 0; i < test_count; ++i)
      printf("%s\n", tests[i].name);
    return 0;
  }
  if (argc == 2 && strcmp(argv[1], "--ptx") == 0) {
    fputs(conformance_ptx, stdout);
    return 0;
  }
  if (argc != 3 || (strcmp(argv[1], "emu") && strcmp(argv[1], "cuda"))) {
    fprintf(stderr, "usage: %s emu|cuda TEST|all, --list or --ptx\n", argv[0]);
    return 2;
  }
  is_emu = strcmp(argv[1], "emu") == 0;
  if (strcmp(argv[2], "all") == 0)
    return suite_run_all(test_count, "", name_of, run_test);
  for (size_t i = 0; i < test_count; ++i)
    if (strcmp(tests[i].name, argv[2]) == 0)
      return run_test(i);
  fprintf(stderr, "no test named %s\n", argv[2]);
  return 2;
}
