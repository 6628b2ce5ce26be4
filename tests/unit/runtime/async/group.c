//===- group.c - Groups -------------------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "helpers.h"

#include <pthread.h>

static void test_empty(void) {
  agpu_object *group = mlirAsyncRuntimeCreateGroup(0);
  CHECK(agpu_object_is_ready(group));
  mlirAsyncRuntimeAwaitAllInGroup(group);
  CHECK(!mlirAsyncRuntimeIsGroupError(group));
  mlirAsyncRuntimeDropRef(group, 1);
}

static void test_tokens_and_values(void) {
  agpu_object *group = mlirAsyncRuntimeCreateGroup(3);
  agpu_object *ready = mlirAsyncRuntimeCreateToken();
  mlirAsyncRuntimeEmplaceToken(ready);
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  agpu_object *value = mlirAsyncRuntimeCreateValue(4);
  CHECK_EQ(mlirAsyncRuntimeAddTokenToGroup(ready, group), 0);
  CHECK_EQ(mlirAsyncRuntimeAddTokenToGroup(token, group), 1);
  CHECK_EQ(mlirAsyncRuntimeAddTokenToGroup(value, group), 2);
  atomic_int resumed = 0;
  for (int i = 0; i < 2; ++i)
    mlirAsyncRuntimeAwaitAllInGroupAndExecute(group, &resumed, count_up);
  mlirAsyncRuntimeEmplaceValue(value);
  CHECK(!agpu_object_is_ready(group));
  mlirAsyncRuntimeEmplaceToken(token);
  CHECK(agpu_object_is_ready(group));
  CHECK(!mlirAsyncRuntimeIsGroupError(group));
  check_reaches(&resumed, 2);
  mlirAsyncRuntimeDropRef(ready, 1);
  mlirAsyncRuntimeDropRef(token, 1);
  mlirAsyncRuntimeDropRef(value, 1);
  mlirAsyncRuntimeDropRef(group, 1);
}

/// The caller may drop everything before the members complete.
static void test_members_keep_the_group(void) {
  agpu_object *group = mlirAsyncRuntimeCreateGroup(2);
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  mlirAsyncRuntimeAddTokenToGroup(token, group);
  mlirAsyncRuntimeDropRef(group, 1);
  mlirAsyncRuntimeDropRef(token, 1);
  mlirAsyncRuntimeEmplaceToken(token);
}

static void test_first_error_is_the_groups(void) {
  agpu_object *group = mlirAsyncRuntimeCreateGroup(3);
  agpu_object *tokens[3];
  for (int i = 0; i < 3; ++i) {
    tokens[i] = mlirAsyncRuntimeCreateToken();
    mlirAsyncRuntimeAddTokenToGroup(tokens[i], group);
    mlirAsyncRuntimeDropRef(tokens[i], 1);
  }
  agpu_object_set_error(tokens[1], "first", "a.mlir:1:1");
  CHECK(mlirAsyncRuntimeIsGroupError(group)); // before it is complete
  CHECK(!agpu_object_is_ready(group));
  agpu_object_set_error(tokens[0], "second", "a.mlir:2:2");
  mlirAsyncRuntimeEmplaceToken(tokens[2]);
  CHECK(agpu_object_is_ready(group));
  agpu_status status = agpu_object_get_status(group);
  CHECK_STR(agpu_status_get_message(status), "first");
  CHECK_STR(agpu_status_get_location(status), "a.mlir:1:1");
  agpu_status_release(status);
  mlirAsyncRuntimeDropRef(group, 1);
}

static void check_status(agpu_object *group, const char *message) {
  agpu_status status = agpu_object_get_status(group);
  CHECK_EQ(agpu_status_get_code(status), AGPU_STATUS_INVALID_ARGUMENT);
  CHECK_STR(agpu_status_get_message(status), message);
  agpu_status_release(status);
}

