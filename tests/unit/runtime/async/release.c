//===- release.c - Objects that are released too often --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One release too many is an error of the program, and nothing else is harmed
// by it: neither other owners of the object, nor the next owner of its memory.
// Each case is a process.
//
//===----------------------------------------------------------------------===//

#include "helpers.h"

/// More than there are.
static void release_three_of_two(void) {
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  mlirAsyncRuntimeDropRef(token, 3);
  mlirAsyncRuntimeEmplaceToken(token);
  mlirAsyncRuntimeAwaitToken(token);
  mlirAsyncRuntimeDropRef(token, 1);
}

static void release_group_with_members(void) {
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  agpu_object *group = mlirAsyncRuntimeCreateGroup(1);
  mlirAsyncRuntimeAddTokenToGroup(token, group);
  mlirAsyncRuntimeDropRef(group, 1);
  mlirAsyncRuntimeDropRef(group, 1);
  mlirAsyncRuntimeEmplaceToken(token);
  mlirAsyncRuntimeDropRef(token, 1);
}

#ifndef __SANITIZE_ADDRESS__ // which knows what has been freed

/// Two objects that are created now are two objects.
static void check_memory(void) {
  agpu_object *one = mlirAsyncRuntimeCreateToken();
  agpu_object *two = mlirAsyncRuntimeCreateToken();
  CHECK(one != two);
  mlirAsyncRuntimeDropRef(one, 2);
  mlirAsyncRuntimeDropRef(two, 2);
}

static void release_token_again(void) {
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  mlirAsyncRuntimeEmplaceToken(token);
  mlirAsyncRuntimeDropRef(token, 1);
  mlirAsyncRuntimeDropRef(token, 1);
  check_memory();
}

static void release_value_again(void) {
  agpu_object *value = mlirAsyncRuntimeCreateValue(64);
  mlirAsyncRuntimeDropRef(value, 2);
  mlirAsyncRuntimeDropRef(value, 2);
  check_memory();
}

static void release_group_again(void) {
  agpu_object *group = mlirAsyncRuntimeCreateGroup(0);
  mlirAsyncRuntimeDropRef(group, 1);
  mlirAsyncRuntimeDropRef(group, 1);
  check_memory();
}

/// It lies behind the part of its block that lists of free ones use.
static void release_result_again(void) {
  agpu_object *value = agpu_task_create_value(8, 40, 8);
  agpu_object_emplace_last(value);
  agpu_task_free_frame(value);
  mlirAsyncRuntimeDropRef(value, 1);
  mlirAsyncRuntimeDropRef(value, 1);
  check_memory();
}

#endif

static void check_refused(void (*body)(void), const char *kind) {
  char expected[128];
  (void)snprintf(expected, sizeof(expected),
                 "error: %s was released more often than retained\n", kind);
  check_child(body, 1, expected);
}

int main(void) {
  check_refused(release_three_of_two, "a token");
  check_refused(release_group_with_members, "a group");
#ifndef __SANITIZE_ADDRESS__
  check_refused(release_token_again, "a token");
  check_refused(release_value_again, "a value");
  check_refused(release_group_again, "a group");
  check_refused(release_result_again, "a value");
#endif
  return 0;
}
