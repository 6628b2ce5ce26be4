//===- box_calls.c - Boxes of unranked memrefs become runtime calls -------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A box is a value that is ready from the start, by calls that upstream's
// runtime has too. It holds the rank and, after it, the descriptor:
//
//   i64 rank, ptr allocated, ptr aligned, i64 offset, i64 sizes[rank],
//   i64 strides[rank]
//
//===----------------------------------------------------------------------===//

#include "host/async/async.h"

#define RANK_BYTES 8
#define DESCRIPTOR_BYTES 24
#define DIMENSION_BYTES 16

static const MlirType no_type = {NULL};

static MlirValue storage_of(agpu__builder *at, MlirOperation module,
                            MlirValue box) {
  return agpu__call_runtime(at, module, "mlirAsyncRuntimeGetValueStorage", &box,
                            1, agpu__ptr_type(at->context));
}

static MlirValue descriptor_in(agpu__builder *at, MlirValue storage) {
  return agpu__llvm_byte(at, storage, RANK_BYTES);
}

static MlirValue descriptor_bytes(agpu__builder *at, MlirValue rank) {
  MlirValue dimensions = agpu__build_binary(
      at, "llvm.mul", rank, agpu__llvm_i64(at, DIMENSION_BYTES));
  return agpu__build_binary(at, "llvm.add",
                            agpu__llvm_i64(at, DESCRIPTOR_BYTES), dimensions);
}

MlirValue agpu__box_unranked(agpu__builder *at, MlirOperation module,
                             MlirValue memref, MlirType box_type) {
  MlirValue fields = agpu__memref_descriptor(at, memref);
  if (mlirValueIsNull(fields))
    return fields;
  MlirValue rank =
      agpu__llvm_extract(at, fields, agpu__i64_type(at->context), 0);
  MlirValue descriptor =
      agpu__llvm_extract(at, fields, agpu__ptr_type(at->context), 1);
  MlirValue bytes = descriptor_bytes(at, rank);
  MlirValue size =
      agpu__build_binary(at, "llvm.add", bytes, agpu__llvm_i64(at, RANK_BYTES));
  MlirValue box = agpu__call_runtime(at, module, "mlirAsyncRuntimeCreateValue",
                                     &size, 1, box_type);
  MlirValue storage = storage_of(at, module, box);
  agpu__llvm_store(at, rank, storage);
  agpu__llvm_copy(at, descriptor_in(at, storage), descriptor, bytes);
  agpu__call_runtime(at, module, "mlirAsyncRuntimeEmplaceValue", &box, 1,
                     no_type);
  return box;
}

MlirValue agpu__unbox_unranked(agpu__builder *at, MlirOperation module,
                               MlirValue box, MlirType memref, bool on_stack) {
  MlirValue storage = storage_of(at, module, box);
  MlirValue rank = agpu__llvm_load(at, storage, agpu__i64_type(at->context));
  MlirValue descriptor = descriptor_in(at, storage);
  if (on_stack) {
    MlirValue bytes = descriptor_bytes(at, rank);
    MlirValue memory =
        agpu__llvm_alloca(at, agpu__i8_type(at->context), bytes, 8);
    agpu__llvm_copy(at, memory, descriptor, bytes);
    descriptor = memory;
  }
  MlirValue fields = agpu__llvm_undef(at, agpu__payload_type(memref));
  fields = agpu__llvm_insert(at, fields, rank, 0);
  fields = agpu__llvm_insert(at, fields, descriptor, 1);
  return agpu__build_cast(at, fields, memref);
}
