//===- error.c - Names and texts of results -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names are the API's, the texts our own.
//
//===----------------------------------------------------------------------===//

#include "emu/emu.h"

#include "base/report/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A thread's texts. Not thread-local themselves: a program that loads the
/// runtime while it runs has little room for thread-local data.
typedef struct texts {
  char note[1024];
  char both[1200]; ///< an error's text with a note
} texts;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key; // a thread's `texts`, freed with it
static bool has_key;

static void create_key(void) { has_key = !pthread_key_create(&key, free); }

/// NULL: there is no memory, or `create` is false and there are none yet.
static texts *get_texts(bool create) {
  (void)pthread_once(&once, create_key);
  if (!has_key)
    return NULL;
  texts *own = pthread_getspecific(key);
  if (!own && create) {
    own = calloc(1, sizeof *own);
    if (own && pthread_setspecific(key, own)) {
      free(own);
      own = NULL;
    }
  }
  return own;
}

// The text of each context's sticky error, by device: written once until the
// context starts afresh.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char sticky_texts[AGPU__EMU_MAX_DEVICES][1024];

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

void agpu__emu_keep_note(CUresult error) {
  char where[512] = "";
  if (error == CUDA_ERROR_ILLEGAL_ADDRESS)
    agpu__emu_op_print_running(where, sizeof where);
  char *text = sticky_texts[agpu__emu_context_device(agpu__emu_get_context())];
  pthread_mutex_lock(&lock);
  (void)snprintf(text, sizeof *sticky_texts, "%s%s", agpu__emu_get_note(),
                 where);
  pthread_mutex_unlock(&lock);
}

void agpu__emu_forget_note(CUcontext context) {
  pthread_mutex_lock(&lock);
  *sticky_texts[agpu__emu_context_device(context)] = '\0';
  pthread_mutex_unlock(&lock);
}

static const struct {
  CUresult error;
  const char *name, *text;
} errors[] = {
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
    ERROR(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED,
          "the devices cannot reach each other's memory"),
    ERROR(CUDA_ERROR_INVALID_PTX, "the PTX does not compile"),
    ERROR(CUDA_ERROR_OPERATING_SYSTEM, "a call of the system failed"),
    ERROR(CUDA_ERROR_INVALID_HANDLE, "invalid handle"),
    ERROR(CUDA_ERROR_NOT_FOUND, "there is nothing of that name"),
    ERROR(CUDA_ERROR_NOT_READY, "the work has not completed"),
    ERROR(CUDA_ERROR_ILLEGAL_ADDRESS, "work touched memory that is not "
                                      "allocated"),
    ERROR(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED,
          "access to that device's memory is already switched on"),
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
    ERROR(CUDA_ERROR_INVALID_CLUSTER_SIZE, "invalid cluster size"),
    ERROR(CUDA_ERROR_UNKNOWN, "unknown error"),
#undef ERROR
};

static CUresult find(CUresult error, const char **out_name,
                     const char **out_text) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i) {
    if (errors[i].error == error) {
      *out_name = errors[i].name;
      *out_text = errors[i].text;
      return CUDA_SUCCESS;
    }
  }
  *out_name = *out_text = NULL;
  return CUDA_ERROR_INVALID_VALUE;
}

bool agpu__emu_error_is_sticky(CUresult error) {
  return error == CUDA_ERROR_ILLEGAL_ADDRESS ||
         error == CUDA_ERROR_MISALIGNED_ADDRESS ||
         error == CUDA_ERROR_LAUNCH_FAILED || error == CUDA_ERROR_ASSERT;
}

CUresult agpu__emu_find_error(const char *name) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i)
    if (strcmp(errors[i].name, name) == 0)
      return errors[i].error;
  return CUDA_SUCCESS;
}

CUresult agpu__emu_get_error_name(CUresult error, const char **out) {
  const char *text;
  return find(error, out, &text);
}

/// "<text of the error>: <what>", good until the thread's next call.
static const char *add_note(const char *text, const char *what) {
  texts *own = get_texts(true);
  if (!own)
    return text;
  (void)snprintf(own->both, sizeof own->both, "%s: %.1023s", text, what);
  return own->both;
}

CUresult agpu__emu_get_error_string(CUresult error, const char **out) {
  const char *name;
  CUresult result = find(error, &name, out);
  const char *note = agpu__emu_get_note();
  if (error == CUDA_ERROR_INVALID_VALUE && *note) {
    *out = add_note(*out, note);
  } else if (agpu__emu_get_context() && (agpu__emu_error_is_sticky(error) ||
                                         error == CUDA_ERROR_NOT_SUPPORTED)) {
    const char *text =
        sticky_texts[agpu__emu_context_device(agpu__emu_get_context())];
    pthread_mutex_lock(&lock);
    if (*text)
      *out = add_note(*out, text);
    pthread_mutex_unlock(&lock);
  }
  return result;
}
