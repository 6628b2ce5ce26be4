//===- subgroups.c - Where a thread is among the warps --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops become arithmetic on gpu.thread_id and gpu.block_dim, which the
// conversion knows; none of them is left.
//
//===----------------------------------------------------------------------===//

#include "gpu/nvvm/expand/expand.h"

#include "lower/ir/ir.h"

#define WARP_SIZE 32

/// `gpu.thread_id x` and the like.
static MlirValue read_id(agpu__builder *at, const char *op,
                         const char *dimension) {
  return agpu__build_with(at, op, NULL, 0, agpu__index_type(at->context),
                          "dimension",
                          agpu__parse_attr(at->context, dimension));
}

/// The warp that the thread is in.
static MlirValue subgroup_id(agpu__builder *at) {
  MlirValue height = read_id(at, "gpu.block_dim", "#gpu<dim y>");
  MlirValue plane = agpu__build_binary(
      at, "arith.muli", read_id(at, "gpu.thread_id", "#gpu<dim z>"), height);
  MlirValue row = agpu__build_binary(
      at, "arith.addi", plane, read_id(at, "gpu.thread_id", "#gpu<dim y>"));
  MlirValue rows = agpu__build_binary(
      at, "arith.muli", row, read_id(at, "gpu.block_dim", "#gpu<dim x>"));
  MlirValue thread = agpu__build_binary(
      at, "arith.addi", rows, read_id(at, "gpu.thread_id", "#gpu<dim x>"));
  return agpu__build_binary(at, "arith.divui", thread,
                            agpu__index_constant(at, WARP_SIZE));
}

/// How many warps a block has; the last may be partly filled.
static MlirValue num_subgroups(agpu__builder *at) {
  MlirValue height = read_id(at, "gpu.block_dim", "#gpu<dim y>");
  MlirValue area = agpu__build_binary(
      at, "arith.muli", read_id(at, "gpu.block_dim", "#gpu<dim x>"), height);
  MlirValue threads = agpu__build_binary(
      at, "arith.muli", area, read_id(at, "gpu.block_dim", "#gpu<dim z>"));
  MlirValue rounded = agpu__build_binary(
      at, "arith.addi", threads, agpu__index_constant(at, WARP_SIZE - 1));
  return agpu__build_binary(at, "arith.divui", rounded,
                            agpu__index_constant(at, WARP_SIZE));
}

void agpu__expand_subgroups(MlirOperation gpu_module) {
  AGPU__SCOPED(ops) ops = agpu__ops_in(gpu_module, "gpu.subgroup_id");
  agpu__collect(gpu_module, "gpu.num_subgroups", &ops);
  agpu__collect(gpu_module, "gpu.subgroup_size", &ops);
  for (size_t i = 0; i < ops.count; ++i) {
    MlirOperation op = ops.data[i];
    agpu__builder at = agpu__builder_before(op);
    MlirValue value = agpu__op_is(op, "gpu.subgroup_id") ? subgroup_id(&at)
                      : agpu__op_is(op, "gpu.num_subgroups")
                          ? num_subgroups(&at)
                          : agpu__index_constant(&at, WARP_SIZE);
    agpu__replace_op_by_value(op, value);
  }
}
