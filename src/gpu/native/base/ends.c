//===- ends.c - Ends of threads -------------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What becomes of the end of one thread: a return where each thread runs by
// itself, and a check after all of them where none knows of the others.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/base/simt.h"

void agpu__simt_mark_end(MlirOperation unreachable) {
  agpu__set_attr(unreachable, AGPU__SIMT_ENDS_THREAD,
                 mlirUnitAttrGet(mlirOperationGetContext(unreachable)));
}

bool agpu__simt_ends_thread(MlirOperation op) {
  return agpu__op_is(op, "llvm.unreachable") &&
         agpu__has_attr(op, AGPU__SIMT_ENDS_THREAD);
}

void agpu__simt_check_assertions(agpu__builder *at, MlirOperation gpu_module) {
  agpu__call_runtime(at, gpu_module, "agpu_native_check_assertions", NULL, 0,
                     (MlirType){NULL});
}

void agpu__simt_end_threads(MlirOperation function, bool is_kernel,
                            MlirOperation gpu_module) {
  AGPU__OPS_IN_FOREACH (end, function, "llvm.unreachable") {
    if (!agpu__simt_ends_thread(end))
      continue;
    agpu__builder at = agpu__builder_before(end);
    if (is_kernel) {
      agpu__llvm_return(&at, (MlirValue){NULL});
      mlirOperationDestroy(end);
      continue;
    }
    agpu__simt_check_assertions(&at, gpu_module);
    agpu__remove_attr(end, AGPU__SIMT_ENDS_THREAD);
  }
}
