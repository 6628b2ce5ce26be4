//===- dialect.c - The agpu dialect -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lower/dialect/dialect.h"

#include "lower/ir/ir.h"

#include "mlir-c/Dialect/IRDL.h"

#include <stdlib.h>

// Operand and result types are left open (`any`) where one op serves tokens,
// values and groups alike: async-gpu-streams makes only well-typed ones.
// In two parts: C promises no more than 4095 characters in one string.
static const char stream_ops[] =
    "  irdl.type @stream {}\n"
    // The arguments of a launch, put together by a cast: IRDL wants all
    // operands of a variadic group to have one type.
    "  irdl.type @arguments {}\n"
#define STREAM "    %stream = irdl.base @agpu::@stream\n"
    // Lends the region's stream.
    "  irdl.operation @stream_acquire {\n" STREAM
    "    irdl.results(stream: %stream)\n"
    "  }\n"
    // Gives it back; stands before the terminators of a region.
    "  irdl.operation @stream_release {\n" STREAM
    "    irdl.operands(stream: %stream)\n"
    "  }\n"
    // Later work on the stream waits for the token or value. The result is
    // the value's payload. Attribute `how` (lower/ir/kind.h): by an event, by
    // taking over the other stream, or not at all.
    "  irdl.operation @stream_wait {\n" STREAM "    %any = irdl.any\n"
    "    %payload = irdl.any\n"
    "    irdl.operands(stream: %stream, object: %any)\n"
    "    irdl.results(payload: optional %payload)\n"
    "  }\n"
    // The same for an object that is known not to be PENDING: never suspends.
    "  irdl.operation @stream_depend {\n" STREAM "    %any = irdl.any\n"
    "    irdl.operands(stream: %stream, object: %any)\n"
    "  }\n"
    // A token behind all work on the stream so far.
    "  irdl.operation @stream_record {\n" STREAM "    %token = irdl.any\n"
    "    irdl.operands(stream: %stream)\n"
    "    irdl.results(token: %token)\n"
    "  }\n"
    // The device of this number becomes the default one.
    "  irdl.operation @set_default_device {\n" STREAM "    %i32 = irdl.is i32\n"
    "    irdl.operands(stream: %stream, device: %i32)\n"
    "  }\n"
    // The number of the thread's default device, and its change.
    "  irdl.operation @default_device {\n"
    "    %i32 = irdl.is i32\n"
    "    irdl.results(device: %i32)\n"
    "  }\n"
    "  irdl.operation @enter_device {\n"
    "    %i32 = irdl.is i32\n"
    "    irdl.operands(device: %i32)\n"
    "  }\n"
    // Makes the stream the thread's current one, for a call that enqueues, and
    // the one that was current before current again.
    "  irdl.operation @stream_enter {\n" STREAM
    "    irdl.operands(stream: %stream)\n"
    "    irdl.results(outer: %stream)\n"
    "  }\n"
    "  irdl.operation @stream_leave {\n" STREAM
    "    irdl.operands(stream: %stream, outer: %stream)\n"
    "  }\n"
    // Attribute `kernel`: the gpu.func to launch.
    "  irdl.operation @launch {\n" STREAM "    %index = irdl.is index\n"
    "    %i32 = irdl.is i32\n"
    "    %arguments = irdl.base @agpu::@arguments\n"
    "    irdl.operands(stream: %stream, grid_x: %index, grid_y: %index,\n"
    "                  grid_z: %index, block_x: %index, block_y: %index,\n"
    "                  block_z: %index, shared_bytes: %i32,\n"
    "                  arguments: %arguments)\n"
    "  }\n"
    // The same in clusters (sizes 1: none), or on a stream of the program's
    // own (null: none).
    "  irdl.operation @launch_with {\n" STREAM "    %index = irdl.is index\n"
    "    %i32 = irdl.is i32\n"
    "    %ptr = irdl.is !llvm.ptr\n"
    "    %arguments = irdl.base @agpu::@arguments\n"
    "    irdl.operands(stream: %stream, grid_x: %index, grid_y: %index,\n"
    "                  grid_z: %index, block_x: %index, block_y: %index,\n"
    "                  block_z: %index, cluster_x: %index,\n"
    "                  cluster_y: %index, cluster_z: %index,\n"
    "                  shared_bytes: %i32, own_stream: %ptr,\n"
    "                  arguments: %arguments)\n"
    "  }\n"
    // Attribute `host_shared` (unit) where host and device share the memory.
    "  irdl.operation @alloc {\n" STREAM "    %any = irdl.any\n"
    "    %memref = irdl.any\n"
    "    irdl.operands(stream: %stream, sizes: variadic %any)\n"
    "    irdl.results(memref: %memref)\n"
    "  }\n"
