//===- crash.c - A word before the end ------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A crash in a pass of LLVM's is reported with the pass and the function that
// it was at, once, and handlers of other signals stay what they were.
//
//===----------------------------------------------------------------------===//

#include "crash.h"

#include "lower/pass/progress.h"

#include "check.h"

#include "llvm-c/Core.h"
#include "llvm-c/IRReader.h"
#include "llvm-c/Transforms/PassBuilder.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/// Runs a pass whose purpose is to crash.
static void crash_in_llvm(void) {
  static const char ir[] = "define i32 @main() {\n  ret i32 0\n}\n";
  LLVMContextRef context = LLVMContextCreate();
  LLVMMemoryBufferRef text =
      LLVMCreateMemoryBufferWithMemoryRangeCopy(ir, strlen(ir), "ir");
  LLVMModuleRef module;
  char *message;
  CHECK(!LLVMParseIRInContext(context, text, &module, &message));
  (void)agpu__progress_set("LLVM optimised the program");
  LLVMRunPasses(module, "trigger-crash-function", NULL,
                LLVMCreatePassBuilderOptions());
}

int main(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  printf("skipped: sanitizers report crashes themselves\n");
  return 77;
#endif
  int ends[2];
  CHECK(!pipe(ends));
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    (void)signal(SIGINT, SIG_IGN);
    agpu__crash_watch("tool");
    struct sigaction action;
    CHECK(!sigaction(SIGINT, NULL, &action));
    CHECK(action.sa_handler == SIG_IGN);
    agpu__crash_set_input("x.mlir");
    (void)dup2(ends[1], STDERR_FILENO);
    crash_in_llvm();
    _exit(0);
  }
  (void)close(ends[1]);
  char text[4096];
  size_t used = 0;
  ssize_t got;
  while ((got = read(ends[0], text + used, sizeof(text) - 1 - used)) > 0)
    used += (size_t)got;
  text[used] = '\0';
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
  CHECK(strstr(text, "x.mlir: error: the compiler crashed (SIG") == text);
  CHECK(strstr(text, ") while LLVM optimised the program, in LLVM's pass "
                     "\"trigger-crash-function\" on function \"main\"; this "
                     "is a defect of tool or of the LLVM that it uses"));
  CHECK(strchr(text, '\n') == text + used - 1);
  return 0;
}
