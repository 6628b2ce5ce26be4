//===- internal.h - What the files here know of each other --------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What compiled code asks for is a request, on views of memory, of the one
// world. The library behind it is library.h's.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_MPI_INTERNAL_H
#define ASYNC_GPU_RUNTIME_MPI_INTERNAL_H

#include "async/object.h"
#include "async_gpu/stream.h"
#include "base/sync/mutex.h"
#include "mpi/library.h"
#include "mpi/rest.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>

//===----------------------------------------------------------------------===//
// Elements of a memref as MPI takes them
//===----------------------------------------------------------------------===//

typedef struct agpu__mpi_dim {
  int64_t size;   ///< at least 2
  int64_t stride; ///< bytes
} agpu__mpi_dim;

/// The elements of a memref in the order of its indices, as runs of `run`
/// values of `type` that are contiguous, in `rank` dimensions, outer ones
/// first. Dimensions that continue each other are one.
typedef struct agpu__mpi_view {
  char *pointer;
  int32_t type;                    ///< agpu_mpi_type
  int64_t value_bytes, run, count; ///< `count`: of values in all runs
  int64_t rank;
  agpu__mpi_dim *dims; ///< the caller's
} agpu__mpi_view;

/// `dims` has room for all dimensions of `elements`.
void agpu__mpi_view_set(agpu__mpi_view *out, const agpu_mpi_elements *elements,
                        agpu__mpi_dim *dims);

/// Values of contiguous elements. The bytes of values are powers of two.
int64_t agpu__mpi_elements_count(const agpu_mpi_elements *elements);

/// Whether these need no type of their own.
static inline bool
agpu__mpi_elements_are_plain(const agpu_mpi_elements *elements) {
  return elements->rank == 0 && elements->bytes <= INT_MAX;
}

/// What a call of MPI takes for the view: `count` values of `type`. Where they
/// are not contiguous, or are more than an int says, `type` is one of its
/// own, and `owned`: agpu__mpi_type_free gives it back, which a call that has
/// begun does not mind.
typedef struct agpu__mpi_typed {
  agpu__mpi_handle type;
  int count;
  bool owned;
} agpu__mpi_typed;

/// The library's code. Makes calls of it.
int agpu__mpi_type_make(const agpu__mpi_library *library,
                        const agpu__mpi_view *view, agpu__mpi_typed *out);
void agpu__mpi_type_free(const agpu__mpi_library *library,
                         agpu__mpi_typed *typed);

/// Whether it needs no type of its own.
static inline bool agpu__mpi_view_is_plain(const agpu__mpi_view *view) {
  return view->rank == 0 && view->run <= INT_MAX;
}

/// Bytes of all elements, contiguous.
static inline int64_t agpu__mpi_view_bytes(const agpu__mpi_view *view) {
  return view->count * view->value_bytes;
}

/// The same elements, contiguous at `packed`.
agpu__mpi_view agpu__mpi_view_packed(const agpu__mpi_view *view, void *packed);

/// Where a part of the view may end that has at least `wanted` of its bytes, or
/// all of them: after an index of the first dimension.
int64_t agpu__mpi_view_part_end(const agpu__mpi_view *view, int64_t wanted);

/// The part between such ends, or 0. `dims` has room for the view's.
agpu__mpi_view agpu__mpi_view_part(const agpu__mpi_view *view, int64_t begin,
                                   int64_t end, agpu__mpi_dim *dims);

/// Copies `bytes` of the elements as they are when contiguous, from byte
/// `first` on, from the view or to it.
void agpu__mpi_view_read(const agpu__mpi_view *view, int64_t first, void *to,
                         int64_t bytes);
void agpu__mpi_view_write(const agpu__mpi_view *view, int64_t first,
                          const void *from, int64_t bytes);

/// Copies the elements to memory where they are contiguous, or from there.
void agpu__mpi_view_pack(const agpu__mpi_view *view, void *packed);
void agpu__mpi_view_unpack(const agpu__mpi_view *view, const void *packed);

//===----------------------------------------------------------------------===//
// What is asked of MPI
//===----------------------------------------------------------------------===//

typedef struct agpu__mpi_request agpu__mpi_request;