#define ON_MEMREF(name)                                                        \
  "  irdl.operation @" name " {\n" STREAM "    %memref = irdl.any\n"           \
  "    irdl.operands(stream: %stream, memref: %memref)\n"                      \
  "  }\n"
    ON_MEMREF("dealloc") ON_MEMREF("host_register") ON_MEMREF(
        "host_unregister") "  irdl.operation @memcpy {\n" STREAM
                           "    %target = irdl.any\n"
                           "    %source = irdl.any\n"
                           "    irdl.operands(stream: %stream, target: "
                           "%target, source: %source)\n"
                           "  }\n"
                           "  irdl.operation @memset {\n" STREAM
                           "    %target = irdl.any\n"
                           "    %value = irdl.any\n"
                           "    irdl.operands(stream: %stream, target: "
                           "%target, value: %value)\n"
                           "  }\n";

static const char object_ops[] =
    // The object is ENQUEUED behind the stream.
    "  irdl.operation @set_enqueued {\n" STREAM "    %object = irdl.any\n"
    "    irdl.operands(object: %object, stream: "
    "%stream)\n"
    "  }\n"
    // The object takes over the error of another, or
    // (`set_error`, attribute `message`) fails by
    // itself.
    "  irdl.operation @forward_error {\n"
    "    %to = irdl.any\n"
    "    %from = irdl.any\n"
    "    irdl.operands(to: %to, from: %from)\n"
    "  }\n"
    "  irdl.operation @set_error {\n"
    "    %object = irdl.any\n"
    "    irdl.operands(object: %object)\n"
    "  }\n"
// READY or ERROR (`is_ready`); ENQUEUED, READY or ERROR (`is_enqueued`); ERROR,
// asked by who passes the error on (`has_failed`); READY (`has_succeeded`).
#define QUESTION(name)                                                         \
  "  irdl.operation @" name " {\n"                                             \
  "    %object = irdl.any\n"                                                   \
  "    %i1 = irdl.is i1\n"                                                     \
  "    irdl.operands(object: %object)\n"                                       \
  "    irdl.results(answer: %i1)\n"                                            \
  "  }\n"
    QUESTION("is_ready") QUESTION("is_enqueued") QUESTION("has_failed")
        QUESTION("has_succeeded")
    // Waits until ENQUEUED: blocking, and as part of a suspension, which is
    // none where the answer is that it is already.
    "  irdl.operation @await_enqueued {\n"
    "    %object = irdl.any\n"
    "    irdl.operands(object: %object)\n"
    "  }\n"
    "  irdl.operation @await_enqueued_and_resume {\n"
    "    %object = irdl.any\n"
    "    %handle = irdl.any\n"
    "    %i1 = irdl.is i1\n"
    "    irdl.operands(object: %object, handle: %handle)\n"
    "    irdl.results(answer: %i1)\n"
    "  }\n"
    // Outside coroutines: waits until READY, and ends the program with a
    // message if the object is in ERROR.
    "  irdl.operation @await {\n"
    "    %object = irdl.any\n"
    "    irdl.operands(object: %object)\n"
    "  }\n"
    // Ends the program with a message if the object is in ERROR.
    "  irdl.operation @check {\n"
    "    %object = irdl.any\n"
    "    irdl.operands(object: %object)\n"
    "  }\n";