static void test_too_many_members(void) {
  agpu_object *group = mlirAsyncRuntimeCreateGroup(1);
  agpu_object *first = mlirAsyncRuntimeCreateToken();
  agpu_object *second = mlirAsyncRuntimeCreateToken();
  CHECK_EQ(mlirAsyncRuntimeAddTokenToGroup(first, group), 0);
  CHECK_EQ(mlirAsyncRuntimeAddTokenToGroup(second, group), 1);
  CHECK(mlirAsyncRuntimeIsGroupError(group));
  check_status(group, "a group created for 1 members was given 2");
  mlirAsyncRuntimeEmplaceToken(first);
  mlirAsyncRuntimeAwaitAllInGroup(group);
  mlirAsyncRuntimeEmplaceToken(second);
  mlirAsyncRuntimeDropRef(first, 1);
  mlirAsyncRuntimeDropRef(second, 1);
  mlirAsyncRuntimeDropRef(group, 1);
}

static void test_a_member_after_the_end(void) {
  agpu_object *group = mlirAsyncRuntimeCreateGroup(0);
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  mlirAsyncRuntimeEmplaceToken(token);
  mlirAsyncRuntimeAddTokenToGroup(token, group);
  check_status(group, "a group created for 0 members was given 1");
  mlirAsyncRuntimeDropRef(token, 1);
  mlirAsyncRuntimeDropRef(group, 1);
}

static void test_negative_size(void) {
  agpu_object *group = mlirAsyncRuntimeCreateGroup(-2);
  mlirAsyncRuntimeAwaitAllInGroup(group);
  check_status(group, "a group was created for -2 members");
  mlirAsyncRuntimeDropRef(group, 1);
}

#define MEMBERS 5000

static void emplace(void *token) { mlirAsyncRuntimeEmplaceToken(token); }

static void *await_group(void *group) {
  mlirAsyncRuntimeAwaitAllInGroup(group);
  return NULL;
}

static void test_many_members_and_threads(void) {
  agpu_object *group = mlirAsyncRuntimeCreateGroup(MEMBERS);
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i)
    CHECK(pthread_create(&threads[i], NULL, await_group, group) == 0);
  for (int i = 0; i < MEMBERS; ++i) {
    agpu_object *token = mlirAsyncRuntimeCreateToken();
    mlirAsyncRuntimeExecute(token, emplace);
    CHECK_EQ(mlirAsyncRuntimeAddTokenToGroup(token, group), i);
    mlirAsyncRuntimeDropRef(token, 1);
  }
  mlirAsyncRuntimeAwaitAllInGroup(group);
  for (int i = 0; i < 3; ++i)
    pthread_join(threads[i], NULL);
  mlirAsyncRuntimeDropRef(group, 1);
}

/// By a caller with a reference of its own: members that are ready, that are
/// not, that have failed, and one too many.
static void test_owned(void) {
  agpu_object *group = mlirAsyncRuntimeCreateGroup(4);
  agpu_object *pending = mlirAsyncRuntimeCreateToken();
  CHECK_EQ(agpu_group_add(group, &agpu_ready_token), 0);
  CHECK_EQ(agpu_group_add(group, pending), 1);
  CHECK_EQ(agpu_group_add(group, &agpu_ready_token), 2);
  mlirAsyncRuntimeEmplaceToken(pending);
  CHECK(!agpu_object_is_ready(group));
  CHECK_EQ(agpu_group_add(group, pending), 3);
  CHECK(agpu_object_is_ready(group));
  CHECK(!mlirAsyncRuntimeIsGroupError(group));
  CHECK_EQ(agpu_group_add(group, &agpu_ready_token), 4);
  check_status(group, "a group created for 4 members was given 5");
  mlirAsyncRuntimeDropRef(pending, 1);
  mlirAsyncRuntimeDropRef(group, 1);

  group = mlirAsyncRuntimeCreateGroup(2);
  agpu_object *failed = mlirAsyncRuntimeCreateToken();
  agpu_object_set_error(failed, "why", "a.mlir:1:1");
  CHECK_EQ(agpu_group_add(group, &agpu_ready_token), 0);
  CHECK_EQ(agpu_group_add(group, failed), 1);
  CHECK(agpu_object_is_ready(group));
  CHECK(mlirAsyncRuntimeIsGroupError(group));
  mlirAsyncRuntimeDropRef(failed, 1);
  mlirAsyncRuntimeDropRef(group, 1);
}

int main(void) {
  test_empty();
  test_tokens_and_values();
  test_members_keep_the_group();
  test_first_error_is_the_groups();
  test_too_many_members();
  test_a_member_after_the_end();
  test_negative_size();
  test_many_members_and_threads();
  test_owned();
  check_end(NULL);
  return 0;
}
