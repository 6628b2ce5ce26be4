//===- sites.c - Places where threads wait --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a thread tells the runtime of the place where it waits, as constant data
// of the module. How many there are is counted in an attribute of the module,
// as more than one pass makes them.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/base/simt.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

/// The number of the next site.
static int32_t next_number(MlirOperation gpu_module) {
  int32_t number = (int32_t)agpu__get_int(gpu_module, AGPU__SIMT_SITES, 0);
  mlirOperationSetDiscardableAttributeByName(
      gpu_module, agpu__str(AGPU__SIMT_SITES),
      agpu__i32_attr(mlirOperationGetContext(gpu_module), number + 1));
  return number;
}

MlirValue agpu__simt_site(agpu__builder *at, MlirOperation gpu_module,
                          MlirOperation function, agpu_native_wait wait,
                          uint32_t mode) {
  MlirContext context = at->context;
  int32_t number = next_number(gpu_module);
  AGPU__OWNED char *location = agpu__location_text(at->location);
  size_t bytes = strlen(location) + 1;
  MlirType i32 = agpu__i32_type(context);
  MlirType members[] = {
      i32, i32, i32,
      mlirLLVMArrayTypeGet(agpu__i8_type(context), (unsigned)bytes)};
  MlirType type = mlirLLVMStructTypeLiteralGet(context, 4, members, false);
  AGPU__OWNED char *prefix =
      agpu__embed_symbol("agpu_site", agpu__source_module(gpu_module),
                         mlirStringRefCreate(NULL, 0));
  AGPU__OWNED char *symbol = agpu__format("%s.%d", prefix, number);

  agpu__builder outside = agpu__builder_before(function);
  outside.location = at->location;
  MlirNamedAttribute constant =
      agpu__named(context, "constant", mlirUnitAttrGet(context));
  MlirOperation global =
      agpu__build_global(&outside, symbol, type, false, &constant, 1);
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(global, 0), block);
  agpu__builder inside = agpu__builder_at_end(block, at->location);
  MlirValue values[] = {
      agpu__llvm_i32(&inside, number), agpu__llvm_i32(&inside, (int32_t)wait),
      agpu__llvm_i32(&inside, (int32_t)mode),
      agpu__build_with(
          &inside, "llvm.mlir.constant", NULL, 0, members[3], "value",
          mlirStringAttrGet(context, mlirStringRefCreate(location, bytes)))};
  MlirValue site = agpu__llvm_undef(&inside, type);
  for (int64_t i = 0; i < 4; ++i)
    site = agpu__llvm_insert(&inside, site, values[i], i);
  agpu__llvm_return(&inside, site);
  return agpu__llvm_address(at, symbol);
}
