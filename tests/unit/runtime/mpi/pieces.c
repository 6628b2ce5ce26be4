//===- pieces.c - A copy that fails behind the head of a message ----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both sides of a message in pieces, over copies and a library that do what the
// test says, when it says so.
//
//===----------------------------------------------------------------------===//

#include "mpi/pieces.h"
#include "base/memory/memory.h"
#include "base/report/settings.h"
#include "mpi/internal.h"

#include "check.h"

#include <stdarg.h>

enum { HEAD = 64, PIECES = 4, BYTES = HEAD * (1 + PIECES), TRAILER = 16 };

//===----------------------------------------------------------------------===//
// What the sources need of the runtime
//===----------------------------------------------------------------------===//

agpu__mpi_world agpu__the_mpi_world;

void *agpu__memory_alloc(int64_t bytes, int64_t alignment, const char *what) {
  (void)alignment, (void)what;
  return calloc(1, (size_t)bytes);
}

void agpu__memory_free(void *memory) { free(memory); }

agpu_status agpu__setting_integer(agpu__setting setting, int64_t *out_value) {
  (void)setting;
  *out_value = HEAD;
  return NULL;
}

/// A status is its text.
agpu_status agpu_status_create(agpu_status_code code, const char *location,
                               const char *format, ...) {
  static char texts[4][200];
  static int used;
  (void)code, (void)location;
  char *text = texts[used++ % 4];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof texts[0], format, arguments);
  va_end(arguments);
  return (agpu_status)text;
}

void agpu_status_release(agpu_status status) { (void)status; }

agpu_stream *agpu_stream_acquire(const char *location) {
  (void)location;
  return (agpu_stream *)&agpu__the_mpi_world;
}

void agpu_stream_release(agpu_stream *stream) { (void)stream; }

void agpu__mpi_comm_add(int64_t comm, uint64_t id) { (void)comm, (void)id; }

int32_t agpu__mpi_comm_world_rank(int64_t comm, int32_t peer) {
  (void)comm;
  return peer;
}

// Copies, which end when they are told to.

static struct {
  void (*then)(void *argument, agpu_status status);
  void *argument;
} copies[1 + PIECES];
static int copy_count;

void agpu__mpi_copy_out(agpu_stream *stream, const agpu__mpi_view *view,
                        void *packed, const char *location) {
  (void)stream, (void)view, (void)packed, (void)location;
}

void agpu__mpi_copy_in(agpu_stream *stream, const agpu__mpi_view *view,
                       const void *packed, int64_t values,
                       const char *location) {
  (void)stream, (void)view, (void)packed, (void)values, (void)location;
}

void agpu__mpi_follow(agpu_stream *stream,
                      void (*then)(void *argument, agpu_status status),
                      void *argument, const char *location) {
  (void)stream, (void)location;
  copies[copy_count].then = then;
  copies[copy_count++].argument = argument;
}

// The library, as far as ranks agree on the length of a piece.

static int comm_dup(agpu__mpi_handle comm, agpu__mpi_handle *out_comm) {
  *out_comm = comm;
  return 0;
}

static int iallreduce(const void *from, void *to, int count,
                      agpu__mpi_handle type, agpu__mpi_handle operation,
                      agpu__mpi_handle comm, agpu__mpi_handle *out_request) {
  (void)count, (void)type, (void)operation, (void)comm, (void)out_request;
  memcpy(to, from, sizeof(int64_t));
  return 0;
}

static bool test(agpu__mpi_handle *request, agpu__mpi_ended *out_end) {
  (void)request;
  *out_end = (agpu__mpi_ended){0};
  return true;
}

//===----------------------------------------------------------------------===//

static agpu__mpi_request *pieces[PIECES];
static int piece_count, started, ended;

static void submit(agpu__mpi_request *piece) { pieces[piece_count++] = piece; }
static void start(agpu__mpi_request *request) { (void)request, ++started; }
static void end(agpu__mpi_request *request) { (void)request, ++ended; }

static const agpu__mpi_operation sends = {.name = "mpi.send", .has_peer = true};
static const agpu__mpi_operation receives = {
    .name = "mpi.recv", .has_peer = true, .is_receive = true};

