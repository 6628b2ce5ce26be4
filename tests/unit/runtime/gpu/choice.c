//===- choice.c - Which device is used, and what can go wrong -------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every case in a process of its own, since a process has one device.
//
//===----------------------------------------------------------------------===//

#include "child.h"
#include "support.h"

static void check_error(agpu_status status, agpu_status_code code,
                        const char *part) {
  CHECK(status);
  CHECK_EQ(agpu_status_get_code(status), code);
  if (!strstr(agpu_status_get_message(status), part)) {
    fprintf(stderr, "\"%s\" has no \"%s\"\n", agpu_status_get_message(status),
            part);
    exit(1);
  }
  agpu_status_release(status);
}

static void malformed_variables(void) {
  agpu_device_kind kind;
  // The runtime itself starts with settings that are well formed: where a call
  // without a status starts it, a malformed one ends the program.
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  mlirAsyncRuntimeEmplaceToken(token);
  mlirAsyncRuntimeDropRef(token, 1);
  setenv("ASYNC_GPU_DEVICE", "gpu", 1);
  check_error(agpu_runtime_get_device(&kind), AGPU_STATUS_INVALID_ARGUMENT,
              "auto, cuda");
  // Remembered, until another device is chosen.
  check_error(agpu_runtime_get_device(&kind), AGPU_STATUS_INVALID_ARGUMENT,
              "ASYNC_GPU_DEVICE");
  unsetenv("ASYNC_GPU_DEVICE");
  static const char *const variables[] = {
      "ASYNC_GPU_STREAMS",          "ASYNC_GPU_COMPLETION",
      "ASYNC_GPU_EMU_SEED",         "ASYNC_GPU_EMU_THREADS",
      "ASYNC_GPU_EMU_MEMORY_POOLS", "ASYNC_GPU_EMU_CHECK",
      "ASYNC_GPU_EMU_FAULT",        "ASYNC_GPU_EMU_DEVICES",
      "ASYNC_GPU_IDLE_MS",          "ASYNC_GPU_KEEP_BYTES"};
  for (size_t i = 0; i < sizeof variables / sizeof *variables; ++i) {
    setenv(variables[i], "-3x", 1);
    agpu_status status = agpu_runtime_set_device(AGPU_DEVICE_EMU);
    CHECK(!status);
    check_error(agpu_runtime_get_device(&kind), AGPU_STATUS_INVALID_ARGUMENT,
                variables[i]);
    // An op that needs the device says the same, and where it stands.
    agpu_stream *stream = agpu_stream_acquire("v.mlir:1:2");
    agpu_memset(stream, NULL, 0, 1, 1, "v.mlir:2:2");
    CHECK(!agpu_alloc(stream, 1, false, NULL));
    const char *text = get_error_and_drop(agpu_stream_record(stream));
    CHECK(strstr(text, "v.mlir:1:2: ") == text && strstr(text, variables[i]));
    agpu_stream_release(stream);
    unsetenv(variables[i]);
  }
  CHECK(!agpu_runtime_set_device(AGPU_DEVICE_EMU));
  CHECK(!agpu_runtime_get_device(&kind));
  check_end();
}

static void malformed_faults(void) {
  static const char *const values[] = {"0:CUDA_ERROR_UNKNOWN",
                                       "3",
                                       "3:CUDA_SUCCESS",
                                       "3:CUDA_ERROR_NO_SUCH",
                                       "cuMemAlloc",
                                       "cuMemAlloc:CUDA_ERROR_UNKNOWN",
                                       "cuMemAlloc:0:CUDA_ERROR_UNKNOWN",
                                       "cuMem:1:CUDA_ERROR_UNKNOWN",
                                       "cuMemAlloc_v2:1:CUDA_ERROR_UNKNOWN"};
  agpu_device_kind kind;
  for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
    setenv("ASYNC_GPU_EMU_FAULT", values[i], 1);
    CHECK(!agpu_runtime_set_device(AGPU_DEVICE_EMU));
    check_error(agpu_runtime_get_device(&kind), AGPU_STATUS_INVALID_ARGUMENT,
                "cuMemAlloc:1:CUDA_ERROR_OUT_OF_MEMORY");
  }
  unsetenv("ASYNC_GPU_EMU_FAULT");
  CHECK(!agpu_runtime_set_device(AGPU_DEVICE_EMU));
  CHECK(!agpu_runtime_get_device(&kind));
  check_end();
}

static void cuda_is_not_there(void) {
  setenv("ASYNC_GPU_DEVICE", "cuda", 1);
  agpu_device_kind kind;
  agpu_status status = agpu_runtime_get_device(&kind);
  if (!status) // there is a real device
    return;
  agpu_status_release(status);
  // Where there is none, auto is the emulated one.
  CHECK(!agpu_runtime_set_device(AGPU_DEVICE_AUTO));
  CHECK(!agpu_runtime_get_device(&kind));
  CHECK_EQ(kind, AGPU_DEVICE_EMU);
  check_end();
}

static void chosen_by_call(void) {
  setenv("ASYNC_GPU_DEVICE", "cuda", 1);
  CHECK(!agpu_runtime_set_device(AGPU_DEVICE_EMU));
  agpu_device_kind kind;
  CHECK(!agpu_runtime_get_device(&kind));
  CHECK_EQ(kind, AGPU_DEVICE_EMU);
  check_error(agpu_runtime_set_device(AGPU_DEVICE_CUDA),
              AGPU_STATUS_INVALID_ARGUMENT, "emu device is in use");
  check_error(agpu_runtime_set_device((agpu_device_kind)9),
              AGPU_STATUS_INVALID_ARGUMENT, "9 is not");
  check_end();
}

/// A driver that lacks functions. The test's environment provides one.
static void driver_is_too_old(void) {
  CHECK(!agpu_runtime_set_device(AGPU_DEVICE_CUDA));
  agpu_device_kind kind;
  check_error(agpu_runtime_get_device(&kind), AGPU_STATUS_UNSUPPORTED,
              "the CUDA driver (version 10.2) is too old, it lacks: "
              "cuDevicePrimaryCtxRelease_v2; install one for CUDA 11.0");
  CHECK(!agpu_runtime_set_device(AGPU_DEVICE_AUTO));
  CHECK(!agpu_runtime_get_device(&kind));
  CHECK_EQ(kind, AGPU_DEVICE_EMU);
  check_end();
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "old_driver") == 0) {
    CHECK_EQ(child_exit(driver_is_too_old, NULL, 0), 0);
    return 0;
  }
  CHECK_EQ(child_exit(malformed_variables, NULL, 0), 0);
  CHECK_EQ(child_exit(malformed_faults, NULL, 0), 0);
  CHECK_EQ(child_exit(cuda_is_not_there, NULL, 0), 0);
  CHECK_EQ(child_exit(chosen_by_call, NULL, 0), 0);
  return 0;
}
