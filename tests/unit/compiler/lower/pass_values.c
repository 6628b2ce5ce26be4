//===- pass_values.c - Option values of one use of a pass -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defaults, every form of a value, and every way to get one wrong.
//
//===----------------------------------------------------------------------===//

#include "lower/pass/pipeline.h"

#include "check.h"

static const agpu_pass_option options[] = {
    {"flag", AGPU_OPTION_BOOL, "false", "A flag."},
    {"count", AGPU_OPTION_INT, "7", "A number."},
    {"name", AGPU_OPTION_STRING, "none", "A text."},
    {"mode", AGPU_OPTION_WORD, "fast|exact|off", "A word."},
};
enum { OPTION_COUNT = sizeof(options) / sizeof(*options) };

static void check_values(const char *text, bool flag, int64_t count,
                         const char *name) {
  agpu__text error = {0};
  agpu_pass_values *values =
      agpu__pass_values_create("pass", options, OPTION_COUNT, text, &error);
  CHECK_STR(agpu__text_get(&error), "");
  agpu_pass_values *clone = agpu__pass_values_clone(values);
  agpu__pass_values_release(values);
  CHECK_EQ(agpu__pass_value_bool(clone, "flag"), flag);
  CHECK_EQ(agpu__pass_value_int(clone, "count"), count);
  CHECK_STR(agpu__pass_value_string(clone, "name"), name);
  agpu__pass_values_release(clone);
}

static void check_error(const char *text, const char *message) {
  agpu__text error = {0};
  CHECK(!agpu__pass_values_create("pass", options, OPTION_COUNT, text, &error));
  CHECK_STR(agpu__text_get(&error), message);
  agpu__text_free(&error);
}

int main(void) {
  check_values(NULL, false, 7, "none");
  check_values("", false, 7, "none");
  check_values("  ", false, 7, "none");
  check_values("flag", true, 7, "none");
  check_values("flag=true count=12 name=x", true, 12, "x");
  check_values(" name=a,b,c  flag=1 ", true, 7, "a,b,c");
  check_values("flag=true flag=0", false, 7, "none");
  check_values("name=", false, 7, "");
  check_values("name={} count=1", false, 1, "");
  check_values("name={a b} count=1", false, 1, "a b");
  check_values("name=\"a } b\" count=1", false, 1, "a } b");
  check_values("name='it is' count=1", false, 1, "it is");
  check_values("name=f(a b)[c d]", false, 7, "f(a b)[c d]");
  check_values("name=a=b", false, 7, "a=b");
  check_values("count=9223372036854775807", false, INT64_MAX, "none");

  check_error("fla", "pass: no such option 'fla', did you mean 'flag'?");
  check_error("other", "pass: no such option 'other'; its options are 'flag', "
                       "'count', 'name', 'mode'");
  check_error("=1", "pass: no such option ''; its options are 'flag', "
                    "'count', 'name', 'mode'");
  check_error("flag=yes", "pass: option 'flag' is true or false, not 'yes'");
  check_error("flag=", "pass: option 'flag' is true or false, not ''");
  check_error("count",
              "pass: option 'count' is a decimal integer, 0 or more, not ''");
  check_error("count=",
              "pass: option 'count' is a decimal integer, 0 or more, not ''");
  check_error("count=1x",
              "pass: option 'count' is a decimal integer, 0 or more, not '1x'");
  check_error("count=9223372036854775808",
              "pass: option 'count' is a decimal integer, 0 or more, not "
              "'9223372036854775808'");
  check_error(
      "count=-12",
      "pass: option 'count' is a decimal integer, 0 or more, not '-12'");
  for (const char *bad = "mode=exac\0mode=exactly\0mode=fast|exact\0mode=\0";
       *bad; bad += strlen(bad) + 1) {
    char *message = agpu__format(
        "pass: option 'mode' is fast, exact or off, not '%s'", bad + 5);
    check_error(bad, message);
    free(message);
  }
  check_error("mode", "pass: option 'mode' is fast, exact or off, not ''");
  check_error("name", "pass: option 'name' needs a value, as in 'name=...'");
  check_error("name={a", "pass: unbalanced brace or quote in option 'name'");
  check_error("name=a}", "pass: unbalanced brace or quote in option 'name'");
  check_error("name='a", "pass: unbalanced brace or quote in option 'name'");

  agpu__text error = {0};
  CHECK(!agpu__pass_values_create("pass", NULL, 0, "x", &error));
  CHECK_STR(agpu__text_get(&error),
            "pass: no such option 'x'; it has no options");
  agpu__text_free(&error);
  agpu__pass_values_release(NULL);
  return 0;
}
