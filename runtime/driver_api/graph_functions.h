//===- graph_functions.h - The driver's functions for graphs ------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lines of the driver's table (functions.h, which says what they mean). A
// driver that has not all of them is used without graphs.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_DRIVER_API_GRAPH_FUNCTIONS_H
#define ASYNC_GPU_RUNTIME_DRIVER_API_GRAPH_FUNCTIONS_H

#define AGPU__DRIVER_GRAPHS(X)                                                 \
  X(OPTIONAL, cuGraphCreate, cuGraphCreate,                                    \
    (CUgraph * graph, unsigned int flags), (graph, flags))                     \
  X(OPTIONAL, cuGraphAddKernelNode, cuGraphAddKernelNode,                      \
    (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies,       \
     size_t count, const CUDA_KERNEL_NODE_PARAMS *params),                     \
    (node, graph, dependencies, count, params))                                \
  X(OPTIONAL, cuGraphAddMemcpyNode, cuGraphAddMemcpyNode,                      \
    (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies,       \
     size_t count, const CUDA_MEMCPY3D *params, CUcontext context),            \
    (node, graph, dependencies, count, params, context))                       \
  X(OPTIONAL, cuGraphAddMemsetNode, cuGraphAddMemsetNode,                      \
    (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies,       \
     size_t count, const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context),  \
    (node, graph, dependencies, count, params, context))                       \
  X(OPTIONAL, cuGraphAddHostNode, cuGraphAddHostNode,                          \
    (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies,       \
     size_t count, const CUDA_HOST_NODE_PARAMS *params),                       \
    (node, graph, dependencies, count, params))                                \
  X(OPTIONAL, cuGraphAddChildGraphNode, cuGraphAddChildGraphNode,              \
    (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies,       \
     size_t count, CUgraph child),                                             \
    (node, graph, dependencies, count, child))                                 \
  X(OPTIONAL, cuGraphAddEventRecordNode, cuGraphAddEventRecordNode,            \
    (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies,       \
     size_t count, CUevent event),                                             \
    (node, graph, dependencies, count, event))                                 \
  X(OPTIONAL, cuGraphKernelNodeSetAttribute, cuGraphKernelNodeSetAttribute,    \
    (CUgraphNode node, CUlaunchAttributeID id,                                 \
     const CUlaunchAttributeValue *value),                                     \
    (node, id, value))                                                         \
  X(OPTIONAL, cuGraphConditionalHandleCreate, cuGraphConditionalHandleCreate,  \
    (CUgraphConditionalHandle * handle, CUgraph graph, CUcontext context,      \
     unsigned int value, unsigned int flags),                                  \
    (handle, graph, context, value, flags))                                    \
  X(OPTIONAL, cuGraphAddNode, cuGraphAddNode,                                  \
    (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies,       \
     size_t count, CUgraphNodeParams *params),                                 \
    (node, graph, dependencies, count, params))                                \
  X(OPTIONAL, cuGraphInstantiate, cuGraphInstantiateWithFlags,                 \
    (CUgraphExec * exec, CUgraph graph, unsigned long long flags),             \
    (exec, graph, flags))                                                      \
  X(OPTIONAL, cuGraphExecKernelNodeSetParams, cuGraphExecKernelNodeSetParams,  \
    (CUgraphExec exec, CUgraphNode node,                                       \
     const CUDA_KERNEL_NODE_PARAMS *params),                                   \
    (exec, node, params))                                                      \
  X(OPTIONAL, cuGraphExecMemcpyNodeSetParams, cuGraphExecMemcpyNodeSetParams,  \
    (CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *params,          \
     CUcontext context),                                                       \
    (exec, node, params, context))                                             \
  X(OPTIONAL, cuGraphExecMemsetNodeSetParams, cuGraphExecMemsetNodeSetParams,  \
    (CUgraphExec exec, CUgraphNode node,                                       \
     const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context),                \
    (exec, node, params, context))                                             \
  X(OPTIONAL, cuGraphExecChildGraphNodeSetParams,                              \
    cuGraphExecChildGraphNodeSetParams,                                        \
    (CUgraphExec exec, CUgraphNode node, CUgraph child), (exec, node, child))  \
  X(OPTIONAL, cuGraphExecEventRecordNodeSetEvent,                              \
    cuGraphExecEventRecordNodeSetEvent,                                        \
    (CUgraphExec exec, CUgraphNode node, CUevent event), (exec, node, event))  \
  X(OPTIONAL, cuStreamBeginCapture, cuStreamBeginCapture_v2,                   \
    (CUstream stream, int mode), (stream, mode))                               \
  X(OPTIONAL, cuStreamEndCapture, cuStreamEndCapture,                          \
    (CUstream stream, CUgraph * graph), (stream, graph))                       \
  X(OPTIONAL, cuGraphLaunch, cuGraphLaunch,                                    \
    (CUgraphExec exec, CUstream stream), (exec, stream))

#endif // ASYNC_GPU_RUNTIME_DRIVER_API_GRAPH_FUNCTIONS_H
