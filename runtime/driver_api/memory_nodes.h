//===- memory_nodes.h - Nodes that allocate -----------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The types of nodes of graphs that allocate memory, as cuda.h has them:
// drivers have such nodes, and the runtime makes none.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_DRIVER_API_MEMORY_NODES_H
#define ASYNC_GPU_RUNTIME_DRIVER_API_MEMORY_NODES_H

#include "driver_api/values.h"

typedef struct CUmemPoolProps {
  enum { CU_MEM_ALLOCATION_TYPE_PINNED = 1 } allocType;
  enum { CU_MEM_HANDLE_TYPE_NONE = 0 } handleTypes;
  CUmemLocation location;
  void *win32SecurityAttributes;
  size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
} CUmemPoolProps;

struct CUDA_MEM_ALLOC_NODE_PARAMS {
  CUmemPoolProps poolProps;
  const CUmemAccessDesc *accessDescs;
  size_t accessDescCount;
  size_t bytesize;
  CUdeviceptr dptr; ///< out
};

#endif // ASYNC_GPU_RUNTIME_DRIVER_API_MEMORY_NODES_H
