//===- call.c - Calling functions by their signatures ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// async_gpu/call.h: signatures, calls by the addresses of values, and awaitable
// calls, whose failures are statuses.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/call.h"
#include "async_gpu/compiled/mlir_async_runtime.h"
#include "async_gpu/object.h"
#include "async_gpu/runtime.h"

#include "check.h"

#include <stdbool.h>
#include <stdlib.h>

static const char program_text[] =
    "func.func private @hidden() { return }\n"
    "func.func @scale(%f: f32, %x: memref<?xf32, strided<[2], offset: 1>>)\n"
    "    -> (memref<?xf32>, index) {\n"
    "  %c0 = arith.constant 0 : index\n"
    "  %c1 = arith.constant 1 : index\n"
    "  %n = memref.dim %x, %c0 : memref<?xf32, strided<[2], offset: 1>>\n"
    "  %y = memref.alloc(%n) : memref<?xf32>\n"
    "  scf.for %i = %c0 to %n step %c1 {\n"
    "    %v = memref.load %x[%i] : memref<?xf32, strided<[2], offset: 1>>\n"
    "    %w = arith.mulf %v, %f : f32\n"
    "    memref.store %w, %y[%i] : memref<?xf32>\n"
    "  }\n"
    "  return %y, %n : memref<?xf32>, index\n"
    "}\n"
    "func.func @halve(%x: i32) -> i32 {\n"
    "  %c1 = arith.constant 1 : i32\n"
    "  %c0 = arith.constant 0 : i32\n"
    "  %odd = arith.andi %x, %c1 : i32\n"
    "  %even = arith.cmpi eq, %odd, %c0 : i32\n"
    "  cf.assert %even, \"an odd number\"\n"
    "  %h = arith.shrsi %x, %c1 : i32\n"
    "  return %h : i32\n"
    "}\n"
    "async.func @later(%x: i64) -> !async.value<i64> {\n"
    "  return %x : i64\n"
    "}\n"
    "func.func @tensors(%x: tensor<4x?xf32>) -> tensor<f64> {\n"
    "  %t = tensor.empty() : tensor<f64>\n"
    "  return %t : tensor<f64>\n"
    "}\n";

static void check_ok(agpu_status status) {
  CHECK_STR(agpu_status_get_message(status), "ok");
}

static void check_error(agpu_status status, const char *part) {
  CHECK(status);
  if (!strstr(agpu_status_get_message(status), part))
    CHECK_STR(agpu_status_get_message(status), part);
  agpu_status_release(status);
}

static agpu_program *parse(agpu_compiler *compiler, const char *text) {
  agpu_program *program;
  check_ok(
      agpu_program_parse(compiler, "call.mlir", text, strlen(text), &program));
  return program;
}

static void test_signatures(agpu_compiler *compiler) {
  agpu_program *program = parse(compiler, program_text);
  CHECK_STR(agpu_program_get_function(program, 0), "scale");
  CHECK_STR(agpu_program_get_function(program, 2), "later");
  CHECK(!agpu_program_get_function(program, 4));

  agpu_signature *scale;
  check_ok(agpu_program_get_signature(program, "scale", &scale));
  CHECK_STR(scale->text, "scale(f32, memref<?xf32, strided<[2], offset: 1>>) "
                         "-> (memref<?xf32>, index)");
  CHECK_EQ(scale->argument_count, 2);
  CHECK_EQ(scale->arguments[0].kind, AGPU_TYPE_SCALAR);
  CHECK_STR(scale->arguments[0].element, "f32");
  const agpu_type *x = &scale->arguments[1];
  CHECK_EQ(x->kind, AGPU_TYPE_MEMREF);
  CHECK_EQ(x->rank, 1);
  CHECK_EQ(x->sizes[0], AGPU_DYNAMIC);
  CHECK_EQ(x->strides[0], 2);
  CHECK_EQ(x->offset, 1);
  CHECK_EQ(x->element_bytes, 4);
  CHECK_EQ(scale->result_count, 2);
  CHECK_EQ(scale->results[0].offset, 0);
  CHECK_STR(scale->results[1].element, "index");

  agpu_signature *tensors;
  check_ok(agpu_program_get_signature(program, "tensors", &tensors));
  CHECK_EQ(tensors->arguments[0].kind, AGPU_TYPE_MEMREF);
  CHECK_EQ(tensors->arguments[0].strides[0], AGPU_DYNAMIC);
  CHECK_EQ(tensors->arguments[0].strides[1], 1);
  agpu_signature *later;
  check_ok(agpu_program_get_signature(program, "later", &later));
  CHECK(later->results[0].is_value);
  CHECK_STR(later->results[0].element, "i64");

  agpu_signature *none;
  check_error(agpu_program_get_signature(program, "nonesuch", &none),
              "the program has no function 'nonesuch'");
  CHECK(!none);
  check_error(agpu_program_export(program, "tensors", true, &none),
              "takes or gives tensors");
  // Signatures outlive the program.
  agpu_program_release(program);
  CHECK_STR(scale->name, "scale");
  agpu_signature_release(scale);
  agpu_signature_release(tensors);
  agpu_signature_release(later);
  agpu_signature_release(NULL);
}

