//===- error.c - Errors travel, and none is overlooked ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "helpers.h"

#include "async/task_error.h"
#include "base/report/status_track.h"

/// Outside tasks the thread's last error is kept, for values that fail with
/// their token; this makes room for the next.
static void forget_last_error(void) { agpu__task_error_forget(); }

static void check_reported(const char *message) {
  forget_last_error();
  agpu_status status = agpu__status_take_reported();
  CHECK_STR(agpu_status_get_message(status), message ? message : "ok");
  agpu_status_release(status);
}

static agpu_object *failed_token(void) {
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  agpu_object_set_error(token, "it broke", "a.mlir:4:2");
  return token;
}

static void test_set_error(void) {
  agpu_object *token = failed_token();
  CHECK(agpu_object_is_ready(token));
  CHECK(agpu_object_is_enqueued(token));
  CHECK(mlirAsyncRuntimeIsTokenError(token));
  mlirAsyncRuntimeAwaitToken(token);
  agpu_status status = agpu_object_get_status(token);
  CHECK_EQ(agpu_status_get_code(status), AGPU_STATUS_PROGRAM);
  CHECK_STR(agpu_status_get_message(status), "it broke");
  CHECK_STR(agpu_status_get_location(status), "a.mlir:4:2");
  mlirAsyncRuntimeDropRef(token, 1);
  CHECK_STR(agpu_status_get_message(status), "it broke");
  agpu_status_release(status);
  check_reported(NULL);
}

static void test_out_of_memory(int64_t bytes, agpu_status_code code,
                               const char *message) {
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  agpu_object_set_out_of_memory(token, bytes, "a.mlir:4:2");
  agpu_status status = agpu_object_get_status(token);
  CHECK_EQ(agpu_status_get_code(status), code);
  CHECK_STR(agpu_status_get_message(status), message);
  CHECK_STR(agpu_status_get_location(status), "a.mlir:4:2");
  agpu_status_release(status);
  mlirAsyncRuntimeDropRef(token, 1);
  check_reported(NULL);
}

static void test_forwarded_errors_are_the_same(void) {
  agpu_object *token = failed_token();
  agpu_object *value = mlirAsyncRuntimeCreateValue(8);
  agpu_object_forward_error(value, token);
  mlirAsyncRuntimeDropRef(token, 1);
  check_reported(NULL); // it lives on in the value
  CHECK(mlirAsyncRuntimeIsValueError(value));
  agpu_status status = agpu_object_get_status(value);
  CHECK_STR(agpu_status_get_location(status), "a.mlir:4:2");
  agpu_status_release(status);
  mlirAsyncRuntimeDropRef(value, 1);
  check_reported(NULL);
}

static void test_unobserved(void) {
  mlirAsyncRuntimeDropRef(failed_token(), 1);
  check_reported("it broke");

  agpu_object *token = failed_token();
  agpu_object *value = mlirAsyncRuntimeCreateValue(8);
  agpu_object_forward_error(value, token);
  mlirAsyncRuntimeDropRef(token, 1);
  mlirAsyncRuntimeDropRef(value, 1);
  check_reported("it broke");

  mlirAsyncRuntimeDropRef(agpu__token_create_error(agpu_status_create(
                              AGPU_STATUS_DRIVER, NULL, "no device")),
                          1);
  check_reported("no device");
}

static void test_an_unobserved_group(void) {
  agpu_object *group = mlirAsyncRuntimeCreateGroup(1);
  agpu_object *token = failed_token();
  mlirAsyncRuntimeAddTokenToGroup(token, group);
  mlirAsyncRuntimeDropRef(token, 1);
  check_reported(NULL);
  mlirAsyncRuntimeDropRef(group, 1);
  check_reported("it broke");
}

static void test_awaited_is_observed(void) {
  agpu_object *token = failed_token();
  mlirAsyncRuntimeAwaitToken(token);
  mlirAsyncRuntimeDropRef(token, 1);
  check_reported(NULL);
}

/// A region that waits sees an error only if it asks, and not if it asks in
/// order to pass it on.
static void test_what_a_region_observes(void) {
  for (int asks = 0; asks < 2; ++asks) {
    agpu_object *token = mlirAsyncRuntimeCreateToken();
    atomic_int resumed = 0;
    mlirAsyncRuntimeAwaitTokenAndExecute(token, &resumed, count_up);
    agpu_object_set_error(token, "it broke", NULL);
    check_reaches(&resumed, 1);
    mlirAsyncRuntimeAwaitTokenAndExecute(token, &resumed, count_up);
    check_reaches(&resumed, 2);
    CHECK(agpu_object_has_failed(token));
    if (asks)
      CHECK(mlirAsyncRuntimeIsTokenError(token));
    mlirAsyncRuntimeDropRef(token, 1);
    check_reported(asks ? NULL : "it broke");
  }
}

