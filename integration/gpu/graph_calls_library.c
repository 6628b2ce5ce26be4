//===- graph_calls_library.c - A library whose calls stand in graphs ------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What graph_calls.mlir and graph_calls_refused.mlir call, through the public
// header alone. The kernel is here as PTX and as a function for the emulated
// device.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/mlir_async_runtime.h"
#include "async_gpu/stream.h"

static const char ptx[] = ".version 6.3\n"
                          ".target sm_75\n"
                          ".address_size 64\n"
                          ".visible .entry add(.param .u64 to, .param .u64 "
                          "from, .param .u32 more) {\n"
                          "  .reg .b32 %r<5>;\n"
                          "  .reg .b64 %rd<6>;\n"
                          "  ld.param.u64 %rd1, [to];\n"
                          "  ld.param.u64 %rd2, [from];\n"
                          "  ld.param.u32 %r1, [more];\n"
                          "  cvta.to.global.u64 %rd1, %rd1;\n"
                          "  cvta.to.global.u64 %rd2, %rd2;\n"
                          "  mov.u32 %r2, %ctaid.x;\n"
                          "  mul.wide.u32 %rd3, %r2, 4;\n"
                          "  add.s64 %rd4, %rd1, %rd3;\n"
                          "  add.s64 %rd5, %rd2, %rd3;\n"
                          "  ld.global.u32 %r3, [%rd4];\n"
                          "  ld.global.u32 %r4, [%rd5];\n"
                          "  add.u32 %r3, %r3, %r4;\n"
                          "  add.u32 %r3, %r3, %r1;\n"
                          "  st.global.u32 [%rd4], %r3;\n"
                          "  ret;\n"
                          "}\n";

/// to[i] += from[i] + more
static void run_add(void *const *params, const agpu_native_block *block) {
  int32_t *to = *(int32_t *const *)params[0];
  const int32_t *from = *(int32_t *const *)params[1];
  uint32_t i = block->block_id[0];
  to[i] += from[i] + *(const int32_t *)params[2];
}

static const uint32_t param_sizes[] = {sizeof(void *), sizeof(void *),
                                       sizeof(int32_t)};
static const agpu_native_kernel native_kernel = {.name = "add",
                                                 .run = run_add,
                                                 .param_sizes = param_sizes,
                                                 .param_count = 3};
static const agpu_native_image native_image = {
    .magic = AGPU_NATIVE_MAGIC, .kernel_count = 1, .kernels = &native_kernel};
static const agpu_image_desc images[] = {
    {.format = AGPU_IMAGE_PTX, .chip = 75, .data = ptx, .size = sizeof ptx},
    {.format = AGPU_IMAGE_NATIVE,
     .data = &native_image,
     .size = sizeof native_image},
};
static agpu_module_desc module = {.version = AGPU_MODULE_VERSION,
                                  .image_count = 2,
                                  .name = "graph_calls_library",
                                  .images = images};
static agpu_kernel_desc kernel = {.module = &module, .name = "add"};

static int32_t calls;

/// How often the functions below have been called.
AGPU_EXPORT int32_t count_calls(void);
int32_t count_calls(void) { return calls; }

// A memref<8xi32> comes as the parts of its descriptor.
#define MEMREF(name)                                                           \
  int32_t *name##_allocated, int32_t *name, int64_t name##_offset,             \
      int64_t name##_size, int64_t name##_stride
#define UNUSED(name)                                                           \
  (void)name##_allocated, (void)name##_offset, (void)name##_stride,            \
      (void)name##_size

static void add(agpu_stream *stream, int32_t *to, int32_t *from, int32_t more) {
  void *params[] = {&to, &from, &more};
  agpu_launch(stream, &kernel, 8, 1, 1, 1, 1, 1, 0, params,
              "graph_calls_library.c:add");
}

/// to += from + more, and then from = to.
AGPU_EXPORT void add_and_copy(MEMREF(to), MEMREF(from), int32_t more);
void add_and_copy(MEMREF(to), MEMREF(from), int32_t more) {
  UNUSED(to), UNUSED(from);
  agpu_stream *stream = agpu_stream_current();
  ++calls;
  add(stream, to, from, more);
  agpu_memcpy(stream, from, to, 8 * sizeof *to, "graph_calls_library.c:copy");
}

/// The same for both by each other, on two streams: a += c + 1, b += c + 2, and
/// then a += b.
AGPU_EXPORT void fork_and_join(MEMREF(a), MEMREF(b), MEMREF(c));
void fork_and_join(MEMREF(a), MEMREF(b), MEMREF(c)) {
  UNUSED(a), UNUSED(b), UNUSED(c);
  agpu_stream *stream = agpu_stream_current();
  agpu_stream *other = agpu_stream_acquire("graph_calls_library.c:fork");
  ++calls;
  agpu_object *fork = agpu_stream_record(stream);
  agpu_stream_wait(other, fork);
  add(stream, a, c, 1);
  add(other, b, c, 2);
  agpu_object *join = agpu_stream_record(other);
  agpu_stream_wait(stream, join);
  add(stream, a, b, 0);
  mlirAsyncRuntimeDropRef(fork, 1);
  mlirAsyncRuntimeDropRef(join, 1);
  agpu_stream_release(other);
}

/// What no graph takes: from = value, which is copied from memory of the host
/// that the device does not know, and to += from; and a token that outlives the
/// call.
AGPU_EXPORT void copy_pageable(MEMREF(to), MEMREF(from), int32_t value);
void copy_pageable(MEMREF(to), MEMREF(from), int32_t value) {
  UNUSED(to), UNUSED(from);
  static int32_t rows[64][8]; // which stay: the copy reads them later
  int32_t *row = rows[value % 64];
  agpu_stream *stream = agpu_stream_current();
  ++calls;
  for (int i = 0; i < 8; ++i)
    row[i] = value;
  agpu_memcpy(stream, from, row, sizeof *rows,
              "graph_calls_library.c:pageable");
  add(stream, to, from, 0);
}

static agpu_object *kept;

AGPU_EXPORT void drop_token(void);
void drop_token(void) {
  mlirAsyncRuntimeDropRef(kept, 1);
  kept = NULL;
}

AGPU_EXPORT void keep_token(MEMREF(to), MEMREF(from));
void keep_token(MEMREF(to), MEMREF(from)) {
  UNUSED(to), UNUSED(from);
  agpu_stream *stream = agpu_stream_current();
  ++calls;
  add(stream, to, from, 0);
  if (kept)
    mlirAsyncRuntimeDropRef(kept, 1);
  kept = agpu_stream_record(stream);
}

/// Says itself that it has failed.
AGPU_EXPORT void fail(MEMREF(to));
void fail(MEMREF(to)) {
  UNUSED(to), (void)to;
  ++calls;
  agpu_stream_fail(agpu_stream_current(), "the library has failed",
                   "graph_calls_library.c:fail");
}
