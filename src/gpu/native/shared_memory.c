//===- shared_memory.c - async-gpu-native-shared-memory -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Globals in shared memory become offsets from the start of the block's. A
// function of the device has one code for all kernels that call it, so that a
// global has one offset; kernels that share none use the same bytes. A global
// of size 0 is the launch's own (dynamic) part, which comes last.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/accesses.h"
#include "gpu/native/atomics.h"
#include "gpu/native/base/options.h"
#include "gpu/native/base/simt.h"
#include "gpu/native/calls.h"
#include "gpu/nvvm/address_space.h"
#include "lower/ir/type_size.h"
#include "lower/pass/pass.h"

#include <stdlib.h>

/// Bytes of shared memory that a kernel can have.
#define MAX_SHARED (48u * 1024u)

// What the launch's own part is aligned to.
#define DYNAMIC_ALIGNMENT 16u

static bool is_shared(MlirOperation symbol) {
  if (!agpu__op_is(symbol, "llvm.mlir.global"))
    return false;
  return agpu__get_int(symbol, "addr_space", 0) == 3;
}

static uint64_t round_up(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

static uint64_t alignment_of(MlirOperation global, uint64_t natural) {
  uint64_t asked = (uint64_t)agpu__get_int(global, "alignment", 0);
  return asked > natural ? asked : natural;
}

static bool uses(const agpu__ops *reached, MlirOperation global) {
  for (size_t i = 0; i < reached->count; ++i)
    if (mlirOperationEqual(reached->data[i], global))
      return true;
  return false;
}

/// The kernels of a module: what each reaches, and takes of shared memory.
typedef struct shared_memory {
  const agpu__ops *kernels;
  agpu__ops *reached;
  uint64_t *bytes;
} shared_memory;

/// Finds a place for `global` behind all that its kernels have placed so far.
static void place(shared_memory *self, MlirOperation global) {
  MlirContext context = mlirOperationGetContext(global);
  MlirType type = mlirTypeAttrGetValue(agpu__attr(global, "global_type"));
  uint64_t natural;
  uint64_t size = agpu__type_size(type, &natural);
  if (!size) {
    agpu__set_attr(global, AGPU__SIMT_DYNAMIC, mlirUnitAttrGet(context));
    return;
  }
  uint64_t offset = 0;
  for (size_t i = 0; i < self->kernels->count; ++i)
    if (uses(&self->reached[i], global) && self->bytes[i] > offset)
      offset = self->bytes[i];
  offset = round_up(offset, alignment_of(global, natural));
  for (size_t i = 0; i < self->kernels->count; ++i)
    if (uses(&self->reached[i], global))
      self->bytes[i] = offset + size;
  agpu__set_attr(global, AGPU__SIMT_OFFSET,
                 agpu__i64_attr(context, (int64_t)offset));
}

/// Records what `kernel` takes. Fails with a diagnostic where that is more than
/// there is.
static MlirLogicalResult record(MlirOperation kernel, uint64_t bytes) {
  bytes = round_up(bytes, DYNAMIC_ALIGNMENT);
  agpu__set_attr(
      kernel, AGPU__SIMT_SHARED_BYTES,
      agpu__i64_attr(mlirOperationGetContext(kernel), (int64_t)bytes));
  return bytes <= MAX_SHARED
             ? mlirLogicalResultSuccess()
             : agpu__error(mlirOperationGetLocation(kernel),
                           "this kernel takes %llu bytes of workgroup memory; "
                           "a block has %u",
                           (unsigned long long)bytes, MAX_SHARED);
}

static MlirLogicalResult place_all(MlirOperation gpu_module) {
  agpu__ops kernels = {0};
  agpu__simt_functions(gpu_module, true, &kernels);
  shared_memory self = {
      .kernels = &kernels,
      .reached = agpu__allocate(kernels.count, sizeof(*self.reached)),
      .bytes = agpu__allocate(kernels.count, sizeof(*self.bytes))};
  for (size_t i = 0; i < kernels.count; ++i)
    agpu__simt_reach(gpu_module, kernels.data[i], &self.reached[i]);
  for (MlirOperation op =
           mlirBlockGetFirstOperation(agpu__module_body(gpu_module));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (is_shared(op))
      place(&self, op);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (size_t i = 0; i < kernels.count; ++i) {
    agpu__ops_free(&self.reached[i]);
    if (mlirLogicalResultIsFailure(record(kernels.data[i], self.bytes[i])))
      result = mlirLogicalResultFailure();
  }
  free(self.reached);
  free(self.bytes);
  agpu__ops_free(&kernels);
  return result;
}

static MlirLogicalResult run(MlirOperation gpu_module,
                             const agpu_pass_values *values) {
  if (!agpu__simt_is_meant(gpu_module))
    return mlirLogicalResultSuccess();
  if (mlirLogicalResultIsFailure(place_all(gpu_module)))
    return mlirLogicalResultFailure();
  // The check for races wants to see what is atomic.
  if (agpu__pass_value_bool(values, "check-accesses")) {
    agpu__set_attr(gpu_module, AGPU__SIMT_CHECKED,
                   mlirUnitAttrGet(mlirOperationGetContext(gpu_module)));
    agpu__simt_mark_shared(gpu_module);
  } else {
    agpu__simt_replace_shared_atomics(gpu_module);
  }
  agpu__flatten_address_spaces(gpu_module);
  return mlirLogicalResultSuccess();
}

static const agpu_pass_option options[] = {AGPU__CHECK_ACCESSES_OPTION};

const agpu_pass agpu__pass_native_shared_memory = {
    .argument = AGPU__SIMT_PASS("shared-memory"),
    .anchor = "gpu.module",
    .summary = "Give workgroup memory its place, and all memory one space",
    .options = options,
    .option_count = sizeof(options) / sizeof(*options),
    .run = run,
};