/// Reading that all is well so far is not seeing the error that comes.
static void test_early_looks_do_not_count(void) {
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  CHECK(!mlirAsyncRuntimeIsTokenError(token));
  CHECK(!agpu_object_get_status(token));
  agpu_object_set_error(token, "it broke", NULL);
  mlirAsyncRuntimeDropRef(token, 1);
  check_reported("it broke");
}

/// Through upstream's functions a region that fails ends its token and its
/// values one by one; seeing one of them is enough.
static void test_errors_without_message(void) {
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  agpu_object *value = mlirAsyncRuntimeCreateValue(8);
  mlirAsyncRuntimeSetTokenError(token);
  mlirAsyncRuntimeSetValueError(value);
  CHECK(mlirAsyncRuntimeIsValueError(value));
  agpu_status status = agpu_object_get_status(token);
  CHECK_EQ(agpu_status_get_code(status), AGPU_STATUS_PROGRAM);
  CHECK_STR(agpu_status_get_message(status),
            "an asynchronous operation failed");
  agpu_status_release(status);
  mlirAsyncRuntimeDropRef(token, 1);
  mlirAsyncRuntimeDropRef(value, 1);
  check_reported(NULL);
}

/// A region that upstream's lowering compiled ends its results one by one.
static void fail_with_value(void *handle) {
  agpu_object **objects = handle;
  mlirAsyncRuntimeSetTokenError(objects[0]);
  mlirAsyncRuntimeSetValueError(objects[1]);
}

static void test_results_of_one_region_share_the_error(void) {
  agpu_object *objects[] = {mlirAsyncRuntimeCreateToken(),
                            mlirAsyncRuntimeCreateValue(8)};
  mlirAsyncRuntimeExecute(objects, fail_with_value);
  mlirAsyncRuntimeAwaitValue(objects[1]);
  __mlir_execution_engine_destroy();
  mlirAsyncRuntimeDropRef(objects[0], 1);
  mlirAsyncRuntimeDropRef(objects[1], 1);
  check_reported(NULL);
}

/// Failures that our lowering tells apart are told apart, also in one task.
static void test_two_failures_of_one_task_do_not_share(void) {
  agpu_object *seen = failed_token();
  agpu_object *unseen = failed_token();
  mlirAsyncRuntimeDropRef(unseen, 1);
  CHECK(agpu_object_is_error(seen));
  mlirAsyncRuntimeDropRef(seen, 1);
  check_reported("it broke");
}

/// Two regions do not share, whatever they say.
static void fail_like_another(void *token) {
  agpu_object_set_error(token, "assertion failed", "a.mlir:5:5");
}

static void test_two_regions_do_not_share(void) {
  for (int i = 0; i < 2; ++i) {
    agpu_object *token = mlirAsyncRuntimeCreateToken();
    if (i == 1)
      mlirAsyncRuntimeDropRef(token, 1); // no one looks at the second
    mlirAsyncRuntimeExecute(token, fail_like_another);
    if (i == 0) {
      mlirAsyncRuntimeAwaitToken(token);
      mlirAsyncRuntimeDropRef(token, 1);
    }
  }
}

static void test_misuse_is_reported(void) {
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  mlirAsyncRuntimeEmplaceToken(token);
  mlirAsyncRuntimeEmplaceToken(token);
  check_reported("a token or value was made ready twice");
  agpu_object_set_error(token, "late", NULL);
  CHECK(!agpu_object_is_error(token));
  check_reported("a token or value failed after it had ended");
  mlirAsyncRuntimeDropRef(token, 1);
}

int main(void) {
  test_set_error();
  test_out_of_memory(4096, AGPU_STATUS_OUT_OF_RESOURCES,
                     "allocation of 4096 bytes on the host: out of memory");
  test_out_of_memory(INT64_MAX, AGPU_STATUS_INVALID_ARGUMENT,
                     "a memref larger than the address space");
  test_forwarded_errors_are_the_same();
  test_unobserved();
  test_an_unobserved_group();
  test_awaited_is_observed();
  test_what_a_region_observes();
  test_early_looks_do_not_count();
  test_errors_without_message();
  test_misuse_is_reported();
  test_results_of_one_region_share_the_error();
  test_two_failures_of_one_task_do_not_share();
  // An error of a task, dropped without a look: the shutdown's status.
  test_two_regions_do_not_share();
  check_end("assertion failed");
  return 0;
}
