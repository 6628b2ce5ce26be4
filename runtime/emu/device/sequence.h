//===- sequence.h - Sequences of capture ------------------------ -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the files of capture share. All is under one lock.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_DEVICE_SEQUENCE_H
#define ASYNC_GPU_RUNTIME_EMU_DEVICE_SEQUENCE_H

#include "emu/base/program_functions.h"
#include "emu/device/capture.h"

#include <pthread.h>

/// Nodes of a sequence's graph, by their handles: different ones.
typedef struct agpu__emu_ends {
  CUgraphNode *nodes;
  size_t count;
} agpu__emu_ends;

typedef struct agpu__emu_sequence agpu__emu_sequence;

/// A stream that is captured.
typedef struct agpu__emu_member {
  LIST_ENTRY(agpu__emu_member) link;
  agpu__emu_sequence *of;
  CUstream stream;
  agpu__emu_ends next; ///< what its next node depends on
} agpu__emu_member;

struct agpu__emu_sequence {
  LIST_ENTRY(agpu__emu_sequence) link;
  uint64_t id;
  CUcontext context;
  CUstream origin;
  int mode;
  pthread_t thread; ///< that began it
  bool is_invalid;
  CUgraph graph;
  LIST_HEAD(, agpu__emu_member) members;
};

/// An event that was recorded last in a sequence.
typedef struct agpu__emu_mark {
  LIST_ENTRY(agpu__emu_mark) link;
  CUevent event;
  CUcontext context;      ///< the event's
  agpu__emu_sequence *of; ///< NULL: it is over
  agpu__emu_ends at;
} agpu__emu_mark;

typedef LIST_HEAD(agpu__emu_sequence_list,
                  agpu__emu_sequence) agpu__emu_sequence_list;
typedef LIST_HEAD(agpu__emu_mark_list, agpu__emu_mark) agpu__emu_mark_list;

extern agpu__mutex agpu__emu_captures_lock;
extern agpu__emu_sequence_list
    agpu__emu_sequences AGPU__GUARDED_BY(agpu__emu_captures_lock);
extern agpu__emu_mark_list
    agpu__emu_marks AGPU__GUARDED_BY(agpu__emu_captures_lock);

/// Adds to agpu__emu_captured.
void agpu__emu_count_captured(int by);

/// Whether it is the default stream, by whatever name.
static inline bool agpu__emu_is_default_stream(CUstream stream) {
  return (uintptr_t)stream <= (uintptr_t)CU_STREAM_LEGACY;
}

/// NULL: it is not captured.
agpu__emu_member *agpu__emu_find_member(CUstream stream)
    AGPU__REQUIRES(agpu__emu_captures_lock);

/// The same; or NULL, and `*out_result` is an error where the stream may not be
/// used now.
agpu__emu_member *agpu__emu_find_open(CUstream stream, CUresult *out_result)
    AGPU__REQUIRES(agpu__emu_captures_lock);

/// Whether a stream of the current context that waits for the default one, and
/// that for it, is captured; and then, `invalidates`, its sequences.
bool agpu__emu_is_default_held(bool invalidates)
    AGPU__REQUIRES(agpu__emu_captures_lock);

/// Returns `result`.
CUresult agpu__emu_invalidate(agpu__emu_sequence *of, CUresult result);

/// Adds what is not in it yet. False: out of memory.
bool agpu__emu_add_end(agpu__emu_ends *to, CUgraphNode node);
bool agpu__emu_add_ends(agpu__emu_ends *to, const agpu__emu_ends *of);

/// Adds the stream to it, behind `next`, which is copied. False: out of memory.
bool agpu__emu_sequence_join(agpu__emu_sequence *of, CUstream stream,
                             const agpu__emu_ends *next);

/// Ends it with its graph; a stream of it is not captured any more.
void agpu__emu_drop_sequence(agpu__emu_sequence *of)
    AGPU__REQUIRES(agpu__emu_captures_lock);
void agpu__emu_sequence_leave(agpu__emu_member *old);

/// NULL: the event was not recorded last in a sequence.
agpu__emu_mark *agpu__emu_find_mark(CUevent event)
    AGPU__REQUIRES(agpu__emu_captures_lock);

/// Those of the context's events go.
void agpu__emu_drop_marks(CUcontext context)
    AGPU__REQUIRES(agpu__emu_captures_lock);

void agpu__emu_drop_mark(agpu__emu_mark *old)
    AGPU__REQUIRES(agpu__emu_captures_lock);

/// Its streams are captured no more. The graph stays.
void agpu__emu_close_sequence(agpu__emu_sequence *of)
    AGPU__REQUIRES(agpu__emu_captures_lock);

// The functions of agpu__emu_capture_table.
CUresult agpu__emu_sequence_check_unsafe(void);
bool agpu__emu_sequence_work(CUstream stream, agpu__emu_node of,
                             CUresult *out_result);
bool agpu__emu_sequence_record(CUevent event, CUstream stream,
                               CUresult *out_result);
bool agpu__emu_sequence_wait(CUstream stream, CUevent event,
                             CUresult *out_result);
bool agpu__emu_sequence_launch(CUstream stream, agpu__emu_exec *of,
                               CUresult *out_result);
bool agpu__emu_sequence_has(CUstream stream);
CUresult agpu__emu_sequence_await_stream(CUstream stream);
CUresult agpu__emu_sequence_await_context(void);
CUresult agpu__emu_sequence_await_event(CUevent event);
void agpu__emu_sequence_forget_stream(CUstream stream);
void agpu__emu_sequence_forget_event(CUevent event);
void agpu__emu_sequences_end(CUcontext context);

#endif // ASYNC_GPU_RUNTIME_EMU_DEVICE_SEQUENCE_H