/// How the start of a request has gone.
typedef enum agpu__mpi_started {
  AGPU__MPI_RUNS, ///< `native` is to be tested
  AGPU__MPI_DONE, ///< it has ended: `end` is how
} agpu__mpi_started;

/// An operation. `start` calls the library.
typedef struct agpu__mpi_operation {
  const char *name; ///< in messages
  agpu__mpi_started (*start)(agpu__mpi_request *request);
  /// Once it has ended without an error, or NULL.
  void (*finish)(agpu__mpi_request *request);
  /// Frees what is the operation's own, at the end in any case, or NULL.
  void (*release)(agpu__mpi_request *request);
  /// In place of the end of its object, which it has not, or NULL.
  void (*end)(agpu__mpi_request *request);
  bool has_peer; ///< a message; others are of all ranks of the communicator
  bool is_local; ///< but for these, which ask about it
  bool is_receive;
  bool is_ordered;  ///< starts after those that were submitted before
  bool is_blocking; ///< the call of the library may take as long as it likes
  bool is_last;     ///< after all others
  bool is_scatter;  ///< each rank gets its part of a sum
  bool needs_mpi;   ///< it is an error before mpi.init and after mpi.finalize
} agpu__mpi_operation;

/// The class of an error that a program can not be left to look at.
#define AGPU__MPI_WITHOUT_CODE (-1)

/// What storage of its object holds: values that compiled code reads at its
/// beginning, and the class of the error.
typedef struct agpu__mpi_result {
  union {
    int32_t number;
    int64_t comm;
  } value;
  int32_t class;
} agpu__mpi_result;

/// One operation on its way, from a call of compiled code to the end of its
/// object.
struct agpu__mpi_request {
  agpu__mpi_result result; ///< first: the request is its object's storage
  agpu__mpi_request *next;
  const agpu__mpi_operation *operation;
  agpu_object *object; ///< the producer's reference
  const char *location;
  // What follows is zero at first, of the views what they count.
  int64_t comm;
  int32_t peer, tag;                   ///< or color, key; reduction
  agpu_status failure;                 ///< of ours, instead of a code
  void *packed;                        ///< of an operation
  void *staged;                        ///< of staging.c
  struct agpu__mpi_pieces *pieces;     ///< pieces.c: NULL, or it goes in pieces
  struct agpu__mpi_exchange *exchange; ///< exchange.c: NULL, or it is one
  const int64_t *sent, *come; ///< bytes of one, by ranks, once it has started
  uint64_t traced;     ///< trace.c: its number in the process; 0: none yet
  uint32_t track;      ///< 0: it is not counted
  bool coded;          ///< an error of the start is none of the token
  bool outside;        ///< MPI is not there: a failure without a code
  bool lacks_rest;     ///< the sender could not send all pieces
  bool is_ready;       ///< progress.c: may start
  bool waits_for_all;  ///< it cannot end before all ranks have begun it
  atomic_bool is_here; ///< modelled.c: the library has ended it
  int64_t handed;      ///< when, to the thread that starts it; or 0
  agpu__mpi_ended end; ///< as the library says: the code is zero at first
  agpu__mpi_view from, to;
  agpu__mpi_view target; ///< where `from` or `to` was before it was staged
  // And this has nothing before its start.
  agpu__mpi_handle native;
  uint64_t number; ///< in its channel
  int piece;       ///< of a piece: which
  agpu__mpi_dim dims[];
};

/// A new request with room for so many dimensions, and with an object that has
/// another reference, the caller's. The request is not to be used once the
/// object has ended.
agpu__mpi_request *agpu__mpi_request_new(const agpu__mpi_operation *operation,
                                         int64_t dims, const char *location);

/// The same of these, which may be NULL.
static inline agpu__mpi_request *
agpu__mpi_request_create(const agpu__mpi_operation *operation,
                         const agpu_mpi_elements *from,
                         const agpu_mpi_elements *to, const char *location) {
  int64_t from_rank = from ? from->rank : 0, to_rank = to ? to->rank : 0;
  agpu__mpi_request *request =
      agpu__mpi_request_new(operation, from_rank + to_rank, location);
  if (from)
    agpu__mpi_view_set(&request->from, from, request->dims);
  if (to)
    agpu__mpi_view_set(&request->to, to, request->dims + from_rank);
  return request;
}