/// Exports `names` of the program, which it lowers and compiles.
static agpu_jit *compile(agpu_compiler *compiler, const char *const *names,
                         bool awaitable) {
  agpu_program *program = parse(compiler, program_text);
  for (; *names; ++names) {
    agpu_signature *signature;
    check_ok(agpu_program_export(program, *names, awaitable, &signature));
    CHECK_EQ(signature->is_awaitable, awaitable && strcmp(*names, "later"));
    agpu_signature_release(signature);
  }
  check_ok(agpu_program_lower(program, "one-shot-bufferize{"
                                       "bufferize-function-boundaries=true "
                                       "function-boundary-type-conversion="
                                       "identity-layout-map},async-gpu-lower"));
  agpu_jit *jit;
  check_ok(agpu_jit_create(program, 2, &jit));
  agpu_program_release(program);
  return jit;
}

static void test_calls(agpu_compiler *compiler) {
  agpu_jit *jit =
      compile(compiler, (const char *[]){"scale", "later", NULL}, false);
  agpu_packed_function call;
  check_ok(agpu_jit_lookup_export(jit, "scale", &call));
  float factor = 2, data[7] = {9, 1, 9, 2, 9, 3, 9};
  agpu_memref(1) x = {data, data, 1, {3}, {2}}, y;
  int64_t count;
  call((void *[]){&factor, &x, &y, &count});
  CHECK_EQ(count, 3);
  CHECK_EQ(y.sizes[0], 3);
  for (int i = 0; i < 3; ++i)
    CHECK_EQ(((float *)y.aligned)[i], 2 * (i + 1));
  free(y.allocated);

  check_ok(agpu_jit_lookup_export(jit, "later", &call));
  agpu_object *value;
  call((void *[]){&(int64_t){-5}, &value});
  agpu_object_await(value, NULL);
  CHECK_EQ(*(int64_t *)mlirAsyncRuntimeGetValueStorage(value), -5);
  mlirAsyncRuntimeDropRef(value, 1);
  check_error(agpu_jit_lookup_export(jit, "halve", &call),
              "'halve' was not exported");
  check_ok(agpu_runtime_shutdown());
  agpu_jit_release(jit);
}

static void test_awaitable(agpu_compiler *compiler) {
  agpu_jit *jit = compile(
      compiler, (const char *[]){"halve", "scale", "later", NULL}, true);
  agpu_packed_function call;
  check_ok(agpu_jit_lookup_export(jit, "halve", &call));
  agpu_object *token, *value;
  call((void *[]){&(int32_t){42}, &token, &value});
  mlirAsyncRuntimeAwaitToken(token);
  CHECK(!agpu_object_is_error(token));
  CHECK_EQ(*(int32_t *)mlirAsyncRuntimeGetValueStorage(value), 21);
  mlirAsyncRuntimeDropRef(token, 1);
  mlirAsyncRuntimeDropRef(value, 1);

  // What a program would end by is the token's status.
  call((void *[]){&(int32_t){43}, &token, &value});
  mlirAsyncRuntimeAwaitToken(token);
  CHECK(agpu_object_is_error(token));
  agpu_status status = agpu_object_get_status(token);
  CHECK_STR(agpu_status_get_location(status), "call.mlir:20:3");
  check_error(status, "an odd number");
  mlirAsyncRuntimeDropRef(token, 1);
  mlirAsyncRuntimeDropRef(value, 1);
  check_ok(agpu_runtime_shutdown());
  agpu_jit_release(jit);
}

/// What the passes have made of an export is looked at.
static void test_lost_exports(agpu_compiler *compiler) {
  agpu_program *program = parse(compiler, program_text);
  agpu_signature *signature;
  agpu_jit *jit;
  check_ok(agpu_program_export(program, "halve", false, &signature));
  check_error(agpu_jit_create(program, 2, &jit),
              "'halve' is not in the LLVM dialect");
  CHECK(!jit);
  agpu_signature_release(signature);
  agpu_program_release(program);
}

int main(void) {
  agpu_compiler *compiler;
  check_ok(agpu_compiler_create(&compiler));
  test_signatures(compiler);
  test_calls(compiler);
  test_awaitable(compiler);
  test_lost_exports(compiler);
  agpu_compiler_release(compiler);
  return 0;
}
