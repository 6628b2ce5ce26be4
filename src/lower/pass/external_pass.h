//===- external_pass.h - Rows of the pass table as MLIR passes --*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_EXTERNAL_PASS_H
#define ASYNC_GPU_LOWER_EXTERNAL_PASS_H

#include "lower/pass/pass.h"

#include "mlir-c/Pass.h"

/// A pass on the op that `pass` is for that runs it with `values` (taken over).
/// The caller adds it to a pass manager, which owns it then. With `checks` it
/// first checks the attributes of all that the op holds (attributes.h). What is
/// to be said of upstream's passes after it (progress.h) can be put into
/// `**out_behind`, a string of malloc's that the pass then owns.
MlirPass agpu__external_pass_create(const agpu_pass *pass,
                                    agpu_pass_values *values, bool checks,
                                    char ***out_behind);

/// A pass on any op that prints the IR to stderr under a line that says when:
/// `when` ("Before" or "After") and the name of the pass beside it.
MlirPass agpu__print_pass_create(const char *when, const char *argument,
                                 bool module_scope);

/// A pass on any op that notifies the observer (instruments.h) that `pipeline`,
/// of one pass, is about to run on the op, unless `**out_silent` has been set
/// before.
MlirPass agpu__tell_pass_create(const char *pipeline, bool **out_silent);

#endif // ASYNC_GPU_LOWER_EXTERNAL_PASS_H
