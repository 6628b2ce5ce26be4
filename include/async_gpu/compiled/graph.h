//===- graph.h - Parts of programs that become graphs -------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the pass async-gpu-graphs has a program call around work of a device
// that it does again and again, and in which the host observes nothing. Between
// the two calls work is collected, and handed to the driver as one graph when
// the part ends; docs/graphs.md says when that is done, and when not.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_COMPILED_GRAPH_H
#define ASYNC_GPU_COMPILED_GRAPH_H

#include "async_gpu/object.h"
#include "async_gpu/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum agpu_graph_mode {
  /// A graph once the part has run often enough, if it has enough work.
  AGPU_GRAPH_AUTO = 0,
  /// A graph from the second round on.
  AGPU_GRAPH_ON = 1,
} agpu_graph_mode;

/// What is known of a part's rounds.
typedef enum agpu_graph_flag {
  /// A loop: all do the same.
  AGPU_GRAPH_FIXED = 1,
  /// Each may run beside the one before it.
  AGPU_GRAPH_INDEPENDENT = 2,
  /// Of agpu_graph_loop_begin.
  AGPU_GRAPH_LOOP = 4,
  /// Likewise: no loop, but a round that has branches.
  AGPU_GRAPH_BRANCHES = 8,
  /// Either: it is a graph as a whole, or nothing.
  AGPU_GRAPH_WHOLE = AGPU_GRAPH_LOOP | AGPU_GRAPH_BRANCHES,
} agpu_graph_flag;

/// One part of a program.
typedef struct agpu_graph_site {
  const agpu_module_desc *module; ///< whose kernels it launches, or NULL
  const char *location;           ///< "file:line:col" of the part, or NULL
  int64_t mode;                   ///< agpu_graph_mode
  int64_t rounds; ///< of a loop, a graph has so many at most; 0: no loop
  int64_t flags;  ///< of agpu_graph_flag
  void *cache;    ///< the runtime's; NULL in the program
} agpu_graph_site;

/// A round of the part begins, and ends, on the calling thread, which awaits
/// nothing in between and calls no code but such as acquires its streams by
/// agpu_graph_stream_acquire. Rounds nest: what is in one that has begun is
/// part of it. `stream` is the function's own, or NULL where it has none; both
/// calls get the same.
///
/// Where the part is a loop, this is said before it and after it.
AGPU_EXPORT void agpu_graph_begin(agpu_graph_site *site, agpu_stream *stream);
AGPU_EXPORT void agpu_graph_end(agpu_graph_site *site, agpu_stream *stream);

/// A round of the loop begins, between these calls. False, in a loop whose
/// rounds all do the same: the round is to do nothing, as it has been seen to.
AGPU_EXPORT bool agpu_graph_round(agpu_graph_site *site, agpu_stream *stream);

/// A token that comes out of such a loop, or what stands for the rounds that
/// did nothing and made none: one reference. Before agpu_graph_end.
AGPU_EXPORT agpu_object *agpu_graph_token(agpu_graph_site *site,
                                          agpu_object *token);

/// A loop on the device: what is enqueued between the calls, on `stream` alone,
/// is its round, and the last of it a kernel whose first parameter, 8 bytes, is
/// the handle of the loop's condition, which it sets. The first call has the
/// result false where there can be none; the second one, where there is none
/// after all: then nothing has been enqueued, or else the loop has been, which
/// has one round at least.
///
/// The same where the part is no loop, but a round with branches: the last
/// kernel is any then, and the round runs once.
AGPU_EXPORT bool agpu_graph_loop_begin(agpu_graph_site *site,
                                       agpu_stream *stream);
AGPU_EXPORT bool agpu_graph_loop_end(agpu_graph_site *site,
                                     agpu_stream *stream);

/// What agpu_graph_branch says, besides the number of a condition.
typedef enum agpu_graph_branch_kind {
  AGPU_GRAPH_SETS,  ///< the kernel that is launched next sets it
  AGPU_GRAPH_IF,    ///< what follows runs once if it is not 0
  AGPU_GRAPH_WHILE, ///< what follows runs as long as it is not 0
  AGPU_GRAPH_END,   ///< that is over; what follows is of the number around it
  AGPU_GRAPH_BRANCH_KINDS
} agpu_graph_branch_kind;

/// Conditions of such a part, at most.
#define AGPU_GRAPH_MOST_CONDITIONS 64

/// In the round of such a part: `what` is a condition's number times
/// AGPU_GRAPH_BRANCH_KINDS, plus what is said of it. Number 0 is the loop's
/// own, or no condition, and nothing is said of it. The first parameter of a
/// kernel that sets one is as that of the loop's. A body has work.
AGPU_EXPORT void agpu_graph_branch(agpu_graph_site *site, agpu_stream *stream,
                                   int64_t what);

/// A call of a function that enqueues (agpu_stream_enter) and whose work
/// depends on the values of its arguments alone: in a round it is captured, and
/// made again only for arguments that it was not made for.
typedef struct agpu_graph_call {
  const char *location;  ///< "file:line:col", or NULL
  const void *function;  ///< tells calls apart
  const void *arguments; ///< their values, of so many bytes
  int64_t bytes;
  int64_t mode;   ///< CUstreamCaptureMode: 1 or 2
  void *state[6]; ///< the runtime's
} agpu_graph_call;

/// Before the call. False: it is not to be made; then the other function is not
/// called. `call` is the caller's until that has returned.
AGPU_EXPORT bool agpu_graph_call_begin(agpu_stream *stream,
                                       agpu_graph_call *call);

/// After the call, on the same thread. True: it is to be made once more, since
/// it could not be captured, and then this is called again. What it has
/// enqueued before is of no effect.
AGPU_EXPORT bool agpu_graph_call_end(agpu_stream *stream,
                                     agpu_graph_call *call);

/// Code of the program's that a stream calls: it calls neither the runtime nor
/// the driver, and does not block.
typedef void agpu_host_function(const void *arguments);

/// `function` is called behind what `stream` holds, and ahead of what follows,
/// on a thread of the driver's, with a copy of the arguments, of so many bytes:
/// in a round as a node of its graph, elsewhere by cuLaunchHostFunc. It is not
/// called where the device has failed. An error is the stream's. For one thread
/// at a time per stream.
AGPU_EXPORT void agpu_host_call(agpu_stream *stream,
                                agpu_host_function *function,
                                const void *arguments, int64_t bytes,
                                const char *location);

/// agpu_stream_acquire and agpu_group_add in code that may run inside of a
/// round.
AGPU_EXPORT agpu_stream *agpu_graph_stream_acquire(const char *location);
AGPU_EXPORT int64_t agpu_graph_group_add(agpu_object *group,
                                         agpu_object *member);

#ifdef __cplusplus
}
#endif

#endif // ASYNC_GPU_COMPILED_GRAPH_H
