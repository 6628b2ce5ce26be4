//===- copies.c - Copies by the GPU as host code -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asynchronous copies and bulk stores: what they move is moved at once, so that
// there is nothing to wait for.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/instructions/writers.h"

/// Operands: target, source, and how many bytes to copy if not all; zeros are
/// stored for the rest. The copy is over at once, so that nothing is left to
/// wait for.
void agpu__write_copy(agpu__text *text, MlirOperation op) {
  long long bytes = agpu__number_of(op, "size");
  agpu__text_printf(text, "  %%bytes = llvm.mlir.constant(%lld : i64) : i64\n",
                    bytes);
  if (mlirOperationGetNumOperands(op) == 3)
    agpu__text_puts(
        text, "  %zero = llvm.mlir.constant(0 : i8) : i8\n"
              "  \"llvm.intr.memset\"(%a0, %zero, %bytes) <{isVolatile = "
              "false}> : (!llvm.ptr<3>, i8, i64) -> ()\n"
              "  %count = llvm.zext %a2 : i32 to i64\n"
              "  \"llvm.intr.memcpy\"(%a0, %a1, %count) <{isVolatile = false}> "
              ": (!llvm.ptr<3>, !llvm.ptr<1>, i64) -> ()\n");
  else
    agpu__text_printf(text,
                      "  %%v = llvm.load %%a1 {alignment = %lld : i64} : "
                      "!llvm.ptr<1> -> vector<%lldxi32>\n"
                      "  llvm.store %%v, %%a0 {alignment = %lld : i64} : "
                      "vector<%lldxi32>, !llvm.ptr<3>\n",
                      bytes, bytes / 4, bytes, bytes / 4);
}

void agpu__write_bulk_store(agpu__text *text, MlirOperation op) {
  agpu__text type = {0};
  mlirTypePrint(mlirValueGetType(mlirOperationGetOperand(op, 0)),
                agpu__text_callback, &type);
  agpu__text_printf(text,
                    "  %%zero = llvm.mlir.constant(0 : i8) : i8\n"
                    "  \"llvm.intr.memset\"(%%a0, %%zero, %%a1) <{isVolatile = "
                    "false}> : (%s, i8, i64) -> ()\n",
                    agpu__text_get(&type));
  agpu__text_free(&type);
}
