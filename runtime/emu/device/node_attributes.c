//===- node_attributes.c - Attributes of nodes ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node of a kernel has the attributes that its launch would be given. Of an
// executable graph they are those of its graph when it was made.
//
//===----------------------------------------------------------------------===//

#include "emu/device/graph.h"

#include "driver_api/values.h"
#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/base/result.h"
#include "emu/device/make.h"

CUresult agpu__emu_node_check_clusters(const agpu__emu_op *op,
                                       const CUDA_KERNEL_NODE_PARAMS *params) {
  const unsigned *cluster = op->launch.cluster_dim;
  if (cluster[0] == 1 && cluster[1] == 1 && cluster[2] == 1)
    return CUDA_SUCCESS;
  const unsigned grid[] = {params->gridDimX, params->gridDimY,
                           params->gridDimZ};
  return agpu__emu_clusters_check(params->func, grid, cluster);
}

CUresult
agpu__emu_cuGraphKernelNodeSetAttribute(CUgraphNode handle,
                                        CUlaunchAttributeID id,
                                        const CUlaunchAttributeValue *value) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  agpu__emu_node *node = agpu__emu_node_find(handle);
  if (!node || !node->op || node->op->kind != AGPU__EMU_OP_KERNEL || !value)
    return CUDA_ERROR_INVALID_VALUE;
  // An edge of a graph is an order, whatever a stream would do, and what is
  // more urgent need not come first.
  if (id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION ||
      id == CU_LAUNCH_ATTRIBUTE_PRIORITY)
    return CUDA_SUCCESS;
  if (id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
    return CUDA_ERROR_NOT_SUPPORTED;
  const unsigned cluster[] = {value->clusterDim.x, value->clusterDim.y,
                              value->clusterDim.z};
  result = agpu__emu_clusters_check(node->function,
                                    node->op->launch.block.grid_dim, cluster);
  for (int d = 0; d < 3 && !result; ++d)
    node->op->launch.cluster_dim[d] = cluster[d];
  return result;
}
