//===- payload.c - Values whose payload is an object ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "helpers.h"

static agpu_object *create_outer(void) {
  agpu_object *value = mlirAsyncRuntimeCreateValue(sizeof(agpu_object *));
  agpu_value_own_payload(value);
  return value;
}

/// The reference of `payload` becomes the storage's.
static void store(agpu_object *value, agpu_object *payload) {
  memcpy(mlirAsyncRuntimeGetValueStorage(value), &payload, sizeof(payload));
}

static agpu_object *ready_token(void) {
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  mlirAsyncRuntimeEmplaceToken(token);
  return token;
}

static void check_alive(int64_t tokens, int64_t values) {
  agpu_runtime_counters counters;
  agpu_runtime_get_counters(&counters);
  CHECK_EQ(counters.tokens, tokens);
  CHECK_EQ(counters.values, values);
}

static void test_a_ready_value_drops_its_payload(void) {
  agpu_object *value = create_outer();
  store(value, ready_token());
  mlirAsyncRuntimeEmplaceValue(value);
  check_alive(1, 1);
  mlirAsyncRuntimeDropRef(value, 1);
  check_alive(0, 0);
}

static void test_a_reader_keeps_the_payload(void) {
  agpu_object *value = create_outer();
  store(value, ready_token());
  mlirAsyncRuntimeEmplaceValue(value);
  mlirAsyncRuntimeAwaitValue(value);
  agpu_object *payload;
  memcpy(&payload, mlirAsyncRuntimeGetValueStorage(value), sizeof(payload));
  mlirAsyncRuntimeAddRef(payload, 1);
  mlirAsyncRuntimeDropRef(value, 1);
  check_alive(1, 0);
  CHECK(agpu_object_is_ready(payload));
  mlirAsyncRuntimeDropRef(payload, 1);
  check_alive(0, 0);
}

/// The storage of a value that failed has never been written.
static void test_an_error_has_no_payload(void) {
  agpu_object *value = create_outer();
  store(value, (agpu_object *)(uintptr_t)0x10);
  agpu_object_set_error(value, "it broke", NULL);
  CHECK(agpu_object_is_error(value));
  mlirAsyncRuntimeDropRef(value, 1);
  check_alive(0, 0);
}

static void test_work_that_fails_has_a_payload(void) {
  fake_work work;
  fake_work_init(&work);
  agpu_object *value = create_outer();
  store(value, ready_token());
  agpu__object_enqueue(value, &work.base);
  atomic_int resumed = 0;
  mlirAsyncRuntimeAwaitValueAndExecute(value, &resumed, count_up);
  fake_work_complete(&work,
                     agpu_status_create(AGPU_STATUS_DRIVER, NULL, "trapped"));
  check_reaches(&resumed, 1);
  CHECK(mlirAsyncRuntimeIsValueError(value));
  mlirAsyncRuntimeDropRef(value, 1);
  check_alive(0, 0);
  CHECK_EQ(work.references, 0);
}

static void test_values_of_values(void) {
  agpu_object *inner = create_outer();
  store(inner, ready_token());
  mlirAsyncRuntimeEmplaceValue(inner);
  agpu_object *outer = create_outer();
  store(outer, inner);
  mlirAsyncRuntimeEmplaceValue(outer);
  check_alive(1, 2);
  mlirAsyncRuntimeDropRef(outer, 1);
  check_alive(0, 0);
}

int main(void) {
  test_a_ready_value_drops_its_payload();
  test_a_reader_keeps_the_payload();
  test_an_error_has_no_payload();
  test_work_that_fails_has_a_payload();
  test_values_of_values();
  check_end(NULL);
  return 0;
}
