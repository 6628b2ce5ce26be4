//===- llvm_guard_test.c - Fatal errors of LLVM, inside and out -----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include "gpu/ptx/ptx.h"

#include "llvm-c/Analysis.h"
#include "llvm-c/Core.h"

#include <stdbool.h>

/// The linker puts these between the guard and LLVM, which may have no
/// assertions.
void __real_LLVMInstallFatalErrorHandler(LLVMFatalErrorHandler handler);
void __real_LLVMResetFatalErrorHandler(void);
void __wrap_LLVMInstallFatalErrorHandler(LLVMFatalErrorHandler handler);
void __wrap_LLVMResetFatalErrorHandler(void);

static bool installed;

void __wrap_LLVMInstallFatalErrorHandler(LLVMFatalErrorHandler handler) {
  CHECK(!installed);
  installed = true;
  __real_LLVMInstallFatalErrorHandler(handler);
}

void __wrap_LLVMResetFatalErrorHandler(void) {
  installed = false;
  __real_LLVMResetFatalErrorHandler();
}

static void do_nothing(void *data) { ++*(int *)data; }

/// A function without a block's end, on which LLVM gives up.
static void fail(void *data) {
  (void)data;
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("broken", context);
  LLVMTypeRef type =
      LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false);
  LLVMAppendBasicBlockInContext(context, LLVMAddFunction(module, "f", type),
                                "entry");
  LLVMVerifyModule(module, LLVMAbortProcessAction, NULL);
}

/// The test has passed when this is reached at the end.
static int expected;

static void end(const char *reason) {
  CHECK(strstr(reason, "Broken module"));
  CHECK(expected);
  _Exit(0);
}

int main(void) {
  agpu__llvm_on_fatal_error(end);
  int calls = 0;
  agpu__text error = {0};
  CHECK(agpu__llvm_guard(do_nothing, &calls, &error));
  CHECK_EQ(calls, 1);
  CHECK_EQ(error.size, 0);
  // Inside it is a message, twice,
  for (int i = 0; i < 2; ++i) {
    CHECK(!agpu__llvm_guard(fail, NULL, &error));
    CHECK(strstr(agpu__text_get(&error), "Broken module"));
    agpu__text_free(&error);
  }
  // and outside what the program has said.
  expected = 1;
  fail(NULL);
  return 1;
}
