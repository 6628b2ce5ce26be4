//===- void_main.c - A program whose main returns nothing ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To be linked with --wrap=main into a program whose `func.func @main()` has no
// result, which would otherwise leave the exit status to chance.
//
//===----------------------------------------------------------------------===//

void __real_main(void); // NOLINT: the linker's names
int __wrap_main(void);  // NOLINT

int __wrap_main(void) { // NOLINT
  __real_main();
  return 0;
}
