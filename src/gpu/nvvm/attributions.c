//===- attributions.c - Memory that kernels declare -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's conversion takes it that the type of an attribution names the
// space that it makes the memory in. One that names none is a generic address,
// and private memory may go by the number that PTX has for it: the kernel then
// begins with a cast.
//
//===----------------------------------------------------------------------===//

#include "gpu/nvvm/nvvm.h"

#include "lower/ir/ir.h"

#include <stdlib.h>

static bool is_number(MlirAttribute space, int64_t number) {
  return mlirAttributeIsAInteger(space) &&
         mlirIntegerAttrGetValueInt(space) == number;
}

static MlirType with_space(MlirType type, MlirAttribute space) {
  intptr_t rank = mlirShapedTypeGetRank(type);
  AGPU__OWNED int64_t *shape = agpu__allocate((size_t)rank, sizeof(*shape));
  for (intptr_t i = 0; i < rank; ++i)
    shape[i] = mlirShapedTypeGetDimSize(type, i);
  return mlirMemRefTypeGet(mlirShapedTypeGetElementType(type), rank, shape,
                           mlirMemRefTypeGetLayout(type), space);
}

/// Makes `memory` of `space`, and puts a cast to what it was before its uses.
static void move_to(MlirBlock block, MlirValue memory, MlirAttribute space,
                    MlirLocation location) {
  MlirType type = mlirValueGetType(memory);
  agpu__builder at = agpu__builder_at_start(block, location);
  MlirValue cast =
      agpu__build_unary(&at, "memref.memory_space_cast", memory, type);
  mlirValueReplaceAllUsesOfWith(memory, cast);
  mlirOperationSetOperand(mlirOpResultGetOwner(cast), 0, memory);
  mlirValueSetType(memory, with_space(type, space));
}

/// Looks at an attribution of `function`.
static MlirLogicalResult place(MlirOperation function, MlirValue memory,
                               bool is_workgroup) {
  MlirAttribute space = mlirMemRefTypeGetMemorySpace(mlirValueGetType(memory));
  MlirAttribute none = mlirAttributeGetNull();
  MlirAttribute own =
      agpu__parse_attr(mlirOperationGetContext(function),
                       is_workgroup ? "#gpu.address_space<workgroup>"
                                    : "#gpu.address_space<private>");
  MlirLocation location = mlirOperationGetLocation(function);
  bool named = !mlirAttributeIsNull(space);
  if (named ? mlirAttributeEqual(space, own) ||
                  (is_workgroup && is_number(space, 3))
            : !is_workgroup)
    return mlirLogicalResultSuccess();
  if (named && (is_workgroup || !is_number(space, 5)))
    return agpu__error(location,
                       is_workgroup
                           ? "workgroup memory lies in the memory space "
                             "#gpu.address_space<workgroup> (3), and its type "
                             "names another"
                           : "private memory lies in the memory space "
                             "#gpu.address_space<private> (5), and its type "
                             "names another");
  move_to(agpu__entry_block(function), memory, is_workgroup ? own : none,
          location);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult agpu__place_attributions(MlirOperation gpu_module) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__OPS_IN_FOREACH (function, gpu_module, "gpu.func") {
    MlirBlock block = agpu__entry_block(function);
    intptr_t count = mlirBlockGetNumArguments(block);
    intptr_t first =
        mlirFunctionTypeGetNumInputs(agpu__function_type(function));
    intptr_t workgroup =
        (intptr_t)agpu__get_int(function, "workgroup_attributions", 0);
    for (intptr_t k = first; k < count; ++k)
      if (mlirLogicalResultIsFailure(place(
              function, mlirBlockGetArgument(block, k), k - first < workgroup)))
        result = mlirLogicalResultFailure();
  }
  return result;
}
