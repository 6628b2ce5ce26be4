//===- calls.c - What compiled programs call ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of include/async_gpu/compiled/mpi.h: each makes a request of
// its operation and submits it. After them lies nothing but the requests. A
// message that may begin at once does, and is a request only if it has not
// ended then.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/mpi.h"

#include "base/memory/memory.h"
#include "base/report/fatal.h"
#include "base/sync/schedule.h"
#include "mpi/internal.h"
#include "mpi/pieces.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const agpu__mpi_library *const library = &agpu__the_mpi_world.library;

static agpu__mpi_result *result_of(agpu_object *object) {
  return agpu__object_storage(object);
}

static agpu__mpi_started done(agpu__mpi_request *request, int code) {
  request->end.code = code;
  return AGPU__MPI_DONE;
}

static agpu__mpi_started runs_or_failed(agpu__mpi_request *request, int code) {
  return code ? done(request, code) : AGPU__MPI_RUNS;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

/// What a message is but for its elements, as compiled code says it.
typedef struct envelope {
  bool is_receive;
  int32_t peer, tag;
  int64_t comm;
} envelope;

/// The library's number for a peer. Other negative ones are what they are: an
/// error.
static inline int get_peer(const envelope *of) {
  if (of->peer == AGPU_MPI_PROC_NULL)
    return library->proc_null;
  if (of->peer == AGPU_MPI_ANY_SOURCE && of->is_receive)
    return library->any_source;
  return of->peer < 0 ? INT_MIN : of->peer;
}

static inline int get_tag(const envelope *of) {
  bool any = of->tag == AGPU_MPI_ANY_TAG || of->tag == -1;
  return any && of->is_receive ? library->any_tag : of->tag;
}

static inline int post(const envelope *of, void *memory, int count,
                       agpu__mpi_handle type, agpu__mpi_handle *out_native) {
  int peer = get_peer(of), tag = get_tag(of);
  agpu__mpi_handle comm = agpu__mpi_comm(of->comm);
  return of->is_receive
             ? library->irecv(memory, count, type, peer, tag, comm, out_native)
             : library->isend(memory, count, type, peer, tag, comm, out_native);
}

static int post_request(agpu__mpi_request *request, int count,
                        agpu__mpi_handle type) {
  envelope of = {request->operation->is_receive, request->peer, request->tag,
                 request->comm};
  return post(&of, request->from.pointer, count, type, &request->native);
}

/// One of a type of its own.
static __attribute__((noinline)) agpu__mpi_started
start_typed(agpu__mpi_request *request) {
  agpu__mpi_typed typed;
  int code = request->pieces
                 ? agpu__mpi_pieces_make_head(request, &typed)
                 : agpu__mpi_type_make(library, &request->from, &typed);
  if (code)
    return done(request, code);
  code = post_request(request, typed.count, typed.type);
  agpu__mpi_type_free(library, &typed);
  if (request->pieces && !code)
    agpu__mpi_pieces_begin(request);
  return runs_or_failed(request, code);
}

static agpu__mpi_started start_message(agpu__mpi_request *request) {
  const agpu__mpi_view *from = &request->from;
  if (request->pieces || !agpu__mpi_view_is_plain(from))
    return start_typed(request);
  return runs_or_failed(request, post_request(request, (int)from->run,
                                              library->types[from->type]));
}

/// In the order of agpu_mpi_message.
static const agpu__mpi_operation messages[] = {
    {.name = "mpi.send",
     .start = start_message,
     .has_peer = true,
     .is_ordered = true,
     .needs_mpi = true},
    {.name = "mpi.recv",
     .start = start_message,
     .has_peer = true,
     .is_receive = true,
     .needs_mpi = true},
    {.name = "mpi.isend",
     .start = start_message,
     .has_peer = true,
     .is_ordered = true,
     .needs_mpi = true},
    {.name = "mpi.irecv",
     .start = start_message,
     .has_peer = true,
     .is_receive = true,
     .needs_mpi = true},
};

/// Whether a message that has just begun has ended. A short send has, as a
/// rule. Threads that wait test receives, with others.
static inline bool has_ended_at_once(const envelope *of,
                                     agpu__mpi_handle *native,
                                     agpu__mpi_ended *out_end) {
  return *native == library->request_empty ||
         (!of->is_receive && library->test(native, out_end));
}

agpu_object *agpu_mpi_start(const agpu_mpi_elements *elements, int32_t message,
                            int32_t tag, int32_t peer, int64_t comm,
                            const char *location) {
  const agpu__mpi_operation *operation = &messages[message & ~AGPU_MPI_CODED];
  envelope of = {operation->is_receive, peer, tag, comm};
  agpu__mpi_handle native = 0;
  agpu__mpi_ended end = {0};
  bool has_begun = agpu__mpi_elements_are_plain(elements) &&
                   (of.is_receive || !agpu__mpi_is_head(elements->bytes)) &&
                   agpu__mpi_begin();
  bool has_ended = false;
  if (has_begun) {
    end.code =
        post(&of, elements->pointer, (int)agpu__mpi_elements_count(elements),
             library->types[elements->type], &native);
    has_ended = end.code || has_ended_at_once(&of, &native, &end);
    if (has_ended && !end.code && !(message & AGPU_MPI_CODED) &&
        !agpu__mpi_is_head(end.bytes)) {
      agpu__mpi_pending_remove(AGPU__MPI_PROGRAMS);
      return &agpu_ready_token;
    }
  }
  agpu__mpi_request *request =
      agpu__mpi_request_create(operation, elements, NULL, location);
  request->tag = tag;
  request->peer = peer;
  request->comm = comm;
  request->coded = message & AGPU_MPI_CODED;
  if (!has_begun)
    return agpu__mpi_submit_new(request);
  agpu_object *object = request->object;
  request->native = native;
  request->end = end;
  agpu__mpi_submit_begun(request, has_ended);
  return object;
}

int32_t agpu_mpi_start_code(agpu_object *object) {
  int32_t class = agpu__object_satisfies(object, AGPU__NEED_READY)
                      ? result_of(object)->class
                      : AGPU_MPI_SUCCESS;
  agpu__object_release(object, 1);
  return class;
}

//===----------------------------------------------------------------------===//
// All ranks of a communicator
//===----------------------------------------------------------------------===//

static agpu__mpi_started start_barrier(agpu__mpi_request *request) {
  request->waits_for_all = true;
  return runs_or_failed(
      request,
      library->ibarrier(agpu__mpi_comm(request->comm), &request->native));
}

/// MPI reduces what is contiguous: the elements of other memrefs are
/// copied.
static agpu__mpi_started start_allreduce(agpu__mpi_request *request) {
  const agpu__mpi_view *from = &request->from, *to = &request->to;
  const char *name = request->operation->name;
  if (from->count != to->count) {
    request->failure =
        agpu_status_create(AGPU_STATUS_PROGRAM, request->location,
                           "%s of %lld values into memory for %lld", name,
                           (long long)from->count, (long long)to->count);
    return AGPU__MPI_DONE;
  }
  if (from->count > INT_MAX) {
    request->failure = agpu_status_create(
        AGPU_STATUS_PROGRAM, request->location,
        "%s of %lld values: MPI reduces %d at a time, at most", name,
        (long long)from->count, INT_MAX);
    return AGPU__MPI_DONE;
  }
  void *source = from->pointer, *target = to->pointer;
  if (from->rank || to->rank) {
    size_t bytes = (size_t)agpu__mpi_view_bytes(to);
    target = request->packed = malloc(bytes ? bytes : 1);
    if (!target) {
      request->failure = agpu_status_create(
          AGPU_STATUS_OUT_OF_RESOURCES, request->location,
          "%s: no memory for a copy of the strided elements", name);
      return AGPU__MPI_DONE;
    }
    agpu__mpi_view_pack(from, target);
    source = NULL;
  } else if (source == target) {
    source = NULL;
  }
  request->waits_for_all = from->count > 0;
  return runs_or_failed(
      request, library->iallreduce(
                   source, target, (int)from->count, library->types[from->type],
                   library->reductions[request->tag],
                   agpu__mpi_comm(request->comm), &request->native));
}

static void finish_allreduce(agpu__mpi_request *request) {
  if (request->packed)
    agpu__mpi_view_unpack(&request->to, request->packed);
}

static agpu__mpi_started start_rank(agpu__mpi_request *request) {
  return done(request,
              library->comm_rank(agpu__mpi_comm(request->comm),
                                 &result_of(request->object)->value.number));
}

static agpu__mpi_started start_size(agpu__mpi_request *request) {
  return done(request,
              library->comm_size(agpu__mpi_comm(request->comm),
                                 &result_of(request->object)->value.number));
}

static agpu__mpi_started start_split(agpu__mpi_request *request) {
  agpu__mpi_handle made = 0;
  uint64_t id = agpu__mpi_comm_split_id(request->comm, request->tag);
  int code = library->comm_split(agpu__mpi_comm(request->comm), request->tag,
                                 request->peer, &made);
  if (!code)
    agpu__mpi_comm_add((int64_t)made, id);
  result_of(request->object)->value.comm = (int64_t)made;
  request->waits_for_all = true;
  return done(request, code);
}

static const agpu__mpi_operation barrier = {
    .name = "mpi.barrier", .start = start_barrier, .needs_mpi = true};
static const agpu__mpi_operation allreduce = {.name = "mpi.allreduce",
                                              .start = start_allreduce,
                                              .finish = finish_allreduce,
                                              .is_ordered = true,
                                              .needs_mpi = true};
static const agpu__mpi_operation shard_reduce = {.name = "shard.all_reduce",
                                                 .start = start_allreduce,
                                                 .finish = finish_allreduce,
                                                 .is_ordered = true,
                                                 .needs_mpi = true};
static const agpu__mpi_operation comm_rank = {.name = "mpi.comm_rank",
                                              .start = start_rank,
                                              .is_local = true,
                                              .needs_mpi = true};
static const agpu__mpi_operation comm_size = {.name = "mpi.comm_size",
                                              .start = start_size,
                                              .is_local = true,
                                              .needs_mpi = true};
static const agpu__mpi_operation comm_split = {.name = "mpi.comm_split",
                                               .start = start_split,
                                               .is_blocking = true,
                                               .needs_mpi = true};

agpu_object *agpu__mpi_ask(const agpu__mpi_operation *operation,
                           const void *question, size_t size, int64_t comm,
                           const char *location) {
  agpu__mpi_request *request =
      agpu__mpi_request_create(operation, NULL, NULL, location);
  if (size) {
    request->packed = malloc(size);
    if (!request->packed)
      agpu__fatal_out_of_memory("a request of MPI", (long long)size);
    memcpy(request->packed, question, size);
  }
  request->comm = comm;
  return agpu__mpi_submit_new(request);
}

agpu_object *agpu__mpi_ask_to_begin(const agpu__mpi_operation *operation,
                                    const char *location) {
  (void)agpu__schedule_network(); // its clock begins before the request
  agpu__exec_start();
  return agpu__mpi_ask(operation, NULL, 0, 0, location);
}

agpu_object *agpu_mpi_init(const char *location) {
  agpu__mpi_pieces_submit_to(agpu__mpi_submit);
  return agpu__mpi_ask_to_begin(&agpu__mpi_operation_init, location);
}

agpu_object *agpu_mpi_finalize(const char *location) {
  return agpu__mpi_ask(&agpu__mpi_operation_finalize, NULL, 0, 0, location);
}

agpu_object *agpu_mpi_barrier(int64_t comm, const char *location) {
  return agpu__mpi_ask(&barrier, NULL, 0, comm, location);
}

agpu_object *agpu_mpi_comm_rank(int64_t comm, const char *location) {
  return agpu__mpi_ask(&comm_rank, NULL, 0, comm, location);
}

agpu_object *agpu_mpi_comm_size(int64_t comm, const char *location) {
  return agpu__mpi_ask(&comm_size, NULL, 0, comm, location);
}

agpu_object *agpu_mpi_comm_split(int64_t comm, int32_t color, int32_t key,
                                 const char *location) {
  agpu__mpi_request *request =
      agpu__mpi_request_create(&comm_split, NULL, NULL, location);
  request->comm = comm;
  request->tag = color;
  request->peer = key;
  return agpu__mpi_submit_new(request);
}

static agpu_object *reduce(const agpu__mpi_operation *operation,
                           const agpu_mpi_elements *from,
                           const agpu_mpi_elements *to, int32_t reduction,
                           int64_t comm, const char *location) {
  agpu__mpi_request *request =
      agpu__mpi_request_create(operation, from, to, location);
  request->tag = reduction;
  request->comm = comm;
  return agpu__mpi_submit_new(request);
}

agpu_object *agpu_mpi_allreduce(const agpu_mpi_elements *from,
                                const agpu_mpi_elements *to, int32_t reduction,
                                int64_t comm, const char *location) {
  return reduce(&allreduce, from, to, reduction, comm, location);
}

agpu_object *agpu_mpi_shard_reduce(const agpu_mpi_elements *from,
                                   const agpu_mpi_elements *to,
                                   int32_t reduction, int64_t comm,
                                   const char *location) {
  return reduce(&shard_reduce, from, to, reduction, comm, location);
}

//===----------------------------------------------------------------------===//
// Return codes
//===----------------------------------------------------------------------===//

/// `from` has ended: so does `to`, which holds the class of its error, if it
/// has one.
typedef struct coding {
  agpu_object *from, *to; // one reference of each, the producer's of `to`
} coding;

static void end_coding(void *argument) {
  coding *self = argument;
  // The program answers for it, or `to` passes it on.
  bool has_failed = agpu_object_is_error(self->from);
  // A message that has ended at once left nothing but that.
  int32_t class = self->from == &agpu_ready_token
                      ? AGPU_MPI_SUCCESS
                      : result_of(self->from)->class;
  if (has_failed && class == AGPU__MPI_WITHOUT_CODE) {
    agpu_object_forward_error(self->to, self->from);
  } else {
    *(int32_t *)agpu__object_storage(self->to) = class;
    agpu__object_emplace(self->to);
  }
  agpu__object_release(self->from, 1);
  agpu__memory_free(self);
}

agpu_object *agpu_mpi_code(agpu_object *object, const char *location) {
  coding *self = agpu__memory_alloc(sizeof *self, _Alignof(coding),
                                    "a return code of MPI");
  agpu_object *to = agpu__object_create(AGPU__VALUE, sizeof(int32_t), 2);
  *self = (coding){.from = object, .to = to};
  if (agpu__object_satisfies(object, AGPU__NEED_READY))
    end_coding(self);
  else
    agpu__object_await_and_submit(object, AGPU__NEED_READY,
                                  (agpu__task){self, end_coding}, location);
  return to;
}

agpu_object *agpu_mpi_number_code(agpu_object *object, const char *location) {
  return agpu_mpi_code(object, location);
}

agpu_object *agpu_mpi_comm_code(agpu_object *object, const char *location) {
  return agpu_mpi_code(object, location);
}
