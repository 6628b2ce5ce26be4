//===- status.c - Statuses and who has seen them ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "async_gpu/status.h"
#include "base/report/status_track.h"
#include "check.h"

static void test_contents(void) {
  agpu_status status = agpu_status_create(AGPU_STATUS_DRIVER, "a.mlir:3:7",
                                          "%s failed with %d", "cuThing", 7);
  CHECK_EQ(agpu_status_get_code(status), AGPU_STATUS_DRIVER);
  CHECK_STR(agpu_status_get_message(status), "cuThing failed with 7");
  CHECK_STR(agpu_status_get_location(status), "a.mlir:3:7");
  CHECK(agpu_status_retain(status) == status);
  agpu_status_release(status);
  CHECK_STR(agpu_status_get_message(status), "cuThing failed with 7");
  agpu_status_release(status);
}

static void test_success(void) {
  CHECK_EQ(agpu_status_get_code(AGPU_OK), AGPU_STATUS_OK);
  CHECK_STR(agpu_status_get_message(AGPU_OK), "ok");
  CHECK_STR(agpu_status_get_location(AGPU_OK), "");
  CHECK(agpu_status_retain(AGPU_OK) == AGPU_OK);
  agpu_status_release(AGPU_OK);
}

static void test_location_is_optional(void) {
  agpu_status status = agpu_status_create(AGPU_STATUS_PROGRAM, NULL, "x");
  CHECK_STR(agpu_status_get_location(status), "");
  agpu_status_release(status);
}

static void test_untracked_errors_are_the_callers(void) {
  agpu_status_release(agpu_status_create(AGPU_STATUS_PROGRAM, NULL, "x"));
  CHECK(!agpu__status_take_reported());
}

static void test_observed_errors_are_not_reported(void) {
  agpu_status status = agpu_status_create(AGPU_STATUS_PROGRAM, NULL, "x");
  agpu__status_track(status);
  agpu__status_observe(status);
  agpu_status_release(status);
  CHECK(!agpu__status_take_reported());
}

static void test_first_unobserved_error_is_reported(void) {
  agpu_status first = agpu_status_create(AGPU_STATUS_PROGRAM, NULL, "first");
  agpu__status_track(agpu_status_retain(first));
  agpu_status second = agpu_status_create(AGPU_STATUS_PROGRAM, NULL, "second");
  agpu__status_track(second);
  agpu_status_release(first);
  CHECK(!agpu__status_take_reported()); // one reference is left
  agpu_status_release(first);
  agpu_status_release(second);
  agpu_status reported = agpu__status_take_reported();
  CHECK_STR(agpu_status_get_message(reported), "first");
  agpu_status_release(reported);
  CHECK(!agpu__status_take_reported());
}

int main(void) {
  test_contents();
  test_success();
  test_location_is_optional();
  test_untracked_errors_are_the_callers();
  test_observed_errors_are_not_reported();
  test_first_unobserved_error_is_reported();
  return 0;
}
