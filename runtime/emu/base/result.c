//===- result.c - Results, and what is said of them -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table of results. The names are the API's, the texts our own; what is in
// no row is no result of this driver.
//
// A thread's notes are allocated when it first needs them, and freed with it.
// They are not thread-local themselves: a program that loads the runtime while
// it runs has little room for such data.
//
//===----------------------------------------------------------------------===//

#include "emu/base/result.h"

#include "base/os/self.h"
#include "base/report/log.h"
#include "driver_api/values.h"
#include "emu/base/calls.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
  CUresult error;
  const char *name, *text;
} entry;

static const entry errors[] = {
#define ERROR(name, text) {name, #name, text}
    ERROR(CUDA_SUCCESS, "no error"),
    ERROR(CUDA_ERROR_INVALID_VALUE, "invalid argument"),
    ERROR(CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
    ERROR(CUDA_ERROR_NOT_INITIALIZED, "the driver is not initialized"),
    ERROR(CUDA_ERROR_DEINITIALIZED, "the driver has shut down"),
    ERROR(CUDA_ERROR_STUB_LIBRARY, "the library is a stub"),
    ERROR(CUDA_ERROR_DEVICE_UNAVAILABLE, "the device is unavailable"),
    ERROR(CUDA_ERROR_NO_DEVICE, "there is no device"),
    ERROR(CUDA_ERROR_INVALID_DEVICE, "there is no such device"),
    ERROR(CUDA_ERROR_INVALID_IMAGE, "the module's image is invalid"),
    ERROR(CUDA_ERROR_INVALID_CONTEXT, "no valid context is current"),
    ERROR(CUDA_ERROR_NO_BINARY_FOR_GPU, "no image fits this device"),
    ERROR(CUDA_ERROR_UNSUPPORTED_LIMIT, "the device has no such limit"),
    ERROR(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED,
          "the devices cannot reach each other's memory"),
    ERROR(CUDA_ERROR_INVALID_PTX, "the PTX does not compile"),
    ERROR(CUDA_ERROR_OPERATING_SYSTEM, "a call of the system failed"),
    ERROR(CUDA_ERROR_INVALID_HANDLE, "invalid handle"),
    ERROR(CUDA_ERROR_ILLEGAL_STATE, "what the call needs is in no valid state"),
    ERROR(CUDA_ERROR_NOT_FOUND, "not found"),
    ERROR(CUDA_ERROR_NOT_READY, "the work has not completed"),
    ERROR(CUDA_ERROR_ILLEGAL_ADDRESS, "work touched memory that is not "
                                      "allocated"),
    ERROR(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED,
          "access to that device's memory is already switched on"),
    ERROR(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED,
          "access to that device's memory is not switched on"),
    ERROR(CUDA_ERROR_CONTEXT_IS_DESTROYED, "the context has been destroyed"),
    ERROR(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
          "the host memory is already registered"),
    ERROR(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
          "the host memory is not registered"),
    ERROR(CUDA_ERROR_ASSERT, "an assertion in a kernel failed"),
    ERROR(CUDA_ERROR_MISALIGNED_ADDRESS,
          "work touched memory at an address of the wrong alignment"),
    ERROR(CUDA_ERROR_LAUNCH_FAILED, "a kernel failed"),
    ERROR(CUDA_ERROR_NOT_PERMITTED, "not permitted in a host function"),
    ERROR(CUDA_ERROR_NOT_SUPPORTED, "not supported"),
    ERROR(CUDA_ERROR_SYSTEM_NOT_READY, "the system is not ready"),
    ERROR(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH,
          "the driver's parts are of different versions"),
    ERROR(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE,
          "the compatibility library does not support the device"),
    ERROR(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
          "not permitted while a stream is captured"),
    ERROR(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
          "an error before has invalidated the capture"),
    ERROR(CUDA_ERROR_STREAM_CAPTURE_MERGE,
          "two independent captures would become one"),
    ERROR(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
          "the capture did not begin on this stream"),
    ERROR(CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
          "work of another stream was not joined to the one that is captured"),
    ERROR(CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
          "captured work would depend on work that is not captured"),
    ERROR(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
          "the default stream would depend on a stream that is captured"),
    ERROR(CUDA_ERROR_CAPTURED_EVENT,
          "the event was recorded last in a stream that was captured"),
    ERROR(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
          "the capture began on another thread"),
    ERROR(CUDA_ERROR_INVALID_CLUSTER_SIZE, "invalid cluster size"),
    ERROR(CUDA_ERROR_UNKNOWN, "unknown error"),
#undef ERROR
};

static const entry *find(CUresult error) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i)
    if (errors[i].error == error)
      return &errors[i];
  return NULL;
}

CUresult agpu__emu_find_error(const char *name) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i)
    if (strcmp(errors[i].name, name) == 0)
      return errors[i].error;
  return CUDA_SUCCESS;
}

const char *agpu__emu_get_error_text(CUresult error) {
  const entry *found = find(error);
  return found ? found->text : NULL;
}

CUresult agpu__emu_cuGetErrorName(CUresult error, const char **out) {
  const entry *found = find(error);
  *out = found ? found->name : NULL;
  return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

//===----------------------------------------------------------------------===//
// Notes
//===----------------------------------------------------------------------===//

/// A thread's texts.
typedef struct agpu__emu_texts {
  char note[1024];
  char both[1200]; ///< an error's text with a note
} texts;

/// At the end of a thread.
static void free_texts(void) {
  free(agpu__self.emu.texts);
  agpu__self.emu.texts = NULL;
}

/// NULL: there is no memory, or `create` is false and there are none yet.
static texts *get_texts(bool create) {
  // Without the end of the thread to free them, there are none.
  if (!agpu__self.emu.texts && create &&
      agpu__self_at_end(AGPU__PART_EMU_NOTE, free_texts))
    agpu__self.emu.texts = calloc(1, sizeof(texts));
  return agpu__self.emu.texts;
}

void agpu__emu_note(const char *format, ...) {
  texts *own = get_texts(true);
  if (!own)
    return;
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(own->note, sizeof own->note, format, arguments);
  va_end(arguments);
  agpu__log(AGPU__LOG_DEVICE, "emu: %s", own->note);
}

const char *agpu__emu_get_note(void) {
  const texts *own = get_texts(false);
  return own ? own->note : "";
}

void agpu__emu_clear_note(void) {
  texts *own = get_texts(false);
  if (own)
    own->note[0] = '\0';
}

const char *agpu__emu_join_note(const char *text, const char *what) {
  texts *own = get_texts(true);
  if (!own)
    return text;
  (void)snprintf(own->both, sizeof own->both, "%s: %.1023s", text, what);
  return own->both;
}