/// "mpi.recv of 3 values from rank 1, tag 7": into `buffer`.
void agpu__mpi_request_describe(const agpu__mpi_request *request, char *buffer,
                                size_t size);

/// Ends the object as `end` and `failure` say, and the request with it. Any
/// thread.
void agpu__mpi_request_end(agpu__mpi_request *request);

//===----------------------------------------------------------------------===//
// MPI in this process
//===----------------------------------------------------------------------===//

typedef enum agpu__mpi_phase {
  AGPU__MPI_BEFORE, ///< not initialized
  AGPU__MPI_UP,
  AGPU__MPI_AFTER, ///< finalized
} agpu__mpi_phase;

/// MPI can be initialized once in the life of a process, so there is one of
/// these, which nothing takes down.
typedef struct agpu__mpi_world {
  /// Release and acquire: a reader of UP sees what is below.
  _Atomic(int) phase;
  atomic_bool has_others; ///< who are to end with this rank, as far as known
  agpu__mpi_library library;
  bool is_multiple;        ///< any thread may call the library
  bool is_ours;            ///< nobody else has initialized it
  atomic_bool is_modelled; ///< modelled.c
  bool has_model;          ///< and will be: messages go as a whole
  /// Of a head without its trailer (pieces.c), on all ranks; 0: nothing is cut.
  int64_t head_bytes;
  /// A sharded program has initialized it: the runtime's end finalizes it.
  atomic_bool ends_with_runtime;
  int rank, size;
  uint64_t job; ///< the same on all ranks, and random
} agpu__mpi_world;

extern agpu__mpi_world agpu__the_mpi_world;

/// The handle of a communicator's number.
static inline agpu__mpi_handle agpu__mpi_comm(int64_t number) {
  return number ? (agpu__mpi_handle)number : agpu__the_mpi_world.library.world;
}

/// The operations of the world's begin and end; `begin` is `init` unless MPI is
/// up already.
extern const agpu__mpi_operation agpu__mpi_operation_init,
    agpu__mpi_operation_begin, agpu__mpi_operation_finalize;

//===----------------------------------------------------------------------===//
// The communicators of a program
//===----------------------------------------------------------------------===//

/// What is the same on all ranks of a communicator, and of no other one: 0 is
/// the world. `comm` is the program's number. Any thread.
uint64_t agpu__mpi_comm_id(int64_t comm);

/// The identity of what a split of `parent` by `color` gives. Called once for
/// each split, before its call of the library: the ranks of a communicator
/// split it in one order. Any thread.
uint64_t agpu__mpi_comm_split_id(int64_t parent, int32_t color);

/// The calling process's rank in it, and how many ranks it has. A code of the
/// library: 0 is success. Calls the library.
int agpu__mpi_comm_place(int64_t comm, int *out_rank, int *out_size);

/// The program has a communicator with this identity now. Any thread.
void agpu__mpi_comm_add(int64_t comm, uint64_t id);

/// The communicator's track in a trace, which becomes `track` where that is not
/// 0 and it has none. Any thread.
uint32_t agpu__mpi_comm_track(int64_t comm, uint32_t track);

/// How many requests of that kind, peer and tag there were before, as far as
/// they were counted here: counts one more. Any thread.
uint64_t agpu__mpi_comm_count(int64_t comm, int kind, int32_t peer,
                              int32_t tag);

/// The rank in the world of rank `peer` of `comm`; `peer` itself where it is
/// none, as AGPU_MPI_ANY_SOURCE. Calls the library.
int32_t agpu__mpi_comm_world_rank(int64_t comm, int32_t peer);

//===----------------------------------------------------------------------===//
// Parts of arrays that ranks exchange
//===----------------------------------------------------------------------===//

/// The indices from `begin` on of a dimension.
typedef struct agpu__mpi_range {
  int64_t begin, size;
} agpu__mpi_range;

