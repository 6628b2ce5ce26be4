//===- tree_errors.c - Files of the IR that could not be written ---------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream prints that a file of --mlir-print-ir-tree-dir cannot be written,
// and goes on. So a child process reads what is printed, passes
// it on, and its exit status says whether such a line was among it. A process
// and no thread: what was printed before a crash still comes out.
//
//===----------------------------------------------------------------------===//

#include "tree_errors.h"

#include "command_line.h"

#include "lower/ir/llvm_compat.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STATUS_FOUND = 1, LINE = 128 };

static struct {
  pid_t child;    ///< 0: none
  int own_stderr; ///< a copy of standard error
} self;

/// Passes on what comes out of `from`, to its end. True if there was a line
/// about a file that could not be written.
static bool pass_on(int from) {
  char text[4096], line[LINE + 1];
  size_t length = 0;
  bool found = false;
  for (ssize_t size; (size = read(from, text, sizeof(text))) != 0;) {
    if (size < 0 && errno != EINTR)
      return found;
    for (ssize_t i = 0; i < size; ++i) {
      if (length < LINE)
        line[length++] = text[i];
      line[length] = '\0';
      if (text[i] != '\n')
        continue;
      found = found || agpu__compat_is_lost_file(line);
      length = 0;
    }
    for (ssize_t done = 0, written; done < size; done += written)
      if ((written =
               write(STDERR_FILENO, text + done, (size_t)(size - done))) <= 0)
        break; // nobody reads it
  }
  return found;
}

bool agpu__tree_errors_begin(const char *tool) {
  int ends[2];
  if (pipe(ends) != 0) {
    agpu__tool_error(tool, "cannot make a pipe: %s", strerror(errno));
    return false;
  }
  self.own_stderr = dup(STDERR_FILENO);
  self.child = _Fork();
  if (self.child == 0) {
    // Of an interrupt the tool has more to say.
    (void)signal(SIGINT, SIG_IGN);
    (void)close(ends[1]);
    (void)close(STDIN_FILENO);
    (void)close(STDOUT_FILENO);
    _exit(pass_on(ends[0]) ? STATUS_FOUND : 0);
  }
  (void)close(ends[0]);
  bool ok = self.child > 0 && self.own_stderr >= 0 &&
            dup2(ends[1], STDERR_FILENO) >= 0;
  if (!ok)
    agpu__tool_error(tool, "cannot watch standard error: %s", strerror(errno));
  (void)close(ends[1]);
  return ok;
}

bool agpu__tree_errors_end(const char *tool) {
  if (self.child <= 0)
    return true;
  int status = 0;
  (void)dup2(self.own_stderr, STDERR_FILENO);
  (void)close(self.own_stderr);
  while (waitpid(self.child, &status, 0) < 0 && errno == EINTR)
    ;
  self.child = 0;
  if (status == 0)
    return true;
  agpu__tool_error(tool, "some files of --mlir-print-ir-tree-dir could not be "
                         "written: see above");
  return false;
}
