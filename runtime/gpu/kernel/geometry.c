//===- geometry.c - The shape of a launch ---------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes are what programs compute. Whether they fit the driver's types is told
// before a call, so that a message can name them.
//
//===----------------------------------------------------------------------===//

#include "gpu/kernel/geometry.h"

#include <limits.h>
#include <stdio.h>

/// Every device of a kind that has clusters takes one of so many blocks.
#define PORTABLE_CLUSTER 8

static bool fit(const int64_t sizes[3]) {
  for (int i = 0; i < 3; ++i)
    if (sizes[i] < 0 || sizes[i] > UINT_MAX)
      return false;
  return true;
}

static bool has_clusters(const agpu__geometry *geometry) {
  const int64_t *cluster = geometry->cluster;
  return cluster[0] != 1 || cluster[1] != 1 || cluster[2] != 1;
}

bool agpu__geometry_fits(const agpu__geometry *geometry) {
  return fit(geometry->cluster) && fit(geometry->grid) &&
         fit(geometry->block) && geometry->shared_bytes >= 0 &&
         geometry->shared_bytes <= INT_MAX;
}

bool agpu__geometry_is_empty(const agpu__geometry *geometry) {
  return !geometry->grid[0] || !geometry->grid[1] || !geometry->grid[2];
}

agpu__geometry_text agpu__geometry_print(const agpu__geometry *geometry) {
  agpu__geometry_text result;
  char clusters[96] = "";
  if (has_clusters(geometry))
    (void)snprintf(clusters, sizeof clusters, "clusters of %lldx%lldx%lld, ",
                   (long long)geometry->cluster[0],
                   (long long)geometry->cluster[1],
                   (long long)geometry->cluster[2]);
  (void)snprintf(
      result.text, sizeof result.text,
      "%sgrid %lldx%lldx%lld, block %lldx%lldx%lld and %lld bytes of shared "
      "memory",
      clusters, (long long)geometry->grid[0], (long long)geometry->grid[1],
      (long long)geometry->grid[2], (long long)geometry->block[0],
      (long long)geometry->block[1], (long long)geometry->block[2],
      (long long)geometry->shared_bytes);
  return result;
}

CUresult agpu__geometry_launch(const agpu__geometry *geometry,
                               const agpu__driver *driver, CUfunction function,
                               CUstream stream, void **params, void **extra) {
  const int64_t *cluster = geometry->cluster;
  const int64_t *grid = geometry->grid, *block = geometry->block;
  unsigned shared_bytes = (unsigned)geometry->shared_bytes;
  if (!has_clusters(geometry))
    return driver->cuLaunchKernel(
        function, (unsigned)grid[0], (unsigned)grid[1], (unsigned)grid[2],
        (unsigned)block[0], (unsigned)block[1], (unsigned)block[2],
        shared_bytes, stream, params, extra);
  if (!driver->cuLaunchKernelEx)
    return CUDA_ERROR_NOT_SUPPORTED;
  // Compared factor by factor: the product of three sizes may not fit.
  if (cluster[0] > PORTABLE_CLUSTER || cluster[1] > PORTABLE_CLUSTER ||
      cluster[2] > PORTABLE_CLUSTER ||
      cluster[0] * cluster[1] * cluster[2] > PORTABLE_CLUSTER) {
    CUresult result = driver->cuFuncSetAttribute(
        function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    if (result)
      return result;
  }
  CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
  attribute.value.clusterDim.x = (unsigned)cluster[0];
  attribute.value.clusterDim.y = (unsigned)cluster[1];
  attribute.value.clusterDim.z = (unsigned)cluster[2];
  const CUlaunchConfig config = {.gridDimX = (unsigned)grid[0],
                                 .gridDimY = (unsigned)grid[1],
                                 .gridDimZ = (unsigned)grid[2],
                                 .blockDimX = (unsigned)block[0],
                                 .blockDimY = (unsigned)block[1],
                                 .blockDimZ = (unsigned)block[2],
                                 .sharedMemBytes = shared_bytes,
                                 .hStream = stream,
                                 .attrs = &attribute,
                                 .numAttrs = 1};
  return driver->cuLaunchKernelEx(&config, function, params, extra);
}