/// What rank `rank` of `ranks` has of a dimension of `size` that is split into
/// blocks: of the same size, or one larger for the first ranks.
agpu__mpi_range agpu__mpi_block(int64_t size, int ranks, int rank);

/// How an exchange splits the one dimension along which it takes place.
typedef struct agpu__mpi_split {
  int64_t size;  ///< of the whole array
  int64_t parts; ///< of what is computed from it, which is split into blocks
  int64_t stride, before, after;
} agpu__mpi_split;

/// What `rank` needs of the dimension to compute its block of `parts` indices:
/// for index i those from i * stride - before to i * stride + after, as far as
/// they are there. Stride 0: all.
agpu__mpi_range agpu__mpi_needed(const agpu__mpi_split *split, int ranks,
                                 int rank);

//===----------------------------------------------------------------------===//
// Elements between devices and the host
//===----------------------------------------------------------------------===//

/// Enqueues a copy of the elements of `view` to `packed`, contiguous. No
/// thread waits: they go through the stream's pinned buffers.
void agpu__mpi_copy_out(agpu_stream *stream, const agpu__mpi_view *view,
                        void *packed, const char *location);

/// Enqueues a copy of the first `values` at `packed` to where they belong.
/// What has no value is not touched.
void agpu__mpi_copy_in(agpu_stream *stream, const agpu__mpi_view *view,
                       const void *packed, int64_t values,
                       const char *location);

/// Calls `then` with `argument` on a thread of the executor once what `stream`
/// has so far is over, with the first error of it, which is the callee's.
void agpu__mpi_follow(agpu_stream *stream,
                      void (*then)(void *argument, agpu_status status),
                      void *argument, const char *location);

//===----------------------------------------------------------------------===//
// Messages of device memory
//===----------------------------------------------------------------------===//

/// Has the request use host memory in place of device memory, where the library
/// does not take that: begins to copy what is to be sent. `then` is called with
/// the request once it is there, on a thread of the executor, unless true is
/// returned: nothing needs to be copied, or `failure` is set. On an error of a
/// copy `failure` is set, and `then` is called all the same. Any thread.
bool agpu__mpi_stage(agpu__mpi_request *request,
                     void (*then)(agpu__mpi_request *request));

/// After the end of a request that has not failed: begins to copy what has
/// come to where it belongs. `then` as above.
void agpu__mpi_unstage(agpu__mpi_request *request,
                       void (*then)(agpu__mpi_request *request));

//===----------------------------------------------------------------------===//
// The thread that requests end on
//===----------------------------------------------------------------------===//

/// Starts `request` and sees to its end. The library is called on the calling
/// thread where it lets any thread do so, else on the progress thread. Starts
/// that one thread submits are in this order. Any thread.
void agpu__mpi_submit(agpu__mpi_request *request);

/// The same of what agpu__mpi_request_create has made: gives its object.
static inline agpu_object *agpu__mpi_submit_new(agpu__mpi_request *request) {
  agpu_object *object = request->object;
  agpu__mpi_submit(request);
  return object;
}

/// Whether a request that needs no copy may begin now, on the calling thread:
/// any thread may call the library, all that was submitted before has begun,
/// and nothing is traced. Memory is the host's then. If so, the request is
/// pending (rest.h): the call of the library is followed by
/// agpu__mpi_pending_remove where the message has ended and was no request, and
/// by the next function where it is one.
bool agpu__mpi_begin(void);

/// As agpu__mpi_submit, where the call of the library was made: `native` and
/// `end` are set. `has_ended`: there is nothing to test.
void agpu__mpi_submit_begun(agpu__mpi_request *request, bool has_ended);

/// Submits a request without elements, behind which lies a copy of `size` bytes
/// of `question`, as `packed`. The object is the caller's. Any thread.
agpu_object *agpu__mpi_ask(const agpu__mpi_operation *operation,
                           const void *question, size_t size, int64_t comm,
                           const char *location);

/// Submits one of those that initialize MPI. The library changes the
/// environment meanwhile, which must not be read then: the executor has started
/// before.
agpu_object *agpu__mpi_ask_to_begin(const agpu__mpi_operation *operation,
                                    const char *location);

#endif // ASYNC_GPU_RUNTIME_MPI_INTERNAL_H
