//===- dump_format.h - The file of a dump ----------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A header, then records: each a head, and as many bytes as that says, filled
// up to a multiple of 8. Numbers are of the machine's byte order, which the
// header shows. A record refers only to what stands in the file, before it or
// after it; a reader skips kinds that it does not know. Where the file ends
// without END, what is whole before is valid. docs/formats.md describes it for
// others.
//
// Texts and code are called by the addresses that they had in the process:
// those in events, and in other records, are of TEXT, NAME and CODE. The same
// address may come more than once, with the same meaning.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_TRACE_DUMP_FORMAT_H
#define ASYNC_GPU_RUNTIME_BASE_TRACE_DUMP_FORMAT_H

#include "base/trace/event.h"

#include <stdint.h>

#define AGPU__DUMP_MAGIC "AGPUDUMP"
#define AGPU__DUMP_ORDER UINT32_C(0x01020304)

/// Another version changes what is here; a new kind of record or event does
/// not.
#define AGPU__DUMP_VERSION UINT32_C(2)

typedef struct agpu__dump_header {
  char magic[8];
  uint32_t order, version;
  uint32_t event_bytes, process;
} agpu__dump_header;

typedef enum agpu__dump_kind {
  AGPU__DUMP_END,    ///< agpu__dump_end, how the program ended
  AGPU__DUMP_TEXT,   ///< address (uint64_t), the text
  AGPU__DUMP_NAME,   ///< agpu__dump_name
  AGPU__DUMP_CODE,   ///< agpu__dump_code, a symbol or ""
  AGPU__DUMP_TRACK,  ///< `number` of the track; its group, its name
  AGPU__DUMP_NOTE,   ///< key, text
  AGPU__DUMP_THREAD, ///< `number` in the system; events that it dropped
                     ///< (uint64_t), its name
  AGPU__DUMP_EVENTS, ///< of the last THREAD: agpu__trace_event
} agpu__dump_kind;

/// Texts of a record end with a 0.
typedef struct agpu__dump_record {
  uint32_t kind, number;
  uint64_t bytes; ///< without what fills it up
} agpu__dump_record;

/// An agpu_trace_name.
typedef struct agpu__dump_name {
  uint64_t address;
  uint64_t name, file; ///< of TEXT
  uint32_t line, column;
  int32_t region, stream;
} agpu__dump_name;

/// Code that tasks run.
typedef struct agpu__dump_code {
  uint64_t address;
  uint64_t name; ///< of NAME, or 0
} agpu__dump_code;

typedef struct agpu__dump_end {
  uint64_t dropped;     ///< events of threads that are in no THREAD
  int64_t unix_seconds; ///< when it was written
} agpu__dump_end;

#endif // ASYNC_GPU_RUNTIME_BASE_TRACE_DUMP_FORMAT_H