static char memory[BYTES + TRAILER];

static agpu__mpi_view view_of(int64_t bytes) {
  return (agpu__mpi_view){.pointer = memory,
                          .type = AGPU_MPI_BYTE,
                          .value_bytes = 1,
                          .run = bytes,
                          .count = bytes};
}

static void end_copy(int index, const char *error) {
  copies[index].then(
      copies[index].argument,
      error ? agpu_status_create(AGPU_STATUS_PROGRAM, NULL, "%s", error)
            : AGPU_OK);
}

/// All that were submitted end, having brought what is said.
static void end_pieces(int64_t bytes) {
  for (int i = 0; i < piece_count; ++i) {
    pieces[i]->end.bytes = bytes;
    pieces[i]->operation->end(pieces[i]);
  }
}

static agpu__mpi_request begin_send(void) {
  copy_count = piece_count = started = ended = 0;
  return (agpu__mpi_request){.operation = &sends, .from = view_of(BYTES)};
}

/// Behind the head, the rest goes out empty, and the send fails.
static void fail_behind_head(void) {
  agpu__mpi_request request = begin_send();
  CHECK(agpu__mpi_pieces_send(&request, /*on_device=*/true, /*staged=*/true,
                              start));
  CHECK_EQ(copy_count, 1 + PIECES);
  end_copy(0, NULL);
  CHECK_EQ(started, 1);
  agpu__mpi_pieces_begin(&request);
  end_copy(1, NULL);
  CHECK_EQ(piece_count, 1);
  end_copy(2, "no copy");
  CHECK_EQ(piece_count, PIECES);
  CHECK_EQ(pieces[0]->from.count, HEAD);
  for (int i = 1; i < PIECES; ++i)
    CHECK_EQ(pieces[i]->from.count, 0);
  end_copy(3, NULL);
  end_copy(4, "nor that");
  end_pieces(0);
  CHECK_EQ(ended, 0);
  agpu__mpi_pieces_head_ended(&request, end);
  CHECK_EQ(ended, 1);
  CHECK_STR((const char *)request.failure, "no copy");
  free(request.staged);
}

/// In front of it, nothing goes out.
static void fail_before_head(void) {
  agpu__mpi_request request = begin_send();
  CHECK(agpu__mpi_pieces_send(&request, /*on_device=*/true, /*staged=*/true,
                              start));
  end_copy(0, "no head");
  CHECK_EQ(started, 1);
  CHECK_STR((const char *)request.failure, "no head");
  agpu__mpi_pieces_head_ended(&request, end);
  for (int i = 1; i <= PIECES; ++i)
    end_copy(i, NULL);
  CHECK_EQ(piece_count, 0);
  CHECK_EQ(ended, 1);
  free(request.staged);
}

/// Of pieces that are all there nothing is lacking.
static void receive(int64_t bytes, bool lacks_rest) {
  copy_count = piece_count = ended = 0;
  agpu__mpi_request request = {.operation = &receives, .from = view_of(BYTES)};
  int64_t trailer[] = {BYTES, 0};
  memcpy(memory + HEAD, trailer, sizeof trailer);
  request.end.bytes = HEAD + TRAILER;
  agpu__mpi_pieces_receive(&request, end);
  CHECK_EQ(piece_count, PIECES);
  CHECK_EQ(ended, 0);
  end_pieces(bytes);
  CHECK_EQ(ended, 1);
  CHECK(!request.failure && !request.end.code);
  CHECK_EQ(request.lacks_rest, lacks_rest);
}

int main(void) {
  agpu__the_mpi_world = (agpu__mpi_world){.is_ours = true,
                                          .rank = 1,
                                          .size = 2,
                                          .library = {.comm_dup = comm_dup,
                                                      .iallreduce = iallreduce,
                                                      .test = test}};
  agpu__mpi_pieces_submit_to(submit);
  agpu_status status;
  CHECK_EQ(agpu__mpi_pieces_init(&status), 0);
  CHECK_EQ(agpu__the_mpi_world.head_bytes, HEAD);
  fail_behind_head();
  fail_before_head();
  receive(HEAD, false);
  receive(0, true);
  return 0;
}
