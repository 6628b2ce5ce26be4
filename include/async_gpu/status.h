//===- status.h - The outcome of an operation -------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every function that can fail returns an `agpu_status`: NULL when all went
// well, otherwise a reference to an immutable record that says what failed,
// where in the user's source, and why. The same record travels from a failed
// operation to everything that depends on it.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_STATUS_H
#define ASYNC_GPU_STATUS_H

#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Symbols of the runtime's public interface. All others are hidden.
#define AGPU_EXPORT __attribute__((visibility("default")))

typedef enum agpu_status_code {
  AGPU_STATUS_OK = 0,
  /// A caller broke a documented rule (null pointer, size out of range, ...).
  AGPU_STATUS_INVALID_ARGUMENT,
  /// Host or device memory, or another finite resource, is exhausted.
  AGPU_STATUS_OUT_OF_RESOURCES,
  /// Something asked for by name (device, symbol, library) is not there.
  AGPU_STATUS_NOT_FOUND,
  /// Legal, but this driver or build cannot do it.
  AGPU_STATUS_UNSUPPORTED,
  /// A call of the device driver failed.
  AGPU_STATUS_DRIVER,
  /// The user's program failed: an assertion, `async.runtime.set_error`.
  AGPU_STATUS_PROGRAM,
  /// A defect of async-gpu itself.
  AGPU_STATUS_INTERNAL,
} agpu_status_code;

/// A reference to an immutable, reference-counted error record; NULL is
/// success. A caller that receives one from a `_create`, `_retain` or a
/// fallible function owns one reference and gives it up with
/// agpu_status_release. Records may be shared between threads; the counts are
/// atomic.
typedef struct agpu_status_record *agpu_status;

#define AGPU_OK ((agpu_status)0)

/// Makes a status with `code` (not OK), the source location `location`
/// ("file:line:col", or NULL where none is known; copied) and a message in
/// printf form. Never returns NULL: where memory is out, it returns a static
/// record that says so.
AGPU_EXPORT agpu_status agpu_status_create(agpu_status_code code,
                                           const char *location,
                                           const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Adds a reference and returns `status`. NULL stays NULL.
AGPU_EXPORT agpu_status agpu_status_retain(agpu_status status);

/// Drops a reference. NULL is allowed.
AGPU_EXPORT void agpu_status_release(agpu_status status);

/// The code; AGPU_STATUS_OK for NULL.
AGPU_EXPORT agpu_status_code agpu_status_get_code(agpu_status status);

/// The message, without location; "ok" for NULL. Lives as long as the status.
AGPU_EXPORT const char *agpu_status_get_message(agpu_status status);

/// "file:line:col" or "" where unknown. Lives as long as the status.
AGPU_EXPORT const char *agpu_status_get_location(agpu_status status);

#ifdef __cplusplus
}
#endif

#endif // ASYNC_GPU_STATUS_H
