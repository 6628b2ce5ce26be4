//===- request.c - What is asked of MPI -----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request is made by the call of compiled code, started on the thread that
// may call the library, and kept by progress.c until it has ended. It lies in
// its object's storage.
//
//===----------------------------------------------------------------------===//

#include "mpi/internal.h"

#include "async/task_error.h"
#include "base/memory/memory.h"
#include "base/report/assert.h"
#include "mpi/pieces.h"
#include "mpi/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

agpu__mpi_request *agpu__mpi_request_new(const agpu__mpi_operation *operation,
                                         int64_t dims, const char *location) {
  agpu_object *object =
      agpu__object_create(AGPU__VALUE,
                          (int64_t)sizeof(agpu__mpi_request) +
                              dims * (int64_t)sizeof(agpu__mpi_dim),
                          2);
  agpu__mpi_request *request = agpu__object_storage(object);
  // Not all of it: there is one for each message.
  request->result = (agpu__mpi_result){0};
  memset(&request->comm, 0,
         offsetof(agpu__mpi_request, end) - offsetof(agpu__mpi_request, comm));
  request->operation = operation;
  request->object = object;
  request->location = location;
  request->end.code = 0;
  request->from.count = request->from.rank = 0;
  request->to.count = request->to.rank = 0;
  request->target.count = request->target.rank = 0;
  return request;
}

void agpu__mpi_request_describe(const agpu__mpi_request *request, char *buffer,
                                size_t size) {
  const agpu__mpi_operation *operation = request->operation;
  if (!operation->has_peer) {
    (void)snprintf(buffer, size, "%s", operation->name);
    return;
  }
  int length = snprintf(buffer, size, "%s of %" PRId64 " bytes %s ",
                        operation->name, agpu__mpi_view_bytes(&request->from),
                        operation->is_receive ? "from" : "to");
  if (length < 0 || (size_t)length >= size)
    return;
  buffer += length, size -= (size_t)length;
  if (request->peer == AGPU_MPI_ANY_SOURCE && operation->is_receive)
    length = snprintf(buffer, size, "any rank");
  else
    length = snprintf(buffer, size, "rank %" PRId32, request->peer);
  if (length < 0 || (size_t)length >= size)
    return;
  buffer += length, size -= (size_t)length;
  if (request->tag < 0)
    (void)snprintf(buffer, size, ", any tag");
  else
    (void)snprintf(buffer, size, ", tag %" PRId32, request->tag);
}

/// What a library says in several lines, in one.
static void join_lines(char *text) {
  size_t length = strlen(text);
  while (length && (text[length - 1] == '\n' || text[length - 1] == ' '))
    text[--length] = '\0';
  for (; *text; ++text)
    if (*text == '\n')
      *text = ' ';
}

/// The status of a request whose call of the library has failed.
static agpu_status status_of(const agpu__mpi_request *request) {
  char what[160], why[AGPU__MPI_TEXT_BYTES];
  agpu__mpi_request_describe(request, what, sizeof what);
  const agpu__mpi_world *world = &agpu__the_mpi_world;
  world->library.error_string(request->end.code, why);
  join_lines(why);
  if (world->size == 0) // not known yet
    return agpu_status_create(AGPU_STATUS_PROGRAM, request->location,
                              "%s failed on rank %d: %s", what, world->rank,
                              why);
  return agpu_status_create(AGPU_STATUS_PROGRAM, request->location,
                            "%s failed on rank %d of %d: %s", what, world->rank,
                            world->size, why);
}

/// That of a receive that got the first piece, and not all after it.
static agpu_status lacks_rest(const agpu__mpi_request *request) {
  char what[160];
  agpu__mpi_request_describe(request, what, sizeof what);
  return agpu_status_create(AGPU_STATUS_PROGRAM, request->location,
                            "%s failed on rank %d of %d: the sender could not "
                            "copy all of the message from its device",
                            what, agpu__the_mpi_world.rank,
                            agpu__the_mpi_world.size);
}

/// The status of one that has failed, and its class. AGPU_OK: the program looks
/// at the class.
static __attribute__((noinline)) agpu_status fail(agpu__mpi_request *request) {
  agpu__mpi_result *result = &request->result;
  agpu_status status = request->failure;
  if (!status && !request->end.code)
    status = lacks_rest(request);
  if (status)
    result->class =
        request->outside ? AGPU__MPI_WITHOUT_CODE : AGPU_MPI_ERR_OTHER;
  else {
    result->class = agpu__the_mpi_world.library.error_class(request->end.code);
    status = status_of(request);
  }
  if (!request->coded || request->outside)
    return status;
  agpu_status_release(status);
  return AGPU_OK;
}

/// What is left once memory of devices has been copied, too.
static void complete(agpu__mpi_request *request) {
  const agpu__mpi_operation *operation = request->operation;
  AGPU__ASSERT(request->object && "who has none ends itself");
  agpu__mpi_trace_end(request);
  agpu_status status = AGPU_OK;
  if (request->failure || request->end.code || request->lacks_rest)
    status = fail(request);
  if (operation->release)
    operation->release(request);
  if (request->packed)
    free(request->packed);
  if (request->staged)
    agpu__memory_free(request->staged);
  // The request may be gone with the object.
  if (status)
    agpu__object_fail(request->object, status);
  else
    agpu__object_emplace(request->object);
  agpu__mpi_pending_remove(operation->is_last ? AGPU__MPI_OTHERS
                                              : AGPU__MPI_PROGRAMS);
}

void agpu__mpi_request_end(agpu__mpi_request *request) {
  if (request->operation->end) {
    request->operation->end(request);
    agpu__mpi_pending_remove(AGPU__MPI_OTHERS);
    return;
  }
  if (request->pieces) {
    agpu__mpi_pieces_head_ended(request, complete);
    return;
  }
  if (!request->failure && !request->end.code) {
    if (request->operation->is_receive &&
        agpu__mpi_is_head(request->end.bytes)) {
      agpu__mpi_pieces_receive(request, complete);
      return;
    }
    agpu__mpi_trace_end(request); // copies to a device come after it
    if (request->operation->finish)
      request->operation->finish(request);
    if (request->target.count) {
      agpu__mpi_unstage(request, complete);
      return;
    }
  }
  complete(request);
}