static const char start_ops[] =
    // The token that is READY from the start.
    "  irdl.operation @ready_token {\n"
    "    %token = irdl.any\n"
    "    irdl.results(token: %token)\n"
    "  }\n"
    // As async.runtime.set_available, of an object that its creator alone has
    // seen yet.
    "  irdl.operation @set_available_unshared {\n"
    "    %object = irdl.any\n"
    "    irdl.operands(object: %object)\n"
    "  }\n"
    // As async.runtime.set_available, at the end of a coroutine.
    "  irdl.operation @set_available_last {\n"
    "    %object = irdl.any\n"
    "    irdl.operands(object: %object)\n"
    "  }\n"
    // Whether a region that may start in its spawner does so now; if so, the
    // other op follows when it has ended or is suspended.
    "  irdl.operation @start_here {\n"
    "    %i1 = irdl.is i1\n"
    "    irdl.results(answer: %i1)\n"
    "  }\n"
    "  irdl.operation @started_here {\n"
    "    %i1 = irdl.is i1\n"
    "    irdl.operands(suspended: %i1)\n"
    "  }\n"
    // Resumes a coroutine before it goes on behind this.
    "  irdl.operation @resume_here {\n"
    "    %handle = irdl.any\n"
    "    irdl.operands(handle: %handle)\n"
    "  }\n"
    // Puts a coroutine on the executor once the object is READY or ERROR.
    "  irdl.operation @resume_after {\n"
    "    %object = irdl.any\n"
    "    %handle = irdl.any\n"
    "    irdl.operands(object: %object, handle: %handle)\n"
    "  }\n"
    // An object that holds a copy of an unranked memref's descriptor; the
    // memref with the descriptor that it holds, or (attribute `copy`, unit)
    // with one on the stack; and that the object lives until here.
    "  irdl.operation @box_unranked {\n"
    "    %memref = irdl.any\n"
    "    %box = irdl.any\n"
    "    irdl.operands(memref: %memref)\n"
    "    irdl.results(box: %box)\n"
    "  }\n"
    "  irdl.operation @unbox_unranked {\n"
    "    %box = irdl.any\n"
    "    %memref = irdl.any\n"
    "    irdl.operands(box: %box)\n"
    "    irdl.results(memref: %memref)\n"
    "  }\n"
    "  irdl.operation @keep {\n"
    "    %object = irdl.any\n"
    "    irdl.operands(object: %object)\n"
    "  }\n"
    // A spawner whose coroutine is suspended waits where there are too many.
    "  irdl.operation @throttle {\n"
    "  }\n";

/// Dialects whose ops and types our passes make; a program may have none.
static const char *const made_dialects[] = {"arith", "async",  "cf",  "func",
                                            "gpu",   "memref", "llvm"};

MlirLogicalResult agpu__dialect_load(MlirContext context) {
  for (size_t i = 0; i < sizeof(made_dialects) / sizeof(*made_dialects); ++i)
    mlirContextGetOrLoadDialect(context, agpu__str(made_dialects[i]));
  char *text = agpu__format("irdl.dialect @agpu {\n%s%s%s}\n", stream_ops,
                            object_ops, start_ops);
  MlirModule module = mlirModuleCreateParse(context, agpu__str(text));
  free(text);
  if (mlirModuleIsNull(module))
    return mlirLogicalResultFailure();
  MlirLogicalResult result = mlirLoadIRDLDialects(module);
  mlirModuleDestroy(module);
  return result;
}

MlirType agpu__stream_type(MlirContext context) {
  return agpu__parse_type(context, "!agpu.stream");
}
