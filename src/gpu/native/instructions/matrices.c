//===- matrices.c - Matrices spread over a warp as host code -------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads and stores of matrices by a warp (`ldmatrix`, `stmatrix`). Addresses go
// from lane to lane by shuffles, which are waits (wait.c).
//
//===----------------------------------------------------------------------===//

#include "gpu/native/instructions/writers.h"

#include "lower/ir/ir.h"

#include <stdlib.h>

// A matrix of 8 by 8 elements of 16 bits is spread over a warp by rows of four
// lanes with two elements each. Lane 8 * m + i has the address of row i of
// matrix m. Transposed, the lanes hold columns.

/// `%lane`, `%row` and `%column` of the lane's elements, and the addresses as
/// numbers.
static void write_matrix_place(agpu__text *text) {
  agpu__text_puts(text, "  %lane = nvvm.read.ptx.sreg.laneid : i32\n"
                        "  %all = llvm.mlir.constant(-1 : i32) : i32\n"
                        "  %last = llvm.mlir.constant(31 : i32) : i32\n"
                        "  %two = llvm.mlir.constant(2 : i32) : i32\n"
                        "  %three = llvm.mlir.constant(3 : i32) : i32\n"
                        "  %sixteen = llvm.mlir.constant(16 : i32) : i32\n"
                        "  %row = llvm.lshr %lane, %two : i32\n"
                        "  %column = llvm.and %lane, %three : i32\n"
                        "  %half = llvm.mlir.constant(32 : i64) : i64\n"
                        "  %number = llvm.ptrtoint %a0 : !llvm.ptr<3> to i64\n"
                        "  %upper = llvm.lshr %number, %half : i64\n"
                        "  %high = llvm.trunc %upper : i64 to i32\n"
                        "  %low = llvm.trunc %number : i64 to i32\n");
}

/// `%eN`, the address of word (`half` < 0) or half word `half` of the lane in
/// matrix `m`, where N is its number.
static void write_matrix_element(agpu__text *text, int number, int m,
                                 int half) {
  agpu__text_printf(text, "  %%m%d = llvm.mlir.constant(%d : i32) : i32\n",
                    number, 8 * m + (half > 0 ? half : 0));
  if (half < 0)
    agpu__text_printf(text, "  %%from%d = llvm.add %%m%d, %%row : i32\n",
                      number, number);
  else
    agpu__text_printf(text,
                      "  %%pair%d = llvm.mul %%column, %%two : i32\n"
                      "  %%from%d = llvm.add %%m%d, %%pair%d : i32\n",
                      number, number, number, number);
  // A shuffle moves 32 bits.
  agpu__text_printf(text,
                    "  %%l%d = nvvm.shfl.sync idx %%all, %%low, %%from%d, "
                    "%%last : i32 -> i32\n"
                    "  %%g%d = nvvm.shfl.sync idx %%all, %%high, %%from%d, "
                    "%%last : i32 -> i32\n"
                    "  %%lw%d = llvm.zext %%l%d : i32 to i64\n"
                    "  %%gw%d = llvm.zext %%g%d : i32 to i64\n"
                    "  %%gs%d = llvm.shl %%gw%d, %%half : i64\n"
                    "  %%s%d = llvm.or %%gs%d, %%lw%d : i64\n",
                    number, number, number, number, number, number, number,
                    number, number, number, number, number, number);
  agpu__text_printf(text,
                    "  %%b%d = llvm.inttoptr %%s%d : i64 to !llvm.ptr<3>\n"
                    "  %%e%d = llvm.getelementptr %%b%d[%%%s] : "
                    "(!llvm.ptr<3>, i32) -> !llvm.ptr<3>, %s\n",
                    number, number, number, number, half < 0 ? "column" : "row",
                    half < 0 ? "i32" : "i16");
}

static bool is_transposed(MlirOperation op) {
  // The layout is an integer without a name in the IR.
  return agpu__attribute_has(op, "layout", "col");
}

bool agpu__is_plain_matrix(MlirOperation op) {
  return agpu__attribute_has(op, "eltType", "<b16>") &&
         agpu__attribute_has(op, "shape", "m = 8, n = 8");
}

void agpu__write_matrix_load(agpu__text *text, MlirOperation op) {
  int count = (int)agpu__number_of(op, "num");
  write_matrix_place(text);
  for (int m = 0; m < count; ++m) {
    if (!is_transposed(op)) {
      write_matrix_element(text, m, m, -1);
      agpu__text_printf(
          text, "  %%w%d = llvm.load %%e%d : !llvm.ptr<3> -> i32\n", m, m);
      continue;
    }
    for (int half = 0; half < 2; ++half) {
      int number = 2 * m + half;
      write_matrix_element(text, number, m, half);
      agpu__text_printf(text,
                        "  %%h%d = llvm.load %%e%d : !llvm.ptr<3> -> i16\n"
                        "  %%x%d = llvm.zext %%h%d : i16 to i32\n",
                        number, number, number, number);
    }
    agpu__text_printf(text,
                      "  %%y%d = llvm.shl %%x%d, %%sixteen : i32\n"
                      "  %%w%d = llvm.or %%x%d, %%y%d : i32\n",
                      m, 2 * m + 1, m, 2 * m, m);
  }
  if (count == 1) {
    agpu__text_puts(text, "  %zero = llvm.mlir.constant(0 : i32) : i32\n"
                          "  %r = llvm.or %w0, %zero : i32\n");
    return;
  }
  agpu__text type = {0};
  mlirTypePrint(mlirValueGetType(agpu__result(op, 0)), agpu__text_callback,
                &type);
  agpu__text_printf(text, "  %%r0 = llvm.mlir.undef : %s\n",
                    agpu__text_get(&type));
  for (int m = 0; m < count; ++m) {
    char *name = m + 1 < count ? agpu__format("r%d", m + 1) : agpu__format("r");
    agpu__text_printf(text, "  %%%s = llvm.insertvalue %%w%d, %%r%d[%d] : %s\n",
                      name, m, m, m, agpu__text_get(&type));
    free(name);
  }
  agpu__text_free(&type);
}

/// Operands: the address, and a word for each matrix.
void agpu__write_matrix_store(agpu__text *text, MlirOperation op) {
  int count = (int)mlirOperationGetNumOperands(op) - 1;
  write_matrix_place(text);
  for (int m = 0; m < count; ++m) {
    if (!is_transposed(op)) {
      write_matrix_element(text, m, m, -1);
      agpu__text_printf(text, "  llvm.store %%a%d, %%e%d : i32, !llvm.ptr<3>\n",
                        m + 1, m);
      continue;
    }
    agpu__text_printf(text, "  %%y%d = llvm.lshr %%a%d, %%sixteen : i32\n", m,
                      m + 1);
    for (int half = 0; half < 2; ++half) {
      int number = 2 * m + half;
      write_matrix_element(text, number, m, half);
      agpu__text_printf(text, "  %%h%d = llvm.trunc %%%s%d : i32 to i16\n",
                        number, half ? "y" : "a", half ? m : m + 1);
      agpu__text_printf(text, "  llvm.store %%h%d, %%e%d : i16, !llvm.ptr<3>\n",
                        number, number);
    }
  }
}
