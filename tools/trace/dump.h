//===- dump.h - A dump, read ------------------------------------ -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a process has recorded (base/trace/dump_format.h), in this process's
// memory: the texts that events refer to are pointers again. Signal-safe.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_TRACE_DUMP_H
#define ASYNC_GPU_TOOLS_TRACE_DUMP_H

#include "async_gpu/compiled/trace.h"
#include "base/trace/event.h"
#include "trace/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Code that tasks run. Of an event of shape TASK, `name` is one, or NULL.
typedef struct agpu__code {
  uint64_t address; ///< 0: nobody knows
  const agpu_trace_name *name;
  const char *symbol; ///< NULL: none is known
} agpu__code;

typedef struct agpu__dump_thread {
  uint32_t number; ///< of the system
  uint32_t order;  ///< where times are modelled: `number` then
  const char *name;
} agpu__dump_thread;

typedef struct agpu__dump_track {
  const char *group, *name; ///< NULL: the dump is cut off
} agpu__dump_track;

typedef struct agpu__dump_note {
  const char *key, *text;
} agpu__dump_note;

/// Events of one thread that follow each other.
typedef struct agpu__dump_piece {
  const agpu__trace_event *events;
  size_t count;
  size_t thread;
} agpu__dump_piece;

/// Elements of the arrays are of the types above.
typedef struct agpu__dump {
  agpu__trace_array data;    ///< char: the file
  agpu__trace_array threads; ///< the one that began first comes first
  agpu__trace_array tracks;  ///< number 1 comes first
  agpu__trace_array notes, pieces, names, codes;
  agpu__trace_table by_text, by_name, by_code;
  uint32_t process;
  uint64_t dropped; ///< events
  /// Whose time it is, where that is modelled, and how far it may be off; NULL.
  /// Then process, threads and the file's time are the same in each run.
  const char *modelled;
  const char *ended;    ///< how the program did; NULL: the dump is cut off
  int64_t unix_seconds; ///< when it was written
} agpu__dump;

/// Whether a file that begins with these bytes is a dump.
bool agpu__dump_is_one(const void *data, size_t bytes);

/// How the program ended, as files say it.
const char *agpu__dump_ended(const agpu__dump *dump);

/// Reads `path`; NULL: standard input. Returns NULL, or why that is not
/// possible. agpu__dump_free gives the memory back, in either case.
const char *agpu__dump_read(agpu__dump *out_dump, const char *path);

/// The same of a file in memory, which is copied.
const char *agpu__dump_parse(agpu__dump *out_dump, const void *data,
                             size_t bytes);

void agpu__dump_free(agpu__dump *dump);

#endif // ASYNC_GPU_TOOLS_TRACE_DUMP_H
