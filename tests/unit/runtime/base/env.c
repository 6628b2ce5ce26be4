//===- env.c - Settings from the environment ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "base/report/env.h"
#include "check.h"

#include <stdbool.h>

static const char *const words[] = {"auto", "cuda", "emu"};

static void check_refused(agpu_status status, const char *message) {
  CHECK_EQ(agpu_status_get_code(status), AGPU_STATUS_INVALID_ARGUMENT);
  CHECK_STR(agpu_status_get_message(status), message);
  agpu_status_release(status);
}

static void test_integers(void) {
  int64_t value = 0;
  unsetenv("AGPU_TEST");
  CHECK(!agpu__env_get_integer("AGPU_TEST", false, 1, 8, 5, &value));
  CHECK_EQ(value, 5);
  setenv("AGPU_TEST", "", 1);
  CHECK(!agpu__env_get_integer("AGPU_TEST", false, 1, 8, 5, &value));
  CHECK_EQ(value, 5);
  setenv("AGPU_TEST", "8", 1);
  CHECK(!agpu__env_get_integer("AGPU_TEST", false, 1, 8, 5, &value));
  CHECK_EQ(value, 8);
  setenv("AGPU_TEST", "-3", 1);
  CHECK(!agpu__env_get_integer("AGPU_TEST", false, -8, 8, 5, &value));
  CHECK_EQ(value, -3);

  static const char *const refused[] = {
      "0", "9", "x", "8x", " 8", "8 ", "1e1", "99999999999999999999"};
  for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); ++i) {
    char message[128];
    snprintf(message, sizeof(message),
             "AGPU_TEST is \"%s\"; expected an integer from 1 to 8",
             refused[i]);
    setenv("AGPU_TEST", refused[i], 1);
    check_refused(agpu__env_get_integer("AGPU_TEST", false, 1, 8, 5, &value),
                  message);
    CHECK_EQ(value, 5);
  }
}

/// 2^30, 2^13 and 2^40; what is no suffix, or too much.
static void test_sizes(void) {
  static const struct {
    const char *text;
    int64_t value; ///< 0: it is refused
  } sizes[] = {{"1G", 1073741824},
               {"8k", 8192},
               {"1T", 1099511627776},
               {"3M", 3145728},
               {"17", 17},
               {"1KB", 0},
               {"G", 0},
               {"1 G", 0},
               {"1P", 0},
               {"9000000000000T", 0}};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
    setenv("AGPU_TEST", sizes[i].text, 1);
    int64_t value = -1;
    agpu_status status =
        agpu__env_get_integer("AGPU_TEST", true, 1, INT64_MAX, 5, &value);
    CHECK_EQ(!status, sizes[i].value != 0);
    CHECK_EQ(value, sizes[i].value ? sizes[i].value : 5);
    agpu_status_release(status);
  }
  setenv("AGPU_TEST", "2K", 1);
  int64_t value;
  check_refused(
      agpu__env_get_integer("AGPU_TEST", true, 1, 2047, 5, &value),
      "AGPU_TEST is \"2K\"; expected an integer from 1 to 2047, which K, M, G "
      "or T may follow");
}

/// What is on or off is so by 1 and 0, too; what is not is not.
static void test_switches(void) {
  static const char *const states[] = {"on", "off"};
  int index = -1;
  setenv("AGPU_TEST", "0", 1);
  CHECK(!agpu__env_get_choice("AGPU_TEST", states, 2, 0, &index));
  CHECK_EQ(index, 1);
  setenv("AGPU_TEST", "1", 1);
  CHECK(!agpu__env_get_choice("AGPU_TEST", states, 2, 0, &index));
  CHECK_EQ(index, 0);
  check_refused(agpu__env_get_choice("AGPU_TEST", words, 3, 0, &index),
                "AGPU_TEST is \"1\"; expected auto, cuda or emu");
}

static void test_choices(void) {
  int index = -1;
  unsetenv("AGPU_TEST");
  CHECK(!agpu__env_get_choice("AGPU_TEST", words, 3, 0, &index));
  CHECK_EQ(index, 0);
  setenv("AGPU_TEST", "emu", 1);
  CHECK(!agpu__env_get_choice("AGPU_TEST", words, 3, 0, &index));
  CHECK_EQ(index, 2);
  setenv("AGPU_TEST", "em", 1);
  check_refused(agpu__env_get_choice("AGPU_TEST", words, 3, 0, &index),
                "AGPU_TEST is \"em\"; expected auto, cuda or emu; did you mean "
                "\"emu\"?");
  CHECK_EQ(index, 0);
  setenv("AGPU_TEST", "CUDA", 1);
  check_refused(agpu__env_get_choice("AGPU_TEST", words, 3, 0, &index),
                "AGPU_TEST is \"CUDA\"; expected auto, cuda or emu; did you "
                "mean \"cuda\"?");
  setenv("AGPU_TEST", "gpu", 1);
  check_refused(agpu__env_get_choice("AGPU_TEST", words, 3, 0, &index),
                "AGPU_TEST is \"gpu\"; expected auto, cuda or emu");
}

static bool is_near(const char *word, const char *expected) {
  const char *near = agpu__env_find_near(words, 3, word, strlen(word));
  return expected ? near && strcmp(near, expected) == 0 : !near;
}

/// One letter more, less or other; two letters in the other order; the start of
/// what follows.
static void test_near(void) {
  CHECK(is_near("autos", "auto"));
  CHECK(is_near("uto", "auto"));
  CHECK(is_near("cuba", "cuda"));
  CHECK(is_near("cdua", "cuda"));
  CHECK(is_near("mu", "emu"));
  CHECK(is_near("", NULL));
  CHECK(is_near("device", NULL));
  CHECK(agpu__env_find_near(words, 3, "cud,emu", 3) == words[1]);
}

static void test_sets(void) {
  uint32_t mask = 1;
  unsetenv("AGPU_TEST");
  CHECK(!agpu__env_get_set("AGPU_TEST", words, 3, &mask));
  CHECK_EQ(mask, 0);
  setenv("AGPU_TEST", "emu,auto", 1);
  CHECK(!agpu__env_get_set("AGPU_TEST", words, 3, &mask));
  CHECK_EQ(mask, 5);
  setenv("AGPU_TEST", "cuda,", 1);
  check_refused(agpu__env_get_set("AGPU_TEST", words, 3, &mask),
                "AGPU_TEST is \"cuda,\"; expected a comma-separated list of "
                "auto, cuda or emu");
  CHECK_EQ(mask, 2);
}

int main(void) {
  test_integers();
  test_sizes();
  test_switches();
  test_choices();
  test_near();
  test_sets();
  return 0;
}
