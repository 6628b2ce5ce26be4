//===- llvm_loops.h - Loops over LLVM IR -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Over the functions of a module, the blocks of a function, the instructions of
// a block. What a round is about stays where it is: the next one is found from
// it.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_LLVM_LOOPS_H
#define ASYNC_GPU_LOWER_LLVM_LOOPS_H

#include "llvm-c/Core.h"

#define AGPU__FUNCTIONS_FOREACH(function, module)                              \
  for (LLVMValueRef function = LLVMGetFirstFunction(module); function;         \
       function = LLVMGetNextFunction(function))
#define AGPU__BASIC_BLOCKS_FOREACH(block, function)                            \
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;      \
       block = LLVMGetNextBasicBlock(block))
#define AGPU__INSTRUCTIONS_FOREACH(op, block)                                  \
  for (LLVMValueRef op = LLVMGetFirstInstruction(block); op;                   \
       op = LLVMGetNextInstruction(op))

#endif // ASYNC_GPU_LOWER_LLVM_LOOPS_H
