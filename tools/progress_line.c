//===- progress_line.c - What takes so long -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A signal handler writes the line, on the thread that compiles: what that does
// is known there alone (lower/pass/progress.h).
//
//===----------------------------------------------------------------------===//

#include "progress_line.h"

#include "lower/pass/progress.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { FIRST = 2, LENGTH = 78 };

// Written before the signal can come, or one word at a time.
static const char *volatile tool_name, *volatile activity;
static volatile sig_atomic_t seconds, is_shown;
static bool is_begun;
static struct sigaction action_before;

/// Appends as much of `text` as there is room for.
static size_t append(char *line, size_t used, const char *text) {
  while (*text && used < LENGTH)
    line[used++] = *text++;
  return used;
}

static void show(int number) {
  (void)number;
  int before = errno;
  seconds = seconds < FIRST ? FIRST : seconds + 1;
  char digits[12], *at = digits + sizeof(digits);
  *--at = '\0';
  for (int rest = seconds; rest; rest /= 10)
    *--at = (char)('0' + rest % 10);
  const char *pass = agpu__progress_get_pass();
  char line[LENGTH + 8] = "\r\033[K";
  size_t used = append(line, strlen(line), tool_name);
  used = append(line, used, ": ");
  used = append(line, used, at);
  used = append(line, used, " s, ");
  used = append(line, used, pass ? pass : activity);
  line[used++] = '\r';
  is_shown = 1;
  (void)!write(STDERR_FILENO, line, used);
  errno = before;
}

static void set_timer(int first) {
  struct itimerval each = {.it_value = {.tv_sec = first},
                           .it_interval = {.tv_sec = first ? 1 : 0}};
  (void)setitimer(ITIMER_REAL, &each, NULL);
}

void agpu__progress_line_begin(const char *tool, const char *reads) {
  const char *terminal = secure_getenv("TERM");
  bool types = strcmp(reads, "-") == 0 && isatty(STDIN_FILENO);
  if (types || !isatty(STDERR_FILENO) || !terminal ||
      strcmp(terminal, "dumb") == 0)
    return;
  tool_name = tool;
  activity = "reading";
  struct sigaction action = {.sa_handler = show, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  is_begun = sigaction(SIGALRM, &action, &action_before) == 0;
  if (is_begun)
    set_timer(FIRST);
}

void agpu__progress_line_set(const char *what) { activity = what; }

void agpu__progress_line_clear(void) {
  static const char clear[] = "\r\033[K";
  if (!is_shown)
    return;
  set_timer(1); // not in the middle of what is printed now
  is_shown = 0;
  (void)!write(STDERR_FILENO, clear, sizeof(clear) - 1);
}

void agpu__progress_line_end(void) {
  if (!is_begun)
    return;
  agpu__progress_line_clear();
  set_timer(0); // which clearing sets
  (void)sigaction(SIGALRM, &action_before, NULL);
  is_begun = false;
}
