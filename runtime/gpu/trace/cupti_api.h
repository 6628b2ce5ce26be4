//===- cupti_api.h - What is used of CUPTI ------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of CUPTI's activity API that are called, and the first fields
// of its records, by their offsets: newer releases add fields at the end. They
// are those of CUpti_ActivityKernel4 to 10, Memcpy to Memcpy6, MemcpyPtoP4 and
// Memset to Memset4.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_TRACE_CUPTI_API_H
#define ASYNC_GPU_RUNTIME_GPU_TRACE_CUPTI_API_H

#include <stddef.h>
#include <stdint.h>

typedef int CUptiResult;

enum {
  CUPTI_SUCCESS = 0,
  CUPTI_ERROR_MAX_LIMIT_REACHED = 12, ///< no more records in the buffer
  CUPTI_ERROR_MULTIPLE_SUBSCRIBERS = 39,
};

/// CUpti_ActivityKind.
enum {
  CUPTI_KIND_MEMCPY = 1,
  CUPTI_KIND_MEMSET = 2,
  CUPTI_KIND_DRIVER = 4, ///< calls: without them there are no external ids
  CUPTI_KIND_CONCURRENT_KERNEL = 10,
  CUPTI_KIND_MEMCPY_PEER = 22,
  CUPTI_KIND_EXTERNAL_CORRELATION = 39,
};

enum { CUPTI_EXTERNAL_KIND_CUSTOM0 = 3, CUPTI_FLUSH_FORCED = 1 };

/// The beginning of every record.
typedef struct agpu__cupti_record {
  uint32_t kind;
} agpu__cupti_record;

/// A kernel, a copy or a fill: the times are where they are in all of them.
typedef struct agpu__cupti_work {
  uint32_t kind, other[3];
  uint64_t start, end; ///< of CUPTI's clock; both 0: not known
} agpu__cupti_work;

// Where the correlation id of a kind of work is, in bytes.
#define AGPU__CUPTI_KERNEL_CORRELATION 92
#define AGPU__CUPTI_COPY_CORRELATION 44
#define AGPU__CUPTI_PEER_COPY_CORRELATION 60
#define AGPU__CUPTI_FILL_CORRELATION 44

typedef struct agpu__cupti_external {
  uint32_t kind, external_kind;
  uint64_t external_id;
  uint32_t correlation, reserved;
} agpu__cupti_external;

typedef void agpu__cupti_buffer_requested(uint8_t **buffer, size_t *size,
                                          size_t *max_records);
typedef void agpu__cupti_buffer_completed(void *context, uint32_t stream,
                                          uint8_t *buffer, size_t size,
                                          size_t valid);

/// X(name without "cupti", parameters)
#define AGPU__CUPTI_FUNCTIONS(X)                                               \
  X(GetTimestamp, (uint64_t *timestamp))                                       \
  X(ActivityRegisterCallbacks, (agpu__cupti_buffer_requested * requested,      \
                                agpu__cupti_buffer_completed * completed))     \
  X(ActivityEnable, (uint32_t kind))                                           \
  X(ActivityDisable, (uint32_t kind))                                          \
  X(ActivityFlushAll, (uint32_t flag))                                         \
  X(ActivityGetNextRecord,                                                     \
    (uint8_t *buffer, size_t valid, agpu__cupti_record **record))              \
  X(ActivityGetNumDroppedRecords,                                              \
    (void *context, uint32_t stream, size_t *dropped))                         \
  X(ActivityPushExternalCorrelationId, (uint32_t kind, uint64_t id))           \
  X(ActivityPopExternalCorrelationId, (uint32_t kind, uint64_t *last_id))

typedef struct agpu__cupti_functions {
#define AGPU__FIELD(name, parameters) CUptiResult(*name) parameters;
  AGPU__CUPTI_FUNCTIONS(AGPU__FIELD)
#undef AGPU__FIELD
} agpu__cupti_functions;

#endif // ASYNC_GPU_RUNTIME_GPU_TRACE_CUPTI_API_H
